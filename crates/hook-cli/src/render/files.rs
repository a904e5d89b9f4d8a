//! Which files were looked for, and what is wrong with them.

use hook_config::{FileState, Report, Style};

use super::look::{Add, Look, Tone};
use crate::output::Output;
use crate::safe::clean_line;

/// The files, in the order of their layers; those that are not there in one line.
pub(crate) fn files(report: &Report, look: Look) -> String {
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
            FileState::Missing | FileState::NotJson | FileState::WrongShape | _ => {
                (Tone::Bad, file.state.as_str().to_owned())
            }
        };
        let layer = format!("{:?}", file.origin.layer).to_lowercase();
        text.add(format!(
            "  {} {path}  {}\n",
            look.mark(tone),
            look.paint(
                Tone::Faint,
                &format!("{layer}, {}, {state}", file.format.as_str())
            ),
        ));
    }
    if !missing.is_empty() {
        let count = missing.len();
        let line = format!(
            "  {} {count} more looked for, and not there\n",
            look.mark(Tone::Faint)
        );
        text += &look.paint(Tone::Faint, &line);
    }
    text
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
