//! What the Go Runner's tests ask of a runner, each under its own name.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hook_runner::{
    Fire, Group, HookContext, HookRunner, HookSet, NoHooks, Runner, Wait, background, hook_fn,
};
use hook_types::{
    AgentId, CompactTrigger, Decision, EndReason, Event, EventName, Message, Notification,
    PermissionRequest, PostToolUse, PostToolUseFailure, PreCompact, PreToolUse, SessionEnd,
    SessionSource, SessionStart, Setup, SetupTrigger, Status, Stop, SubagentStart, SubagentStop,
    TaskCompleted, TeammateIdle, UserPromptSubmit,
};
use serde_json::json;
use support::{Counter, Log, bash, failure, ids, millis, read_all, secs, subtypes, tool, words};
use tokio::time::{Instant, sleep};

// ===== registration and execution =====

#[tokio::test]
async fn a_callback_that_is_registered_is_executed_with_the_event() {
    let seen = Log::default();
    let log = seen.clone();
    let hooks = HookSet::builder()
        .on("Bash", move |call: PreToolUse, context: HookContext| {
            log.say(call.command().unwrap_or_default());
            log.say(context.tool_use_id().map_or("", |id| id.as_str()));
            PreToolUse::allow().because("harmless")
        })
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls").tool_use_id("t-1")).await;
    assert_eq!(seen.get(), ["ls", "t-1"]);
    assert_eq!(verdict.outcome.decision, Decision::Allow);
    assert_eq!(verdict.reason(), Some("harmless"));
    assert_eq!(words(&verdict), ["answered"]);
}

#[tokio::test]
async fn an_event_that_no_callback_is_registered_for_comes_to_nothing() {
    let hooks = HookSet::builder()
        .on("", |_: Stop| Stop::keep_going("more"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert!(verdict.attempts.is_empty());
    assert_eq!(verdict.outcome.decision, Decision::Pass);
}

// ===== matcher filtering =====

/// Whether a hook with that matcher runs for the tool.
async fn runs(matcher: &str, tool_name: &str) -> bool {
    let hooks = HookSet::builder()
        .on(matcher, |_: PreToolUse| ())
        .build()
        .unwrap();
    !Runner::new(hooks)
        .fire(tool(tool_name))
        .await
        .attempts
        .is_empty()
}

macro_rules! filters {
    ($($name:ident: $matcher:literal, $tool:literal => $runs:literal;)*) => {$(
        #[tokio::test]
        async fn $name() {
            assert_eq!(runs($matcher, $tool).await, $runs);
        }
    )*};
}

filters! {
    an_exact_matcher_takes_its_tool: "Bash", "Bash" => true;
    an_exact_matcher_leaves_a_longer_name: "Bash", "BashOutput" => false;
    an_exact_matcher_leaves_another_case: "Bash", "bash" => false;
    a_list_takes_each_of_its_names: "Edit|Write", "Write" => true;
    a_list_leaves_other_names: "Edit|Write", "Read" => false;
    a_glob_takes_what_it_covers: "mcp__*", "mcp__disk__read" => true;
    a_glob_leaves_what_it_does_not_cover: "mcp__*", "Bash" => false;
    a_glob_is_about_the_whole_name: "mcp__*__read", "mcp__disk__read_all" => false;
    an_empty_matcher_takes_every_tool: "", "AnyTool" => true;
    a_star_takes_every_tool: "*", "AnyTool" => true;
}

// ===== timeouts =====

#[tokio::test(start_paused = true)]
async fn a_hook_that_exceeds_its_timeout_is_cancelled_and_the_others_are_not() {
    let hooks = HookSet::builder()
        .parallel()
        .on(
            "",
            hook_fn(|_: PreToolUse| async {
                sleep(secs(3_600)).await;
                PreToolUse::deny("too late")
            })
            .id("slow")
            .timeout(secs(2)),
        )
        .on(
            "",
            hook_fn(|_: PreToolUse| async {
                sleep(secs(5)).await;
                PreToolUse::context("in time")
            })
            .id("quick"),
        )
        .build()
        .unwrap();
    let begun = Instant::now();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(ids(&verdict), ["slow", "quick"]);
    assert_eq!(words(&verdict), ["timed_out", "answered"]);
    assert!(verdict.attempts[0].timed_out());
    assert_eq!(verdict.attempts[0].duration.as_secs(), 2);
    assert_eq!(verdict.outcome.decision, Decision::Pass);
    assert_eq!(verdict.context().collect::<Vec<_>>(), ["in time"]);
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_matchers_timeout_holds_for_all_its_hooks() {
    let slow = |_: PreToolUse| async { sleep(secs(60)).await };
    let limited = Group::parallel()
        .timeout(secs(3))
        .on("Bash", hook_fn(slow).id("a"))
        .on("Bash", hook_fn(slow).id("b"));
    let unlimited = Group::parallel().on("Bash", hook_fn(slow).id("c"));
    let hooks = HookSet::builder()
        .group(limited)
        .group(unlimited)
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(words(&verdict), ["timed_out", "timed_out", "no_opinion"]);
    let seconds: Vec<u64> = verdict
        .attempts
        .iter()
        .map(|attempt| attempt.duration.as_secs())
        .collect();
    assert_eq!(seconds, [3, 3, 60]);
}

// ===== Continue=false =====

#[tokio::test]
async fn continue_false_stops_the_rest_of_its_matcher_and_no_other() {
    let later = Counter::default();
    let (in_group, in_another) = (later.clone(), Counter::default());
    let elsewhere = in_another.clone();
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .on(
                    "",
                    hook_fn(|_: PreToolUse| PreToolUse::stop_agent("enough")).id("stopper"),
                )
                .on(
                    "",
                    hook_fn(move |_: PreToolUse| {
                        in_group.add();
                    })
                    .id("later"),
                ),
        )
        .group(Group::sequential().on("", move |_: PreToolUse| {
            in_another.add();
        }))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(later.get(), 0);
    assert_eq!(elsewhere.get(), 1);
    assert_eq!(words(&verdict), ["answered", "skipped", "no_opinion"]);
    assert!(!verdict.attempts[0].should_continue());
    let stop = verdict.outcome.stop.as_ref().unwrap();
    assert_eq!(stop.hook.as_str(), "stopper");
    assert_eq!(stop.reason.as_deref(), Some("enough"));
}

// ===== several matchers, several hooks =====

#[tokio::test]
async fn every_hook_of_every_matcher_that_fits_runs_once() {
    let seen = Log::default();
    let hook = |name: &'static str| {
        let seen = seen.clone();
        hook_fn(move |_: PreToolUse| seen.say(name)).id(name)
    };
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .on("Bash", hook("a"))
                .on("Bash", hook("b")),
        )
        .group(
            Group::sequential()
                .on("Write", hook("c"))
                .on("B*", hook("d")),
        )
        .group(Group::sequential().on("", hook("e")))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    let mut names = seen.get();
    names.sort();
    assert_eq!(names, ["a", "b", "d", "e"]);
    assert_eq!(ids(&verdict), ["a", "b", "d", "e"]);
}

