//! How long a hook may take, and what becomes of one that takes longer, panics, or will not end.

mod support;

use std::sync::mpsc;

use hook_runner::{Fire, Group, Handler, HookSet, Runner, Wait, background, blocking_fn, hook_fn};
use hook_types::outcome::Cause;
use hook_types::{
    Code, Decision, Event, EventName, PreModelSwitch, PreToolUse, Reply, SessionEnd, Status, Stop,
    UserPromptSubmit,
};
use support::{Fixed, bash, failure, millis, runner_of, secs, words};
use tokio::time::{Instant, sleep};

fn passing() -> Fixed {
    Fixed::new(Reply::no_opinion())
}

// ===== whose deadline it is =====

#[tokio::test(start_paused = true)]
async fn a_hooks_own_deadline_comes_before_its_groups_and_the_events() {
    let (mut own, mut handlers, groups, events) = (passing(), passing(), passing(), passing());
    own.limit = Some(secs(8));
    handlers.limit = Some(secs(8));
    let event = EventName::PreToolUse;
    let hooks = HookSet::builder()
        .group(
            Group::parallel()
                .timeout(secs(20))
                .hook(own.hook(event).timeout(secs(5)))
                .hook(handlers.hook(event))
                .hook(groups.hook(event)),
        )
        .group(Group::parallel().hook(events.hook(event)))
        .build()
        .unwrap();
    Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(own.told(), [secs(5)], "the hook's");
    assert_eq!(handlers.told(), [secs(8)], "the handler's");
    assert_eq!(groups.told(), [secs(20)], "the group's");
    assert_eq!(events.told(), [secs(600)], "the event's");
}

#[tokio::test(start_paused = true)]
async fn an_event_may_have_a_shorter_deadline_than_others() {
    let handler = passing();
    let runner = runner_of(handler.hook(EventName::UserPromptSubmit));
    runner.fire(UserPromptSubmit::new("hello")).await;
    assert_eq!(handler.told(), [secs(30)]);
}

#[tokio::test(start_paused = true)]
async fn the_hooks_of_a_sequential_group_share_its_deadline() {
    let (first, second) = (passing().after(secs(4)), passing());
    let third = passing();
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .timeout(secs(10))
                .hook(first.hook(EventName::Stop))
                .hook(second.clone().after(secs(60)).hook(EventName::Stop))
                .hook(third.hook(EventName::Stop))
                .hook(passing().hook(EventName::Stop).timeout(secs(1))),
        )
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(first.told(), [secs(10)]);
    assert_eq!(second.told(), [secs(6)], "what the first has left");
    assert!(
        third.told().is_empty(),
        "nothing is left: it is not started"
    );
    assert_eq!(
        words(&verdict),
        ["no_opinion", "timed_out", "timed_out", "no_opinion"],
        "one with a deadline of its own has its own time"
    );
}

// ===== the end of a session =====

#[tokio::test(start_paused = true)]
async fn the_hooks_of_session_end_share_one_and_a_half_seconds() {
    let (first, second) = (passing().after(secs(1)), passing());
    let hang = |_: SessionEnd| async { sleep(secs(3_600)).await };
    let hooks = HookSet::builder()
        .on("", first.hook(EventName::SessionEnd))
        .on("", second.hook(EventName::SessionEnd))
        .on("", hang)
        .on("", hang)
        .build()
        .unwrap();
    let begun = Instant::now();
    let verdict = Runner::new(hooks).fire(SessionEnd::new("logout")).await;
    assert_eq!(first.told(), [millis(1_500)]);
    assert_eq!(second.told(), [millis(500)]);
    assert_eq!(
        words(&verdict),
        ["no_opinion", "no_opinion", "timed_out", "timed_out"]
    );
    assert!(begun.elapsed() >= millis(1_500) && begun.elapsed() < millis(1_600));
}

#[tokio::test(start_paused = true)]
async fn the_longest_own_timeout_raises_the_budget_of_session_end() {
    let (own, other, without) = (passing(), passing(), passing());
    let event = EventName::SessionEnd;
    let hooks = HookSet::builder()
        .parallel()
        .on("", own.hook(event).timeout(secs(10)))
        .on("", other.hook(event).timeout(secs(1)))
        .on("", without.hook(event))
        .build()
        .unwrap();
    Runner::new(hooks).fire(SessionEnd::new("logout")).await;
    assert_eq!(own.told(), [secs(10)]);
    assert_eq!(other.told(), [secs(1)]);
    assert_eq!(without.told(), [secs(10)], "the budget is everybody's");
}

