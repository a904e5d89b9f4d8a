//! Backticks, where the grammar leaves them to us.

/// The text between backticks, one level of escapes taken off. Backticks inside double quotes
/// have those escaped as well.
pub(super) fn unescape(body: &str, in_quotes: bool) -> String {
    let mut text = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        let next = if c == '\\' {
            chars.next_if(|c| matches!(c, '`' | '\\' | '$') || (in_quotes && *c == '"'))
        } else {
            None
        };
        text.push(next.unwrap_or(c));
    }
    text
}

/// What stands between the pairs of backticks in a plain text; `None` if one has no partner.
pub(super) fn bodies(text: &str) -> Option<Vec<String>> {
    let ticks = unescaped(text, '`');
    if hides_dollar(text) || ticks.len() % 2 == 1 {
        return None;
    }
    let between = ticks
        .chunks_exact(2)
        .map(|pair| text.get(pair[0] + 1..pair[1]));
    Some(
        between
            .flatten()
            .map(|body| unescape(body, false))
            .collect(),
    )
}

/// Whether a text that should be plain has a substitution in it.
pub(super) fn hides_substitution(text: &str) -> bool {
    has_backtick(text) || hides_dollar(text)
}

/// Whether a text outside quotes has a process substitution in it.
pub(super) fn hides_process(text: &str) -> bool {
    let before = |at: usize| {
        text.get(..at)
            .is_some_and(|text| text.ends_with(['<', '>']))
    };
    unescaped(text, '(').into_iter().any(before)
}

pub(super) fn has_backtick(text: &str) -> bool {
    !unescaped(text, '`').is_empty()
}

/// Whether a text has a variable in it, or could have.
pub(super) fn has_dollar(text: &str) -> bool {
    !unescaped(text, '$').is_empty()
}

/// Whether a text goes on after the end of a line.
pub(super) fn has_line_end(text: &str) -> bool {
    !unescaped(text, '\n').is_empty()
}

fn hides_dollar(text: &str) -> bool {
    let follows = |at: usize| {
        text.get(at + 1..)
            .is_some_and(|rest| rest.starts_with(['(', '{']))
    };
    unescaped(text, '$').into_iter().any(follows)
}

/// Where the character stands without a backslash before it.
fn unescaped(text: &str, wanted: char) -> Vec<usize> {
    let mut found = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == wanted {
            found.push(at);
        }
    }
    found
}
