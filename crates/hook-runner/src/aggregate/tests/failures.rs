//! A failure is no opinion, unless it was told to block. It is never an answer.

use std::time::Duration;

use hook_types::Decision::{Allow, Deny, Pass};
use hook_types::EventName::{
    PermissionRequest, PreModelSwitch, PreToolUse, Stop, SubagentStop, TaskCompleted, TeammateIdle,
    UserPromptSubmit, WorktreeCreate,
};
use hook_types::{Decision, SkipReason, Status};
use serde_json::json;

use super::firing::{
    Firing, Given, allow, decider, deny, ended, no_opinion, oddities, on, rows, says,
};

fn not_started() -> Given {
    ended(Status::LaunchFailed("no such file".into()))
}

fn crashed() -> Given {
    ended(Status::Crashed { signal: 11 })
}

fn failed() -> Given {
    ended(Status::Failed("exit code 1".into()))
}

fn unreadable() -> Given {
    ended(Status::BadOutput("not JSON".into()))
}

fn late() -> Given {
    let limit = Duration::from_secs(5);
    ended(Status::TimedOut { limit })
}

/// A failing hook that says a great deal.
fn talkative(hook: Given, decision: Decision) -> Given {
    hook.saying(|output| {
        output.decision = decision;
        output.reason = Some("said".into());
        output.proceed = Some(false);
        output.additional_context = Some("said".into());
        output.system_message = Some("said".into());
        output.updated_input = Some(json!({ "said": true }));
    })
}

/// Whether the hooks came to nothing but a report.
fn came_to_nothing(firing: &Firing) -> bool {
    let mut outcome = firing.outcome();
    outcome.diagnostics.clear();
    outcome == hook_types::Outcome::none(firing.event.name())
}

/// For every kind of failure: it is no opinion, and it blocks where it was told to.
macro_rules! failures {
    ($($kind:ident: $hook:expr, $reason:literal;)*) => {$(
        mod $kind {
            use super::*;

            rows! {
                is_no_opinion:
                    on(PreToolUse).at_once([$hook]), |o| (o.decision, decider(o), oddities(o)) => (Pass, None, vec![]);
                leaves_the_decision_to_the_others:
                    on(PreToolUse).at_once([$hook, allow("fine")]), |o| o.decision => Allow;
                blocks_a_guard_where_it_was_told_to:
                    on(PreToolUse).at_once([allow("fine"), $hook.or_block()]),
                    |o| (o.decision, decider(o)) => (Deny, Some(("b", "failure_policy")));
                says_why_it_blocks:
                    on(PreToolUse).at_once([$hook.or_block()]), |o| o.reason.as_deref() => Some($reason);
                traps_no_agent_that_wants_to_stop:
                    on(Stop).at_once([$hook.or_block()]), |o| (o.decision, o.keeps_going()) => (Pass, false);
            }
        }
    )*};
}

failures! {
    a_hook_that_does_not_start: not_started(),
        "hook `a` could not be started: no such file; a failure of this hook blocks";
    a_hook_that_crashes: crashed(),
        "hook `a` was ended by signal 11; a failure of this hook blocks";
    a_hook_that_fails: failed(),
        "hook `a` failed: exit code 1; a failure of this hook blocks";
    a_hook_that_cannot_be_read: unreadable(),
        "hook `a` gave no answer that can be read: not JSON; a failure of this hook blocks";
    a_hook_that_is_late: late(),
        "hook `a` took longer than 5s; a failure of this hook blocks";
}

