//! What a runner does where hooks leave it a choice.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use hook_runner::{
    Fire, Group, HookContext, HookSet, OnConflict, Policy, Recheck, Runner, Session, Wait, hook_fn,
};
use hook_types::outcome::Cause;
use hook_types::{
    Code, Decision, Event, EventName, OnFailure, PostToolUse, PreModelRequest, PreToolUse, Reply,
    SessionStart, Status,
};
use serde_json::{Value, json};
use support::{Counter, Fixed, Log, bash, ids, secs, updated_command, words};
use tokio::time::sleep;

fn with(hooks: HookSet, change: impl FnOnce(&mut Policy)) -> Runner {
    let mut policy = Policy::default();
    change(&mut policy);
    Runner::with(hooks, Session::default(), policy)
}

// ===== failures =====

const BLOCK: OnFailure = OnFailure::Block;
const CONTINUE: OnFailure = OnFailure::Continue;

#[tokio::test]
async fn two_runners_of_one_set_keep_to_their_own_policies() {
    let hook = Fixed::new(Reply::failed("broken")).hook(EventName::PreToolUse);
    let hooks = HookSet::builder().on("", hook).build().unwrap();
    let strict = with(hooks.clone(), |policy| policy.on_failure = BLOCK);
    let lenient = with(hooks, |policy| policy.on_failure = CONTINUE);
    for _ in 0..2 {
        assert!(strict.fire(bash("ls")).await.is_denied());
        assert!(!lenient.fire(bash("ls")).await.is_denied());
    }
}

/// Fires at a runner on which every failure is to block, and says whether this one did.
async fn failure_blocks(event: &str, input: Value) -> bool {
    let name: EventName = event.parse().unwrap();
    let hook = Fixed::new(Reply::failed("broken")).hook(name);
    let hooks = HookSet::builder().on("", hook).build().unwrap();
    let runner = with(hooks, |policy| policy.on_failure = BLOCK);
    let fired = runner.fire_json(event, input).await.unwrap();
    assert_eq!(words(&fired), ["failed"], "the attempt keeps its status");
    let denied = fired.outcome.decision == Decision::Deny;
    if denied {
        let decider = fired.outcome.decided_by.as_ref().unwrap();
        assert_eq!(decider.cause, Cause::FailurePolicy);
    }
    assert_eq!(fired.into_result().is_err(), denied);
    denied
}

macro_rules! failures {
    ($($name:ident: $event:ident $input:tt => $blocks:literal;)*) => {$(
        #[tokio::test]
        async fn $name() {
            assert_eq!(failure_blocks(stringify!($event), json!($input)).await, $blocks);
        }
    )*};
}

failures! {
    a_failure_can_block_a_tool_call: PreToolUse
        {"tool_name": "Bash", "tool_input": {}} => true;
    a_failure_can_block_a_permission: PermissionRequest
        {"tool_name": "Bash", "tool_input": {}} => true;
    a_failure_can_block_a_look_at_the_rules: PermissionCheck
        {"tool_name": "Bash", "tool_input": {}} => true;
    a_failure_can_block_a_prompt: UserPromptSubmit {"prompt": "hi"} => true;
    a_failure_can_block_a_slash_command: UserPromptExpansion
        {"expansion_type": "slash_command", "command_name": "x", "command_args": "",
         "prompt": "/x"} => true;
    a_failure_can_block_a_compaction: PreCompact {"trigger": "auto"} => true;
    a_failure_can_block_a_switch_of_models: PreModelSwitch
        {"from_model": "a", "to_model": "b", "source": "command"} => true;
    a_failure_can_block_a_new_task: TaskCreated {"task_id": "1", "task_subject": "x"} => true;
    a_failure_can_block_a_question_of_a_server: Elicitation
        {"mcp_server_name": "disk", "message": "which?"} => true;
    a_failure_can_block_an_answer_to_a_server: ElicitationResult
        {"mcp_server_name": "disk", "action": "accept"} => true;
    a_failure_can_block_a_change_of_settings: ConfigChange {"source": "user_settings"} => true;
    a_failure_can_block_a_request_to_the_model: PreModelRequest
        {"model": "m", "llm_request": {}} => true;
    a_failure_can_block_a_choice_of_tools: PreToolSelection
        {"model": "m", "tool_names": [], "llm_request": {}} => true;
    a_failure_can_block_a_worktree: WorktreeCreate {"name": "w"} => true;
    a_failure_never_keeps_an_agent_going: Stop {"stop_hook_active": false} => false;
    a_failure_never_keeps_a_subagent_going: SubagentStop
        {"stop_hook_active": false, "agent_id": "a", "agent_transcript_path": "/t",
         "agent_type": "x"} => false;
    a_failure_never_keeps_a_teammate_going: TeammateIdle {"teammate_name": "ann"} => false;
    a_failure_never_keeps_a_task_open: TaskCompleted
        {"task_id": "1", "task_subject": "x"} => false;
    a_failure_is_no_feedback: PostToolUse
        {"tool_name": "Bash", "tool_input": {}, "tool_response": 0} => false;
    a_failure_does_not_hold_up_a_session: SessionStart {"source": "startup"} => false;
    a_failure_cannot_block_a_change_of_policy: ConfigChange
        {"source": "policy_settings"} => false;
}

