//! Secrets that are kept out of a recording.

use regex::Regex;
use serde_json::Value;

use super::names::each_text;
use crate::failure::Failure;

/// The word that asks for the table below.
pub(crate) const SECRETS: &str = "secrets";
const REDACTED: &str = "<redacted>";

/// What secrets look like that everybody knows.
const KNOWN: [&str; 6] = [
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}",
    r"\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
];

/// What is replaced, wherever it stands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Redact {
    patterns: Vec<Regex>,
    /// How a recording names them.
    names: Vec<String>,
}

impl Redact {
    /// Patterns, or the word `secrets`.
    pub(crate) fn new(patterns: &[String]) -> Result<Self, Failure> {
        let own = patterns.iter().map(String::as_str);
        let (known, own): (Vec<&str>, Vec<&str>) = own.partition(|pattern| *pattern == SECRETS);
        let known = KNOWN.into_iter().filter(|_| !known.is_empty());
        let compiled = known.chain(own).map(|pattern| {
            let compiled = Regex::new(pattern).map_err(|why| {
                Failure::invalid(format!("--redact `{pattern}`: {why}"))
                    .help(format!("it takes a regular expression, or `{SECRETS}`"))
            })?;
            if compiled.is_match("") {
                return Err(Failure::invalid(format!(
                    "--redact `{pattern}` fits everywhere"
                )));
            }
            Ok(compiled)
        });
        Ok(Self {
            patterns: compiled.collect::<Result<_, _>>()?,
            names: patterns.iter().map(|pattern| name(pattern)).collect(),
        })
    }

    /// Those that a recording was made with, as it names them. One that it does not name is left out.
    pub(crate) fn named(names: &[String]) -> Result<Self, Failure> {
        let told = names.iter().filter(|name| *name != REDACTED).cloned();
        Self::new(&told.collect::<Vec<_>>())
    }

    /// How a recording names them, so that what they keep out stays out when it is brought up to date.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The value without them.
    pub(crate) fn apply(&self, value: &Value) -> Value {
        if self.patterns.is_empty() {
            return value.clone();
        }
        self.keys(each_text(value, &|text| self.text(text)))
    }

    fn text(&self, text: &str) -> String {
        let without =
            |text: String, pattern: &Regex| pattern.replace_all(&text, REDACTED).into_owned();
        self.patterns.iter().fold(text.to_owned(), without)
    }

    /// The same for the names of fields: an input may have any. Two that become one stay two.
    fn keys(&self, value: Value) -> Value {
        match value {
            Value::Array(elements) => elements.into_iter().map(|value| self.keys(value)).collect(),
            Value::Object(fields) => {
                let mut kept = serde_json::Map::new();
                for (name, field) in fields {
                    let mut name = self.text(&name);
                    while kept.contains_key(&name) {
                        name.push('\'');
                    }
                    kept.insert(name, self.keys(field));
                }
                Value::Object(kept)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        }
    }
}

/// Whether a recording keeps something out that it does not name.
pub(crate) fn hides(names: &[String]) -> bool {
    names.iter().any(|name| name == REDACTED)
}

/// A pattern as it may stand in a recording: one that spells a secret out would tell it.
fn name(pattern: &str) -> String {
    if pattern == SECRETS || is_form(pattern) {
        pattern.to_owned()
    } else {
        REDACTED.to_owned()
    }
}

/// Whether a pattern says what something looks like, with a class or a repetition, and not what it is.
fn is_form(pattern: &str) -> bool {
    let mut before = None;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        let found = match c {
            '\\' => chars.next().is_some_and(char::is_alphanumeric),
            '?' => before != Some('('),
            '*' | '+' | '[' | '{' => true,
            _ => false,
        };
        if found {
            return true;
        }
        before = Some(c);
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_that_everybody_knows_are_found_and_words_are_not() {
        let redact = Redact::new(&["secrets".into(), "hunter[0-9]".into()]).unwrap();
        let key = format!("sk-{}", "a1".repeat(12));
        let value = json!({"a": [format!("export KEY={key}"), "AKIAABCDEFGHIJKLMNOP"],
                           "b": format!("ghp_{}", "x9".repeat(12)), "c": "pw hunter2, sk-iing"});
        let wanted = json!({"a": ["export KEY=<redacted>", "<redacted>"],
                            "b": "<redacted>", "c": "pw <redacted>, sk-iing"});
        assert_eq!(redact.apply(&value), wanted);
    }

    #[test]
    fn a_recording_names_forms_and_never_a_secret_that_was_spelled_out() {
        for (pattern, named) in [
            ("secrets", true),
            ("hunter[0-9]", true),
            (r"token=\S+", true),
            ("key-.*", true),
            ("hunter2", false),
            ("eyJh.eyJz.Sfl", false),
            (r"pa\$\$word", false),
            ("(?i)hunter2|(swordfish)$", false),
        ] {
            let redact = Redact::new(&[pattern.to_owned()]).unwrap();
            assert_eq!(redact.names() == [pattern], named, "{pattern}");
            assert_eq!(hides(redact.names()), !named, "{pattern}");
            assert!(Redact::named(redact.names()).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_or_fits_everywhere_is_refused() {
        assert!(Redact::new(&["(".into()]).is_err());
        assert!(Redact::new(&["x*".into()]).is_err());
    }
}
