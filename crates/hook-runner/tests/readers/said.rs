//! What the messages say.

use std::time::Duration;

use hook_runner::{Fire, Group, HookSet, Runner, Session, hook_fn};
use hook_types::message::RunOutcome;
use hook_types::{Base, Event, PostToolUse, PreToolUse, Reply, SkipReason, Status, Stop};
use serde_json::{Value, json};

use crate::stage::{call, passes, read, reports, runner_of, says, words, written};

/// The stream's word for each status of a hook that has ended. A new status asks for its word here.
fn outcome_of(status: &Status) -> Option<&'static str> {
    match status {
        Status::Answered | Status::NoOpinion | Status::Blocked { .. } => Some("success"),
        Status::TimedOut { .. } | Status::Cancelled => Some("cancelled"),
        Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_) => Some("error"),
        Status::Background | Status::Skipped(_) => None,
    }
}

#[tokio::test]
async fn every_status_of_a_hook_that_has_ended_has_its_outcome() {
    let statuses = [
        Status::Answered,
        Status::NoOpinion,
        Status::Blocked { exit_code: 2 },
        Status::LaunchFailed("no such file".into()),
        Status::Crashed { signal: 11 },
        Status::Failed("exit code 1".into()),
        Status::BadOutput("not JSON".into()),
        Status::TimedOut {
            limit: Duration::from_secs(1),
        },
        Status::Cancelled,
    ];
    for status in statuses {
        let (runner, mut messages) =
            runner_of([says(Reply::with_status(status.clone()))]).with_messages();
        runner.fire(call()).await;
        let read = read(&mut messages);
        assert_eq!(
            words(&read),
            ["started", "response", "verdict"],
            "{status:?}"
        );
        let expected = outcome_of(&status).unwrap();
        assert_eq!(written(&read[1])["outcome"], expected, "{status:?}");
    }
    assert_eq!(RunOutcome::of(&Status::Background), None);
    assert_eq!(RunOutcome::of(&Status::Skipped(SkipReason::Disabled)), None);
}

#[tokio::test]
async fn a_panic_and_an_error_are_errors_and_a_timeout_is_cancelled() {
    let (runner, mut messages) = runner_of([
        hook_fn(|_: PreToolUse| -> () { panic!("a hook's own fault") }),
        hook_fn(|_: PreToolUse| Err::<(), _>("no such linter")),
        hook_fn(|_: PreToolUse| std::future::pending::<()>()).timeout(Duration::from_millis(5)),
        hook_fn(|_: PreToolUse| ()),
    ])
    .with_messages();
    runner.fire(call()).await;
    let outcomes: Vec<Value> = read(&mut messages)
        .iter()
        .filter_map(|delivery| written(delivery).get("outcome").cloned())
        .collect();
    assert_eq!(outcomes, ["error", "error", "cancelled", "success"]);
}

#[tokio::test]
async fn a_skipped_hook_sends_nothing() {
    let (runner, mut messages) = runner_of([
        passes().enabled(false),
        hook_fn(|_: PreToolUse| PreToolUse::pass().and_stop_agent("enough")),
        passes(),
    ])
    .with_messages();
    let verdict = runner.fire(call()).await;
    assert_eq!(verdict.attempts.len(), 3);
    let read = read(&mut messages);
    assert_eq!(words(&read), ["started", "response", "verdict"]);
    assert_eq!(written(&read[2])["hooks"], 1);
}

#[tokio::test]
async fn a_firing_that_no_hook_matches_sends_nothing() {
    let hooks = HookSet::builder()
        .on("Write", |_: PreToolUse| ())
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.fire(call()).await;
    runner.fire(Stop::new(false)).await;
    assert_eq!(messages.try_next(), None);
}

