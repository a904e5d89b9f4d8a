//! Nothing panics, whatever the text.

use proptest::prelude::*;
use serde_json::json;

use super::judge_command;
use crate::matcher::{Call, Matcher, Purpose, Rule, Truth};

/// Text with more of the signs that mean something than chance would give.
fn shell_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("git push".to_owned()),
        Just("$(".to_owned()),
        Just("<<EOF\n".to_owned()),
        Just("\nEOF\n".to_owned()),
        Just(" && ".to_owned()),
        Just("sudo -u x ".to_owned()),
        Just("bash -c '".to_owned()),
        Just("xargs -I".to_owned()),
        Just("find . -exec ".to_owned()),
        Just("case x in ".to_owned()),
        Just("$'\\x".to_owned()),
        "[(){}\\[\\]<>|&;$`'\"\\\\#*?~=!\n ]",
        "\\PC{0,4}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        shell_like(),
        "[\\[\\](){}*+?.|^$\\\\<>=!:,dwbux0-9a-]{0,24}"
    ]
}

fn judge_for_each_purpose(rule: &Rule, call: &Call<'_>) {
    for purpose in [Purpose::Condition, Purpose::Allow, Purpose::Restrict] {
        let _ = rule.judge(call, purpose);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_a_matcher_or_an_error(pattern in text(), subject in text()) {
        for made in [
            Matcher::claude(&pattern),
            Matcher::claude_narrow(&pattern),
            Matcher::pattern(&pattern),
            Matcher::regex(&pattern),
        ] {
            match made {
                Ok(matcher) => {
                    let _ = matcher.matches(&subject);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn any_text_is_a_rule_or_an_error(rule in text(), input in text()) {
        if let Ok(rule) = Rule::parse(&rule) {
            let tool_input = json!({ "command": input, "file_path": input, "url": input });
            for tool_name in ["Bash", "Edit", "Glob", "WebFetch", input.as_str()] {
                let call = Call {
                    tool_name,
                    tool_input: &tool_input,
                    cwd: &input,
                    home: Some("/h"),
                    project_root: Some("/p"),
                };
                judge_for_each_purpose(&rule, &call);
            }
        }
    }

    #[test]
    fn any_content_is_compared_with_any_input(content in text(), input in text()) {
        for tool_name in ["Bash", "Edit", "Read", "Glob", "Grep", "WebFetch"] {
            let Ok(rule) = Rule::parse(&format!("{tool_name}({content})")) else { continue };
            let tool_input =
                json!({ "command": input, "file_path": input, "pattern": input, "url": input });
            let call =
                Call { tool_name, tool_input: &tool_input, cwd: "/w", home: None, project_root: None };
            judge_for_each_purpose(&rule, &call);
        }
    }

    #[test]
    fn what_is_allowed_would_also_run_the_hook(command in shell_like()) {
        for rule in ["Bash(git *)", "Bash(git push *)"] {
            if judge_command(rule, &command, Purpose::Allow) == Truth::Yes {
                prop_assert!(judge_command(rule, &command, Purpose::Condition).runs_hook());
                prop_assert!(judge_command(rule, &command, Purpose::Restrict).denies());
            }
        }
    }
}
