//! Bash's syntax where another shell reads it.

use std::sync::LazyLock;

use regex::Regex;

use super::bare::Bare;
use super::programs::Script;
use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};
use crate::entry::{Action, Entry};

/// What only bash and its kin understand, and what to write in its place.
///
/// The flag says whether double quotes make no difference.
static BASHISMS: LazyLock<Vec<(Regex, bool, &str)>> = LazyLock::new(|| {
    let patterns = [
        (
            r"(?:^|[\s;&|(!])(\[\[)\s",
            "write `[ … ]`, or run it with bash",
        ),
        (
            r"(<<<)",
            "write `printf '%s' … |` before it, or run it with bash",
        ),
        (
            r"(?:^|[\s;])(function\s+\w+)",
            "write `name() { … }`, or run it with bash",
        ),
        (
            r"(?:^|[\s;&|])(source)\s",
            "write `.` for `source`, or run it with bash",
        ),
        (r"(&>>?)[^&]", "write `> file 2>&1`, or run it with bash"),
        (
            r"(\$\{[A-Za-z_]\w*(?:\^\^?|,,?|//?[^}]*/|:[0-9]|: -|@[A-Z]))",
            "run it with bash",
        ),
        (
            r"(?:^|[\s;])([A-Za-z_]\w*=\()",
            "arrays are bash's: run it with bash",
        ),
        (
            r"([<>]\([^)]*\))",
            "process substitution is bash's: run it with bash",
        ),
        (
            r"(?:^|[\s;&|])(\(\([^(])",
            "write `[ … ]` or `$(( … ))`, or run it with bash",
        ),
        (
            r"(?:^|[\s;&|])(pipefail)\b",
            "`pipefail` is bash's: run it with bash",
        ),
        (
            r"\[\s+[^]=]*\s(==)\s",
            "write `=` for `==`, or run it with bash",
        ),
        (r"(\|&)", "write `2>&1 |`, or run it with bash"),
    ];
    let compiled = patterns.into_iter().filter_map(|(pattern, help)| {
        Some((
            Regex::new(pattern).ok()?,
            pattern.starts_with(r"(\$\{"),
            help,
        ))
    });
    compiled.collect()
});

/// A command that `sh` reads.
pub(super) fn check_command(entry: &Entry, text: &Text, found: &mut Vec<Diagnostic>) {
    let shell = match &entry.action {
        Action::Command(command) => command.shell.as_deref(),
        Action::Server(_) | Action::Other { .. } => None,
    };
    if reads_as_sh(shell.unwrap_or("sh")) {
        check(text, "`sh` reads this command", found);
    }
}

/// A script that `sh` reads: by its first line, or because the command says so.
pub(super) fn check_script(script: &Script, found: &mut Vec<Diagnostic>) {
    let first = script.text.content.lines().next().unwrap_or_default();
    let named = first.strip_prefix("#!").map(interpreter);
    let name = script
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    match (&script.interpreter, named) {
        (Some(given), Some(wanted)) if reads_as_sh(given) && ["bash", "zsh"].contains(&wanted) => {
            let problem = Diagnostic::new(
                Code::WrongShell,
                format!("`{name}` is written for {wanted}, and {given} reads it"),
            );
            found.push(problem.at(script.text.place(0, first)).help(format!(
                "run it with {wanted}, or by itself: its first line says how"
            )));
        }
        (Some(given), _) if reads_as_sh(given) => {
            check(&script.text, &format!("`{given}` reads `{name}`"), found);
        }
        (None, Some(wanted)) if reads_as_sh(wanted) => {
            check(&script.text, &format!("`{wanted}` reads `{name}`"), found);
        }
        _ => {}
    }
}

fn check(text: &Text, who: &str, found: &mut Vec<Diagnostic>) {
    let bare = Bare::of(&text.content);
    let mut start = 0;
    for line in text.content.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let hit = BASHISMS.iter().find_map(|(pattern, inside, help)| {
            let masked = if *inside {
                &bare.without_single
            } else {
                &bare.without_quotes
            };
            let piece = pattern.captures(masked.get(range.clone())?)?.get(1)?;
            Some((range.start + piece.start(), piece.len(), *help))
        });
        if let Some((at, length, help)) = hit {
            let written = &text.content[at..at + length];
            let problem = Diagnostic::new(
                Code::WrongShell,
                format!("{who}, and `{written}` is bash's"),
            );
            found.push(problem.at(text.place(at, written)).help(help));
        }
    }
}

/// The program that a first line names: `#!/usr/bin/env bash` is bash.
fn interpreter(line: &str) -> &str {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let first = first.rsplit('/').next().unwrap_or_default();
    if first == "env" {
        words
            .find(|word| !word.starts_with('-'))
            .unwrap_or_default()
    } else {
        first
    }
}

fn reads_as_sh(shell: &str) -> bool {
    let name = shell.rsplit('/').next().unwrap_or(shell);
    ["sh", "dash", "ash"].contains(&name)
}