/// Whether a failing hook blocks, by what hook, group, handler and runner say.
async fn blocks(said: [Option<OnFailure>; 3], runner: OnFailure) -> bool {
    let [hook, group, handler] = said;
    let mut fixed = Fixed::new(Reply::failed("broken"));
    fixed.on_failure = handler;
    let mut failing = fixed.hook(EventName::PreToolUse);
    if let Some(on_failure) = hook {
        failing = failing.on_failure(on_failure);
    }
    let mut groups = Group::parallel().on("", failing);
    if let Some(on_failure) = group {
        groups = groups.on_failure(on_failure);
    }
    let hooks = HookSet::builder().group(groups).build().unwrap();
    let runner = with(hooks, |policy| policy.on_failure = runner);
    runner.fire(bash("ls")).await.is_denied()
}

#[tokio::test]
async fn what_a_failure_means_is_said_by_the_hook_then_its_group_its_handler_and_the_runner() {
    let (block, go_on) = (Some(BLOCK), Some(CONTINUE));
    for (said, runner, expected) in [
        ([None, None, None], CONTINUE, false),
        ([None, None, None], BLOCK, true),
        ([None, None, block], CONTINUE, true),
        ([None, None, go_on], BLOCK, false),
        ([None, block, go_on], CONTINUE, true),
        ([None, go_on, block], BLOCK, false),
        ([block, go_on, go_on], CONTINUE, true),
        ([go_on, block, block], BLOCK, false),
    ] {
        assert_eq!(blocks(said, runner).await, expected, "{said:?} {runner:?}");
    }
}

#[tokio::test]
async fn every_kind_of_failure_blocks_where_it_is_told_to_and_nothing_else_does() {
    for (status, blocks) in [
        (Status::Failed("x".into()), true),
        (Status::LaunchFailed("x".into()), true),
        (Status::Crashed { signal: 9 }, true),
        (Status::BadOutput("x".into()), true),
        (Status::TimedOut { limit: secs(1) }, true),
        (Status::NoOpinion, false),
    ] {
        let word = status.word();
        let hook = Fixed::new(Reply::with_status(status)).hook(EventName::PreToolUse);
        let hooks = HookSet::builder().on("", hook.on_failure(BLOCK));
        let verdict = Runner::new(hooks.build().unwrap()).fire(bash("ls")).await;
        assert_eq!(verdict.is_denied(), blocks, "{word}");
        assert_eq!(words(&verdict), [word]);
    }
}

#[tokio::test]
async fn a_failure_that_blocks_does_not_hide_a_refusal_of_another_hook() {
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(|_: PreToolUse| PreToolUse::deny("no")).id("says-no"),
        )
        .on(
            "",
            hook_fn(|_: PreToolUse| Err::<(), _>("broken"))
                .id("broken")
                .on_failure(BLOCK),
        )
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(
        verdict.reason(),
        Some("no\nhook `broken` failed: broken; a failure of this hook blocks")
    );
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.hook.as_str(), "says-no");
    assert_eq!(decider.cause, Cause::Answer);
}

// ===== conflicts =====

fn rewriting_to(command: &'static str) -> hook_runner::Hook {
    hook_fn(move |_: PreToolUse| PreToolUse::allow().rewriting(json!({ "command": command })))
        .id(command)
}

#[tokio::test]
async fn a_conflict_of_rewrites_asks_the_user_where_the_policy_says_so() {
    let hooks = || {
        HookSet::builder()
            .parallel()
            .on("", rewriting_to("one"))
            .on("", rewriting_to("two"))
            .build()
            .unwrap()
    };
    let verdict = Runner::new(hooks()).fire(bash("ls")).await;
    assert_eq!(verdict.outcome.decision, Decision::Allow, "the usual");
    assert_eq!(updated_command(&verdict), Some("two"));

    let runner = with(hooks(), |policy| policy.on_conflict = OnConflict::Ask);
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(verdict.outcome.decision, Decision::Ask);
    assert_eq!(updated_command(&verdict), Some("two"));
    let codes: Vec<Code> = verdict
        .outcome
        .diagnostics
        .iter()
        .map(|finding| finding.diagnostic.code)
        .collect();
    assert_eq!(codes, [Code::Conflict]);
}

