//! A recording, fired at today's hooks in one session.

use std::path::Path;
use std::time::Duration;

use hook_runner::{Explained, HookRunner, LateAnswer, Runner};
use hook_types::HookEvent;
use serde_json::Value;

use super::format::{Firing, Recording, Told};
use super::names::Names;
use super::redact::Redact;
use super::stage::Props;
use super::surroundings::Invented;
use super::told;
use crate::failure::Failure;

/// How long an answer from the background may take that came when the session was recorded.
const PATIENCE: Duration = Duration::from_mins(2);
/// How long other hooks may go on in the background.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// Where a recording is replayed.
pub(crate) struct Today<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) root: &'a Path,
    /// What stands in for a session.
    pub(crate) invented: &'a Invented,
    pub(crate) names: Names,
    /// What was kept out of the recording, and stays out.
    pub(crate) redact: Redact,
}

/// What comes of a recording today.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// One for each firing: what was recorded, without what is volatile today, and what came of it.
    pub(crate) firings: Vec<(Told, Told)>,
    pub(crate) late: Vec<Value>,
}

/// Fires everything, one after the other.
pub(crate) async fn replay(
    recording: &Recording,
    mut today: Today<'_>,
    mut step: impl FnMut(usize),
) -> Result<Replayed, Failure> {
    let mut props = Props::new(today.root);
    let files = recording
        .firings
        .iter()
        .flat_map(|firing| firing.files.keys());
    props.check(files)?;
    let mut replayed = Replayed::default();
    let mut background = Vec::new();
    for (done, firing) in recording.firings.iter().enumerate() {
        step(done);
        props.apply(&firing.files)?;
        let event = today.event(firing)?;
        let explained = today.runner.explain(&event);
        let fired = today.runner.fire_event(event).await;
        let mut now = told::told(&fired, &explained, &firing.input, &today.names);
        now.redact(&today.redact);
        replayed.firings.push((today.then(firing), now));
        remember(&mut background, explained);
    }
    step(recording.firings.len());
    for late in answers(today.runner, recording.late.len()).await {
        let hook = told::hook(&late.attempt, &background, &Value::Null, &today.names);
        replayed.late.push(today.redact.apply(&hook));
    }
    Ok(replayed)
}

/// Keeps what each hook is, once: for answers that come later.
fn remember(known: &mut Vec<Explained>, more: Vec<Explained>) {
    for about in more {
        known.retain(|old| old.hook.id != about.hook.id);
        known.push(about);
    }
}

/// Answers from the background: as many as there were, if they come, and what else has come by then.
async fn answers(runner: &Runner, wanted: usize) -> Vec<LateAnswer> {
    let until = tokio::time::Instant::now() + PATIENCE;
    let mut answers = runner.take_finished();
    while answers.len() < wanted && runner.in_background() > 0 {
        match tokio::time::timeout_at(until, runner.late()).await {
            Ok(Some(late)) => answers.push(late),
            Ok(None) | Err(_) => break,
        }
    }
    runner.close(GRACE).await;
    answers.extend(runner.take_finished());
    answers
}

impl Today<'_> {
    /// The event, with the things of today in the place of placeholders.
    fn event(&mut self, firing: &Firing) -> Result<HookEvent, Failure> {
        let make = |kind: &str, name: &str| self.invented.make(kind, name);
        self.names.invent(&firing.input, make);
        let input = self.names.restore(&firing.input);
        let base = self.invented.base(self.root);
        HookEvent::from_json(firing.event.as_str(), input, &base)
            .map_err(|why| Failure::invalid(format!("line {}: {why}", firing.line)))
    }

    fn then(&self, firing: &Firing) -> Told {
        let hooks = firing.told.hooks.iter();
        Told {
            outcome: self.names.answer(&firing.told.outcome, &firing.input),
            hooks: hooks
                .map(|hook| self.names.answer(hook, &firing.input))
                .collect(),
        }
    }
}