#[tokio::test]
async fn messages_have_exactly_the_published_fields() {
    let mut reply = Reply::with_status(Status::Blocked { exit_code: 2 });
    reply.output = PreToolUse::deny("not here").into_output().into();
    reply.evidence.stdout = "out".into();
    reply.evidence.stderr = "err".into();
    reply.evidence.exit_code = Some(2);
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .hook(reports(1))
                .hook(says(reply).id("guard")),
        )
        .build()
        .unwrap();
    let session = Session::new(Base::new("s-1", "", ""));
    let (runner, mut messages) =
        Runner::with(hooks, session, hook_runner::Policy::default()).with_messages();
    runner.fire(call()).await;
    let mut read: Vec<Value> = read(&mut messages).iter().map(written).collect();

    let runs: Vec<Value> = read
        .iter()
        .map(|message| message["hook_id"].clone())
        .collect();
    let mut last = String::new();
    for message in &mut read {
        let id = message["uuid"].as_str().unwrap().to_owned();
        assert_eq!(id.len(), 36, "{id}");
        assert!(
            last < id,
            "every message has an id of its own, and a later one sorts later"
        );
        last = id;
        message.as_object_mut().unwrap().shift_remove("uuid");
        message.as_object_mut().unwrap().shift_remove("hook_id");
    }
    let made_of = read[5].as_object_mut().unwrap().shift_remove("runs");
    let of = |subtype: &str| {
        json!({"type": "system", "subtype": subtype, "session_id": "s-1",
               "hook_name": "PreToolUse:Bash", "hook_event": "PreToolUse"})
    };
    let and = |mut message: Value, more: Value| {
        let Value::Object(more) = more else {
            panic!("{more}")
        };
        message.as_object_mut().unwrap().extend(more);
        message
    };
    assert_eq!(
        read,
        [
            of("hook_started"),
            and(
                of("hook_progress"),
                json!({"stdout": "1 done", "stderr": "", "output": "1 done"})
            ),
            and(
                of("hook_response"),
                json!({"output": "", "stdout": "", "stderr": "", "outcome": "success"}),
            ),
            of("hook_started"),
            and(
                of("hook_response"),
                json!({"output": "outerr", "stdout": "out", "stderr": "err", "exit_code": 2,
                       "outcome": "success"}),
            ),
            and(
                of("hook_verdict"),
                json!({"decision": "deny", "reason": "not here", "decided_by": "guard",
                       "cause": "exit_code", "continue": true, "stop_reason": null, "hooks": 2}),
            ),
        ]
    );
    assert!(runs[..5].iter().all(Value::is_string));
    assert_eq!(
        (&runs[0], &runs[1], &runs[3]),
        (&runs[1], &runs[2], &runs[4])
    );
    assert_ne!(runs[0], runs[3], "two runs have two ids");
    assert_eq!(runs[5], Value::Null, "a verdict is about no one run");
    let mut made_of = made_of.unwrap();
    for run in made_of.as_array_mut().unwrap() {
        let took = run.as_object_mut().unwrap().shift_remove("duration_us");
        assert!(took.unwrap().is_u64());
    }
    assert_eq!(
        made_of[1],
        json!({"hook_id": runs[3], "hook": "guard", "status": "blocked"})
    );
    assert_eq!(
        (&made_of[0]["hook_id"], &made_of[0]["status"]),
        (&runs[0], &json!("no_opinion")),
        "it says which runs it was made of"
    );
}

#[tokio::test]
async fn a_hook_is_named_after_its_event_and_subject() {
    let hooks = HookSet::builder()
        .on("", |_: PostToolUse| ())
        .on("", |_: Stop| ())
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner
        .fire(PostToolUse::new("mcp__disk__read", json!({}), json!("ok")))
        .await;
    runner.fire(Stop::new(false)).await;
    let names: Vec<Value> = read(&mut messages)
        .iter()
        .map(|delivery| written(delivery)["hook_name"].clone())
        .collect();
    assert_eq!(names[..3], ["PostToolUse:mcp__disk__read"; 3]);
    assert_eq!(names[3..], ["Stop"; 3]);
}