#[tokio::test]
async fn rewrites_that_agree_or_are_chained_are_no_conflict() {
    let asked = |policy: &mut Policy| policy.on_conflict = OnConflict::Ask;
    let agreeing = HookSet::builder()
        .parallel()
        .on("", rewriting_to("one"))
        .on("", rewriting_to("one").id("same"))
        .build()
        .unwrap();
    let chained = HookSet::builder()
        .on("", rewriting_to("one"))
        .on("", rewriting_to("two"))
        .build()
        .unwrap();
    for hooks in [agreeing, chained] {
        let verdict = with(hooks, asked).fire(bash("ls")).await;
        assert_eq!(verdict.outcome.decision, Decision::Allow);
        assert!(verdict.outcome.diagnostics.is_empty());
    }
}

#[tokio::test]
async fn a_conflict_does_not_weaken_a_refusal() {
    let hooks = HookSet::builder()
        .parallel()
        .on("", rewriting_to("one"))
        .on("", rewriting_to("two"))
        .on("", |_: PreToolUse| PreToolUse::deny("no"))
        .build()
        .unwrap();
    let runner = with(hooks, |policy| policy.on_conflict = OnConflict::Ask);
    assert!(runner.fire(bash("ls")).await.is_denied());
}

// ===== recheck =====

/// Refuses commands with `rm` in them, and notes what it saw.
fn no_rm(seen: &Log) -> hook_runner::Hook {
    let seen = seen.clone();
    hook_fn(move |call: PreToolUse| {
        let command = call.command().unwrap_or_default();
        seen.say(command);
        if command.contains("rm") {
            PreToolUse::deny(format!("`{command}` removes files"))
        } else {
            PreToolUse::pass()
        }
    })
    .id("no-rm")
}

fn rechecking(hooks: hook_runner::HookSetBuilder) -> Runner {
    with(hooks.build().unwrap(), |policy| {
        policy.recheck = Recheck::On;
    })
}

#[tokio::test]
async fn a_guard_that_saw_the_original_refuses_the_rewritten_input() {
    let seen = Log::default();
    let hooks = || {
        HookSet::builder()
            .parallel()
            .on("", no_rm(&seen))
            .on("", rewriting_to("rm -rf /"))
    };
    let verdict = Runner::new(hooks().build().unwrap()).fire(bash("ls")).await;
    assert!(!verdict.is_denied(), "off by default");
    assert_eq!(seen.get(), ["ls"]);

    let verdict = rechecking(hooks()).fire(bash("ls")).await;
    assert_eq!(seen.get(), ["ls", "ls", "rm -rf /"]);
    assert!(verdict.is_denied());
    assert_eq!(verdict.reason(), Some("`rm -rf /` removes files"));
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.hook.as_str(), "no-rm");
}

#[tokio::test]
async fn a_recheck_ignores_what_it_rewrites() {
    let (seen, doubled) = (Log::default(), Log::default());
    let doubling = |seen: &Log| {
        let seen = seen.clone();
        hook_fn(move |call: PreToolUse| {
            let command = call.command().unwrap_or_default();
            seen.say(command);
            PreToolUse::rewrite(json!({ "command": format!("{command} {command}") }))
        })
    };
    let hooks = HookSet::builder()
        .on("", doubling(&doubled))
        .on("", no_rm(&seen));
    let verdict = rechecking(hooks).fire(bash("a")).await;
    assert_eq!(doubled.get(), ["a", "a a"]);
    assert_eq!(updated_command(&verdict), Some("a a"));
    assert_eq!(
        seen.get(),
        ["a a", "a a"],
        "a later hook judges what will run, not what a recheck would make of it"
    );
}

#[tokio::test]
async fn a_recheck_runs_neither_once_hooks_nor_background_hooks_again() {
    let (once, behind) = (
        Fixed::new(Reply::no_opinion()),
        Fixed::new(Reply::no_opinion()),
    );
    let judge = Fixed::new(Reply::no_opinion());
    let event = EventName::PreToolUse;
    let hooks = HookSet::builder()
        .parallel()
        .on("", once.hook(event).once())
        .on("", behind.hook(event).wait(Wait::Background))
        .on("", judge.hook(event))
        .on("", rewriting_to("two"));
    let runner = rechecking(hooks);
    runner.fire(bash("one")).await;
    runner.late().await.unwrap();
    assert_eq!(
        (once.runs.get(), behind.runs.get(), judge.runs.get()),
        (1, 1, 2)
    );
}

