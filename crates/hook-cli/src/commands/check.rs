//! `hookline check`: what is wrong with files and the scripts that they name.

use std::path::PathBuf;

use clap::Args;
use hook_config::{Diagnostic, Layer, Report, Severity};
use serde_json::{Value, json};

use crate::agent::{HookModels, hook_models_help};
use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::probe::{self, Finding, OverHttp, Probed};
use crate::render::{self, Look, Tone, behind, clean_line, first_line};
use crate::world::World;

/// How much is shown of the call that a sample is about.
const CALL: usize = 40;

/// What is wrong with files and the scripts that they name, and how to mend it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline check                          the files of this project, and yours
  hookline check .claude/settings.json    this file alone
  hookline check --no-user --strict       for CI: warnings count, too
  hookline check --probe                  also run each hook on samples, and check its answers

Every code that is printed has a section in docs/diagnostics.md. The exit code is 1 if there are
errors.")]
pub(crate) struct Check {
    /// Only these files, of any dialect.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Warnings count as errors.
    #[arg(long)]
    strict: bool,
    /// Run each hook that may run on samples of its event, in a scratch directory, and check what it
    /// answers against the contract. Hooks do what they do: only for hooks that you know.
    #[arg(long)]
    probe: bool,
    #[arg(long, value_name = "KIND:NAME", requires = "probe",
          help = hook_models_help("without one they fail"))]
    hook_model: Option<String>,
    /// With --probe: also post samples to the hooks of type `http`, wherever they are.
    #[arg(long, requires = "probe")]
    probe_http: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Check, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    let models = HookModels::open(asked.hook_model.as_deref(), world)?;
    let config = asked.config.asking(models);
    let load = |config: &ConfigArgs| {
        if asked.probe {
            config.lint_watched(world)
        } else {
            config.load_and_lint(world)
        }
    };
    let project = if asked.files.is_empty() {
        load(&config)?
    } else {
        let mut project = load(&config.with_files(&asked.files))?;
        project.loaded.report = named(project.loaded.report);
        project
    };
    let report = &project.loaded.report;
    let probed = if asked.probe {
        let over_http = if asked.probe_http {
            OverHttp::Asked
        } else {
            OverHttp::LeftOut
        };
        probe::probe(&project, world, over_http, output.progress())?
    } else {
        Some(Vec::new())
    };
    let Some(probed) = probed else {
        return Ok(Exit::Interrupted);
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
    let failed = failed || probed.iter().any(|probed| is_bad(probed, asked.strict));
    let exit = if failed { Exit::Failed } else { Exit::Done };
    if output.is_json() {
        let found = report.diagnostics.iter().map(as_json);
        let tried = probed.iter().map(|probed| {
            json!({"hook": probed.hook, "sample": probed.name, "call": probed.call, "finding": word(probed.finding()),
                   "what": probed.what()})
        });
        output.json(&json!({"diagnostics": found.collect::<Vec<_>>(),
                            "probes": tried.collect::<Vec<_>>()}))?;
        return Ok(exit);
    }
    let look = Look::of(output);
    output.print(&render::trouble(report, output))?;
    for probed in &probed {
        output.prose(&tried(probed, look))?;
    }
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

fn is_bad(probed: &Probed, strict: bool) -> bool {
    match probed.finding() {
        Finding::Failed => true,
        Finding::Odd => strict,
        Finding::Fine | Finding::Skipped => false,
    }
}

fn word(finding: Finding) -> &'static str {
    match finding {
        Finding::Fine => "fine",
        Finding::Odd => "odd",
        Finding::Failed => "failed",
        Finding::Skipped => "skipped",
    }
}

/// What a hook did with a sample, in a line.
fn tried(probed: &Probed, look: Look) -> String {
    let tone = match probed.finding() {
        Finding::Fine => Tone::Good,
        Finding::Odd => Tone::Odd,
        Finding::Failed => Tone::Bad,
        Finding::Skipped => Tone::Faint,
    };
    let call = probed.call.as_ref();
    let call = call.map(|call| format!(" `{}`", first_line(call, CALL)));
    format!(
        "{} {} on {}{}: {}\n",
        look.mark(tone),
        clean_line(&probed.hook),
        clean_line(&probed.name),
        call.unwrap_or_default(),
        behind(&probed.what(), "    ")
    )
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
