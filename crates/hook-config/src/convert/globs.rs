//! Globs over names to regular expressions and back, as far as that is simple.

use hook_shell::Names;

/// A regular expression for globs with pipes between them; none where a class has more in it than
/// letters, digits and `_`.
pub(super) fn regex(globs: &str) -> Option<String> {
    let mut regex = String::from("^(?:");
    let mut signs = globs.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '*' => regex.push_str(".*"),
            '?' => regex.push('.'),
            '|' => regex.push('|'),
            '[' => regex.push_str(&class(&mut signs, '!', '^')?),
            _ if sign.is_ascii_alphanumeric() || sign == '_' => regex.push(sign),
            _ => {
                regex.push('\\');
                regex.push(sign);
            }
        }
    }
    regex.push_str(")$");
    Some(regex)
}

/// The rest of a class, with another sign for "not".
fn class(signs: &mut std::str::Chars<'_>, not: char, instead: char) -> Option<String> {
    let (inside, rest) = signs.as_str().split_once(']')?;
    let (negated, letters) = match inside.strip_prefix(not) {
        Some(letters) => (true, letters),
        None => (false, inside),
    };
    let is_simple = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_range = |text: &str| text.matches('-').count() == 1 && text.chars().nth(1) == Some('-');
    let is_known = letters.chars().all(is_simple)
        || letters.len() == 3 && is_range(letters) && !letters.ends_with('-');
    if letters.is_empty() || !is_known {
        return None;
    }
    *signs = rest.chars();
    let negation = if negated {
        instead.to_string()
    } else {
        String::new()
    };
    Some(format!("[{negation}{letters}]"))
}

/// Globs that are all names, as a list of ours.
pub(super) fn names(globs: &str, names: Names) -> Option<String> {
    let mut ours: Vec<&str> = globs.split('|').map(|name| names.ours(name)).collect();
    ours.dedup();
    let list = ours.join("|");
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-|".contains(c);
    list.chars().all(is_name).then_some(list)
}

/// The globs that a regular expression amounts to, where it is made of names, `.*`, `.`, anchors and
/// alternatives.
pub(super) fn of_regex(regex: &str) -> Option<Vec<String>> {
    let mut globs = Vec::new();
    for alternative in alternatives(regex)? {
        match alternative
            .strip_prefix("^(?:")
            .and_then(|rest| rest.strip_suffix(")$"))
        {
            Some(list) => {
                for name in alternatives(list)? {
                    globs.push(glob(&format!("^{name}$"))?);
                }
            }
            None => globs.push(glob(alternative)?),
        }
    }
    Some(globs)
}

/// The parts between the pipes that stand in no group.
fn alternatives(regex: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in regex.char_indices() {
        match c {
            '{' => return None,
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => {
                parts.push(&regex[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&regex[start..]);
    Some(parts)
}

fn glob(regex: &str) -> Option<String> {
    let (start, regex) = match regex.strip_prefix('^') {
        Some(rest) => ("", rest),
        None => ("*", regex),
    };
    let (end, regex) = match regex.strip_suffix('$') {
        Some(rest) => ("", rest),
        None => ("*", regex),
    };
    let mut glob = start.to_owned();
    let mut signs = regex.chars();
    let next_is = |signs: &mut std::str::Chars<'_>, sign: char| {
        let is_it = signs.as_str().starts_with(sign);
        if is_it {
            signs.next();
        }
        is_it
    };
    while let Some(sign) = signs.next() {
        match sign {
            '.' if next_is(&mut signs, '*') => glob.push('*'),
            '.' if next_is(&mut signs, '+') => glob.push_str("?*"),
            '.' => glob.push('?'),
            '[' => glob.push_str(&class(&mut signs, '^', '!')?),
            '\\' => glob.push(signs.next().filter(|c| "-.:/".contains(*c))?),
            _ if sign.is_ascii_alphanumeric() || "_-:".contains(sign) => glob.push(sign),
            _ => return None,
        }
    }
    glob.push_str(end);
    while glob.contains("**") {
        glob = glob.replace("**", "*");
    }
    (!glob.is_empty()).then_some(glob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_expression_of_names_and_dots_is_a_list_of_globs() {
        let cases: [(&str, Option<&[&str]>); 10] = [
            ("mcp__.*", Some(&["*mcp__*"])),
            ("^mcp__.*", Some(&["mcp__*"])),
            ("^Bash$", Some(&["Bash"])),
            ("Edit|Write", Some(&["*Edit*", "*Write*"])),
            ("^(?:Bash|Edit)$|run_.+", Some(&["Bash", "Edit", "*run_?*"])),
            ("^(?!Bash)", None),
            ("^[^ab]x$", Some(&["[!ab]x"])),
            ("[a|b]", None),
            ("a{2}", None),
            ("(a|b)c", None),
        ];
        for (regex, expected) in cases {
            let globs = of_regex(regex);
            let expected =
                expected.map(|list| list.iter().map(|glob| (*glob).to_owned()).collect());
            assert_eq!(globs, expected, "{regex}");
        }
    }
}
