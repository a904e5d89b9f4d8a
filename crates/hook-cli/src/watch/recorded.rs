//! Lines of a recording to what is kept of them: whole firings, and answers from the background. Pure.

use hook_types::message::RunOutcome;
use serde_json::Value;

use super::counts::Change;
use super::firing::{Run, Verdict};
use super::keep::{OUTPUT, WORDS, keep};
use super::line::shown;
use super::model::{Model, When, key};
use super::row::title;
use crate::recording::{Entry, Firing, entry, name};

/// A firing that is over, as a recording has it.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) session: String,
    pub(crate) event: String,
    /// The event and its subject.
    pub(crate) name: String,
    pub(crate) input: String,
    pub(crate) verdict: Verdict,
    pub(crate) hooks: Vec<Ran>,
}

/// What became of a hook.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) hook: String,
    /// The event and its subject.
    pub(crate) name: String,
    status: String,
    exit_code: Option<i32>,
    stdout: String,
    stderr: String,
    diagnostics: Vec<String>,
}

/// What a line of a recording tells.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    Firing(Recorded),
    Late(Ran),
}

/// What a line tells; nothing where it is no line of a recording.
pub(crate) fn told(line: &[u8]) -> Option<Told> {
    let line = serde_json::from_slice(line).ok()?;
    match entry(0, line).ok()? {
        Entry::Firing(firing) => Some(Told::Firing(recorded(&firing))),
        Entry::Late(late) => Some(Told::Late(ran(&late.hook))),
    }
}

fn recorded(firing: &Firing) -> Recorded {
    Recorded {
        session: words(&firing.input["session_id"]).unwrap_or_default(),
        event: firing.event.to_string(),
        name: keep(&name(firing), WORDS),
        input: shown(&firing.input),
        verdict: verdict(&firing.told.outcome),
        hooks: firing.told.hooks.iter().map(ran).collect(),
    }
}

fn verdict(outcome: &Value) -> Verdict {
    Verdict {
        decision: words(&outcome["decision"]),
        reason: words(&outcome["reason"]),
        decided_by: words(&outcome["decided_by"]),
        cause: words(&outcome["cause"]),
        goes_on: outcome["continue"] != false,
        stop_reason: words(&outcome["stop_reason"]),
    }
}

fn ran(hook: &Value) -> Ran {
    let printed = |key: &str| keep(hook[key].as_str().unwrap_or_default(), OUTPUT);
    let word = |key: &str| words(&hook[key]).unwrap_or_default();
    let code = hook["exit_code"].as_i64();
    let odd = hook["diagnostics"].as_array().into_iter().flatten();
    // Why it failed, or was not run, is told like what else is odd.
    let detail = words(&hook["detail"]);
    Ran {
        hook: word("id"),
        name: word("name"),
        status: word("status"),
        exit_code: code.and_then(|code| code.try_into().ok()),
        stdout: printed("stdout"),
        stderr: printed("stderr"),
        diagnostics: detail
            .into_iter()
            .chain(odd.map(odd_one))
            .take(16)
            .collect(),
    }
}

/// What was odd about an answer, in words.
fn odd_one(value: &Value) -> String {
    let word = |key: &str| value[key].as_str().unwrap_or_default();
    let text = format!("{}: {}", word("code"), word("message"));
    let meant = value["suggestion"].as_str();
    let meant = meant.map(|meant| format!("; did you mean `{meant}`?"));
    keep(&(text + &meant.unwrap_or_default()), WORDS)
}

fn words(value: &Value) -> Option<String> {
    value.as_str().map(|text| keep(text, WORDS))
}

impl Ran {
    /// As a run of its own.
    pub(crate) fn into_run(self, id: &str) -> Run {
        let mut run = Run::new(id, None);
        run.background = self.status == "background";
        self.put_into(&mut run);
        run
    }

    /// What became of a run in the end.
    pub(crate) fn put_into(self, run: &mut Run) {
        run.outcome = outcome(&self.status);
        run.hook = Some(self.hook);
        run.status = Some(self.status);
        run.exit_code = self.exit_code;
        run.stdout = self.stdout;
        run.stderr = self.stderr;
        run.diagnostics = self.diagnostics;
    }
}

impl Model {
    pub(super) fn told(&mut self, told: Told) -> Change {
        match told {
            Told::Firing(firing) => self.recorded(firing),
            Told::Late(ran) => self.late(ran),
        }
    }

