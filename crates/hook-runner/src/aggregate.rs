//! All attempts of a firing, merged: what the agent must do, and who decided. Pure; one function
//! for all events, driven by the event table.

use hook_types::outcome::{Cause, Decider, Finding, Note, Outcome, StopOrder};
use hook_types::{
    Attempt, Code, Decision, Diagnostic, EventRow, ExitTwo, HookEvent, HookId, OnFailure, Specific,
    Status, SyncOutput,
};

use crate::group::Mode;
use crate::merge::{Beside, Last, Merge};
use crate::policy::{OnConflict, Policy};
use crate::schedule::GroupRun;

/// Merges a firing's attempts, which are in order whatever finished first.
pub(crate) fn aggregate(
    event: &HookEvent,
    groups: &[GroupRun],
    policy: &Policy,
    interactive: bool,
) -> Outcome {
    let merged = groups
        .iter()
        .map(|group| merge_group(event, group))
        .reduce(|earlier, later| earlier.then(later, Beside::Concurrent));
    match merged {
        None => Outcome::none(event.name()),
        Some(merged) => finish(event, merged, policy, interactive),
    }
}

fn merge_group(event: &HookEvent, group: &GroupRun) -> Merge {
    let how = match group.mode {
        Mode::Sequential => Beside::Chained,
        Mode::Parallel => Beside::Concurrent,
    };
    let attempts = group
        .attempts
        .iter()
        .map(|attempt| merge_one(event, attempt));
    attempts
        .reduce(|earlier, later| earlier.then(later, how))
        .unwrap_or_default()
}

/// What one attempt amounts to.
pub(crate) fn merge_one(event: &HookEvent, attempt: &Attempt) -> Merge {
    let hook = &attempt.hook.id;
    let output = &attempt.reply.output;
    let mut findings: Vec<Finding> = attempt
        .reply
        .diagnostics
        .iter()
        .map(|diagnostic| finding(diagnostic, hook))
        .collect();
    let (decision, decider, reason) = decided(event, attempt, &mut findings);
    let specific = output.specific.clone();
    Merge {
        decision,
        reasons: reason.into_iter().collect(),
        decider,
        stop: output.stops().then(|| StopOrder {
            hook: hook.clone(),
            reason: output.stop_reason.clone(),
            others: Vec::new(),
        }),
        suppress_output: output.suppress_output,
        updated_input: Last::said(hook, output.updated_input.clone()),
        updated_output: Last::said(hook, updated_output(event, output, hook, &mut findings)),
        display_content: Last::said(hook, specific.display_content),
        session_title: Last::said(hook, specific.session_title),
        initial_user_message: Last::said(hook, specific.initial_user_message),
        llm_request: Last::said(hook, specific.llm_request),
        llm_response: Last::said(hook, specific.llm_response),
        additional_context: notes(hook, output.additional_context.as_ref()),
        system_messages: notes(hook, output.system_message.as_ref()),
        terminal_sequences: notes(hook, output.terminal_sequence.as_ref()),
        classifier_context: specific.classifier_context.into_iter().collect(),
        worktree_path: specific.worktree_path,
        updated_permissions: specific.updated_permissions,
        elicitation: specific.elicitation,
        watch_paths: specific.watch_paths,
        tool_config: specific.tool_config,
        interrupt: specific.interrupt,
        retry: specific.retry,
        reload_skills: specific.reload_skills,
        suppress_original_prompt: specific.suppress_original_prompt,
        findings,
    }
}

/// An attempt's decision, who made it, and why.
fn decided(
    event: &HookEvent,
    attempt: &Attempt,
    findings: &mut Vec<Finding>,
) -> (Decision, Option<Decider>, Option<String>) {
    let row = event.name().row();
    let output = &attempt.reply.output;
    let blocked_by_failure = output.decision != Decision::Deny && failure_blocks(row, attempt);
    let decision = if blocked_by_failure {
        Decision::Deny
    } else {
        output.decision
    };
    if decision == Decision::Pass {
        return (decision, None, None);
    }
    if decision == Decision::Deny && row.exempt.is_some() && row.exempt == event.subject().text() {
        let message = format!(
            "no hook can block {} of `{}`",
            event.name(),
            event.subject().text().unwrap_or_default()
        );
        findings.push(finding(
            &Diagnostic::new(Code::NotHonoured, message),
            &attempt.hook.id,
        ));
        return (Decision::Pass, None, None);
    }
    let cause = match attempt.reply.status {
        _ if blocked_by_failure => Cause::FailurePolicy,
        Status::Blocked { .. } => Cause::ExitCode,
        Status::Answered
        | Status::NoOpinion
        | Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_)
        | Status::TimedOut { .. }
        | Status::Cancelled
        | Status::Background
        | Status::Skipped(_) => Cause::Answer,
    };
    let reason = if blocked_by_failure {
        Some(failure_reason(attempt))
    } else {
        output.reason.clone()
    };
    let decider = Decider {
        hook: attempt.hook.id.clone(),
        description: attempt.hook.description.clone(),
        cause,
    };
    (decision, Some(decider), reason)
}

/// Whether an attempt's failure is a block: where it was told so, where the event says so of
/// timeouts, and where the hook was to do something and did not.
fn failure_blocks(row: &EventRow, attempt: &Attempt) -> bool {
    let told = row.guard && attempt.on_failure == OnFailure::Block;
    let late = row.timeout_blocks && attempt.timed_out();
    let undone = row.exit_two == ExitTwo::BlocksLikeAnyFailure;
    attempt.reply.status.is_failure() && (told || late || undone)
}

