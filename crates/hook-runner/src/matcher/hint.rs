//! Guesses at what the writer of a broken pattern meant.

/// What to try instead of a regex that does not compile.
pub(super) fn for_regex(pattern: &str) -> Option<String> {
    repeats_nothing(pattern)
        .or_else(|| unbalanced(pattern))
        .or_else(|| ends_in_backslash(pattern))
}

/// What to try instead of a glob that does not compile.
pub(super) fn for_glob(pattern: &str) -> Option<String> {
    match open_bracket(pattern)? {
        Bracket::Unopened(close) => Some(format!("there is a `{close}` too many")),
        Bracket::Unclosed(open) => Some(format!("the `{open}` is never closed")),
    }
}

fn repeats_nothing(pattern: &str) -> Option<String> {
    let sign = pattern
        .chars()
        .next()
        .filter(|c| matches!(c, '*' | '+' | '?'))?;
    let meant = glob_as_regex(pattern);
    Some(format!(
        "a regex cannot start with `{sign}`; did you mean `{meant}`?"
    ))
}

fn unbalanced(pattern: &str) -> Option<String> {
    match open_bracket(pattern)? {
        Bracket::Unopened(close) => Some(format!(
            "there is a `{close}` too many; to match one, write `\\{close}`"
        )),
        // A lone `{` is a plain character in a JavaScript regex, so it is not the culprit.
        Bracket::Unclosed('{') => None,
        Bracket::Unclosed(open) => Some(format!(
            "the `{open}` is never closed; to match one, write `\\{open}`"
        )),
    }
}

fn ends_in_backslash(pattern: &str) -> Option<String> {
    let trailing = pattern.chars().rev().take_while(|c| *c == '\\').count();
    (trailing % 2 == 1).then(|| r"to match a backslash, write `\\`".to_owned())
}

/// Reads the pattern as the glob it probably is.
fn glob_as_regex(pattern: &str) -> String {
    let mut regex = String::new();
    for c in pattern.chars() {
        match c {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '.' | '+' | '(' | ')' | '$' | '^' => regex.extend(['\\', c]),
            _ => regex.push(c),
        }
    }
    if !pattern.ends_with('*') {
        regex.push('$');
    }
    regex
}

enum Bracket {
    Unopened(char),
    Unclosed(char),
}

/// The first bracket without a partner. Inside `[ ]` the others are plain characters.
fn open_bracket(pattern: &str) -> Option<Bracket> {
    let mut open = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let in_class = open.last() == Some(&'[');
        match c {
            '\\' => drop(chars.next()),
            ']' if in_class => drop(open.pop()),
            _ if in_class => {}
            '(' | '[' | '{' => open.push(c),
            ')' if !close_group(&mut open) => return Some(Bracket::Unopened(c)),
            '}' if open.last() == Some(&'{') => drop(open.pop()),
            _ => {}
        }
    }
    open.last().copied().map(Bracket::Unclosed)
}

/// Closes the innermost `(`; braces left open inside it were plain characters.
fn close_group(open: &mut Vec<char>) -> bool {
    while let Some(c) = open.pop() {
        if c == '(' {
            return true;
        }
    }
    false
}
