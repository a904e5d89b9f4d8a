//! The matcher rule of the Rust API.

use super::matching;
use crate::matcher::Matcher;

matching! { Matcher::pattern;
    empty_is_all: "", "Bash" => true;
    blank_is_all: "  ", "Bash" => true;
    star_is_all: "*", "" => true;
    name_is_exact: "Edit", "NotebookEdit" => false;
    list_of_names: "Edit, Write|Read", "Read" => true;
    legacy_names: "Task", "Agent" => true;
    colon_is_a_name_character: "plugin:agent", "my-plugin:agent" => false;
    prefix_glob: "mcp__*", "mcp__disk__read" => true;
    prefix_glob_is_for_the_whole_name: "mcp__*", "x_mcp__disk" => false;
    prefix_glob_takes_the_prefix_itself: "mcp__*", "mcp__" => true;
    suffix_glob: "*Edit", "NotebookEdit" => true;
    suffix_glob_is_for_the_whole_name: "*Edit", "NotebookEdits" => false;
    inner_star: "mcp__*__read", "mcp__disk__read" => true;
    question_mark: "Tool?", "Tool1" => true;
    question_mark_is_one_character: "Tool?", "Tool12" => false;
    class: "Tool[0-4]", "Tool3" => true;
    class_refuses: "Tool[0-4]", "Tool5" => false;
    braces: "mcp__{disk,net}__*", "mcp__net__get" => true;
    braces_refuse: "mcp__{disk,net}__*", "mcp__web__get" => false;
    comma_in_braces_does_not_separate: "{Edit,Write}", "Write" => true;
    list_with_globs: "Bash|mcp__*", "mcp__disk__read" => true;
    list_with_globs_keeps_names_exact: "Bash|mcp__*", "BashOutput" => false;
    star_in_a_list_is_all: "Bash|*", "anything" => true;
    star_crosses_slashes: "file:*", "file:a-b" => true;
    dot_makes_a_regex: "mcp__.*", "x_mcp__disk" => true;
    parentheses_make_a_regex: "(Edit|Write)$", "MultiEdit" => true;
    caret_makes_a_regex: "^Edit", "MultiEdit" => false;
}

mod regex {
    use super::{Matcher, matching};

    matching! { Matcher::regex;
        name_is_not_anchored: "Edit", "MultiEdit" => true;
        empty_matches_everything: "", "Bash" => true;
        pipe_is_an_alternative: "Edit|Write", "MultiEdit" => true;
        blanks_count: "Edit, Write", "Edit" => false;
    }
}
