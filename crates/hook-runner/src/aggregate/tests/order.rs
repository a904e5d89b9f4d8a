//! Through a runner: what finishes first does not matter, and what failed stays a failure.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_types::outcome::Cause;
use hook_types::{Attempt, Event, OnFailure, PreToolUse, Reply, Status};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::json;

use super::firing::Firing;
use super::generate::firing;
use crate::context::HookContext;
use crate::facts::Session;
use crate::fired::Fired;
use crate::group::{Group, Mode};
use crate::handler::{Description, Handler};
use crate::hook::Hook;
use crate::hook_set::HookSet;
use crate::input::Input;
use crate::runner::{Fire, HookRunner};
use crate::session::Runner;

/// A hook that takes its time, and then says what it was told to.
struct Slow {
    attempt: Attempt,
    takes: Duration,
}

#[async_trait]
impl Handler for Slow {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        tokio::time::sleep(self.takes).await;
        self.attempt.reply.clone()
    }

    fn describe(&self) -> Description {
        Description::new(self.attempt.hook.kind.clone(), "takes its time")
    }
}

/// The same hooks in a runner, each as slow as it is told to be.
fn runner(firing: &Firing, takes: &[u64]) -> Runner {
    let mut takes = takes.iter().copied().cycle();
    let mut builder = HookSet::builder();
    for group in &firing.groups {
        let mut registered = match group.mode {
            Mode::Sequential => Group::sequential(),
            Mode::Parallel => Group::parallel(),
        };
        for attempt in &group.attempts {
            let takes = Duration::from_millis(takes.next().unwrap_or_default());
            let slow = Slow {
                attempt: attempt.clone(),
                takes,
            };
            let hook = Hook::new(attempt.event, slow)
                .id(attempt.hook.id.clone())
                .on_failure(attempt.on_failure);
            registered = registered.hook(hook);
        }
        builder = builder.group(registered);
    }
    let mut session = Session::new(firing.event.base().clone());
    session.interactive = firing.interactive;
    Runner::with(builder.build().unwrap(), session, firing.policy)
}

/// Fires under a clock that does not make anybody wait.
fn fired(firing: &Firing, takes: &[u64]) -> Fired {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let runner = runner(firing, takes);
    runtime.block_on(runner.fire_event(firing.event.clone()))
}

fn names(attempts: &[Attempt]) -> Vec<&str> {
    let attempts = attempts.iter();
    attempts.map(|attempt| attempt.hook.id.as_str()).collect()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, cases: 128, ..Config::default() })]

    #[test]
    fn the_order_of_arrival_never_matters(
        firing in firing(),
        takes in vec(0..100_u64, 12),
        takes_now in vec(0..100_u64, 12),
    ) {
        let (one, other) = (fired(&firing, &takes), fired(&firing, &takes_now));
        prop_assert_eq!(&one.outcome, &other.outcome);
        prop_assert_eq!(names(&one.attempts), names(&other.attempts));
        prop_assert!(one.attempts.is_sorted_by_key(|attempt| attempt.order));
    }
}

#[tokio::test]
async fn a_failure_that_blocks_is_still_reported_as_a_failure() {
    let fails = |_: PreToolUse| Err::<(), _>("no connection");
    let group = Group::parallel().on_failure(OnFailure::Block).on("", fails);
    let runner = Runner::new(HookSet::builder().group(group).build().unwrap());
    let fired = runner.fire(PreToolUse::new("Bash", json!({}))).await;
    assert!(fired.is_denied());
    let cause = fired
        .outcome
        .decided_by
        .as_ref()
        .map(|decider| &decider.cause);
    assert_eq!(cause, Some(&Cause::FailurePolicy));
    assert_eq!(
        fired.attempts[0].reply.status,
        Status::Failed("no connection".into())
    );
}

#[tokio::test]
async fn a_failure_that_goes_on_is_reported_beside_the_outcome() {
    let fails = |_: PreToolUse| Err::<(), _>("no connection");
    let hooks = HookSet::builder()
        .on("", fails)
        .on("", |_: PreToolUse| PreToolUse::allow());
    let runner = Runner::new(hooks.build().unwrap());
    let fired = runner.fire(PreToolUse::new("Bash", json!({}))).await;
    assert_eq!(fired.outcome.decision, hook_types::Decision::Allow);
    assert_eq!(
        fired.attempts[0].reply.status,
        Status::Failed("no connection".into())
    );
}
