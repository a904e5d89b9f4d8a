//! Two halves of a firing put together. Putting together is associative, so it does not matter
//! where a firing is cut in half.

use hook_types::outcome::{Decider, Finding, Note};
use hook_types::{Decision, ElicitationAnswer, HookId, PermissionUpdate, ToolConfig, ToolMode};
use serde_json::Value;

/// How two halves ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// At once: neither saw what the other wanted.
    Concurrent,
    /// The second saw what the first had rewritten.
    Chained,
}

/// What some of a firing's hooks amount to. The default is what no hook amounts to: put together
/// with anything, it changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Merge {
    pub(crate) decision: Decision,
    /// The reasons of the hooks that made that decision, in order.
    pub(crate) reasons: Vec<String>,
    pub(crate) decider: Option<Decider>,
    pub(crate) stop: Option<Stop>,
    pub(crate) suppress_output: bool,
    pub(crate) updated_input: Last<Value>,
    pub(crate) updated_output: Last<Value>,
    pub(crate) display_content: Last<String>,
    pub(crate) session_title: Last<String>,
    pub(crate) initial_user_message: Last<String>,
    pub(crate) llm_request: Last<Value>,
    pub(crate) llm_response: Last<Value>,
    pub(crate) elicitation: Last<ElicitationAnswer>,
    pub(crate) additional_context: Vec<Note>,
    pub(crate) system_messages: Vec<Note>,
    pub(crate) terminal_sequences: Vec<Note>,
    pub(crate) classifier_context: Vec<Note>,
    pub(crate) exports: Vec<String>,
    /// All of them, in order: the first counts.
    pub(crate) worktree_paths: Vec<Note>,
    pub(crate) updated_permissions: Option<Vec<PermissionUpdate>>,
    pub(crate) watch_paths: Option<Vec<String>>,
    pub(crate) tool_config: Option<ToolConfig>,
    pub(crate) interrupt: Option<bool>,
    pub(crate) retry: Option<bool>,
    pub(crate) reload_skills: Option<bool>,
    pub(crate) suppress_original_prompt: Option<bool>,
    pub(crate) findings: Vec<Finding>,
}

/// Orders to stop the agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stop {
    /// The first hook that gave one.
    pub(crate) hook: HookId,
    /// What its author says of it.
    pub(crate) description: Option<String>,
    /// What the user is to be told, by whom, in order. Not each of them says why.
    pub(crate) words: Vec<Note>,
}

/// A value of which the last in order counts, with the ones that it won over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Last<T> {
    pub(crate) winner: Option<Said<T>>,
    pub(crate) losers: Vec<Said<T>>,
}

/// What a hook said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said<T> {
    pub(crate) hook: HookId,
    pub(crate) value: T,
    /// Whether the next hook of a sequence is handed it. One that is not cannot have built on it.
    shown: bool,
}

impl<T> Default for Last<T> {
    fn default() -> Self {
        Self {
            winner: None,
            losers: Vec::new(),
        }
    }
}

impl<T> Last<T> {
    /// A value that the next hook of a sequence is handed.
    pub(crate) fn shown(hook: &HookId, value: Option<T>) -> Self {
        Self::said(hook, value, true)
    }

    /// A value that no hook is handed.
    pub(crate) fn unshown(hook: &HookId, value: Option<T>) -> Self {
        Self::said(hook, value, false)
    }

    fn said(hook: &HookId, value: Option<T>, shown: bool) -> Self {
        let winner = value.map(|value| Said {
            hook: hook.clone(),
            value,
            shown,
        });
        Self {
            winner,
            losers: Vec::new(),
        }
    }

    /// Who sets nothing erases nothing.
    fn then(mut self, later: Self, how: Beside) -> Self {
        match (self.winner.take(), later.winner) {
            (Some(earlier), Some(winner)) => {
                if how == Beside::Concurrent || !earlier.shown {
                    self.losers.push(earlier);
                }
                self.winner = Some(winner);
            }
            (earlier, later) => self.winner = later.or(earlier),
        }
        self.losers.extend(later.losers);
        self
    }
}

