//! `hookline check`: what is wrong with files and the scripts that they name.

use std::path::PathBuf;

use clap::Args;
use hook_config::{Diagnostic, Layer, Report, Severity};
use serde_json::{Value, json};

use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{self, Look, Tone};
use crate::world::World;

/// What is wrong with files and the scripts that they name, and how to mend it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline check                          the files of this project, and yours
  hookline check .claude/settings.json    this file alone
  hookline check --no-user --strict       for CI: warnings count, too

Every code that is printed has a section in docs/diagnostics.md. The exit code is 1 if there are
errors.")]
pub(crate) struct Check {
    /// Only these files, of any dialect.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Warnings count as errors.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Check, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let report = if asked.files.is_empty() {
        asked.config.load_and_lint(world)?.loaded.report
    } else {
        let project = asked.config.with_files(&asked.files).load_and_lint(world)?;
        named(project.loaded.report)
    };
    let worst = if asked.strict {
        Severity::Warning
    } else {
        Severity::Error
    };
    let failed = report
        .diagnostics
        .iter()
        .any(|problem| problem.severity >= worst);
    let exit = if failed { Exit::Failed } else { Exit::Done };
    if output.is_json() {
        let found = report.diagnostics.iter().map(as_json);
        output.json(&json!({"diagnostics": found.collect::<Vec<_>>()}))?;
        return Ok(exit);
    }
    let look = Look::of(output);
    output.print(&render::trouble(&report, output))?;
    let read = report
        .files
        .iter()
        .filter(|file| file.state == hook_config::FileState::Read);
    let count = |severity| {
        let of = |problem: &&Diagnostic| problem.severity == severity;
        report.diagnostics.iter().filter(of).count()
    };
    let tone = if failed { Tone::Bad } else { Tone::Good };
    let summary = format!(
        "{}, {}, {}, {}",
        many(read.count(), "file"),
        many(report.hooks.len(), "hook"),
        many(count(Severity::Error), "error"),
        many(count(Severity::Warning), "warning"),
    );
    output.line(&look.paint(tone, &summary))?;
    Ok(exit)
}

/// What is about the files that were named. A file that is found by itself as well is read twice,
/// and what is wrong with it is said once.
fn named(mut report: Report) -> Report {
    report
        .files
        .retain(|file| file.origin.layer == Layer::Settings);
    report
        .hooks
        .retain(|hook| hook.origin.layer == Layer::Settings);
    let paths: Vec<_> = report.files.iter().map(|file| file.path.clone()).collect();
    let mut said: Vec<Diagnostic> = Vec::new();
    report.diagnostics.retain(|problem| {
        let place = problem.place.as_ref();
        let ours = place.is_some_and(|place| paths.iter().any(|path| path == place.file.path()));
        let new = ours && !said.contains(problem);
        if new {
            said.push(problem.clone());
        }
        new
    });
    report
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn as_json(problem: &Diagnostic) -> Value {
    json!({
        "code": problem.code.as_str(),
        "severity": problem.severity.as_str(),
        "message": problem.message,
        "file": problem.place.as_ref().map(|place| place.file.path()),
        "line": problem.place.as_ref().map(hook_config::Place::line),
        "column": problem.place.as_ref().map(hook_config::Place::column),
        "suggestion": problem.suggestion,
        "help": problem.help,
    })
}
