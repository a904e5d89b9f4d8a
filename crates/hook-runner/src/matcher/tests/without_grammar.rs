//! What a build without the shell grammar says about commands.

use super::judge_command;
use crate::matcher::{Purpose, Truth};

#[test]
fn a_bare_tool_name_needs_no_grammar() {
    assert_eq!(
        judge_command("Bash", "git push", Purpose::Allow),
        Truth::Yes
    );
    assert_eq!(judge_command("Edit", "git push", Purpose::Allow), Truth::No);
}

#[test]
fn a_command_pattern_is_unknown() {
    for purpose in [Purpose::Condition, Purpose::Allow, Purpose::Restrict] {
        assert_eq!(
            judge_command("Bash(git *)", "git push", purpose),
            Truth::Unknown
        );
        assert_eq!(
            judge_command("Bash(git *)", "rm x", purpose),
            Truth::Unknown
        );
    }
}
