//! What is kept of a firing.

use hook_types::message::{HookResponse, HookVerdict, RunOutcome, VerdictRun};

use crate::agent::Told;

use super::keep::{OUTPUT, RUN, WORDS, keep};
use super::line::Call;

/// One firing: the hooks that ran, and what it came to.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    /// Which one of the stream, from 1.
    pub(crate) number: u64,
    pub(crate) session: String,
    pub(crate) event: String,
    /// What the event is about: a tool, a source, …; empty where there is nothing.
    pub(crate) subject: String,
    pub(crate) runs: Vec<Run>,
    pub(crate) verdict: Option<Verdict>,
    /// When the first message came, in milliseconds since 1970.
    pub(crate) began: Option<u64>,
    /// When the verdict came.
    pub(crate) ended: Option<u64>,
    /// Whether its messages say when they were written. Those of other agents do not, nor do these send
    /// verdicts.
    pub(crate) dated: bool,
    /// The tool call that it is about, as text.
    pub(crate) input: Option<String>,
}

/// One run of one hook.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The run, as its messages name it.
    pub(crate) id: String,
    /// The hook; none until the verdict says so.
    pub(crate) hook: Option<String>,
    pub(crate) began: Option<u64>,
    /// How long it took, in microseconds.
    pub(crate) took: Option<u64>,
    /// How it ended; none while it runs.
    pub(crate) outcome: Option<RunOutcome>,
    /// Whether nobody waits for it.
    pub(crate) background: bool,
    /// The word of its status, where the verdict said it.
    pub(crate) status: Option<String>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) diagnostics: Vec<String>,
}

/// What a firing came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) decision: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) decided_by: Option<String>,
    pub(crate) cause: Option<String>,
    /// Whether the agent may go on.
    pub(crate) goes_on: bool,
    pub(crate) stop_reason: Option<String>,
}

impl Firing {
    pub(crate) fn new(number: u64, session: &str, event: &str, name: &str) -> Self {
        let subject = name.strip_prefix(event).unwrap_or(name);
        Self {
            number,
            session: keep(session, WORDS),
            event: keep(event, WORDS),
            subject: keep(subject.trim_start_matches(':'), WORDS),
            runs: Vec::new(),
            verdict: None,
            began: None,
            ended: None,
            dated: false,
            input: None,
        }
    }

    /// What it came to, in a word; `running` while nobody knows.
    pub(crate) fn word(&self) -> &str {
        match &self.verdict {
            None if self.runs.is_empty() || self.is_running() || self.awaits_verdict() => "running",
            None => "none",
            Some(verdict) if !verdict.goes_on => "stop",
            Some(verdict) => verdict.decision.as_deref().unwrap_or("none"),
        }
    }

    /// Whether nothing more is expected of it, but for hooks in the background. Where no verdict will come,
    /// the end of all its runs is its end.
    pub(crate) fn is_over(&self) -> bool {
        let untold = !self.dated || Told::of(&self.event) == Told::Little;
        let all_ended = !self.runs.is_empty() && !self.is_running();
        self.verdict.is_some() || (untold && all_ended)
    }

    /// Whether a verdict is sure to come, if nothing goes wrong.
    fn awaits_verdict(&self) -> bool {
        self.dated && Told::of(&self.event) == Told::Wholly
    }

    /// Whether a run is one of its own.
    pub(crate) fn has(&self, run: &str) -> bool {
        self.runs.iter().any(|known| known.id == run)
    }

    /// Whether a hook of it still runs.
    pub(crate) fn is_running(&self) -> bool {
        self.runs.iter().any(|run| run.outcome.is_none())
    }

