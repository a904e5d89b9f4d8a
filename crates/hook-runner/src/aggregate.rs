//! All attempts of a firing, merged: what the agent must do, and who decided. Pure; one function
//! for all events, driven by the event table. The rules, each with its test: `docs/merging.md`.

mod opinion;
#[cfg(test)]
mod tests;

use hook_types::outcome::{Finding, Note, Outcome, StopOrder};
use hook_types::{
    Attempt, Code, Decision, Diagnostic, EventName, HookEvent, HookId, SpecificFields, Status,
};

use crate::aggregate::opinion::merge_one;
use crate::group::Mode;
use crate::merge::{Beside, Last, Merge, Stop};
use crate::policy::{OnConflict, Policy};
use crate::schedule::GroupRun;

/// What merging must know of the event, which may be gone by then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    pub(crate) name: EventName,
    /// Whether it is about the one subject that nothing can block.
    pub(crate) is_exempt: bool,
    /// Whether it is about a tool of an MCP server.
    pub(crate) is_mcp: bool,
}

impl About {
    pub(crate) fn of(event: &HookEvent) -> Self {
        let name = event.name();
        let exempt = name.row().exempt;
        Self {
            name,
            is_exempt: exempt.is_some() && event.subject().text() == exempt,
            is_mcp: event
                .tool_call()
                .is_some_and(|(tool, _)| tool.starts_with("mcp__")),
        }
    }
}

/// Merges a firing's attempts, which are in order whatever finished first. Nothing where none of them
/// says anything.
pub(crate) fn aggregate(
    about: About,
    groups: &[GroupRun],
    policy: &Policy,
    interactive: bool,
) -> Option<Outcome> {
    let mut attempts = groups.iter().flat_map(|group| &group.attempts);
    if attempts.all(says_nothing) {
        return None;
    }
    let merged = groups
        .iter()
        .map(|group| merge_group(about, group, interactive))
        .reduce(|earlier, later| earlier.then(later, Beside::Concurrent));
    merged.map(|merged| finish(about.name, merged, policy))
}

/// Whether there is nothing to merge: most hooks have nothing to say most of the time.
fn says_nothing(attempt: &Attempt) -> bool {
    let reply = &attempt.reply;
    let silent = match reply.status {
        Status::NoOpinion | Status::Background | Status::Skipped(_) => true,
        Status::Answered
        | Status::Blocked { .. }
        | Status::LaunchFailed(_)
        | Status::Crashed { .. }
        | Status::Failed(_)
        | Status::BadOutput(_)
        | Status::TimedOut { .. }
        | Status::Cancelled => false,
    };
    silent && reply.diagnostics.is_empty() && reply.output.is_empty()
}

fn merge_group(about: About, group: &GroupRun, interactive: bool) -> Merge {
    let how = match group.mode {
        Mode::Sequential => Beside::Chained,
        Mode::Parallel => Beside::Concurrent,
    };
    let attempts = group
        .attempts
        .iter()
        .map(|attempt| merge_one(about, attempt, interactive));
    attempts
        .reduce(|earlier, later| earlier.then(later, how))
        .unwrap_or_default()
}

/// What can only be said once everything is merged.
fn finish(event: EventName, merged: Merge, policy: &Policy) -> Outcome {
    let mut outcome = Outcome::none(event);
    outcome.decision = merged.decision;
    outcome.decided_by = merged.decider;
    outcome.reason = joined(&merged.reasons);
    outcome.stop = merged.stop.map(stop_order);
    outcome.suppress_output = merged.suppress_output;
    outcome.additional_context = merged.additional_context;
    outcome.system_messages = merged.system_messages;
    outcome.terminal_sequences = merged.terminal_sequences;

    let mut settling = Settling {
        findings: merged.findings,
    };
    let input = settling.last("updatedInput", merged.updated_input);
    let output = settling.last("updatedToolOutput", merged.updated_output);
    let mut specific = SpecificFields::default();
    specific.llm_request = settling.last("llmRequest", merged.llm_request).value;
    specific.llm_response = settling.last("llmResponse", merged.llm_response).value;
    specific.display_content = settling
        .last("displayContent", merged.display_content)
        .value;
    specific.session_title = settling.last("sessionTitle", merged.session_title).value;
    specific.initial_user_message = settling
        .last("initialUserMessage", merged.initial_user_message)
        .value;
    specific.elicitation = settling.last("action", merged.elicitation).value;
    specific.worktree_path = settling.first("worktreePath", merged.worktree_paths);
    specific.classifier_context =
        settling.unless_superseded(merged.classifier_context, &output.superseded);
    specific.updated_permissions =
        settling.unless_refused(outcome.decision, merged.updated_permissions);
    specific.exports = joined(&merged.exports);
    specific.interrupt = merged.interrupt;
    specific.retry = merged.retry;
    specific.watch_paths = merged.watch_paths;
    specific.reload_skills = merged.reload_skills;
    specific.suppress_original_prompt = merged.suppress_original_prompt;
    specific.tool_config = merged.tool_config;
    outcome.specific = specific.into();
    outcome.diagnostics = settling.findings;

    if policy.on_conflict == OnConflict::Ask {
        ask_about(&mut outcome, &input);
    }
    outcome.updated_input = input.value;
    outcome.updated_output = output.value;
    outcome
}

