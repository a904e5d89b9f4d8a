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
pub(crate) struct Redact(Vec<Regex>);

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
        compiled.collect::<Result<_, _>>().map(Self)
    }

    /// The value without them.
    pub(crate) fn apply(&self, value: &Value) -> Value {
        if self.0.is_empty() {
            return value.clone();
        }
        each_text(value, &|text| {
            let mut text = text.to_owned();
            for pattern in &self.0 {
                text = pattern.replace_all(&text, REDACTED).into_owned();
            }
            text
        })
    }
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
    fn a_pattern_that_is_none_or_fits_everywhere_is_refused() {
        assert!(Redact::new(&["(".into()]).is_err());
        assert!(Redact::new(&["x*".into()]).is_err());
    }
}
