//! Exit 1 to block, and JSON on stderr: answers that nobody hears.

use std::sync::LazyLock;

use hook_shell::Dialect;
use hook_types::OnFailure;
use hook_types::event::Effect;
use regex::Regex;

use super::bare::Bare;
use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};
use crate::entry::Entry;

/// Words that make JSON an answer.
const KEYS: [&str; 5] = [
    "permissionDecision",
    "hookSpecificOutput",
    "additionalContext",
    "\"decision\"",
    "\"continue\"",
];

pub(super) fn check(entry: &Entry, text: &Text, found: &mut Vec<Diagnostic>) {
    if matches!(entry.dialect, Dialect::Claude | Dialect::Hookline) {
        exit_one(entry, text, found);
    }
    stderr(text, found);
}

/// `exit 1` on an event that a hook can block, where nothing else in the text blocks.
fn exit_one(entry: &Entry, text: &Text, found: &mut Vec<Diagnostic>) {
    static ONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|[\s;&|({])(exit 1|sys\.exit\(1\)|process\.exit\(1\))(?:$|[\s;&|)}])")
            .ok()
    });
    let blocks = |listen: &crate::entry::Listen| listen.event.row().effect != Effect::Ignore;
    let says = |word: &&str| text.content.contains(*word);
    let two = ["exit 2", "exit(2)", "exitCode = 2"].iter().any(says);
    let failure_blocks = entry.on_failure == Some(OnFailure::Block);
    if two || failure_blocks || KEYS.iter().any(says) || !entry.listens.iter().any(blocks) {
        return;
    }
    // What stands in quotes is another program's.
    let bare = Bare::of(&text.content).without_quotes;
    for hit in ONE.iter().flat_map(|pattern| pattern.captures_iter(&bare)) {
        if let Some(hit) = hit.get(1) {
            let message = "exit code 1 is a failure, and blocks nothing";
            found.push(
                Diagnostic::new(Code::ExitOne, message)
                    .at(text.place(hit.start(), hit.as_str()))
                    .help("exit with 2 to block, or say `\"onFailure\": \"block\"` if a failure is to block"),
            );
        }
    }
}

/// An answer that is printed where only people look.
fn stderr(text: &Text, found: &mut Vec<Diagnostic>) {
    const TO_STDERR: [&str; 6] = [
        ">&2",
        "> /dev/stderr",
        ">/dev/stderr",
        "file=sys.stderr",
        "sys.stderr.write(",
        "console.error(",
    ];
    for (start, line) in text.lines() {
        let there = TO_STDERR
            .iter()
            .find_map(|sign| Some((line.find(sign)?, *sign)));
        let answer =
            line.contains('{') && KEYS.iter().any(|key| line.replace('\\', "").contains(key));
        if let Some((at, sign)) = there.filter(|_| answer) {
            let problem = Diagnostic::new(
                Code::JsonOnStderr,
                "an answer is read from stdout, and this goes to stderr",
            );
            found.push(
                problem
                    .at(text.place(start + at, sign))
                    .help("print the JSON to stdout, and exit with 0"),
            );
        }
    }
}
