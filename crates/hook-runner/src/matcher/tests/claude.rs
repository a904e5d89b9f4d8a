//! The matcher rule of Claude-format files.

use super::matching;
use crate::matcher::{Match, Matcher};

matching! { Matcher::claude;
    empty_is_all: "", "Bash" => true;
    star_is_all: "*", "Bash" => true;
    all_takes_the_empty_subject: "*", "" => true;
    name_is_exact: "Edit", "Edit" => true;
    name_is_not_a_part: "Edit", "NotebookEdit" => false;
    name_is_not_a_prefix: "Bash", "BashOutput" => false;
    case_counts: "bash", "Bash" => false;
    pipe_separates_first: "Edit|Write", "Edit" => true;
    pipe_separates_last: "Edit|Write", "Write" => true;
    pipe_separates_names_only: "Edit|Write", "MultiEdit" => false;
    comma_separates: "Edit,Write", "Write" => true;
    comma_and_blank_separate: "Edit, Write", "Write" => true;
    names_are_trimmed: " Edit | Write ", "Edit" => true;
    hyphen_is_a_name_character: "mcp__brave-search__web", "mcp__brave-search__web" => true;
    hyphenated_name_is_not_a_part: "brave-search", "mcp__brave-search__web" => false;
    digits_and_underscores_are_name_characters: "tool_2", "tool_2" => true;
    blank_inside_a_name_stays: "code review", "code review" => true;
    only_separators_match_nothing: "|", "" => false;
    regex_is_not_anchored: "Edit.*", "NotebookEdit" => true;
    regex_can_be_anchored: "^Edit", "NotebookEdit" => false;
    server_name_alone_is_exact: "mcp__memory", "mcp__memory__create" => false;
    server_needs_a_regex: "mcp__memory__.*", "mcp__memory__create" => true;
    colon_makes_a_regex: "plugin:agent", "my-plugin:agent-two" => true;
    anchored_colon_name: "^plugin:agent$", "my-plugin:agent-two" => false;
    empty_subject_is_no_name: "Explore", "" => false;
    negative_look_ahead: "^(?!Bash$).*", "Read" => true;
    negative_look_ahead_refuses: "^(?!Bash$).*", "Bash" => false;
    look_behind: "(?<=mcp__)disk", "mcp__disk" => true;
    back_reference: r"^(\w+)__\1$", "disk__disk" => true;
    back_reference_refuses: r"^(\w+)__\1$", "disk__net" => false;
    letters_are_ascii: "Éditer", "RÉditer" => true;
    legacy_task_is_agent: "Task", "Agent" => true;
    agent_is_legacy_task: "Agent", "Task" => true;
    legacy_kill_shell: "KillShell", "TaskStop" => true;
    legacy_kill_bash: "KillBash", "TaskStop" => true;
    task_stop_is_legacy_kill_shell: "TaskStop", "KillShell" => true;
    legacy_list_peers: "ListPeers", "ListAgents" => true;
    legacy_brief: "Brief", "SendUserMessage" => true;
    legacy_list_mcp_resources: "ListMcpResources", "ListMcpResourcesTool" => true;
    legacy_read_mcp_resource: "ReadMcpResource", "ReadMcpResourceTool" => true;
    legacy_read_mcp_resource_dir: "ReadMcpResourceDir", "ReadMcpResourceDirTool" => true;
    legacy_names_in_lists: "Read|Task", "Agent" => true;
    legacy_names_are_not_for_regexes: "^Task$", "Agent" => false;
}

mod narrow {
    use super::{Matcher, matching};

    matching! { Matcher::claude_narrow;
        empty_is_all: "", "package.json" => true;
        star_is_all: "*", "rate_limit" => true;
        name_is_exact: "rate_limit", "rate_limit" => true;
        name_is_not_a_part: "rate_limit", "no_rate_limit" => false;
        pipe_separates: "rate_limit|overloaded", "overloaded" => true;
        hyphen_makes_a_regex: "rate-limit", "a-rate-limit-b" => true;
        comma_makes_a_regex: "a,b", "a" => false;
        comma_regex_is_taken_literally: "a,b", "xa,by" => true;
        blank_makes_a_regex: "a b", "xa by" => true;
        dot_makes_a_regex: r"^\.env$", ".env" => true;
        legacy_tool_names_mean_nothing: "Task", "Agent" => false;
    }
}

#[test]
fn step_limit_counts_as_a_match_and_says_so() {
    let matcher = Matcher::claude(r"^(a|a)*\1$").unwrap();
    let answer = matcher.matches(&format!("{}b", "a".repeat(40)));
    assert_eq!(answer, Match::LimitHit);
    assert!(answer.is_match());
}

#[test]
fn display_is_the_source_and_debug_names_the_form() {
    let shown = |pattern| {
        let matcher = Matcher::claude(pattern).unwrap();
        (matcher.to_string(), format!("{matcher:?}"))
    };
    assert_eq!(shown("*"), ("*".into(), r#"Matcher("*", all)"#.into()));
    assert_eq!(
        shown("A|B"),
        ("A|B".into(), r#"Matcher("A|B", names)"#.into())
    );
    assert_eq!(
        shown("A.*"),
        ("A.*".into(), r#"Matcher("A.*", regex)"#.into())
    );
    assert_eq!(
        shown("(?!A)B").1,
        r#"Matcher("(?!A)B", backtracking regex)"#
    );
}
