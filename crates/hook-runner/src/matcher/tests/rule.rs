//! Which tools a rule covers, and content other than commands and paths.

use serde_json::json;

use super::judge;
use crate::matcher::{Call, Purpose, Rule, Truth};

macro_rules! covering {
    ($($name:ident: $rule:expr, $tool:expr => $expected:ident;)+) => {
        $(
            #[test]
            fn $name() {
                let input = json!({ "command": "ls", "file_path": "a", "url": "https://a.b" });
                for purpose in [Purpose::Condition, Purpose::Allow, Purpose::Restrict] {
                    assert_eq!(judge($rule, $tool, &input, purpose), Truth::$expected);
                }
            }
        )+
    };
}

covering! {
    bare_name: "Bash", "Bash" => Yes;
    bare_name_is_exact: "Bash", "BashOutput" => No;
    another_tool: "Bash", "Edit" => No;
    another_tool_with_content: "Bash(git *)", "Edit" => No;
    empty_content_is_anything: "Bash()", "Bash" => Yes;
    star_content_is_anything: "Bash(*)", "Bash" => Yes;
    blanks_around: "  Bash ( * )  ", "Bash" => Yes;
    star_is_every_tool: "*", "Edit" => Yes;
    mcp_tool: "mcp__disk__read", "mcp__disk__read" => Yes;
    mcp_tool_is_exact: "mcp__disk__read", "mcp__disk__read_all" => No;
    mcp_glob: "mcp__disk__*", "mcp__disk__read" => Yes;
    mcp_glob_refuses: "mcp__disk__*", "mcp__net__get" => No;
    mcp_inner_glob: "mcp__*__read", "mcp__disk__read" => Yes;
    mcp_server: "mcp__disk", "mcp__disk__read" => Yes;
    mcp_server_is_exact: "mcp__disk", "mcp__disk2__read" => No;
    legacy_name: "Task", "Agent" => Yes;
    legacy_name_called: "Agent", "Task" => Yes;
    bare_edit_covers_write: "Edit", "Write" => Yes;
    bare_read_covers_grep: "Read", "Grep" => Yes;
    bare_read_covers_glob: "Read", "Glob" => Yes;
    content_of_other_tools_is_unknown: "Agent(Explore)", "Agent" => Unknown;
    content_of_mcp_tools_is_unknown: "mcp__disk__read(a)", "mcp__disk__read" => Unknown;
    content_of_power_shell_is_unknown: "PowerShell(git *)", "PowerShell" => Unknown;
}

macro_rules! fetching {
    ($($name:ident: $rule:expr, $url:expr => $expected:ident;)+) => {
        mod domain {
            use super::*;

            $(
                #[test]
                fn $name() {
                    let input = json!({ "url": $url });
                    assert_eq!(judge($rule, "WebFetch", &input, Purpose::Allow), Truth::$expected);
                }
            )+
        }
    };
}

fetching! {
    host: "WebFetch(domain:example.com)", "https://example.com/a?b" => Yes;
    case_and_port_do_not_count: "WebFetch(domain:Example.com)", "https://EXAMPLE.com:8080/" => Yes;
    trailing_dot_does_not_count: "WebFetch(domain:example.com)", "https://example.com./" => Yes;
    subdomain_is_another_host: "WebFetch(domain:example.com)", "https://a.example.com/" => No;
    star_is_any_subdomain: "WebFetch(domain:*.example.com)", "https://a.b.example.com/" => Yes;
    star_is_not_the_host_itself: "WebFetch(domain:*.example.com)", "https://example.com/" => No;
    suffix_is_not_a_subdomain: "WebFetch(domain:*.example.com)", "https://badexample.com/" => No;
    user_is_not_the_host: "WebFetch(domain:example.com)", "https://example.com@evil.org/" => No;
    path_is_not_the_host: "WebFetch(domain:example.com)", "https://evil.org/@example.com" => No;
    backslash_ends_the_host: "WebFetch(domain:example.com)", "https://evil.org\\@example.com" => No;
    missing_scheme: "WebFetch(domain:example.com)", "example.com/a" => Yes;
    escapes_are_unknown: "WebFetch(domain:example.com)", "https://%65xample.com/" => Unknown;
    no_host_is_unknown: "WebFetch(domain:example.com)", "https:///a" => Unknown;
}

#[test]
fn missing_fields_are_unknown() {
    for rule in ["Bash(git *)", "WebFetch(domain:a.b)"] {
        let tool = rule.split('(').next().unwrap();
        for input in [json!({}), json!(null), json!({ "command": 1, "url": [] })] {
            assert_eq!(
                judge(rule, tool, &input, Purpose::Condition),
                Truth::Unknown
            );
        }
    }
}

#[test]
fn what_follows_from_each_answer() {
    let follows = |truth: Truth| {
        [
            truth.runs_hook(),
            truth.allows(),
            truth.denies(),
            truth.asks(),
        ]
    };
    assert_eq!(follows(Truth::Yes), [true, true, true, true]);
    assert_eq!(follows(Truth::Unknown), [true, false, false, true]);
    assert_eq!(follows(Truth::No), [false, false, false, false]);
}

#[test]
fn rules_together_cover_what_one_of_them_covers() {
    let rules = ["Edit(src/**)", "Edit(docs/**)", "Bash"].map(|rule| Rule::parse(rule).unwrap());
    let allowed = |tool_name, path| {
        let input = json!({ "file_path": path, "command": "ls" });
        let call = Call {
            tool_name,
            tool_input: &input,
            cwd: "/w",
            home: None,
            project_root: None,
        };
        Rule::allow_together(&rules, &call)
    };
    assert_eq!(allowed("Edit", "docs/a"), Truth::Yes);
    assert_eq!(allowed("Edit", "lib/a"), Truth::No);
    assert_eq!(allowed("Bash", ""), Truth::Yes);
    assert_eq!(allowed("Read", "docs/a"), Truth::No);
}

#[test]
fn display_is_the_source_and_parsing_works_both_ways() {
    let rule: Rule = "Bash(git commit:*)".parse().unwrap();
    assert_eq!(rule.to_string(), "Bash(git commit:*)");
}