impl Merge {
    /// Puts two halves together, `self` being the first in order.
    pub(crate) fn then(self, later: Self, how: Beside) -> Self {
        let (decision, reasons, decider) = stronger(
            (self.decision, self.reasons, self.decider),
            (later.decision, later.reasons, later.decider),
        );
        Self {
            decision,
            reasons,
            decider,
            stop: both(self.stop, later.stop, stop),
            suppress_output: self.suppress_output || later.suppress_output,
            updated_input: self.updated_input.then(later.updated_input, how),
            updated_output: self.updated_output.then(later.updated_output, how),
            display_content: self.display_content.then(later.display_content, how),
            session_title: self.session_title.then(later.session_title, how),
            initial_user_message: self
                .initial_user_message
                .then(later.initial_user_message, how),
            llm_request: self.llm_request.then(later.llm_request, how),
            llm_response: self.llm_response.then(later.llm_response, how),
            elicitation: strictest(self.elicitation, later.elicitation, how),
            additional_context: joined(self.additional_context, later.additional_context),
            system_messages: joined(self.system_messages, later.system_messages),
            terminal_sequences: joined(self.terminal_sequences, later.terminal_sequences),
            classifier_context: joined(self.classifier_context, later.classifier_context),
            exports: joined(self.exports, later.exports),
            worktree_paths: joined(self.worktree_paths, later.worktree_paths),
            updated_permissions: both(self.updated_permissions, later.updated_permissions, joined),
            watch_paths: both(self.watch_paths, later.watch_paths, union),
            tool_config: both(self.tool_config, later.tool_config, narrowest),
            interrupt: both(self.interrupt, later.interrupt, any),
            retry: both(self.retry, later.retry, any),
            reload_skills: both(self.reload_skills, later.reload_skills, any),
            suppress_original_prompt: both(
                self.suppress_original_prompt,
                later.suppress_original_prompt,
                any,
            ),
            findings: joined(self.findings, later.findings),
        }
    }
}

type Decided = (Decision, Vec<String>, Option<Decider>);

/// The stronger decision with its reasons; of two equal ones, the first decider and all reasons.
fn stronger(earlier: Decided, later: Decided) -> Decided {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match earlier.0.cmp(&later.0) {
        Greater => earlier,
        Less => later,
        Equal => (earlier.0, joined(earlier.1, later.1), earlier.2.or(later.2)),
    }
}

/// The first hook counts; everybody's words are kept.
fn stop(earlier: Stop, later: Stop) -> Stop {
    Stop {
        hook: earlier.hook,
        description: earlier.description,
        words: joined(earlier.words, later.words),
    }
}

/// Cancel beats decline beats accept; of equal ones the last counts.
fn strictest(
    earlier: Last<ElicitationAnswer>,
    later: Last<ElicitationAnswer>,
    how: Beside,
) -> Last<ElicitationAnswer> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let action =
        |last: &Last<ElicitationAnswer>| last.winner.as_ref().map(|said| said.value.action);
    match action(&earlier).cmp(&action(&later)) {
        Greater => earlier,
        Less => later,
        Equal => earlier.then(later, how),
    }
}

fn union(mut earlier: Vec<String>, later: Vec<String>) -> Vec<String> {
    for path in later {
        if !earlier.contains(&path) {
            earlier.push(path);
        }
    }
    earlier
}

/// No tools beats one tool at least beats any; the lists of tools are put together.
fn narrowest(earlier: ToolConfig, later: ToolConfig) -> ToolConfig {
    let strength = |mode: &Option<ToolMode>| match mode {
        None => 0,
        Some(ToolMode::Auto) => 1,
        Some(ToolMode::Any) => 2,
        Some(ToolMode::None) => 3,
    };
    let mode = if strength(&earlier.mode) > strength(&later.mode) {
        earlier.mode
    } else {
        later.mode
    };
    ToolConfig {
        mode,
        allowed_function_names: both(
            earlier.allowed_function_names,
            later.allowed_function_names,
            union,
        ),
    }
}

fn any(earlier: bool, later: bool) -> bool {
    earlier || later
}

fn joined<T>(mut earlier: Vec<T>, later: Vec<T>) -> Vec<T> {
    earlier.extend(later);
    earlier
}

fn both<T>(earlier: Option<T>, later: Option<T>, combine: impl FnOnce(T, T) -> T) -> Option<T> {
    match (earlier, later) {
        (Some(earlier), Some(later)) => Some(combine(earlier, later)),
        (earlier, later) => earlier.or(later),
    }
}
