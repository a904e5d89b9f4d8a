//! Text that is too long for the conversation goes to a file; its place is taken by the path and a
//! preview.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hook_types::outcome::{Finding, Outcome};
use hook_types::{Code, Diagnostic};

use crate::messages::new_id;

/// The longest text that stays in place, and how much of a longer one is shown, in characters.
const LONGEST: usize = 10_000;
const PREVIEW: usize = 2_000;

/// A directory of the runner's own. It goes away with the runner.
#[derive(Debug)]
pub(crate) struct OwnDirectory(PathBuf);

impl OwnDirectory {
    /// A place for it; it is made when the first text comes.
    pub(crate) fn new() -> Self {
        Self(std::env::temp_dir().join(format!("hookline-{}", new_id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        if self.0.exists() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Moves what is too long out of an outcome. Blocking: call it where blocking is allowed.
pub(crate) fn spill(outcome: &mut Outcome, directory: &Path) {
    let mut failures = Vec::new();
    let contexts = outcome
        .additional_context
        .iter_mut()
        .map(|note| &mut note.text);
    let messages = outcome
        .system_messages
        .iter_mut()
        .map(|note| &mut note.text);
    let first = outcome.specific.initial_user_message.iter_mut();
    for text in contexts.chain(messages).chain(first) {
        if let Err(error) = shorten(text, directory) {
            failures.push(error);
        }
    }
    for error in failures {
        let message = format!(
            "a text that is too long was cut, and could not be kept in {}: {error}",
            directory.display()
        );
        let diagnostic = Diagnostic::new(Code::SpillFailed, message);
        outcome.diagnostics.push(Finding {
            diagnostic,
            hook: None,
        });
    }
}

/// The outcome with long texts cut, for want of a place to keep them in.
pub(crate) fn cut(mut outcome: Outcome) -> Outcome {
    let texts = outcome
        .additional_context
        .iter_mut()
        .chain(&mut outcome.system_messages);
    let first = outcome.specific.initial_user_message.iter_mut();
    for text in texts.map(|note| &mut note.text).chain(first) {
        if too_long(text) {
            *text = preview(text, "the rest could not be kept");
        }
    }
    let message = "texts that are too long were cut: writing them to a file took too long";
    let diagnostic = Diagnostic::new(Code::SpillFailed, message);
    outcome.diagnostics.push(Finding {
        diagnostic,
        hook: None,
    });
    outcome
}

fn preview(text: &str, place: &str) -> String {
    let end = text
        .char_indices()
        .nth(PREVIEW)
        .map_or(text.len(), |(end, _)| end);
    format!(
        "{}\n[{} characters in all; {place}]",
        &text[..end],
        text.chars().count()
    )
}

/// Whether anything has to be moved.
pub(crate) fn is_needed(outcome: &Outcome) -> bool {
    let notes = outcome
        .additional_context
        .iter()
        .chain(&outcome.system_messages);
    let first = outcome.specific.initial_user_message.iter();
    notes
        .map(|note| &note.text)
        .chain(first)
        .any(|text| too_long(text))
}

/// A text of few bytes has few characters: only long ones are counted.
fn too_long(text: &str) -> bool {
    text.len() > LONGEST && text.chars().count() > LONGEST
}

fn shorten(text: &mut String, directory: &Path) -> io::Result<()> {
    if !too_long(text) {
        return Ok(());
    }
    let kept = keep(text, directory);
    let place = match &kept {
        Ok(path) => format!("the whole text is in {}", path.display()),
        Err(_) => "the rest could not be kept".to_owned(),
    };
    *text = preview(text, &place);
    kept.map(|_| ())
}

fn keep(text: &str, directory: &Path) -> io::Result<PathBuf> {
    private_directory(directory)?;
    let path = directory.join(format!("hook-output-{}.txt", new_id()));
    // A new file, never an existing one, and its owner's alone: the directory may be shared.
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path)?;
    if let Err(error) = file.write_all(text.as_bytes()) {
        // Half of a text would be taken for the whole.
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(path)
}

/// A directory that nobody else looks into: what a hook says may be nobody else's business.
fn private_directory(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
