//! `hookline replay`: a recorded session at today's hooks, and what has changed.

use std::path::{Path, PathBuf};

use clap::Args;
use hook_runner::Runner;
use hook_shell::Host;
use serde_json::json;

use crate::config_args::{ConfigArgs, Project};
use crate::demo::{self, Scratch};
use crate::event_args::read as read_text;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::firing;
use crate::output::Output;
use crate::recording::{
    Invented, Judged, Recording, Redact, Scope, Today, Wanted, hides, judge, read, replay,
    surroundings, updated,
};
use crate::render::{self, Look};
use crate::safe;
use crate::world::World;

/// Fire a recorded session at today's hooks, and see what has changed.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline replay golden/tidy.jsonl
  hookline replay golden --no-user --trust        every recording of a directory, as in CI
  hookline replay golden --only PreToolUse        compare these alone
  hookline replay golden/tidy.jsonl --update      take over what has changed

Everything is fired in the order in which it was, in one session: tools do not run, hooks do. The
exit code is 0 if every verdict and every answer is as it was, and 1 if one is not. With --update
what has changed is written into the recording, and the rest stays as it is, byte for byte.")]
pub(crate) struct Replay {
    /// Recordings, or directories of them: every *.jsonl in it.
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
    /// Compare only firings of this event, or those that this hook had a part in: a part of its id,
    /// its description or what it runs. Can be given several times.
    #[arg(long, value_name = "EVENT|HOOK")]
    only: Vec<String>,
    /// Take over what has changed.
    #[arg(long)]
    update: bool,
    /// Compare what hooks printed, too, and not only what they answered.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// A recording, and where it is.
struct Golden {
    path: PathBuf,
    text: String,
    recording: Recording,
}

/// Whose hooks it is fired at.
enum Hooks {
    Project(Box<Project>),
    /// The demonstration's own, in a directory of its own.
    Demo(Scratch, Host),
}

pub(crate) fn run(asked: &Replay, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let paths = expand(&asked.files)?;
    let goldens: Vec<Golden> = paths.into_iter().map(open).collect::<Result<_, _>>()?;
    if asked.update {
        goldens.iter().try_for_each(Golden::may_change)?;
    }
    let wanted = Wanted {
        only: asked.only.clone(),
        scope: if asked.strict {
            Scope::Printed
        } else {
            Scope::Answers
        },
    };
    let mut all = Vec::new();
    for golden in &goldens {
        let Some(judged) = asked.one(golden, &wanted, world, output)? else {
            return Ok(Exit::Interrupted);
        };
        if asked.update && !judged.edits.is_empty() {
            let text = updated(&golden.text, &judged.edits);
            hook_config::write_atomically(&golden.path, text.as_bytes())
                .map_err(|why| Failure::unwritable(&golden.path, why))?;
        }
        if !output.is_json() {
            output.print(&render::judged(&golden.path, &judged, Look::of(output)))?;
        }
        all.push(judged);
    }
    if all.iter().all(|judged| judged.compared == 0) && !asked.only.is_empty() {
        return Err(Failure::invalid("no firing of these recordings fits --only")
            .help("it takes an event, or a part of a hook's id, of its description or of what it runs"));
    }
    asked.conclude(&goldens, &all, output)
}

/// The recordings of directories, in the order of their names.
fn expand(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut paths = Vec::new();
    for file in files {
        if !file.is_dir() {
            paths.push(file.clone());
            continue;
        }
        let entries = std::fs::read_dir(file).map_err(|why| Failure::unreadable(file, why))?;
        let found = entries.flatten().map(|entry| entry.path());
        let is_one = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
        let mut found: Vec<PathBuf> = found.filter(is_one).collect();
        if found.is_empty() {
            return Err(Failure::unreadable(file, "there is no *.jsonl in it")
                .help("`hookline record FILE` makes a recording"));
        }
        found.sort();
        paths.extend(found);
    }
    Ok(paths)
}

fn open(path: PathBuf) -> Result<Golden, Failure> {
    let file = std::fs::File::open(&path).map_err(|why| Failure::unreadable(&path, why))?;
    let text = read_text(file, &path)?;
    let recording =
        read(&text).map_err(|why| Failure::unreadable(&path, &why).help(why.remedy()))?;
    Ok(Golden {
        path,
        text,
        recording,
    })
}

impl Golden {
    /// Whether what was kept out of it can be kept out of what is written.
    fn may_change(&self) -> Result<(), Failure> {
        if hides(&self.recording.header.redact) {
            let why = "a secret was kept out of it that it does not name, and --update might write it down";
            return Err(Failure::unwritable(&self.path, why).help(
                "record it anew with --force, with a pattern that says what the secret looks like",
            ));
        }
        Ok(())
    }
}

impl Replay {
    /// Replays one recording; nothing if somebody pressed Ctrl-C meanwhile.
    fn one(
        &self,
        golden: &Golden,
        wanted: &Wanted,
        world: &World,
        output: &mut Output,
    ) -> Result<Option<Judged>, Failure> {
        let recording = &golden.recording;
        if let Some(line) = recording.cut {
            let path = safe::path(&golden.path);
            output.note(&format!(
                "note: {path}:{line}: the line is cut, and is left out"
            ));
        }
        let hooks = self.hooks(recording, world)?;
        let invented = Invented::new()?;
        let runner = hooks.runner(&invented, world)?;
        runner.update_session(|session| {
            session.base = invented.base(hooks.root());
            session.project_dir = hooks.root().display().to_string();
            session.interactive = recording.header.interactive;
            session.model.clone_from(&recording.header.model);
        });
        let today = Today {
            runner: &runner,
            root: hooks.root(),
            invented: &invented,
            names: surroundings(hooks.root(), world),
            redact: Redact::named(&recording.header.redact)
                .map_err(|why| why.about(&golden.path))?,
        };
        let mut progress = output.progress();
        let of = recording.firings.len();
        let replayed = firing::until_interrupted(
            hooks.host(),
            replay(recording, today, |done| progress.bar(done, of, "firings")),
        );
        drop(progress);
        let replayed = replayed.map_err(|why| why.about(&golden.path))?;
        hooks.warn(output);
        Ok(replayed.map(|replayed| judge(recording, &replayed, wanted)))
    }

