//! Which files were looked for, and what is wrong with them.

use hook_config::{ConfigFile, FileState, Report, Style};
use serde_json::{Value, json};

use super::look::{Add, Look, Tone};
use crate::output::Output;
use crate::safe::clean_line;

/// Which of the files are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// Those that are there; how many others were looked for is said.
    Found,
    /// Also those that were looked for and are not there.
    All,
}

/// The files, in the order of their layers.
pub(crate) fn files(report: &Report, named: Named, look: Look) -> String {
    let mut text = String::new();
    let mut missing = Vec::new();
    for file in &report.files {
        let path = clean_line(&file.path.display().to_string()).into_owned();
        if file.state == FileState::Missing {
            missing.push(path);
            continue;
        }
        let count = report
            .hooks
            .iter()
            .filter(|hook| hook.place.file.path() == file.path)
            .count();
        let (tone, state) = match &file.state {
            FileState::Read => (
                Tone::Good,
                format!("{count} hook{}", if count == 1 { "" } else { "s" }),
            ),
            FileState::Unreadable(why) => (Tone::Bad, format!("cannot be read: {why}")),
            FileState::SameAs(first) => (
                Tone::Faint,
                clean_line(&format!("read already, as {}", first.display())).into_owned(),
            ),
            FileState::Missing | FileState::NotJson | FileState::WrongShape | _ => {
                (Tone::Bad, file.state.as_str().to_owned())
            }
        };
        let layer = layer(file);
        text.add(format!(
            "  {} {path}  {}\n",
            look.mark(tone),
            look.paint(
                Tone::Faint,
                &format!("{layer}, {}, {state}", file.format.as_str())
            ),
        ));
    }
    text + &absent(&missing, named, look)
}

/// Files that are not there.
fn absent(missing: &[String], named: Named, look: Look) -> String {
    let line = |words: &str| {
        let mark = look.mark(Tone::Faint);
        format!("  {mark} {}\n", look.paint(Tone::Faint, words))
    };
    match (named, missing.len()) {
        (_, 0) => String::new(),
        (Named::Found, count) => line(&format!(
            "{count} more looked for, and not there; --verbose names them"
        )),
        (Named::All, _) => {
            let lines = missing
                .iter()
                .map(|path| line(&format!("{path}  not there")));
            lines.collect()
        }
    }
}

/// The files, for programs.
pub(crate) fn files_json(report: &Report) -> Value {
    let file = |file: &ConfigFile| {
        json!({"path": file.path, "layer": layer(file), "format": file.format.as_str(),
               "state": file.state.as_str()})
    };
    report.files.iter().map(file).collect()
}

fn layer(file: &ConfigFile) -> String {
    format!("{:?}", file.origin.layer).to_lowercase()
}

/// What is wrong with the files, like a compiler.
pub(crate) fn trouble(report: &Report, output: &Output) -> String {
    let style = if output.has_colour() {
        Style::Coloured
    } else {
        Style::Plain
    };
    let shown = report
        .diagnostics
        .iter()
        .map(|problem| hook_config::render(problem, style) + "\n\n");
    shown.collect()
}
