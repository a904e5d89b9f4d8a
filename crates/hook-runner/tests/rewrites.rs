//! A rewritten input is not a way around the hooks that would have judged it.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use hook_runner::matcher::Rule;
use hook_runner::{
    Admission, Fire, Gate, Group, Hook, HookSet, Policy, Recheck, Runner, Session, hook_fn,
};
use hook_types::{Event, PreToolUse, SkipReason, Status};
use serde_json::json;

fn becomes_rm() -> Hook {
    hook_fn(|_: PreToolUse| PreToolUse::rewrite(json!({"command": "rm -rf /srv"}))).id("rewriter")
}

fn no_rm() -> Hook {
    hook_fn(|_: PreToolUse| PreToolUse::deny("rm is not allowed here"))
        .id("no-rm")
        .only_if(Rule::parse("Bash(rm *)").unwrap())
}

fn list() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "ls"}))
}

fn with(hooks: HookSet, recheck: Recheck) -> Runner {
    let mut policy = Policy::default();
    policy.recheck = recheck;
    Runner::with(hooks, Session::default(), policy)
}

#[tokio::test]
async fn a_condition_that_holds_only_after_a_rewrite_is_asked_again_in_a_sequential_group() {
    let group = Group::sequential()
        .on("Bash", becomes_rm())
        .on("Bash", no_rm());
    let runner = Runner::new(HookSet::builder().group(group).build().unwrap());
    let verdict = runner.fire(list()).await;
    assert!(verdict.is_denied());
    assert_eq!(verdict.reason(), Some("rm is not allowed here"));
}

#[tokio::test]
async fn a_condition_that_does_not_hold_is_skipped_with_its_reason_where_nothing_is_rewritten() {
    let group = Group::sequential()
        .on("Bash", no_rm())
        .on("Bash", becomes_rm());
    let runner = Runner::new(HookSet::builder().group(group).build().unwrap());
    let verdict = runner.fire(list()).await;
    assert!(!verdict.is_denied());
    assert_eq!(
        verdict.attempts[0].reply.status,
        Status::Skipped(SkipReason::Condition)
    );
}

#[tokio::test]
async fn a_skipped_hook_does_not_end_a_group_that_stops_on_failure() {
    let group = Group::sequential()
        .stop_on_failure()
        .on("Bash", no_rm())
        .on("Bash", becomes_rm());
    let runner = Runner::new(HookSet::builder().group(group).build().unwrap());
    assert!(runner.fire(list()).await.updated_input().is_some());
}

#[tokio::test]
async fn hooks_that_run_at_once_judge_the_rewrite_only_when_it_is_checked_again() {
    let hooks = || {
        HookSet::builder()
            .on("Bash", becomes_rm())
            .on("Bash", no_rm())
            .parallel()
            .build()
            .unwrap()
    };
    assert!(!with(hooks(), Recheck::Off).fire(list()).await.is_denied());

    let checked = with(hooks(), Recheck::On).fire(list()).await;
    assert!(checked.is_denied());
    let ids: Vec<&str> = checked
        .attempts
        .iter()
        .map(|attempt| attempt.hook.id.as_str())
        .collect();
    assert_eq!(
        ids,
        ["rewriter", "no-rm", "rewriter", "no-rm"],
        "the second look is told too"
    );
}

#[tokio::test]
async fn a_closure_that_groups_call_is_reported_by_its_name() {
    let hooks = HookSet::builder()
        .register("no-rm", |_: PreToolUse| PreToolUse::deny("no"))
        .group(Group::sequential().call("Bash", "no-rm"))
        .group(Group::sequential().call("Write", "no-rm"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks.clone()).fire(list()).await;
    assert_eq!(
        verdict.outcome.decided_by.as_ref().unwrap().hook.as_str(),
        "no-rm"
    );
    let write = Runner::new(hooks)
        .fire(PreToolUse::new("Write", json!({})))
        .await;
    assert_eq!(
        write.outcome.decided_by.as_ref().unwrap().hook.as_str(),
        "no-rm#1.0"
    );
}

#[tokio::test]
async fn a_gate_that_panics_takes_nobody_down_and_leaves_no_guard_open() {
    struct Broken;
    impl Gate for Broken {
        fn admit(&self) -> Admission {
            panic!("the gate is broken")
        }
    }
    let hooks = HookSet::builder()
        .on(
            "Bash",
            hook_fn(|_: PreToolUse| PreToolUse::deny("no")).gate(Arc::new(Broken)),
        )
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(list()).await;
    assert!(verdict.is_denied());
    assert_eq!(verdict.attempts[0].reply.status.word(), "failed");
}
