//! The rule tables of this module, one named test a row.

mod claude;
#[cfg(feature = "command-patterns")]
mod command;
#[cfg(feature = "command-patterns")]
mod condition;
mod index;
mod javascript;
mod mistakes;
mod path;
mod pattern;
#[cfg(feature = "command-patterns")]
mod permission;
mod properties;
mod rule;
#[cfg(feature = "command-patterns")]
mod shell;
#[cfg(not(feature = "command-patterns"))]
mod without_grammar;

use serde_json::{Value, json};

use super::{Call, Matcher, MatcherError, Purpose, Rule, Truth};

/// Each row: a name, a pattern, a subject, and whether it matches.
macro_rules! matching {
    ($constructor:path; $($name:ident: $pattern:expr, $subject:expr => $expected:expr;)+) => {
        $(
            #[test]
            fn $name() {
                $crate::matcher::tests::check_match($constructor, $pattern, $subject, $expected);
            }
        )+
    };
}

/// Each row: a name, a rule, a command, and the answer.
#[cfg(feature = "command-patterns")]
macro_rules! judging {
    ($purpose:expr; $($name:ident: $rule:expr, $command:expr => $expected:ident;)+) => {
        $(
            #[test]
            fn $name() {
                let answer = $crate::matcher::tests::judge_command($rule, $command, $purpose);
                assert_eq!(answer, $crate::matcher::Truth::$expected, "{} on {:?}", $rule, $command);
            }
        )+
    };
}

#[cfg(feature = "command-patterns")]
pub(super) use judging;
pub(super) use matching;

fn check_match(
    constructor: fn(&str) -> Result<Matcher, MatcherError>,
    pattern: &str,
    subject: &str,
    expected: bool,
) {
    let matcher = constructor(pattern).unwrap();
    assert_eq!(
        matcher.matches(subject).is_match(),
        expected,
        "{matcher:?} on {subject:?}"
    );
}

fn judge(rule: &str, tool_name: &str, tool_input: &Value, purpose: Purpose) -> Truth {
    let call = Call {
        tool_name,
        tool_input,
        cwd: "/home/ann/work",
        home: Some("/home/ann"),
        project_root: Some("/home/ann/work/repo"),
    };
    Rule::parse(rule).unwrap().judge(&call, purpose)
}

fn judge_command(rule: &str, command: &str, purpose: Purpose) -> Truth {
    judge(rule, "Bash", &json!({ "command": command }), purpose)
}
