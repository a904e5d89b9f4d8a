//! Takes a rule's text apart, and says what is wrong where it does not come apart.

use super::super::error::{RuleError, RuleErrorKind};

/// No hand-written rule comes near this; it bounds what comparing with one can cost.
const MAX_RULE_BYTES: usize = 1024;

const ONE_RULE: &str = "a rule is one tool and one pattern: write several rules, or several \
                        hooks with one `if` each";

/// The tool's name, and what stands in the parentheses.
pub(super) fn split(rule: &str) -> Result<(&str, Option<&str>), RuleError> {
    if rule.len() > MAX_RULE_BYTES {
        return Err(RuleError::new(
            rule,
            RuleErrorKind::TooLong {
                limit: MAX_RULE_BYTES,
            },
            None,
        ));
    }
    let text = rule.trim();
    let (name, content) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => (name.trim_end(), Some(inside(rule, rest)?)),
    };
    check_name(rule, name)?;
    Ok((name, content))
}

/// What stands before the last parenthesis, which has to be the last character.
fn inside<'a>(rule: &str, rest: &'a str) -> Result<&'a str, RuleError> {
    let Some((content, after)) = rest.rsplit_once(')') else {
        let hint = format!("did you mean `{})`?", rule.trim());
        return Err(RuleError::new(rule, RuleErrorKind::Unclosed, Some(hint)));
    };
    if starts_with_operator(after) || content.split(')').skip(1).any(is_next_rule) {
        return Err(combined(rule));
    }
    if after.trim().is_empty() {
        return Ok(content);
    }
    let hint = format!("remove `{}`", after.trim());
    Err(RuleError::new(rule, RuleErrorKind::Trailing, Some(hint)))
}

fn combined(rule: &str) -> RuleError {
    RuleError::new(rule, RuleErrorKind::Combined, Some(ONE_RULE.to_owned()))
}

fn starts_with_operator(text: &str) -> bool {
    strip_operator(text).is_some()
}

/// `… ) && Edit(…`: an operator, a name and a parenthesis, as no shell command has them.
fn is_next_rule(text: &str) -> bool {
    strip_operator(text)
        .and_then(|rest| rest.trim().split_once('('))
        .is_some_and(|(name, _)| {
            name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(is_tool_char)
                || name.starts_with("mcp__")
        })
}

fn strip_operator(text: &str) -> Option<&str> {
    let text = text.trim_start();
    ["&&", "||", "&", "|", ",", ";"]
        .iter()
        .find_map(|sign| text.strip_prefix(sign))
        .or_else(|| {
            let (word, rest) = text.split_once(char::is_whitespace)?;
            matches!(word.to_ascii_lowercase().as_str(), "and" | "or").then_some(rest)
        })
}

fn check_name(rule: &str, name: &str) -> Result<(), RuleError> {
    if name.is_empty() {
        let hint = Some("write the tool's name first, as in `Bash(git *)`".to_owned());
        return Err(RuleError::new(rule, RuleErrorKind::NoTool, hint));
    }
    if name.starts_with('!') || name.to_ascii_lowercase().starts_with("not ") {
        let hint =
            Some("name what the rule is for; a rule cannot say what it is not for".to_owned());
        return Err(RuleError::new(rule, RuleErrorKind::Negated, hint));
    }
    match name.chars().find(|c| !is_tool_char(*c)) {
        None => Ok(()),
        Some('&' | '|' | ',' | ';' | ' ') => Err(combined(rule)),
        Some(c) => Err(RuleError::new(rule, RuleErrorKind::ToolName(c), None)),
    }
}

fn is_tool_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':' | '/' | '@')
}

/// The part of a mistaken `WebFetch` rule that is likely its host, for a hint.
pub(super) fn host_in(content: &str) -> &str {
    let rest = content.split_once("://").map_or(content, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    if host.is_empty() { "example.com" } else { host }
}
