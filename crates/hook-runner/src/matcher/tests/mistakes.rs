//! Patterns and rules that are refused, and what their writers are told.

use crate::matcher::{
    Matcher, MatcherError, MatcherErrorKind, Rule, RuleError, RuleErrorKind as Kind,
};

macro_rules! refused {
    ($constructor:path; $($name:ident: $pattern:expr => $message:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let error: MatcherError = $constructor($pattern).unwrap_err();
                assert_eq!(error.to_string(), $message);
                assert_eq!(error.pattern(), $pattern);
            }
        )+
    };
}

refused! { Matcher::claude;
    glob_as_regex: "*.ts" => r"matcher `*.ts` is not a valid regex: repetition operator missing expression (a regex cannot start with `*`; did you mean `.*\.ts$`?)";
    unclosed_group: "(Edit|Write" => r"matcher `(Edit|Write` is not a valid regex: unclosed group (the `(` is never closed; to match one, write `\(`)";
    unopened_group: "Edit)" => r"matcher `Edit)` is not a valid regex: unopened group (there is a `)` too many; to match one, write `\)`)";
    unclosed_class: "[a-z" => r"matcher `[a-z` is not a valid regex: unclosed character class (the `[` is never closed; to match one, write `\[`)";
    trailing_backslash: r"Edit\" => r"matcher `Edit\` is not a valid regex: incomplete escape sequence, reached end of pattern prematurely (to match a backslash, write `\\`)";
    reversed_range: "[z-a]" => "matcher `[z-a]` is not a valid regex: invalid character class range, the start must be <= the end";
    unknown_group_is_refused_by_both_engines: r"(?=a)\k<b>" => r"matcher `(?=a)\k<b>` is not a valid regex: invalid back reference";
    too_large: "(a{1000}){1000}" => "matcher `(a{1000}){1000}` is too large once compiled (use smaller repetition counts, or `*` and `+` instead of counts)";
}

refused! { Matcher::pattern;
    unclosed_glob_class: "mcp__[a" => "matcher `mcp__[a` is not a valid glob: unclosed character class; missing ']' (the `[` is never closed)";
    unclosed_glob_braces: "mcp__{a" => "matcher `mcp__{a` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?) (the `{` is never closed)";
    list_without_names: "|," => "matcher `|,` is a list that names nothing (write `*` for everything)";
}

#[test]
fn a_large_backtracking_regex_is_refused() {
    assert!(Matcher::claude("(?=a)(a{1000}){1000}").is_err());
}

#[test]
fn a_very_long_pattern_is_refused_and_cut_short_in_the_message() {
    let error = Matcher::regex(&"a".repeat(20_000)).unwrap_err();
    assert_eq!(
        error.kind(),
        &MatcherErrorKind::TooLong { limit: 16 * 1024 }
    );
    assert!(error.to_string().len() < 300);
}

macro_rules! refused_rules {
    ($($name:ident: $rule:expr => $kind:expr, $hint:expr;)+) => {
        mod rules {
            use super::*;

            $(
                #[test]
                fn $name() {
                    let error: RuleError = Rule::parse($rule).unwrap_err();
                    assert_eq!((error.kind(), error.hint()), (&$kind, $hint));
                    assert_eq!(error.rule(), $rule);
                }
            )+
        }
    };
}

const ONE: Option<&str> = Some(
    "a rule is one tool and one pattern: write several rules, or several hooks with one `if` each",
);

refused_rules! {
    empty: "" => Kind::NoTool, Some("write the tool's name first, as in `Bash(git *)`");
    no_tool: "(git *)" => Kind::NoTool, Some("write the tool's name first, as in `Bash(git *)`");
    unclosed: "Bash(git *" => Kind::Unclosed, Some("did you mean `Bash(git *)`?");
    trailing: "Bash(git *) x" => Kind::Trailing, Some("remove `x`");
    double_ampersand: "Bash(git *) && Edit(*.ts)" => Kind::Combined, ONE;
    double_pipe: "Bash(git *) || Bash(rm *)" => Kind::Combined, ONE;
    the_word_and: "Bash(git *) and Edit(*.ts)" => Kind::Combined, ONE;
    the_word_or: "Bash(git *) OR Edit" => Kind::Combined, ONE;
    comma: "Bash(git *), Edit(*.ts)" => Kind::Combined, ONE;
    operator_without_a_second_rule: "Bash(git *) &&" => Kind::Combined, ONE;
    bare_names_combined: "Edit && Write" => Kind::Combined, ONE;
    list_of_tools: "Edit|Write" => Kind::Combined, ONE;
    negated: "!Bash(rm *)" => Kind::Negated, Some("name what the rule is for; a rule cannot say what it is not for");
    the_word_not: "not Bash" => Kind::Negated, Some("name what the rule is for; a rule cannot say what it is not for");
    odd_tool_name: "Ba$h" => Kind::ToolName('$'), None;
    negated_path: "Edit(!src/**)" => Kind::Path("it is negated".into()), Some("write a rule for what it is about instead");
    climbing_path: "Edit(../x)" => Kind::Path("it leaves its folder with `..`".into()), Some("write `//` and the absolute path");
    url_instead_of_domain: "WebFetch(https://example.com/*)" => Kind::Domain, Some("write `WebFetch(domain:example.com)`");
    domain_without_prefix: "WebFetch(example.com)" => Kind::Domain, Some("write `WebFetch(domain:example.com)`");
    too_long: &format!("Bash({})", "a".repeat(2000)) => Kind::TooLong { limit: 1024 }, None;
}

#[test]
fn a_broken_path_glob_is_explained() {
    let error = Rule::parse("Edit(src/[ab)").unwrap_err();
    assert_eq!(
        error.to_string(),
        "rule `Edit(src/[ab)` has a path pattern that is not valid: `[ab`: unclosed character \
         class; missing ']' (the `[` is never closed; alternatives in braces cannot contain `/`)"
    );
}

#[test]
fn shell_operators_inside_a_rule_are_content() {
    for rule in [
        "Bash((cd a) && make)",
        "Bash(a && b)",
        "Bash(echo $(date), now)",
    ] {
        assert!(Rule::parse(rule).is_ok(), "{rule}");
    }
}
