//! `${VAR}` and `${VAR:-default}` in what a file says of a server.

/// A variable that is not set, and has no default.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{0}` is not set, and has no default")]
pub struct Unset(pub String);

/// Replaces `${VAR}` and `${VAR:-default}`. A variable that is empty counts as set for the first form, and
/// takes the default in the second. What is no reference stays as it is.
///
/// ```
/// use agent_mcp::expand;
///
/// let variable = |name: &str| (name == "HOME").then(|| "/home/ada".to_owned());
/// assert_eq!(expand("${HOME}/bin", variable).unwrap(), "/home/ada/bin");
/// assert_eq!(expand("${PORT:-8080}", variable).unwrap(), "8080");
/// assert_eq!(expand("${PORT}", variable).unwrap_err().0, "PORT");
/// assert_eq!(expand("$HOME costs 5$", variable).unwrap(), "$HOME costs 5$");
/// ```
pub fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, Unset> {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        made.push_str(&rest[..start]);
        let after = &rest[start + 2..];
        if let Some((name, default, end)) = reference(after) {
            made.push_str(&value(name, default, &variable)?);
            rest = &after[end..];
        } else {
            made.push_str("${");
            rest = after;
        }
    }
    made.push_str(rest);
    Ok(made)
}

/// The name, the default, and where what follows begins.
fn reference(after: &str) -> Option<(&str, Option<&str>, usize)> {
    let end = after.find('}')?;
    let inside = &after[..end];
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    is_name(name).then_some((name, default, end + 1))
}

fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit())
}

fn value(
    name: &str,
    default: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<String, Unset> {
    match (variable(name), default) {
        (Some(value), None) => Ok(value),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (None, None) => Err(Unset(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn variable(name: &str) -> Option<String> {
        match name {
            "A" => Some("one".to_owned()),
            "EMPTY" => Some(String::new()),
            "REF" => Some("${A}".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn every_form_of_a_reference() {
        let rows = [
            ("", Ok("")),
            ("plain", Ok("plain")),
            ("${A}", Ok("one")),
            ("<${A}${A}>", Ok("<oneone>")),
            ("${A:-two}", Ok("one")),
            ("${B:-two}", Ok("two")),
            ("${B:-}", Ok("")),
            ("${EMPTY}", Ok("")),
            ("${EMPTY:-two}", Ok("two")),
            ("${B:-a:-b}", Ok("a:-b")),
            // What a value says is not looked at again.
            ("${REF}", Ok("${A}")),
            // No references.
            ("$A", Ok("$A")),
            ("${", Ok("${")),
            ("${}", Ok("${}")),
            ("${1}", Ok("${1}")),
            ("${a b}", Ok("${a b}")),
            ("${B}", Err("B")),
        ];
        for (text, want) in rows {
            let got = expand(text, variable);
            assert_eq!(
                got.as_deref().map_err(|unset| unset.0.as_str()),
                want,
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn text_without_references_stays_as_it_is(text in "[^$]{0,40}") {
            prop_assert_eq!(expand(&text, variable).unwrap(), text);
        }

        #[test]
        fn nothing_makes_it_panic(text in "\\PC{0,60}") {
            let _ = expand(&text, variable);
        }
    }
}