rows! {
    a_failure_blocks_a_permission_request_where_it_was_told_to:
        on(PermissionRequest).at_once([failed().or_block()]), |o| o.is_denied() => true;
    a_failure_never_keeps_a_subagent_going:
        on(SubagentStop).at_once([failed().or_block()]), |o| o.keeps_going() => false;
    a_failure_never_keeps_a_teammate_busy:
        on(TeammateIdle).at_once([failed().or_block()]), |o| o.decision => Pass;
    a_failure_never_keeps_a_task_open:
        on(TaskCompleted).at_once([failed().or_block()]), |o| o.decision => Pass;
    a_failure_joins_the_refusals_of_others:
        on(PreToolUse).at_once([deny("no"), crashed().or_block()]),
        |o| (decider(o), o.reason.as_deref())
            => (Some(("a", "answer")), Some("no\nhook `b` was ended by signal 11; a failure of this hook blocks"));
    a_late_judge_of_a_model_switch_blocks_it:
        on(PreModelSwitch).at_once([late()]), |o| (o.decision, decider(o)) => (Deny, Some(("a", "failure_policy")));
    another_failure_does_not_block_a_model_switch:
        on(PreModelSwitch).at_once([failed()]), |o| o.decision => Pass;
    a_late_judge_of_a_prompt_does_not_block_it:
        on(UserPromptSubmit).at_once([late()]), |o| o.decision => Pass;
    a_worktree_fails_by_any_failure_without_being_told:
        on(WorktreeCreate).at_once([late()]), |o| decider(o) => Some(("a", "failure_policy"));

    a_refusal_of_a_hook_that_fails_counts_on_a_guard:
        on(PreToolUse).at_once([late().saying(|output| { output.decision = Deny; output.reason = Some("no".into()); })]),
        |o| (decider(o), o.reason.as_deref(), oddities(o)) => (Some(("a", "answer")), Some("no"), vec![]);
    a_refusal_counts_as_one_where_the_failure_would_block_too:
        on(PreToolUse).at_once([late().saying(|output| output.decision = Deny).or_block()]),
        |o| decider(o) => Some(("a", "answer"));
    nothing_else_that_a_failing_hook_says_counts:
        on(PreToolUse).at_once([talkative(late(), Allow)]),
        |o| (o.decision, o.stop.clone(), o.updated_input.clone(), o.additional_context.len(), o.system_messages.len())
            => (Pass, None, None, 0, 0);
    what_did_not_count_is_reported:
        on(PreToolUse).at_once([talkative(failed(), Deny)]),
        |o| (o.decision, o.stop.clone(), oddities(o)) => (Deny, None, vec![("a", "no_effect")]);
    a_failing_hook_keeps_no_agent_going_by_what_it_says:
        on(Stop).at_once([talkative(failed(), Deny)]), |o| (o.decision, o.keeps_going()) => (Pass, false);

    a_hook_in_the_background_decides_nothing:
        on(PreToolUse).at_once([ended(Status::Background).or_block(), no_opinion()]), |o| o.decision => Pass;
    a_cancelled_hook_decides_nothing:
        on(PreToolUse).at_once([ended(Status::Cancelled).or_block()]), |o| o.decision => Pass;
    a_skipped_hook_decides_nothing:
        on(PreToolUse).at_once([ended(Status::Skipped(SkipReason::Condition)).or_block()]), |o| o.decision => Pass;
}

#[test]
fn a_failure_comes_to_nothing_on_every_event_that_asks_for_no_work() {
    for event in hook_types::EventName::ALL {
        let asks_for_work = event.row().exit_two == hook_types::ExitTwo::BlocksLikeAnyFailure;
        let firing = on(*event).at_once([failed(), crashed(), unreadable(), not_started()]);
        assert_eq!(came_to_nothing(&firing), !asks_for_work, "{event}");
    }
}

#[test]
fn a_failure_that_was_told_to_block_does_so_on_guards_alone() {
    for event in hook_types::EventName::ALL {
        let row = event.row();
        let asks_for_work = row.exit_two == hook_types::ExitTwo::BlocksLikeAnyFailure;
        let outcome = on(*event).at_once([failed().or_block()]).outcome();
        let blocked = outcome.decision == Deny;
        assert_eq!(blocked, row.guard || asks_for_work, "{event}");
    }
}

#[test]
fn what_a_hook_said_of_itself_is_reported_with_its_name() {
    let mut hook = says(|output| output.decision = Deny);
    let odd = hook_types::Diagnostic::new(hook_types::Code::Noise, "there is a banner");
    hook.reply.diagnostics.push(odd);
    let outcome = on(PreToolUse).at_once([no_opinion(), hook]).outcome();
    assert_eq!(oddities(&outcome), [("b", "noise")]);
}
