//! `hookline check --probe`: each hook on samples of its event, one by one, in a scratch directory.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hook_runner::{Fired, Hook, HookRunner, Runner};
use hook_types::{Attempt, Base, EventName, HookEvent, HookId, Status, sample};
use serde_json::{Value, json};

use crate::agent::summary;
use crate::config_args::Project;
use crate::failure::Failure;
use crate::firing::{self, title};
use crate::progress::Progress;
use crate::runtime::runtime;
use crate::world::World;

/// No probe takes longer than this.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// What tools are called with, for the hooks of tool events.
const CALLS: [(&str, &str); 6] = [
    (
        "Bash",
        r#"{"command": "ls -la", "description": "List the files"}"#,
    ),
    (
        "Write",
        r#"{"file_path": "notes.txt", "content": "hello\n"}"#,
    ),
    (
        "Edit",
        r#"{"file_path": "notes.txt", "old_string": "a", "new_string": "b"}"#,
    ),
    ("Read", r#"{"file_path": "notes.txt"}"#),
    ("Grep", r#"{"pattern": "hello"}"#),
    ("mcp__memory__create_entities", r#"{"entities": []}"#),
];

/// Calls that many hooks refuse.
const SUSPICIOUS: [(&str, &str); 3] = [
    ("Bash", r#"{"command": "sudo rm -rf /"}"#),
    ("Bash", r#"{"command": "git push --force origin main"}"#),
    (
        "Write",
        r#"{"file_path": ".env", "content": "API_KEY=secret\n"}"#,
    ),
];

/// How many samples that nobody minds a hook is tried with.
const SAMPLES: usize = 3;

/// What a hook did with one sample.
pub(crate) struct Probed {
    pub(crate) hook: String,
    pub(crate) name: String,
    /// The call that the sample is about, in a line; of other events nothing.
    pub(crate) call: Option<String>,
    pub(crate) fired: Fired,
}

/// What becomes of hooks that are asked over HTTP: their servers are somebody's, who may not expect
/// samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverHttp {
    /// They are asked like others.
    Asked,
    /// They are not, and that is told.
    LeftOut,
}

impl OverHttp {
    fn leaves_out(self, hook: &Hook) -> bool {
        self == Self::LeftOut && hook.describe().kind.as_str() == "http"
    }
}

/// How a probe ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// As the contract has it.
    Fine,
    /// It answered, and some of it is ignored.
    Odd,
    /// It failed.
    Failed,
    /// It was not run.
    Skipped,
}

impl Probed {
    fn attempt(&self) -> Option<&Attempt> {
        self.fired.attempts.first()
    }

    pub(crate) fn finding(&self) -> Finding {
        let Some(attempt) = self.attempt() else {
            return Finding::Skipped;
        };
        let status = &attempt.reply.status;
        if matches!(status, Status::Skipped(_)) {
            Finding::Skipped
        } else if status.is_failure() {
            Finding::Failed
        } else if attempt.reply.diagnostics.is_empty() {
            Finding::Fine
        } else {
            Finding::Odd
        }
    }

    /// What it did, in a line.
    pub(crate) fn what(&self) -> String {
        let Some(attempt) = self.attempt() else {
            return "was not asked: --probe-http would post samples to it".to_owned();
        };
        let odd = attempt.reply.diagnostics.iter().map(ToString::to_string);
        let words = std::iter::once(attempt.reply.status.to_string()).chain(odd);
        words.collect::<Vec<_>>().join("; ")
    }
}

/// Tries every hook; nothing if somebody pressed Ctrl-C meanwhile, and then nothing is left running.
pub(crate) fn probe(
    project: &Project,
    world: &World,
    over_http: OverHttp,
    progress: Progress,
) -> Result<Option<Vec<Probed>>, Failure> {
    let scratch = tempfile::Builder::new()
        .prefix("hookline-probe-")
        .tempdir()
        .map_err(|error| Failure::invalid(format!("cannot make a scratch directory: {error}")))?;
    let runtime = runtime()?;
    runtime.block_on(async {
        let probed = tokio::select! {
            probed = all(project, world, scratch.path(), over_http, progress) => Some(probed),
            _ = tokio::signal::ctrl_c() => None,
        };
        project.host.close().await;
        probed.transpose()
    })
}

/// One hook after the other, each with its samples.
async fn all(
    project: &Project,
    world: &World,
    scratch: &Path,
    over_http: OverHttp,
    mut progress: Progress,
) -> Result<Vec<Probed>, Failure> {
    let hooks = asked_for(project);
    let mut probed = Vec::new();
    for (done, hook) in hooks.iter().enumerate() {
        let id = hook.get_id().map(ToString::to_string).unwrap_or_default();
        progress.bar(done, hooks.len(), &id);
        if over_http.leaves_out(hook) {
            let event = hook.get_event();
            probed.push(Probed {
                hook: id,
                name: event.to_string(),
                call: None,
                fired: Fired::nothing(event),
            });
            continue;
        }
        for event in trials(hook, scratch)? {
            let runner = alone(hook, project, world, event.base())?;
            let (name, call) = (title(&event), call(&event));
            let fired = runner.fire_event(event).await;
            runner.close(LIMIT).await;
            probed.push(Probed {
                hook: id.clone(),
                name,
                call,
                fired,
            });
        }
    }
    Ok(probed)
}

/// The hooks that the report is about, and that are switched on.
fn asked_for(project: &Project) -> Vec<&Hook> {
    let reported = project.loaded.report.hooks.iter();
    let reported: BTreeSet<&HookId> = reported.flat_map(|hook| &hook.ids).collect();
    let hooks = project.loaded.hooks.hooks().map(|(hook, _)| hook);
    let is_one = |hook: &&Hook| hook.get_id().is_some_and(|id| reported.contains(id));
    hooks
        .filter(is_one)
        .filter(|hook| hook.is_enabled())
        .collect()
}

/// A runner with nothing but this hook, which has no more time than a probe has.
pub(crate) fn alone(
    hook: &Hook,
    project: &Project,
    world: &World,
    base: &Base,
) -> Result<Runner, Failure> {
    let limit = hook.get_timeout().unwrap_or(LIMIT).min(LIMIT);
    firing::alone(hook.clone().timeout(limit), project, world, base)
}

/// Samples that the hook listens to, and that nobody minds.
pub(crate) fn events(hook: &Hook, scratch: &Path) -> Result<Vec<HookEvent>, Failure> {
    let inputs = inputs(hook.get_event(), &CALLS);
    let read = read_all(hook.get_event(), inputs, scratch)?;
    let fits = read.into_iter().filter(|event| listens(hook, event));
    Ok(fits.take(SAMPLES).collect())
}

/// What a hook is tried with. A guard is also asked about what it may be there to refuse: how it says
/// no is what matters most about it.
fn trials(hook: &Hook, scratch: &Path) -> Result<Vec<HookEvent>, Failure> {
    let mut trials = events(hook, scratch)?;
    let event = hook.get_event();
    if event.row().is_about_a_tool_call() && event.row().guard {
        let refused = read_all(event, calls(event, &SUSPICIOUS), scratch)?;
        trials.extend(refused.into_iter().filter(|event| listens(hook, event)));
    }
    Ok(trials)
}

/// The call that an event is about, in a line.
fn call(event: &HookEvent) -> Option<String> {
    let input = serde_json::to_value(event).ok()?;
    input.get("tool_input").map(summary)
}

fn listens(hook: &Hook, event: &HookEvent) -> bool {
    let subject = event.subject();
    let fits = |text: &str| hook.get_matcher().matches(text).is_match();
    subject.text().is_none_or(fits)
}

/// Samples of an event, those among them that many hooks refuse.
pub(crate) fn samples(event: EventName, directory: &Path) -> Result<Vec<HookEvent>, Failure> {
    let calls = [&CALLS[..], &SUSPICIOUS[..]].concat();
    read_all(event, inputs(event, &calls), directory)
}

fn inputs(event: EventName, calls: &[(&str, &str)]) -> Vec<Value> {
    if event.row().is_about_a_tool_call() {
        self::calls(event, calls)
    } else {
        vec![sample::input(event)]
    }
}

fn read_all(
    event: EventName,
    inputs: Vec<Value>,
    directory: &Path,
) -> Result<Vec<HookEvent>, Failure> {
    let transcript = directory.join("transcript.jsonl").display().to_string();
    let base = Base::new(
        "hookline-probe",
        transcript,
        directory.display().to_string(),
    );
    let read = |input| HookEvent::from_json(event.as_str(), input, &base);
    let read: Result<Vec<HookEvent>, _> = inputs.into_iter().map(read).collect();
    read.map_err(|error| Failure::invalid(error.to_string()))
}

/// The event with calls of several tools.
fn calls(event: EventName, calls: &[(&str, &str)]) -> Vec<Value> {
    let call = |(tool, input): &(&str, &str)| {
        let mut sample = sample::input(event);
        sample["tool_name"] = json!(tool);
        sample["tool_input"] = serde_json::from_str(input).unwrap_or_default();
        sample
    };
    calls.iter().map(call).collect()
}