    fn hooks(&self, recording: &Recording, world: &World) -> Result<Hooks, Failure> {
        let of_demo = recording.header.made_from == "demo";
        if of_demo && self.config.project.is_none() {
            return Ok(Hooks::Demo(Scratch::new()?, Host::new()));
        }
        let project = self.config.watched(world, |options| {
            if of_demo {
                options.rust_hooks(demo::in_rust)
            } else {
                options
            }
        })?;
        Ok(Hooks::Project(Box::new(project)))
    }

    fn conclude(
        &self,
        goldens: &[Golden],
        all: &[Judged],
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let same = all.iter().all(|judged| judged.differing.is_empty());
        if output.is_json() {
            let files = goldens.iter().zip(all).map(|(golden, judged)| {
                json!({"file": golden.path, "firings": judged.firings, "compared": judged.compared,
                       "differences": judged.differing, "cut": golden.recording.cut,
                       "updated": if self.update { judged.edits.len() } else { 0 }})
            });
            output.json(&json!({"same": same, "files": files.collect::<Vec<_>>()}))?;
        } else {
            output.line(&render::sum(all, self.update, Look::of(output)))?;
        }
        Ok(if same || self.update {
            Exit::Done
        } else {
            Exit::Failed
        })
    }
}

impl Hooks {
    fn root(&self) -> &Path {
        match self {
            Self::Project(project) => &project.root,
            Self::Demo(scratch, _) => scratch.root(),
        }
    }

    fn host(&self) -> &Host {
        match self {
            Self::Project(project) => &project.host,
            Self::Demo(_, host) => host,
        }
    }

    fn runner(&self, invented: &Invented, world: &World) -> Result<Runner, Failure> {
        match self {
            Self::Project(project) => Ok(firing::runner(
                project,
                world,
                &invented.base(&project.root),
            )),
            Self::Demo(scratch, host) => demo::runner(scratch.root(), host),
        }
    }

    /// Says what is wrong with the files, and what waits for approval.
    fn warn(&self, output: &mut Output) {
        if let Self::Project(project) = self {
            let report = &project.loaded.report;
            super::list::warn(report, output);
            if let Some(note) = crate::agent::waiting(report) {
                output.note(&format!("note: {note}"));
            }
        }
    }
}
