//! Path rules. The working directory is `/home/ann/work`, the project `/home/ann/work/repo`.

use serde_json::json;

use super::judge;
use crate::matcher::{Call, Purpose, Rule, Truth};

macro_rules! touching {
    ($($name:ident: $rule:expr, $tool:ident $path:expr => $expected:ident;)+) => {
        $(
            #[test]
            fn $name() {
                let field = if stringify!($tool) == "NotebookEdit" { "notebook_path" } else { "file_path" };
                let input = json!({ field: $path });
                let answer = judge($rule, stringify!($tool), &input, Purpose::Condition);
                assert_eq!(answer, Truth::$expected);
            }
        )+
    };
}

touching! {
    folder_is_in_the_cwd: "Edit(src/**)", Edit "/home/ann/work/src/a/b.rs" => Yes;
    folder_is_only_in_the_cwd: "Edit(src/**)", Edit "/home/ann/work/lib/src/a.rs" => No;
    folder_elsewhere: "Edit(src/**)", Edit "/tmp/src/a.rs" => No;
    folder_itself_is_not_in_it: "Edit(src/**)", Edit "/home/ann/work/src" => No;
    relative_input: "Edit(src/**)", Edit "src/a.rs" => Yes;
    dot_slash_in_the_rule: "Edit(./src/**)", Edit "src/a.rs" => Yes;
    dots_in_the_input: "Edit(src/**)", Edit "src/./x/../a.rs" => Yes;
    dots_that_climb_out: "Edit(src/**)", Edit "src/../secret" => No;
    dots_that_climb_in: "Read(~/.ssh/**)", Read "../.ssh/id" => Yes;
    dots_above_the_root: "Read(//etc/**)", Read "/../../etc/passwd" => Yes;
    double_slashes_in_the_input: "Edit(src/**)", Edit "/home/ann//work/src//a.rs" => Yes;
    any_depth: "Edit(**/src/**)", Edit "lib/src/a.rs" => Yes;
    any_depth_includes_none: "Edit(**/src/**)", Edit "src/a.rs" => Yes;
    any_depth_outside_the_cwd_is_doubtful: "Edit(**/src/**)", Edit "/tmp/src/a.rs" => Unknown;
    extension_at_any_depth: "Edit(*.ts)", Edit "a/b/c.ts" => Yes;
    extension_at_the_top: "Edit(*.ts)", Edit "c.ts" => Yes;
    extension_refuses: "Edit(*.ts)", Edit "c.tsx" => No;
    extension_outside_the_cwd_is_doubtful: "Edit(*.ts)", Edit "/tmp/c.ts" => Unknown;
    other_extension_outside_the_cwd: "Edit(*.ts)", Edit "/tmp/c.rs" => No;
    extensions_in_braces: "Edit(**/*.{ts,tsx})", Edit "a/c.tsx" => Yes;
    name_at_any_depth: "Read(.env)", Read "deploy/.env" => Yes;
    name_covers_what_is_in_it: "Edit(node_modules)", Edit "a/node_modules/b/c.js" => Yes;
    trailing_slash_keeps_any_depth: "Edit(node_modules/)", Edit "a/node_modules/b/c.js" => Yes;
    star_is_one_name: "Edit(src/*/mod.rs)", Edit "src/a/mod.rs" => Yes;
    star_is_not_two_names: "Edit(src/*/mod.rs)", Edit "src/a/b/mod.rs" => No;
    stars_in_the_middle: "Edit(src/**/mod.rs)", Edit "src/a/b/mod.rs" => Yes;
    stars_in_the_middle_may_be_nothing: "Edit(src/**/mod.rs)", Edit "src/mod.rs" => Yes;
    question_mark: "Edit(src/?.rs)", Edit "src/a.rs" => Yes;
    class: "Edit(src/[ab].rs)", Edit "src/c.rs" => No;
    case_counts: "Edit(SRC/**)", Edit "src/a.rs" => No;
    home: "Read(~/.ssh/**)", Read "/home/ann/.ssh/id_rsa" => Yes;
    home_in_the_input: "Read(~/.ssh/**)", Read "~/.ssh/id_rsa" => Yes;
    home_alone: "Read(~)", Read "/home/ann/x" => Yes;
    not_home: "Read(~/.ssh/**)", Read "/home/bob/.ssh/id_rsa" => No;
    absolute: "Read(//etc/**)", Read "/etc/passwd" => Yes;
    absolute_refuses: "Read(//etc/**)", Read "/etcetera/x" => No;
    project_root: "Edit(/src/**)", Edit "/home/ann/work/repo/src/a.rs" => Yes;
    project_root_is_not_the_cwd: "Edit(/src/**)", Edit "/home/ann/work/src/a.rs" => No;
    project_root_is_not_the_root: "Edit(/etc/**)", Edit "/etc/passwd" => No;
    everything: "Edit(**)", Edit "a/b" => Yes;
    everything_in_the_cwd: "Edit(.)", Edit "a/b" => Yes;
    edit_covers_write: "Edit(src/**)", Write "src/a.rs" => Yes;
    edit_covers_multi_edit: "Edit(src/**)", MultiEdit "src/a.rs" => Yes;
    edit_covers_notebook_edit: "Edit(*.ipynb)", NotebookEdit "a.ipynb" => Yes;
    edit_does_not_cover_read: "Edit(src/**)", Read "src/a.rs" => No;
    write_does_not_cover_edit: "Write(src/**)", Edit "src/a.rs" => No;
    unicode_names: "Edit(héhé/**)", Edit "héhé/ü" => Yes;
}

