//! `hookline check --probe`: each hook on samples of its event, one by one, in a scratch directory.

use std::path::Path;
use std::time::Duration;

use hook_runner::{Fired, Group, Hook, HookRunner, HookSet, Policy, Runner, Session};
use hook_types::{Attempt, Base, EventName, HookEvent, Status, sample};
use serde_json::{Value, json};

use crate::config_args::Project;
use crate::failure::Failure;
use crate::firing::title;
use crate::progress::Progress;
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

/// How many samples a hook is tried with.
const SAMPLES: usize = 3;

/// What a hook did with one sample.
pub(crate) struct Probed {
    pub(crate) hook: String,
    pub(crate) name: String,
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
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::invalid(format!("cannot start: {error}")))?;
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
    let hooks = project.loaded.hooks.hooks().map(|(hook, _)| hook);
    let hooks: Vec<&Hook> = hooks.filter(|hook| hook.is_enabled()).collect();
    let mut probed = Vec::new();
    for (done, hook) in hooks.iter().enumerate() {
        let id = hook.get_id().map(ToString::to_string).unwrap_or_default();
        progress.bar(done, hooks.len(), &id);
        if over_http.leaves_out(hook) {
            let event = hook.get_event();
            probed.push(Probed {
                hook: id,
                name: event.to_string(),
                fired: Fired::nothing(event),
            });
            continue;
        }
        for event in events(hook, scratch)? {
            let runner = alone(hook, project, world, event.base())?;
            let name = title(&event);
            let fired = runner.fire_event(event).await;
            runner.close(LIMIT).await;
            probed.push(Probed {
                hook: id.clone(),
                name,
                fired,
            });
        }
    }
    Ok(probed)
}

/// A runner with nothing but this hook.
pub(crate) fn alone(
    hook: &Hook,
    project: &Project,
    world: &World,
    base: &Base,
) -> Result<Runner, Failure> {
    let limit = hook.get_timeout().unwrap_or(LIMIT).min(LIMIT);
    let set = HookSet::builder()
        .group(Group::parallel().hook(hook.clone().timeout(limit)))
        .build()
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let mut session = Session::new(base.clone());
    session.project_dir = project.root.display().to_string();
    session.home = world.home().map(|home| home.display().to_string());
    session.interactive = false;
    Ok(Runner::with(set, session, Policy::default()))
}

/// Samples that the hook listens to.
pub(crate) fn events(hook: &Hook, scratch: &Path) -> Result<Vec<HookEvent>, Failure> {
    let fits = |event: &HookEvent| {
        let subject = event.subject();
        subject
            .text()
            .is_none_or(|text| hook.get_matcher().matches(text).is_match())
    };
    let inputs = inputs(hook.get_event(), &CALLS);
    let read = read_all(hook.get_event(), inputs, scratch)?;
    Ok(read.into_iter().filter(fits).take(SAMPLES).collect())
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