    /// How many of its hooks failed.
    pub(crate) fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.has_failed()).count()
    }

    /// How long it took, in microseconds: from its first message to its verdict, or as its hooks say that
    /// were waited for.
    pub(crate) fn took(&self) -> Option<u64> {
        if self.word() == "running" {
            return None;
        }
        let awaited = self.runs.iter().filter(|run| !run.background);
        let longest = awaited.filter_map(|run| run.took).max();
        let seen = self.ended.zip(self.began);
        let seen = seen.map(|(ended, began)| ended.saturating_sub(began) * 1000);
        longest.max(seen)
    }

    pub(crate) fn conclude(&mut self, told: &HookVerdict, at: Option<u64>) {
        let text = |text: &Option<String>| text.as_deref().map(|text| keep(text, WORDS));
        self.ended = at;
        self.verdict = Some(Verdict {
            decision: text(&told.decision),
            reason: text(&told.reason),
            decided_by: told
                .decided_by
                .as_ref()
                .map(|hook| keep(hook.as_str(), WORDS)),
            cause: told.cause.as_ref().map(|cause| cause.as_str().to_owned()),
            goes_on: told.r#continue,
            stop_reason: text(&told.stop_reason),
        });
    }

    /// The call that it is about.
    pub(crate) fn put_input(&mut self, call: &Call) {
        self.input = Some(call.input.clone());
    }

    /// How much memory it takes, more or less.
    pub(crate) fn weight(&self) -> usize {
        let verdict = self.verdict.iter().flat_map(|verdict| {
            [
                &verdict.reason,
                &verdict.stop_reason,
                &verdict.decision,
                &verdict.decided_by,
            ]
        });
        let said: usize = verdict.flatten().map(String::len).sum();
        let runs: usize = self.runs.iter().map(Run::weight).sum();
        let input = self.input.as_ref().map_or(0, String::len);
        RUN + self.session.len() + self.event.len() + self.subject.len() + said + runs + input
    }
}

impl Run {
    pub(crate) fn new(id: &str, began: Option<u64>) -> Self {
        Self {
            id: keep(id, WORDS),
            hook: None,
            began,
            took: None,
            outcome: None,
            background: false,
            status: None,
            exit_code: None,
            stdout: String::new(),
            stderr: String::new(),
            diagnostics: Vec::new(),
        }
    }

    /// How it is called: as it is registered, else by a number in its firing.
    pub(crate) fn name(&self, place: usize) -> String {
        let unknown = || format!("hook {}", place + 1);
        self.hook.clone().unwrap_or_else(unknown)
    }

    pub(crate) fn print(&mut self, stdout: &str, stderr: &str) {
        self.stdout = keep(stdout, OUTPUT);
        self.stderr = keep(stderr, OUTPUT);
    }

    pub(crate) fn end(&mut self, told: &HookResponse, at: Option<u64>) {
        self.print(&told.stdout, &told.stderr);
        self.exit_code = told.exit_code;
        self.outcome = Some(told.outcome.clone());
        let seen = at.zip(self.began);
        self.took = seen.map(|(at, began)| at.saturating_sub(began) * 1000);
        if self.background {
            self.status = None;
        }
    }

    /// What the verdict says of it.
    pub(crate) fn name_as(&mut self, told: &VerdictRun) {
        self.hook = Some(keep(told.hook.as_str(), WORDS));
        let diagnostics = told.diagnostics.iter().take(16);
        self.diagnostics = diagnostics.map(|text| keep(text, WORDS)).collect();
        self.background = told.status == "background";
        if !self.background {
            self.took = Some(told.duration_us);
        }
        if !self.background || self.outcome.is_none() {
            self.status = Some(keep(&told.status, WORDS));
        }
    }

    /// How it ended, in a word.
    pub(crate) fn word(&self) -> &str {
        match (&self.status, &self.outcome) {
            (Some(status), _) => status,
            (None, Some(outcome)) => outcome.as_str(),
            (None, None) => "running",
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        let failed = |outcome: &RunOutcome| *outcome != RunOutcome::Success;
        self.outcome.as_ref().is_some_and(failed)
    }

    /// What it printed, and what is said of it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        [&self.stdout, &self.stderr]
            .into_iter()
            .chain(&self.diagnostics)
    }

    fn weight(&self) -> usize {
        let notes: usize = self.diagnostics.iter().map(String::len).sum();
        let names = self.id.len() + self.hook.as_ref().map_or(0, String::len);
        RUN + names + notes + self.stdout.len() + self.stderr.len()
    }
}