    /// A firing as a recording has it: over, and without times.
    fn recorded(&mut self, told: Recorded) -> Change {
        let key = key(&told.session, &told.name);
        let open = self.open.remove(&key);
        let never = When {
            at: None,
            dated: false,
        };
        let number = self.begin(key.clone(), &told.event, never);
        self.open.remove(&key);
        self.open.extend(open.map(|open| (key, open)));
        let hooks = told.hooks.into_iter().enumerate();
        let runs = hooks.map(|(place, ran)| ran.into_run(&format!("{number}.{}", place + 1)));
        let runs: Vec<Run> = runs.collect();
        let running = runs.iter().filter(|run| run.outcome.is_none());
        self.running
            .extend(running.map(|run| (run.id.clone(), number)));
        self.with(number, |firing| {
            firing.runs = runs;
            firing.verdict = Some(told.verdict);
            firing.input = Some(told.input);
        });
        if let Some(firing) = self.firing(number) {
            let (failed, word) = (firing.failed(), firing.word().to_owned());
            self.counts.failed += failed as u64;
            self.counts.count(&word);
        }
        Change::Over(number)
    }

    /// A hook in the background is done: of the runs that it may be, the first.
    fn late(&mut self, ran: Ran) -> Change {
        let is_it = |run: &&Run| run.outcome.is_none() && run.hook.as_ref() == Some(&ran.hook);
        let mut firings = self.firings.iter();
        let found = firings.find_map(|firing| {
            let run = firing.runs.iter().find(is_it)?;
            (title(firing) == ran.name).then(|| (firing.number, run.id.clone()))
        });
        let Some((number, id)) = found else {
            return Change::Counts;
        };
        self.change(number, &id, |run| ran.put_into(run));
        self.running.remove(&id);
        let firing = self.firing(number);
        let mut runs = firing.into_iter().flat_map(|firing| &firing.runs);
        let failed = runs.any(|run| run.id == id && run.has_failed());
        self.counts.failed += u64::from(failed);
        Change::Late(number)
    }
}

/// The stream's word for a status, as [`RunOutcome::of`] has it; nothing while it runs. What was not run did
/// not fail.
fn outcome(status: &str) -> Option<RunOutcome> {
    match status {
        "background" => None,
        "answered" | "no_opinion" | "blocked" | "skipped" => Some(RunOutcome::Success),
        "timed_out" | "cancelled" => Some(RunOutcome::Cancelled),
        _ => Some(RunOutcome::Error),
    }
}

#[cfg(test)]
mod tests {
    use super::super::counts::Limits;
    use super::super::filter::Filter;
    use super::super::line;
    use super::*;

    /// The golden session, and the firings of which a hook ended late.
    fn golden() -> (Model, Vec<u64>) {
        let text = include_str!("../../tests/golden/demo.jsonl");
        let mut model = Model::new(Limits::default());
        let mut late = Vec::new();
        for line in text.lines() {
            if let Change::Late(number) = model.take(line::read(line.as_bytes()).unwrap(), None) {
                late.push(number);
            }
        }
        (model, late)
    }

    #[test]
    fn a_recording_is_its_firings_with_their_hooks_and_verdicts() {
        let (model, _) = golden();
        let counts = model.counts();
        assert_eq!((counts.messages, counts.firings, counts.other), (28, 27, 1));
        assert_eq!((model.running(), model.epoch()), (0, None));
        let denied = Filter::parse("verdict:deny event:PreToolUse:Bash");
        let denied = model.firings().find(|firing| denied.fits(firing)).unwrap();
        assert!(denied.input.as_deref().unwrap().contains("\"tool_input\""));
        let run = &denied.runs[0];
        assert_eq!(run.hook.as_deref(), Some(".hookline/hooks.json:10"));
        assert_eq!((run.word(), run.exit_code), ("blocked", Some(2)));
        assert!(!run.stderr.is_empty() && denied.took().is_none());
    }

    #[test]
    fn an_answer_from_the_background_ends_its_hook() {
        let (model, late) = golden();
        let written = model.firing(late[0]).unwrap();
        assert_eq!(
            (late.len(), title(written).as_str()),
            (1, "PostToolUse:Write")
        );
        let mut runs = written.runs.iter();
        let background = runs.find(|run| run.background).unwrap();
        assert_eq!(background.word(), "answered");
        assert!(background.stdout.contains("CI is green"));
    }
}