#[tokio::test(start_paused = true)]
async fn results_come_in_the_order_of_registration_whatever_finishes_first() {
    let after = |seconds: u64, name: &'static str| {
        hook_fn(move |_: PreToolUse| async move {
            sleep(secs(seconds)).await;
            PreToolUse::context(name)
        })
        .id(name)
    };
    let hooks = HookSet::builder()
        .parallel()
        .on("", after(9, "slowest"))
        .on("", after(1, "quickest"))
        .on("", after(5, "middling"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(ids(&verdict), ["slowest", "quickest", "middling"]);
    let context: Vec<&str> = verdict.context().collect();
    assert_eq!(context, ["slowest", "quickest", "middling"]);
}

// ===== error isolation =====

#[tokio::test]
async fn an_error_of_one_hook_does_not_touch_the_others() {
    let hooks = HookSet::builder()
        .on("", |_: PreToolUse| Err::<(), _>("the disk is full"))
        .on("", |_: PreToolUse| {
            Ok::<_, String>(PreToolUse::context("fine"))
        })
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(failure(&verdict.attempts[0]), Some("the disk is full"));
    assert!(!verdict.attempts[0].success());
    assert_eq!(words(&verdict), ["failed", "answered"]);
    assert_eq!(verdict.outcome.decision, Decision::Pass);
    assert_eq!(verdict.context().collect::<Vec<_>>(), ["fine"]);
}

#[tokio::test]
async fn a_panic_of_one_hook_does_not_touch_the_others() {
    let hooks = HookSet::builder()
        .on("", |call: PreToolUse| {
            assert_eq!(call.tool_name, "Write", "only for writing");
        })
        .on("", |_: PreToolUse| PreToolUse::context("fine"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    let said = failure(&verdict.attempts[0]).unwrap();
    assert!(said.starts_with("the hook panicked: "), "{said}");
    assert!(said.contains("only for writing"), "{said}");
    assert_eq!(verdict.context().collect::<Vec<_>>(), ["fine"]);
}

// ===== async hooks =====

#[tokio::test(start_paused = true)]
async fn an_async_hook_answers_later_within_its_timeout() {
    let hooks = HookSet::builder()
        .on("", |_: PostToolUse| {
            background(async {
                sleep(secs(20)).await;
                PostToolUse::context("linted")
            })
            .within(secs(30))
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let begun = Instant::now();
    let verdict = runner
        .fire(PostToolUse::new("Write", json!({}), json!("ok")))
        .await;
    assert_eq!(words(&verdict), ["background"]);
    assert_eq!(begun.elapsed(), millis(0));
    let late = runner.late().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 20);
    assert_eq!(late.attempt.reply.status, Status::Answered);
    let context = late.attempt.reply.output.into_inner().additional_context;
    assert_eq!(context.as_deref(), Some("linted"));
}

#[tokio::test(start_paused = true)]
async fn an_async_hook_that_exceeds_its_timeout_is_reported_as_timed_out() {
    let hooks = HookSet::builder()
        .on("", |_: PostToolUse| {
            background(async {
                sleep(secs(3_600)).await;
                PostToolUse::context("linted")
            })
            .within(secs(30))
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let begun = Instant::now();
    runner
        .fire(PostToolUse::new("Write", json!({}), json!("ok")))
        .await;
    let late = runner.late().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 30);
    assert_eq!(
        late.attempt.reply.status,
        Status::TimedOut { limit: secs(30) }
    );
    assert_eq!(late.attempt.reply.output.additional_context, None);
    assert_eq!(runner.in_background(), 0);
}

// ===== input and output round trip =====

/// One event goes in as JSON, the closure sees it typed, and its answer comes back.
macro_rules! round_trips {
    ($($name:ident: $event:ident $input:tt, |$seen:ident| $fields:expr,
        answers $answer:expr, |$outcome:ident| $came_back:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let typed = Arc::new(AtomicBool::new(false));
            let saw = Arc::clone(&typed);
            let hooks = HookSet::builder()
                .on("", move |$seen: $event| {
                    let base = $seen.base.session_id.as_str() == "s-1" && $seen.base.cwd == "/srv/app";
                    saw.store(base && $fields, Ordering::SeqCst);
                    $answer
                })
                .build()
                .unwrap();
            let mut input = json!($input);
            input["session_id"] = json!("s-1");
            input["cwd"] = json!("/srv/app");
            let name = stringify!($event);
            let fired = Runner::new(hooks).fire_json(name, input).await.unwrap();
            assert!(typed.load(Ordering::SeqCst), "the closure saw something else");
            assert_eq!(fired.event.as_str(), name);
            assert_eq!(words(&fired), ["answered"]);
            let $outcome = &fired.outcome;
            assert!($came_back, "{:?}", fired.outcome);
        }
    )*};
}

round_trips! {
    pre_tool_use_goes_there_and_back: PreToolUse
        {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "tool_use_id": "t-1"},
        |call| call.command() == Some("rm x") && call.tool_use_id.as_str() == "t-1",
        answers PreToolUse::allow().rewriting(json!({"command": "rm -i x"})),
        |outcome| outcome.decision == Decision::Allow
            && outcome.updated_input == Some(json!({"command": "rm -i x"}));
    post_tool_use_goes_there_and_back: PostToolUse
        {"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_response": {"text": "t"}},
        |call| call.file_path() == Some("a") && call.tool_response == json!({"text": "t"}),
        answers PostToolUse::replace_output(json!("hidden")),
        |outcome| outcome.updated_output == Some(json!("hidden"));
    post_tool_use_failure_goes_there_and_back: PostToolUseFailure
        {"tool_name": "Bash", "tool_input": {}, "error": "exit 1", "is_interrupt": true},
        |call| call.error == "exit 1" && call.is_interrupt == Some(true),
        answers PostToolUseFailure::context("try again"),
        |outcome| outcome.additional_context[0].text == "try again";
    notification_goes_there_and_back: Notification
        {"message": "look", "notification_type": "idle_prompt", "title": "Hey"},
        |note| note.message == "look" && note.title.as_deref() == Some("Hey"),
        answers Notification::context("was told"),
        |outcome| outcome.additional_context[0].text == "was told";
    user_prompt_submit_goes_there_and_back: UserPromptSubmit
        {"prompt": "delete everything"},
        |prompt| prompt.prompt == "delete everything",
        answers UserPromptSubmit::deny("no"),
        |outcome| outcome.is_denied() && outcome.reason.as_deref() == Some("no");
    session_start_goes_there_and_back: SessionStart
        {"source": "resume", "model": "large"},
        |start| start.source == SessionSource::Resume && start.model.as_deref() == Some("large"),
        answers SessionStart::context("welcome back"),
        |outcome| outcome.additional_context[0].text == "welcome back";
    session_end_goes_there_and_back: SessionEnd
        {"reason": "logout"},
        |end| end.reason == EndReason::Logout,
        answers SessionEnd::pass().quietly(),
        |outcome| outcome.suppress_output;
    stop_goes_there_and_back: Stop
        {"stop_hook_active": true, "last_assistant_message": "Done."},
        |stop| stop.stop_hook_active && stop.last_assistant_message.as_deref() == Some("Done."),
        answers Stop::keep_going("test it"),
        |outcome| outcome.keeps_going() && outcome.reason.as_deref() == Some("test it");
    subagent_start_goes_there_and_back: SubagentStart
        {"agent_id": "a-1", "agent_type": "Explore"},
        |start| start.agent_id == AgentId::new("a-1") && start.agent_type == "Explore",
        answers SubagentStart::context("be brief"),
        |outcome| outcome.additional_context[0].text == "be brief";
    subagent_stop_goes_there_and_back: SubagentStop
        {"stop_hook_active": false, "agent_id": "a-1", "agent_transcript_path": "/t",
         "agent_type": "Explore"},
        |stop| stop.agent_transcript_path == "/t" && !stop.stop_hook_active,
        answers SubagentStop::keep_going("look deeper"),
        |outcome| outcome.keeps_going();
    pre_compact_goes_there_and_back: PreCompact
        {"trigger": "auto", "custom_instructions": null},
        |compact| compact.trigger == CompactTrigger::Auto && compact.custom_instructions.is_none(),
        answers PreCompact::deny("not now"),
        |outcome| outcome.is_denied();
    permission_request_goes_there_and_back: PermissionRequest
        {"tool_name": "Write", "tool_input": {"file_path": "/etc/passwd"}},
        |request| request.tool_input["file_path"] == "/etc/passwd",
        answers PermissionRequest::deny("never").and_interrupt(),
        |outcome| outcome.is_denied() && outcome.specific.interrupt == Some(true);
    setup_goes_there_and_back: Setup
        {"trigger": "init"},
        |setup| setup.trigger == SetupTrigger::Init,
        answers Setup::pass().quietly(),
        |outcome| outcome.suppress_output;
    teammate_idle_goes_there_and_back: TeammateIdle
        {"teammate_name": "ann", "team_name": "core"},
        |idle| idle.teammate_name == "ann" && idle.team_name == "core",
        answers TeammateIdle::keep_going("review this"),
        |outcome| outcome.keeps_going();
    task_completed_goes_there_and_back: TaskCompleted
        {"task_id": "7", "task_subject": "docs", "teammate_name": "ann"},
        |task| task.task_id == "7" && task.teammate_name.as_deref() == Some("ann"),
        answers TaskCompleted::deny("no tests"),
        |outcome| outcome.is_denied();
}

// ===== what results amount to =====

#[tokio::test]
async fn a_deny_beats_an_allow_in_either_order() {
    let allow = || hook_fn(|_: PreToolUse| PreToolUse::allow().because("trusted")).id("allow");
    let deny = || hook_fn(|_: PreToolUse| PreToolUse::deny("forbidden")).id("deny");
    for hooks in [[allow(), deny()], [deny(), allow()]] {
        let [first, second] = hooks;
        let hooks = HookSet::builder().on("", first).on("", second);
        let verdict = Runner::new(hooks.build().unwrap()).fire(bash("ls")).await;
        assert!(verdict.is_denied());
        assert_eq!(verdict.reason(), Some("forbidden"));
        let decider = verdict.outcome.decided_by.as_ref().unwrap();
        assert_eq!(decider.hook.as_str(), "deny");
    }
}

#[tokio::test]
async fn no_hooks_listens_to_nothing_and_answers_nothing() {
    let runner: Arc<dyn HookRunner> = Arc::new(NoHooks);
    assert!(
        EventName::ALL
            .iter()
            .all(|event| !runner.listens(event.to_owned()))
    );
    let verdict = runner.fire(bash("ls")).await;
    assert!(verdict.attempts.is_empty());
    assert!(verdict.into_result().is_ok());
    let stop = json!({"stop_hook_active": false});
    let fired = runner.fire_json("Stop", stop).await.unwrap();
    assert_eq!(fired.event, EventName::Stop);
    assert!(fired.attempts.is_empty());
}

// ===== emission =====

#[tokio::test]
async fn a_hook_is_announced_reports_its_progress_and_its_response() {
    let hooks = HookSet::builder()
        .on("Bash", |_: PreToolUse, context: HookContext| {
            context.progress("half", "");
            context.progress("half way", "careful");
            PreToolUse::deny("no")
        })
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.update_session(|session| session.base.session_id = "s-1".into());
    runner.fire(bash("ls")).await;
    let messages = read_all(&mut messages);
    assert_eq!(
        subtypes(&messages),
        [
            "hook_started",
            "hook_progress",
            "hook_response",
            "hook_verdict"
        ]
    );
    let [
        Message::Started(started),
        Message::Progress(progress),
        Message::Response(response),
        Message::Verdict(verdict),
    ] = messages.as_slice()
    else {
        panic!("{messages:?}");
    };
    assert_eq!(started.hook.hook_name, "PreToolUse:Bash");
    assert_eq!(started.hook.hook_event, "PreToolUse");
    assert_eq!(started.hook.session_id.as_str(), "s-1");
    assert_eq!(started.hook.hook_id, progress.hook.hook_id);
    assert_eq!(started.hook.hook_id, response.hook.hook_id);
    assert_ne!(started.hook.uuid, response.hook.uuid);
    assert_eq!(progress.stdout, "half way");
    assert_eq!(progress.output, "half waycareful");
    assert_eq!(response.outcome.as_str(), "success");
    assert_eq!(verdict.decision.as_deref(), Some("deny"));
    assert_eq!(verdict.hooks, 1);
}

#[tokio::test(start_paused = true)]
async fn the_verdict_follows_all_responses_and_is_there_when_fire_returns() {
    let after = |seconds: u64| {
        move |_: PreToolUse| async move {
            sleep(secs(seconds)).await;
        }
    };
    let hooks = HookSet::builder()
        .parallel()
        .on("", after(3))
        .on("", after(1))
        .on("", hook_fn(after(60)).timeout(secs(2)))
        .on("", |_: PreToolUse| Err::<(), _>("broken"))
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.fire(bash("ls")).await;
    let messages = read_all(&mut messages);
    let names = subtypes(&messages);
    assert_eq!(names.len(), 9);
    assert_eq!(names.last().unwrap(), "hook_verdict");
    let mut outcomes: Vec<String> = Vec::new();
    for message in &messages {
        if let Message::Response(response) = message {
            outcomes.push(response.outcome.as_str().to_owned());
        }
    }
    assert_eq!(outcomes, ["error", "success", "cancelled", "success"]);
}

#[tokio::test]
async fn a_hook_that_is_skipped_sends_no_message() {
    let hooks = HookSet::builder()
        .on("", hook_fn(|_: PreToolUse| ()).enabled(false))
        .on("", |_: PreToolUse| ())
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(words(&verdict), ["skipped", "no_opinion"]);
    let messages = read_all(&mut messages);
    assert_eq!(
        subtypes(&messages),
        ["hook_started", "hook_response", "hook_verdict"]
    );
}

#[tokio::test]
async fn without_a_reader_progress_goes_nowhere_and_a_later_reader_sees_nothing_of_it() {
    let hooks = HookSet::builder()
        .on("", |_: PreToolUse, context: HookContext| {
            context.progress("working", "");
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(words(&verdict), ["no_opinion"]);
    let mut messages = runner.messages();
    assert!(messages.try_next().is_none());
    runner.fire(bash("ls")).await;
    assert_eq!(subtypes(&read_all(&mut messages)).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn an_async_hook_responds_once_at_its_end() {
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(|_: PreToolUse| async { sleep(secs(5)).await }).wait(Wait::Background),
        )
        .build()
        .unwrap();
    let (runner, mut messages) = Runner::new(hooks).with_messages();
    runner.fire(bash("ls")).await;
    let first = subtypes(&read_all(&mut messages));
    assert_eq!(first, ["hook_started", "hook_verdict"]);
    runner.late().await.unwrap();
    let rest = subtypes(&read_all(&mut messages));
    assert_eq!(rest, ["hook_response"]);
}