macro_rules! searching {
    ($($name:ident: $rule:expr, $tool:ident $input:tt => $expected:ident;)+) => {
        mod search {
            use super::*;

            $(
                #[test]
                fn $name() {
                    let input = json!($input);
                    let answer = judge($rule, stringify!($tool), &input, Purpose::Restrict);
                    assert_eq!(answer, Truth::$expected);
                }
            )+
        }
    };
}

searching! {
    read_covers_grep: "Read(src/**)", Grep { "pattern": "x", "path": "src/a" } => Yes;
    read_covers_glob: "Read(src/**)", Glob { "pattern": "**/*.rs", "path": "src" } => Yes;
    all_of_the_folder: "Read(src/**)", Grep { "pattern": "x", "path": "src" } => Yes;
    another_folder: "Read(src/**)", Grep { "pattern": "x", "path": "lib" } => No;
    above_the_folder_is_partly_covered: "Read(src/**)", Grep { "pattern": "x" } => Unknown;
    above_the_cwd_is_partly_covered: "Read(src/**)", Grep { "pattern": "x", "path": "/home" } => Unknown;
    some_files_in_the_folder: "Read(src/*.env)", Grep { "pattern": "x", "path": "src" } => Unknown;
    files_at_any_depth: "Read(*.env)", Grep { "pattern": "x", "path": "src" } => Unknown;
    home_from_above: "Read(~/.ssh/**)", Grep { "pattern": "KEY", "path": "/home/ann" } => Unknown;
    glob_into_a_folder: "Read(~/.ssh/**)", Glob { "pattern": "/home/ann/.ssh/*" } => Yes;
    glob_from_home: "Read(~/.ssh/**)", Glob { "pattern": "~/.ssh/*" } => Yes;
    glob_with_folders_of_its_own: "Read(src/**)", Glob { "pattern": "src/a/*.rs" } => Yes;
    glob_that_climbs: "Read(~/.ssh/**)", Glob { "pattern": "*/../../.ssh/*" } => Unknown;
    glob_elsewhere: "Read(src/**)", Glob { "pattern": "lib/*.rs" } => No;
    grep_rule_does_not_cover_read: "Grep(src/**)", Read { "file_path": "src/a" } => No;
}

#[test]
fn a_call_without_a_path_is_unknown() {
    assert_eq!(
        judge("Edit(src/**)", "Edit", &json!({}), Purpose::Condition),
        Truth::Unknown
    );
    let number = json!({ "file_path": 3 });
    assert_eq!(
        judge("Edit(src/**)", "Edit", &number, Purpose::Condition),
        Truth::Unknown
    );
}

#[test]
fn without_a_home_or_project_such_rules_are_unknown() {
    let input = json!({ "file_path": "/home/ann/.ssh/id" });
    let call = Call {
        tool_name: "Read",
        tool_input: &input,
        cwd: "/w",
        home: None,
        project_root: None,
    };
    for rule in ["Read(~/.ssh/**)", "Read(/src/**)"] {
        assert_eq!(
            Rule::parse(rule).unwrap().judge(&call, Purpose::Allow),
            Truth::Unknown
        );
    }
}
