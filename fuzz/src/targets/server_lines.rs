//! What a server hook prints: bytes to lines (`process-tree`), lines to answers (`hook-shell`).
//!
//! An input is a byte for the limit of a line, a byte for the size of a read, and the server's output.

use hook_runner::Input;
use hook_shell::fuzz::heard;
use hook_types::{Decision, PreToolUse, Stop};
use process_tree::Line;
use process_tree::fuzz::lines;
use serde_json::{Value, json};

use super::Target;
use crate::trace::Trace;

pub(super) const TARGET: Target = Target {
    name: "server-lines",
    about: "what a server hook prints, as lines and as answers",
    words: WORDS,
    seeds,
    check,
};

const WORDS: &[&str] = &[
    "\n",
    "\r\n",
    "{",
    "}",
    "\"",
    "\"id\":7",
    "{\"id\":7,",
    "{\"id\":8}",
    "\"output\":{",
    "\"output\":\"text\"",
    "\"error\":\"why\"",
    "\"decision\":\"block\"",
    "\"reason\":\"r\"",
    "\"id\":\"7\"",
    "7.0",
    "null",
    "\u{feff}",
    "\\u0064",
    "\\\"",
    "NaN",
    "{\"id\":7,\"output\":{\"decision\":\"block\"}}",
    "\u{e9}",
    "\"async\":true",
];

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "{\"id\":7,\"output\":{\"decision\":\"block\",\"reason\":\"no\"}}\n{\"id\":8}\n{\"id\":9,\"error\":\"e\"}\n",
        "starting\n{\"id\":7,\"output\":\"{\\\"decision\\\":\\\"block\\\"}\"}\r\n",
        "{\"id\":7,\"decision\":\"block\"}{\"id\":8,\"output\":{}}",
        "{\"id\":7,\"output\":{\"decision\":\"block\"}, NaN}\n{\"id\":7,\"output\":{\"a\":[",
    ];
    let mut seeds = Vec::new();
    for text in texts {
        for (limit, size) in [(255, 255), (40, 7), (3, 1)] {
            seeds.push([&[limit, size], text.as_bytes()].concat());
        }
    }
    seeds
}

fn check(input: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let [limit, size, bytes @ ..] = input else {
        return trace;
    };
    // Small limits, and one that no input reaches.
    let limit = if *limit > 200 {
        1 << 20
    } else {
        usize::from(*limit)
    };
    let size = usize::from(*size).max(1);
    let found = lines(limit, &bytes.chunks(size).collect::<Vec<_>>());
    assert_eq!(found, cut(limit, bytes), "limit {limit}, reads of {size}");
    let whole = lines(limit, &[bytes]);
    assert_eq!(whole, found, "the size of reads makes a difference");

    let guard = Input::new(PreToolUse::new("Bash", json!({"command": "ls"})).into());
    let other = Input::new(Stop::new(false).into());
    for line in &found {
        trace.saw(line.truncated);
        let answers = heard(&guard, line);
        for (id, reply) in &answers {
            trace.saw((*id == 7, reply.as_ref().map(|reply| reply.output.decision)));
            trace.shown(
                reply
                    .as_ref()
                    .map(|reply| std::mem::discriminant(&reply.status)),
            );
        }
        if let Some(id) = refuses_plainly(line) {
            let first = answers
                .iter()
                .find(|(said, reply)| *said == id && reply.is_some());
            let denies = first
                .and_then(|(_, reply)| reply.as_ref())
                .map(|reply| reply.output.decision);
            assert_eq!(
                denies,
                Some(Decision::Deny),
                "a refusal is lost: {line:?}: {answers:?}"
            );
        }
        for (_, reply) in heard(&other, line) {
            trace.shown(reply.map(|reply| std::mem::discriminant(&reply.status)));
        }
    }
    trace
}

/// The lines of an output, as anybody would cut it.
fn cut(limit: usize, bytes: &[u8]) -> Vec<Line> {
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if pieces.last().is_some_and(|last| last.is_empty()) {
        pieces.pop();
    }
    let line = |piece: &[u8]| {
        let truncated = piece.len() > limit;
        let mut kept = &piece[..piece.len().min(limit)];
        if truncated {
            // Half a character at the cut is left out.
            for back in 1..=kept.len().min(3) {
                let tail = &kept[kept.len() - back..];
                let needs = match tail[0] {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => 0,
                };
                let cut_off =
                    std::str::from_utf8(tail).is_err_and(|error| error.error_len().is_none());
                if needs > back && cut_off {
                    kept = &kept[..kept.len() - back];
                    break;
                }
            }
        } else {
            kept = kept.strip_suffix(b"\r").unwrap_or(kept);
        }
        Line {
            text: String::from_utf8_lossy(kept).into_owned(),
            truncated,
        }
    };
    pieces.into_iter().map(line).collect()
}

/// The request that a whole line refuses, by the book: one object, its id first.
fn refuses_plainly(line: &Line) -> Option<u64> {
    let text = line.text.trim_start_matches('\u{feff}').trim();
    if line.truncated || !text.starts_with("{\"id\":") {
        return None;
    }
    let said: Value = serde_json::from_str(text).ok()?;
    let id = said["id"].as_u64()?;
    // Of two ids the first counts, which a value does not have.
    let once = text.matches("\"id\"").count() == 1;
    let output = &said["output"];
    let output = match output.as_str() {
        Some(text) => serde_json::from_str(text).ok()?,
        None => output.clone(),
    };
    let specific = &output["hookSpecificOutput"];
    let by_permission =
        specific["hookEventName"] == "PreToolUse" && specific["permissionDecision"] == "deny";
    (once && (output["decision"] == "block" || by_permission)).then_some(id)
}