fn joined(texts: &[String]) -> Option<String> {
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The first words are shown, whoever said them; the others are kept.
fn stop_order(stop: Stop) -> StopOrder {
    let mut words = stop.words.into_iter();
    StopOrder {
        hook: stop.hook,
        description: stop.description,
        reason: words.next().map(|note| note.text),
        others: words.collect(),
    }
}

/// Has the user asked which input is meant. Whoever allowed the call allowed one of them: neither
/// who nor why says anything about the question.
fn ask_about(outcome: &mut Outcome, input: &Settled<serde_json::Value>) {
    if input.superseded.is_empty() || outcome.decision >= Decision::Ask {
        return;
    }
    let hooks = input.superseded.iter().chain(&input.hook);
    let hooks: Vec<String> = hooks.map(|hook| format!("`{hook}`")).collect();
    outcome.decision = Decision::Ask;
    outcome.decided_by = None;
    outcome.reason = Some(format!(
        "hooks that ran at once want different inputs: {}; the last one's is used",
        hooks.join(", ")
    ));
}

/// What is left of a value when only one can count.
struct Settled<T> {
    value: Option<T>,
    /// Whose it is.
    hook: Option<HookId>,
    /// Who wanted something else.
    superseded: Vec<HookId>,
}

/// Picks what counts, and says what does not.
struct Settling {
    findings: Vec<Finding>,
}

impl Settling {
    /// Names those who wanted something else than the last.
    fn last<T: PartialEq>(&mut self, what: &str, last: Last<T>) -> Settled<T> {
        let Some(winner) = last.winner else {
            return Settled {
                value: None,
                hook: None,
                superseded: Vec::new(),
            };
        };
        let losers = last.losers.into_iter();
        let losers = losers.filter(|loser| loser.value != winner.value);
        let superseded: Vec<HookId> = losers.map(|loser| loser.hook).collect();
        for loser in &superseded {
            self.conflict(what, loser, &winner.hook, "later");
        }
        Settled {
            value: Some(winner.value),
            hook: Some(winner.hook),
            superseded,
        }
    }

    /// Names those who wanted something else than the first.
    fn first(&mut self, what: &str, notes: Vec<Note>) -> Option<String> {
        let mut notes = notes.into_iter();
        let winner = notes.next()?;
        for loser in notes.filter(|note| note.text != winner.text) {
            self.conflict(what, &loser.hook, &winner.hook, "earlier");
        }
        Some(winner.text)
    }

    fn conflict(&mut self, what: &str, loser: &HookId, winner: &HookId, when: &str) {
        let message =
            format!("`{what}` of hook `{loser}` is not used: `{winner}` comes {when} in the order");
        let diagnostic = Diagnostic::new(Code::Conflict, message).at(what);
        self.say(diagnostic, Some(loser.clone()));
    }

    /// A note about an output that nobody will see would mislead who reads it.
    fn unless_superseded(&mut self, notes: Vec<Note>, superseded: &[HookId]) -> Option<String> {
        let (dropped, kept): (Vec<Note>, Vec<Note>) = notes
            .into_iter()
            .partition(|note| superseded.contains(&note.hook));
        for note in dropped {
            let message = "`classifierContext` is not used: the output that it is about is not";
            let diagnostic = Diagnostic::new(Code::NoEffect, message).at("classifierContext");
            self.say(diagnostic, Some(note.hook));
        }
        let kept: Vec<String> = kept.into_iter().map(|note| note.text).collect();
        joined(&kept)
    }

    /// What hooks wanted remembered that allowed a call must not outlive another hook's refusal.
    fn unless_refused<T>(&mut self, decision: Decision, updates: Option<T>) -> Option<T> {
        if decision != Decision::Deny || updates.is_none() {
            return updates;
        }
        self.findings.push(updates_refused());
        None
    }

    fn say(&mut self, diagnostic: Diagnostic, hook: Option<HookId>) {
        self.findings.push(Finding { diagnostic, hook });
    }
}

fn updates_refused() -> Finding {
    let message = "`updatedPermissions` is not used: the call is refused";
    let diagnostic = Diagnostic::new(Code::NoEffect, message).at("updatedPermissions");
    Finding {
        diagnostic,
        hook: None,
    }
}

/// Adds what the same hooks said of an input that was rewritten: only what restricts counts.
pub(crate) fn judged_again(outcome: &mut Outcome, second: Outcome) {
    if second.decision > outcome.decision {
        outcome.decision = second.decision;
        outcome.reason = second.reason;
        outcome.decided_by = second.decided_by;
    }
    outcome.stop = outcome.stop.take().or(second.stop);
    outcome.diagnostics.extend(second.diagnostics);
    let refused = outcome.decision == Decision::Deny;
    if refused && outcome.specific.updated_permissions.is_some() {
        outcome.specific.updated_permissions = None;
        outcome.diagnostics.push(updates_refused());
    }
}
