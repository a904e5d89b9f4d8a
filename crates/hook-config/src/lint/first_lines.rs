//! The first line of a script: who is to read it, and whether somebody like that is there.

use std::os::unix::fs::PermissionsExt;

use super::programs::Script;
use crate::diagnostic::{Code, Diagnostic};

/// Shells, which take the end of a line that is not theirs for a part of the last word.
const SHELLS: [&str; 6] = ["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Says that nobody can read a script: its lines end as on Windows, or who is to read it is not there.
pub(super) fn check(script: &Script, found: &mut Vec<Diagnostic>) {
    let first = script.text.content.split('\n').next().unwrap_or_default();
    let named = first.strip_prefix("#!");
    let is_read = match &script.interpreter {
        // Whoever the command names reads it, and takes the first line for a comment.
        Some(given) => SHELLS.contains(&given.as_str()),
        None => named.is_some(),
    };
    if let (Some(line), true) = (first.strip_suffix('\r'), is_read) {
        found.push(crlf(script, line));
    } else if let (Some(named), None) = (named, &script.interpreter) {
        found.extend(cannot_start(script, named));
    }
}

fn name(script: &Script) -> String {
    let name = script.path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The kernel looks for a program whose name ends in a carriage return; a shell for such words.
fn crlf(script: &Script, line: &str) -> Diagnostic {
    let (name, path) = (name(script), script.path.display());
    let message = format!("the lines of `{name}` end in CR LF, and the CR is taken for text");
    Diagnostic::new(Code::Crlf, message)
        .at(script.text.place(0, line))
        .help(format!("run `sed -i 's/\\r$//' {path}`"))
        .help("git leaves it so with `*.sh text eol=lf` in `.gitattributes`")
}

/// The program after `#!`, where it cannot be started. What `env` looks for is the path's affair.
fn cannot_start(script: &Script, named: &str) -> Option<Diagnostic> {
    let program = named.split_ascii_whitespace().next()?;
    let short = program.rsplit('/').next().unwrap_or(program);
    let name = name(script);
    let why = if program.starts_with('/') {
        match std::fs::metadata(program) {
            Err(_) => format!("`{program}` is to read `{name}`, and is not there"),
            Ok(file) if !file.is_file() || file.permissions().mode() & 0o111 == 0 => {
                format!("`{program}` is to read `{name}`, and is no program")
            }
            Ok(_) => return None,
        }
    } else {
        format!("`{program}` is to read `{name}`, and is no whole path")
    };
    let at = 2 + named.len() - named.trim_ascii_start().len();
    let problem = Diagnostic::new(Code::MissingInterpreter, why)
        .at(script.text.place(at, program))
        .help("install it, or have `env` look for it on the path");
    // With options behind it `env` would look for a program with a space in its name.
    let alone = named.trim_ascii() == program && short != "env";
    Some(if alone {
        problem.suggest(format!("/usr/bin/env {short}"))
    } else {
        problem
    })
}