#[tokio::test]
async fn without_a_rewrite_or_after_a_refusal_nothing_is_rechecked() {
    let judge = Fixed::new(Reply::no_opinion());
    let hooks = HookSet::builder().on("", judge.hook(EventName::PreToolUse));
    rechecking(hooks).fire(bash("ls")).await;
    assert_eq!(judge.runs.get(), 1);

    let hooks = HookSet::builder()
        .parallel()
        .on("", judge.hook(EventName::PreToolUse))
        .on("", rewriting_to("two"))
        .on("", |_: PreToolUse| PreToolUse::deny("no"));
    assert!(rechecking(hooks).fire(bash("ls")).await.is_denied());
    assert_eq!(judge.runs.get(), 2);
}

#[tokio::test]
async fn off_the_guards_nothing_is_rechecked() {
    let runs = Counter::default();
    let count = runs.clone();
    let hooks = HookSet::builder().on("", move |_: PostToolUse| {
        count.add();
        PostToolUse::replace_output(json!("hidden"))
    });
    let call = PostToolUse::new("Read", json!({}), json!("secret"));
    rechecking(hooks).fire(call).await;
    assert_eq!(runs.get(), 1);
}

#[tokio::test]
async fn a_rewritten_request_to_the_model_is_rechecked_too() {
    let hooks = HookSet::builder()
        .parallel()
        .on("", |request: PreModelRequest| {
            if request.llm_request["temperature"] == 2 {
                PreModelRequest::deny("too hot")
            } else {
                PreModelRequest::pass()
            }
        })
        .on("", |_: PreModelRequest| {
            PreModelRequest::send(json!({"temperature": 2}))
        });
    let verdict = rechecking(hooks)
        .fire(PreModelRequest::new("large", json!({"temperature": 0})))
        .await;
    assert_eq!(verdict.reason(), Some("too hot"));
    assert!(verdict.is_denied());
}

#[tokio::test(start_paused = true)]
async fn a_failure_in_a_recheck_blocks_where_failures_block() {
    let runs = Counter::default();
    let count = runs.clone();
    let hooks = HookSet::builder()
        .parallel()
        .on(
            "",
            hook_fn(move |_: PreToolUse, _: HookContext| {
                let run = count.add();
                async move {
                    if run == 2 {
                        sleep(secs(3_600)).await;
                    }
                }
            })
            .on_failure(BLOCK),
        )
        .on("", rewriting_to("two"));
    let verdict = rechecking(hooks).fire(bash("one")).await;
    assert_eq!(runs.get(), 2);
    assert!(verdict.is_denied());
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.cause, Cause::FailurePolicy);
}

// ===== long texts =====

#[tokio::test]
async fn a_long_context_goes_to_a_file_and_leaves_a_preview() {
    let long = format!("beginning {}", "é".repeat(10_000));
    let said = long.clone();
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(move |_: SessionStart| {
                SessionStart::context(said.clone()).with_message(said.clone())
            })
            .id("long"),
        )
        .on("", |_: SessionStart| SessionStart::context("short"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let fired = runner.fire(SessionStart::new("startup")).await.into_fired();
    assert_eq!(ids(&fired)[0], "long");
    assert!(fired.outcome.diagnostics.is_empty(), "{:?}", fired.outcome);
    let context = &fired.outcome.additional_context;
    assert_eq!(context[1].text, "short");
    let mut kept = None;
    for note in [&context[0], &fired.outcome.system_messages[0]] {
        assert_eq!(note.hook.as_str(), "long");
        assert!(note.text.starts_with("beginning éééé"));
        assert!(note.text.chars().count() < 3_000);
        let (_, place) = note.text.rsplit_once('\n').unwrap();
        let path = place
            .strip_prefix("[10010 characters in all; the whole text is in ")
            .and_then(|rest| rest.strip_suffix(']'));
        let path = path.unwrap_or_else(|| panic!("{place}"));
        assert_eq!(std::fs::read_to_string(path).unwrap(), long);
        kept = Some(std::path::Path::new(path).parent().unwrap().to_owned());
    }
    drop(runner);
    assert!(
        !kept.unwrap().exists(),
        "the runner's own directory goes away with it"
    );
    let whole = &fired.attempts[0].reply.output.additional_context;
    assert_eq!(
        whole.as_ref(),
        Some(&long),
        "the attempt keeps what was said"
    );
}

#[tokio::test]
async fn a_context_of_ten_thousand_characters_stays_where_it_is() {
    let said = "é".repeat(10_000);
    let text = said.clone();
    let hooks = HookSet::builder()
        .on("", move |_: SessionStart| {
            SessionStart::context(text.clone())
        })
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(SessionStart::new("startup")).await;
    assert_eq!(verdict.context().collect::<Vec<_>>(), [said]);
}
