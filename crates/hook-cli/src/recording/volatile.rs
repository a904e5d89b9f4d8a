//! What differs from one session to the next: tables, and nothing else.
//!
//! ```text
//! PLACES   where things are      "/home/ann/shop/src" -> "<project>/src"   put back when replayed
//! IDS      who is meant          "toolu_01ab…"        -> "<call-2>"        put back when replayed
//! TIMES    how long it took      "duration_ms": 812   -> 0
//! SHAPES   what looks volatile   "2026-11-16T10:00Z"  -> "<time>"          in answers alone
//! ```

/// Directories: what stands for them.
pub(crate) const PLACES: [&str; 3] = ["project", "home", "tmp"];

/// Fields of an input that say who is meant: where they are, and what they are called.
pub(super) const IDS: [(&[&str], &str); 12] = [
    (&["session_id"], "session"),
    (&["transcript_path"], "transcript"),
    (&["agent_transcript_path"], "agent-transcript"),
    (&["scratchpad_dir"], "scratchpad"),
    (&["tool_use_id"], "call"),
    (&["tool_calls", "*", "tool_use_id"], "call"),
    (&["prompt_id"], "prompt"),
    (&["agent_id"], "agent"),
    (&["turn_id"], "turn"),
    (&["message_id"], "message"),
    (&["elicitation_id"], "elicitation"),
    (&["background_tasks", "*", "id"], "task"),
];

/// Fields of an input that say how long something took.
pub(super) const TIMES: [&str; 2] = ["duration_ms", "seconds_since_last_response"];

/// What looks volatile in an answer, and what stands for it. What the input says itself is left alone.
pub(super) const SHAPES: [(&str, &str); 8] = [
    (
        r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        "<uuid>",
    ),
    (
        r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?",
        "<time>",
    ),
    (
        r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} [A-Z][a-z]{2}(?: \d{4})?) \d{2}:\d{2}:\d{2}(?: [A-Z]{2,5})?(?: \d{4})?\b",
        "<time>",
    ),
    (r"\b\d{2}:\d{2}:\d{2}(?:\.\d+)?\b", "<time>"),
    // Seconds since 1970, and parts of them.
    (r"\b1[4-9]\d{8}(?:\.\d+|\d{3}|\d{6}|\d{9})?\b", "<time>"),
    (
        r"\b(?:\d+m)?\d+\.\d+ ?(?:ns|µs|us|ms|s|secs?|seconds)\b",
        "<duration>",
    ),
    (
        r"\b(in|took) \d+ ?(?:ns|µs|us|ms|s|secs?|seconds)\b",
        "$1 <duration>",
    ),
    // What mktemp makes up.
    (r#"<tmp>/[^/\s"'`<>:;,()]+"#, "<tmp>/<name>"),
];

/// Other words that stand for something.
const OTHERS: [&str; 5] = ["uuid", "time", "duration", "name", "redacted"];

/// How many digits the number of a placeholder has at most: no recording is large enough for more.
const MOST_DIGITS: usize = 7;

/// The `n`th of its kind.
pub(super) fn placeholder(kind: &str, n: usize) -> String {
    if n == 1 {
        format!("<{kind}>")
    } else {
        format!("<{kind}-{n}>")
    }
}

/// Whether it numbers a placeholder. An id may be a word and digits, too: it has more of them, or
/// begins with a zero.
fn is_count(n: &str) -> bool {
    let digits = n.bytes().all(|byte| byte.is_ascii_digit());
    digits && (1..=MOST_DIGITS).contains(&n.len()) && !n.starts_with('0')
}

/// The placeholder that a text begins with.
pub(super) fn leading_placeholder(text: &str) -> Option<&str> {
    let end = text.strip_prefix('<')?.find('>')? + 1;
    let name = &text[1..end];
    let kind = match name.rsplit_once('-') {
        Some((kind, n)) if is_count(n) => kind,
        Some(_) | None => name,
    };
    let is_ours = PLACES.contains(&kind)
        || OTHERS.contains(&kind)
        || IDS.iter().any(|(_, known)| *known == kind);
    is_ours.then_some(&text[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_told_from_other_things_in_angle_brackets() {
        assert_eq!(leading_placeholder("<project>/src"), Some("<project>"));
        assert_eq!(leading_placeholder("<call-12> ran"), Some("<call-12>"));
        assert_eq!(
            leading_placeholder("<agent-transcript-2>"),
            Some("<agent-transcript-2>")
        );
        for other in [
            "<html>",
            "<call-x>",
            "<call-02>",
            "<session-123456789012>",
            "<project",
            "project>",
            "<>",
            "< project>",
        ] {
            assert_eq!(leading_placeholder(other), None, "{other}");
        }
    }
}
