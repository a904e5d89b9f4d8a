//! A command that says first that it will answer later.

use hook_types::wire::{Extent, Form, read};
use hook_types::{AsyncOutput, EventName, HookOutput};

/// The promise in the first complete line of what a command has printed so far, and what follows it.
/// The command's final answer is one document in that rest.
pub(crate) fn promised(event: EventName, stdout: &str) -> Option<(AsyncOutput, &str)> {
    let printed = stdout.trim_start_matches('\u{feff}').trim_start();
    let (line, rest) = printed.split_once('\n')?;
    promise(event, line).map(|promise| (promise, rest))
}

/// The promise that the whole of an output is, at its end.
pub(crate) fn promised_at_the_end(event: EventName, stdout: &str) -> Option<(AsyncOutput, &str)> {
    promised(event, stdout).or_else(|| promise(event, stdout).map(|promise| (promise, "")))
}

fn promise(event: EventName, line: &str) -> Option<AsyncOutput> {
    let line = line.trim();
    if !line.starts_with('{') || !line.contains("async") {
        return None;
    }
    match read(event, line, Extent::Whole).form {
        Form::Answer(HookOutput::Async(promise)) => Some(promise),
        Form::Answer(HookOutput::Sync(_)) | Form::Nothing | Form::Text(_) | Form::Bad(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const EVENT: EventName = EventName::PostToolUse;

    #[test]
    fn only_the_first_complete_line_promises() {
        assert_eq!(promised(EVENT, r#"{"async": true}"#), None);
        let (promise, rest) = promised(
            EVENT,
            "{\"async\": true, \"asyncTimeout\": 50}\n{\n\"a\": 1}",
        )
        .unwrap();
        assert_eq!(promise.timeout, Some(Duration::from_millis(50)));
        assert_eq!(rest, "{\n\"a\": 1}");
        assert_eq!(promised(EVENT, "hello\n{\"async\": true}\n"), None);
        assert_eq!(promised(EVENT, "{\"async\": false}\n"), None);
    }

    #[test]
    fn at_the_end_a_line_needs_no_newline() {
        assert!(promised_at_the_end(EVENT, r#"{"async": true}"#).is_some());
    }
}
