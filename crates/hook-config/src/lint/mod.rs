//! What is wrong with hooks beyond the form of their entries: the scripts that they run, and what
//! they mean. Files are looked at; nothing is run.
//!
//! ```text
//! subjects    a matcher that fits nothing there is
//! models      a model that is asked where nobody heeds it
//! programs    which files a command runs; missing, not executable, or not readable
//! first_lines who is to read a script; nobody who is there
//! shells      bash's syntax where another shell reads it
//! variables   names that nobody sets, and names in single quotes
//! answers     exit 1 to block, JSON on stderr
//! ```

mod answers;
mod bare;
mod first_lines;
mod models;
mod programs;
mod shells;
mod subjects;
mod text;
mod variables;

use crate::diagnostic::Diagnostic;
use crate::entry::{Action, Entry, Run};
use crate::file::ConfigFile;
use crate::places::Places;
use programs::Surroundings;
pub use subjects::known_tools;
use text::Text;

/// What is wrong with the hooks of a file. Looks at the scripts that they name, and runs nothing.
pub fn lint(file: &ConfigFile, places: &Places) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for entry in file.parsed.entries().filter(|entry| entry.enabled) {
        subjects::check(entry, &mut found);
        models::check(entry, &mut found);
        if let Some(run) = runs(entry) {
            commands(
                entry,
                &run,
                &Surroundings::of(file, entry, places),
                &mut found,
            );
        }
    }
    // A script that two hooks run is wrong once.
    let mut said: Vec<Diagnostic> = Vec::new();
    for problem in found {
        if !said.contains(&problem) {
            said.push(problem);
        }
    }
    said
}

/// What an entry starts, if it starts anything.
fn runs(entry: &Entry) -> Option<Run> {
    match &entry.action {
        Action::Command(command) => Some(command.run.clone()),
        Action::Server(server) => Some(Run::Shell(server.command.clone())),
        Action::Other { .. } => None,
    }
}

fn commands(entry: &Entry, run: &Run, around: &Surroundings, found: &mut Vec<Diagnostic>) {
    if let Run::Shell(command) = run {
        let text = Text::of_entry(entry, command);
        shells::check_command(entry, &text, found);
        variables::check(entry, &text, found);
        answers::check(entry, &text, found);
    }
    for script in programs::check(entry, run, around, found) {
        first_lines::check(&script, found);
        shells::check_script(&script, found);
        variables::check(entry, &script.text, found);
        answers::check(entry, &script.text, found);
    }
}