fn failure_reason(attempt: &Attempt) -> String {
    let what = match &attempt.reply.status {
        Status::TimedOut { limit } => format!("took longer than {limit:?}"),
        Status::Crashed { signal } => format!("was ended by signal {signal}"),
        Status::LaunchFailed(why) => format!("could not be started: {why}"),
        Status::BadOutput(why) => format!("gave no answer that can be read: {why}"),
        Status::Failed(why) => format!("failed: {why}"),
        other @ (Status::Answered
        | Status::NoOpinion
        | Status::Blocked { .. }
        | Status::Cancelled
        | Status::Background
        | Status::Skipped(_)) => format!("ended as {}", other.word()),
    };
    format!(
        "hook `{}` {what}; a failure of this hook blocks",
        attempt.hook.id
    )
}

/// What replaces a tool's output; the older form only counts for an MCP server's tools.
fn updated_output(
    event: &HookEvent,
    output: &SyncOutput,
    hook: &HookId,
    findings: &mut Vec<Finding>,
) -> Option<serde_json::Value> {
    let is_mcp = event
        .tool_call()
        .is_some_and(|(tool, _)| tool.starts_with("mcp__"));
    if output.updated_mcp_output.is_some() && !is_mcp {
        let message = "`updatedMCPToolOutput` only counts for the tools of MCP servers";
        let diagnostic = Diagnostic::new(Code::NotMcp, message)
            .at("hookSpecificOutput.updatedMCPToolOutput")
            .suggest("hookSpecificOutput.updatedToolOutput");
        findings.push(finding(&diagnostic, hook));
    }
    let older = output.updated_mcp_output.as_ref().filter(|_| is_mcp);
    output.updated_output.as_ref().or(older).cloned()
}

fn finding(diagnostic: &Diagnostic, hook: &HookId) -> Finding {
    Finding {
        diagnostic: diagnostic.clone(),
        hook: Some(hook.clone()),
    }
}

fn notes(hook: &HookId, text: Option<&String>) -> Vec<Note> {
    text.filter(|text| !text.is_empty())
        .map(|text| Note {
            hook: hook.clone(),
            text: text.clone(),
        })
        .into_iter()
        .collect()
}

/// What can only be said once everything is merged.
fn finish(event: &HookEvent, merged: Merge, policy: &Policy, interactive: bool) -> Outcome {
    let mut outcome = Outcome::none(event.name());
    outcome.diagnostics = merged.findings;
    let rewrites_conflict = settle(&mut outcome, "updatedInput", &merged.updated_input)
        | settle(&mut outcome, "updatedToolOutput", &merged.updated_output)
        | settle(&mut outcome, "llmRequest", &merged.llm_request)
        | settle(&mut outcome, "llmResponse", &merged.llm_response);
    settle(&mut outcome, "displayContent", &merged.display_content);
    settle(&mut outcome, "sessionTitle", &merged.session_title);
    settle(
        &mut outcome,
        "initialUserMessage",
        &merged.initial_user_message,
    );

    outcome.decision = merged.decision;
    outcome.decided_by = merged.decider;
    outcome.reason = (!merged.reasons.is_empty()).then(|| merged.reasons.join("\n"));
    if outcome.decision == Decision::Defer && interactive {
        outcome.decision = Decision::Ask;
        say(
            &mut outcome,
            Code::DeferImpossible,
            "a call can only be deferred where nobody can be asked; the user is asked",
        );
    }
    if rewrites_conflict && policy.on_conflict == OnConflict::Ask {
        outcome.decision = outcome.decision.max(Decision::Ask);
    }
    outcome.stop = merged.stop;
    outcome.suppress_output = merged.suppress_output;
    outcome.updated_input = value(merged.updated_input);
    outcome.updated_output = value(merged.updated_output);
    outcome.additional_context = merged.additional_context;
    outcome.system_messages = merged.system_messages;
    outcome.terminal_sequences = merged.terminal_sequences;
    let classifier = merged.classifier_context;
    let mut specific = Specific::default();
    specific.updated_permissions = merged.updated_permissions;
    specific.interrupt = merged.interrupt;
    specific.retry = merged.retry;
    specific.elicitation = merged.elicitation;
    specific.worktree_path = merged.worktree_path;
    specific.display_content = value(merged.display_content);
    specific.watch_paths = merged.watch_paths;
    specific.session_title = value(merged.session_title);
    specific.initial_user_message = value(merged.initial_user_message);
    specific.reload_skills = merged.reload_skills;
    specific.suppress_original_prompt = merged.suppress_original_prompt;
    specific.classifier_context = (!classifier.is_empty()).then(|| classifier.join("\n"));
    specific.llm_request = value(merged.llm_request);
    specific.llm_response = value(merged.llm_response);
    specific.tool_config = merged.tool_config;
    outcome.specific = specific;
    outcome
}

fn value<T>(last: Last<T>) -> Option<T> {
    last.winner.map(|(_, value)| value)
}

/// Names those who wanted something else than the one that won; whether there are any.
fn settle<T: PartialEq>(outcome: &mut Outcome, what: &str, last: &Last<T>) -> bool {
    let Some((winner, value)) = &last.winner else {
        return false;
    };
    let mut conflict = false;
    for (loser, _) in last.losers.iter().filter(|(_, other)| other != value) {
        let message =
            format!("`{what}` of hook `{loser}` is not used: `{winner}` comes later in the order");
        let diagnostic = Diagnostic::new(Code::Conflict, message).at(what);
        outcome.diagnostics.push(finding(&diagnostic, loser));
        conflict = true;
    }
    conflict
}

fn say(outcome: &mut Outcome, code: Code, message: &str) {
    outcome.diagnostics.push(Finding {
        diagnostic: Diagnostic::new(code, message),
        hook: None,
    });
}