#[tokio::test(start_paused = true)]
async fn no_timeout_raises_the_budget_of_session_end_beyond_a_minute() {
    let handler = passing().after(secs(3_600));
    let runner = runner_of(handler.hook(EventName::SessionEnd).timeout(secs(900)));
    let begun = Instant::now();
    let verdict = runner.fire(SessionEnd::new("logout")).await;
    assert_eq!(handler.told(), [secs(60)]);
    assert_eq!(words(&verdict), ["timed_out"]);
    assert!(begun.elapsed() < secs(62), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_short_timeout_does_not_lower_the_budget_of_session_end() {
    let (short, without) = (passing(), passing());
    let hooks = HookSet::builder()
        .parallel()
        .on("", short.hook(EventName::SessionEnd).timeout(millis(100)))
        .on("", without.hook(EventName::SessionEnd))
        .build()
        .unwrap();
    Runner::new(hooks).fire(SessionEnd::new("logout")).await;
    assert_eq!(short.told(), [millis(100)]);
    assert_eq!(without.told(), [millis(1_500)]);
}

// ===== hooks that do not end =====

#[tokio::test(start_paused = true)]
async fn a_hanging_closure_returns_at_its_deadline() {
    let (guard, dropped) = support::Guard::new();
    let guard = std::sync::Mutex::new(Some(guard));
    let hook = hook_fn(move |_: Stop| {
        let guard = guard.lock().unwrap().take();
        async move {
            std::future::pending::<()>().await;
            drop(guard);
        }
    });
    let runner = runner_of(hook.timeout(secs(7)));
    let begun = Instant::now();
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(begun.elapsed().as_secs(), 7);
    let limit = secs(7);
    assert_eq!(verdict.attempts[0].reply.status, Status::TimedOut { limit });
    assert!(dropped.load(std::sync::atomic::Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_ignores_its_deadline_is_ended_by_the_backstop() {
    let mut handler = passing().after(secs(3_600));
    handler.grace = secs(4);
    assert_eq!(handler.grace(), secs(4));
    let runner = runner_of(handler.hook(EventName::Stop).timeout(secs(10)));
    let begun = Instant::now();
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["timed_out"]);
    assert_eq!(
        begun.elapsed().as_secs(),
        15,
        "deadline, grace and a second"
    );
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_needs_its_grace_keeps_its_answer() {
    let mut reply = Reply::with_status(Status::TimedOut { limit: secs(10) });
    reply.evidence.stdout = "as far as it got".into();
    let mut handler = Fixed::new(reply).after(secs(13));
    handler.grace = secs(4);
    let runner = runner_of(handler.hook(EventName::Stop).timeout(secs(10)));
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(
        verdict.attempts[0].reply.evidence.stdout,
        "as far as it got"
    );
}

#[tokio::test]
async fn a_blocking_closure_is_left_behind_at_its_deadline_and_reported() {
    let (release, released) = mpsc::channel::<()>();
    let released = std::sync::Mutex::new(released);
    let hook = blocking_fn(move |_: PreToolUse| {
        let _ = released.lock().unwrap().recv_timeout(secs(60));
    });
    let runner = runner_of(hook.timeout(millis(50)));
    let begun = std::time::Instant::now();
    let verdict = runner.fire(bash("ls")).await;
    assert!(begun.elapsed() < secs(20), "{:?}", begun.elapsed());
    drop(release);
    let reply = &verdict.attempts[0].reply;
    assert_eq!(words(&verdict), ["timed_out"]);
    assert_eq!(reply.evidence.left_running, 1);
    assert_eq!(reply.diagnostics[0].code, Code::AbandonedThread);
    let finding = &verdict.outcome.diagnostics[0];
    assert_eq!(finding.diagnostic.code, Code::AbandonedThread);
}

// ===== what a timeout means =====

#[tokio::test(start_paused = true)]
async fn a_timeout_is_no_decision() {
    let hang = |_: PreToolUse| async { sleep(secs(3_600)).await };
    let verdict = runner_of(hook_fn(hang)).fire(bash("ls")).await;
    assert_eq!(words(&verdict), ["timed_out"]);
    assert_eq!(verdict.outcome.decision, Decision::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_blocks_a_switch_of_models() {
    let hang = |_: PreModelSwitch| async { sleep(secs(3_600)).await };
    let runner = runner_of(hook_fn(hang).id("slow"));
    let begun = Instant::now();
    let verdict = runner
        .fire(PreModelSwitch::new("small", "large", "command"))
        .await;
    assert_eq!(begun.elapsed().as_secs(), 30);
    assert_eq!(words(&verdict), ["timed_out"], "the status is kept");
    assert!(verdict.is_denied());
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.cause, Cause::FailurePolicy);
    assert_eq!(
        verdict.reason(),
        Some("hook `slow` took longer than 30s; a failure of this hook blocks")
    );
}

#[tokio::test]
async fn another_failure_does_not_block_a_switch_of_models() {
    let hook = hook_fn(|_: PreModelSwitch| Err::<(), _>("broken"));
    let verdict = runner_of(hook)
        .fire(PreModelSwitch::new("small", "large", "command"))
        .await;
    assert!(!verdict.is_denied());
}

// ===== panics =====

fn panicking(_: &PreToolUse) -> bool {
    panic!("the sky is falling")
}

#[tokio::test]
async fn whatever_panics_is_a_failed_attempt_beside_healthy_siblings() {
    let hooks = HookSet::builder()
        .parallel()
        .on("", |call: PreToolUse| {
            panicking(&call);
        })
        .on("", |_: PreToolUse| PreToolUse::context("first"))
        .on("", |call: PreToolUse| async move {
            tokio::task::yield_now().await;
            panicking(&call);
        })
        .on_blocking("", |call: PreToolUse| {
            panicking(&call);
        })
        .on("", |_: PreToolUse| PreToolUse::context("second"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(
        words(&verdict),
        ["failed", "answered", "failed", "failed", "answered"]
    );
    for place in [0, 2, 3] {
        let said = failure(&verdict.attempts[place]);
        assert_eq!(said, Some("the hook panicked: the sky is falling"));
    }
    assert_eq!(verdict.context().collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!(verdict.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn a_panic_in_the_background_is_a_failed_late_answer() {
    let hooks = HookSet::builder()
        .on("", |call: PreToolUse| {
            background(async move {
                panicking(&call);
            })
        })
        .on(
            "",
            hook_fn(|call: PreToolUse| async move {
                panicking(&call);
            })
            .wait(Wait::Background),
        )
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(bash("ls")).await;
    for _ in 0..2 {
        let late = runner.late().await.unwrap();
        assert_eq!(
            failure(&late.attempt),
            Some("the hook panicked: the sky is falling")
        );
    }
    assert_eq!(runner.in_background(), 0);
}
