//! Answers that come after their firing: kept until the agent they belong to asks the model again.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hook_runner::{HookRunner, LateAnswer};
use hook_types::AgentId;

use crate::said::{Manner, Said};

/// How many answers wait at most; beyond that the oldest is dropped, and logged.
const MOST: usize = 256;
/// How much of one text the model is told, in characters.
const LONGEST: usize = 10_000;

/// The late answers of one session.
#[derive(Debug, Default)]
pub(crate) struct Mail(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Letter>,
    /// The subagents that are at work.
    at_work: HashSet<AgentId>,
}

/// What is left of a late answer: whose it is, and its words. What a hook printed besides is not kept.
#[derive(Debug)]
struct Letter {
    agent: Option<AgentId>,
    words: Vec<Said>,
}

impl Letter {
    fn of(answer: &LateAnswer) -> Option<Self> {
        let words = words(answer);
        let agent = answer.agent_id.clone();
        (!words.is_empty()).then_some(Self { agent, words })
    }
}

impl Mail {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, answers: impl IntoIterator<Item = LateAnswer>) {
        let waiting = &mut self.state().waiting;
        waiting.extend(answers.into_iter().filter_map(|answer| Letter::of(&answer)));
        let over = waiting.len().saturating_sub(MOST);
        if over > 0 {
            tracing::warn!(over, "too many late answers wait; the oldest are dropped");
            waiting.drain(..over);
        }
    }

    /// A subagent begins: what comes for it is its own.
    pub(crate) fn begin(&self, agent: &AgentId) {
        self.state().at_work.insert(agent.clone());
    }

    /// A subagent is done: what still comes for it is its parent's.
    pub(crate) fn end(&self, agent: &AgentId) {
        self.state().at_work.remove(agent);
    }

    /// What has come for an agent, in the words for its model.
    pub(crate) fn take(&self, hooks: &dyn HookRunner, agent: Option<&AgentId>) -> Vec<Said> {
        self.put(hooks.take_finished());
        let mut state = self.state();
        let State { waiting, at_work } = &mut *state;
        let owner = |letter: &Letter| {
            let id = letter.agent.clone();
            id.filter(|id| at_work.contains(id))
        };
        let (mine, others): (Vec<_>, Vec<_>) = waiting
            .drain(..)
            .partition(|letter| owner(letter).as_ref() == agent);
        *waiting = others;
        mine.into_iter().flat_map(|letter| letter.words).collect()
    }
}

/// What a late answer says to the model: context, messages, and the words of a hook that wakes it. It
/// decides nothing.
fn words(answer: &LateAnswer) -> Vec<Said> {
    let reply = &answer.attempt.reply;
    let output = &reply.output;
    let mut texts: Vec<&str> = Vec::new();
    if answer.wakes {
        let evidence = &reply.evidence;
        let both = [evidence.stderr.trim(), evidence.stdout.trim()];
        texts.extend(both.into_iter().find(|text| !text.is_empty()));
    }
    texts.extend(output.additional_context.as_deref());
    texts.extend(output.system_message.as_deref());
    let said = |text: &str| Said {
        hook: Some(answer.attempt.hook.id.clone()),
        event: answer.attempt.event,
        manner: Manner::Later,
        text: cut(text),
        quiet: output.suppress_output,
    };
    texts.into_iter().map(said).collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!(
            "{}\n… {} more bytes are left out",
            &text[..end],
            text.len() - end
        ),
        None => text.to_owned(),
    }
}
