//! Which files a fingerprint covers, and what marks a hook as opaque.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, hook, write};

const PROJECT: &str = "\"$CLAUDE_PROJECT_DIR\"";

/// A sandbox with scripts, and a hook.
fn with_scripts(entry: Value) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in [
        "check.sh",
        "lib.sh",
        "a b.sh",
        "hooks/x.py",
        "x.js",
        "conf.json",
    ] {
        sandbox.write(name, "");
    }
    sandbox.settings(&[entry]);
    sandbox
}

/// Each row: a name, a command, the files that are covered, and why it is opaque.
macro_rules! covering {
    ($($name:ident: $command:expr => $files:expr, $opaque:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let sandbox = with_scripts(hook($command));
                assert_eq!(sandbox.covered(), $files as [&str; _]);
                assert_eq!(sandbox.opaque(), $opaque as [&str; _]);
            }
        )+
    };
}

covering! {
    no_file: "true" => [], [];
    inline_program: "echo '{\"continue\": true}'" => [], [];
    script: "\"$CLAUDE_PROJECT_DIR/check.sh\"" => ["check.sh"], [];
    script_with_a_blank: "sh \"$CLAUDE_PROJECT_DIR/a b.sh\"" => ["a b.sh"], [];
    braces: "\"${CLAUDE_PROJECT_DIR}\"/check.sh --fast" => ["check.sh"], [];
    script_of_an_interpreter: "cd \"$CLAUDE_PROJECT_DIR\" && python3 hooks/x.py" => ["hooks/x.py"], [];
    script_of_another_interpreter: "cd \"$CLAUDE_PROJECT_DIR\"; node x.js" => ["x.js"], [];
    text_of_a_shell: "bash -c '. \"$CLAUDE_PROJECT_DIR\"/lib.sh; true'" => ["lib.sh"], [];
    sourced: ". \"$CLAUDE_PROJECT_DIR\"/lib.sh && work" => ["lib.sh"], [];
    wrapped: "timeout 5 env A=b \"$CLAUDE_PROJECT_DIR\"/check.sh" => ["check.sh"], [];
    a_script_behind_an_adapter_is_covered: "hookline adapt --from opta --to claude -- sh -c '\"$CLAUDE_PROJECT_DIR\"/check.sh --fast' || exit $(($? > 1 ? 2 : 1))" => ["check.sh"], [];
    in_a_pipeline: "cat | \"$CLAUDE_PROJECT_DIR\"/check.sh | tail -n 1" => ["check.sh"], [];
    input: "sh < \"$CLAUDE_PROJECT_DIR\"/check.sh" => ["check.sh"], ["unwritten"];
    option_with_a_value: "lint --config=\"$CLAUDE_PROJECT_DIR\"/conf.json" => ["conf.json"], [];
    several: "cd \"$CLAUDE_PROJECT_DIR\" && ./check.sh && node x.js" => ["check.sh", "x.js"], [];
    what_it_writes_is_not_covered: "echo x >> \"$CLAUDE_PROJECT_DIR\"/conf.json" => [], [];
    what_tee_writes_is_not_covered: "echo x | tee -a \"$CLAUDE_PROJECT_DIR\"/conf.json" => [], [];
    nobody_runs_what_is_printed: "echo check.sh" => [], [];

    relative_to_the_agent: "./check.sh" => ["check.sh"], ["moving"];
    variable: "sh \"$SOMEWHERE/x.sh\"" => [], ["word"];
    substitution: "sh \"$(cat conf.json)\"" => ["conf.json"], ["word", "moving"];
    file_name_pattern: "cat hooks/*.py" => [], ["word"];
    variable_of_its_own: "X=/tmp; \"$X\"/check.sh" => [], ["word", "directory"];
    project_directory_of_its_own: "CLAUDE_PROJECT_DIR=/nowhere; \"$CLAUDE_PROJECT_DIR\"/check.sh" => [], ["word", "missing"];
    eval: "eval 'sh check.sh'" => ["check.sh"], ["unwritten", "moving"];
    downloaded: "curl -s https://example.com/x.sh | sh" => [], ["unwritten"];
    search_path: "PATH=bin:$PATH check" => [], ["word", "lookup"];
    missing: "\"$CLAUDE_PROJECT_DIR\"/no-such.sh" => [], ["missing"];
    directory: "node \"$CLAUDE_PROJECT_DIR/hooks\"" => [], ["directory"];
    runner: "npm test" => [], ["runner"];
    module: "python3 -m checks" => [], ["runner"];
    no_shell: "echo 'unfinished \"$CLAUDE_PROJECT_DIR\"/check.sh" => ["check.sh"], ["unreadable"];
    device: "cat /dev/zero" => [], ["not_a_file"];
    made_up_by_the_kernel: "cat /proc/loadavg" => [], ["not_a_file"];
    nothing: "cat /dev/null" => [], [];
    script_without_an_ending_that_is_missing: "sh run" => [], ["missing"];
    program_in_a_folder_that_is_missing: "bin/run --fast" => [], ["missing"];
    script_after_options: "cd \"$CLAUDE_PROJECT_DIR\" && python3 -u hooks/x.py" => ["hooks/x.py"], [];
    script_from_input: "curl example.com | python3 -" => [], ["unwritten"];
    interpreter_without_a_script: "cat | node" => [], ["unwritten"];
    inline_script: "python3 -c 'print(1)'" => [], [];
    inline_script_of_another: "node -e 'check.sh'" => ["check.sh"], ["moving"];
    text_for_another_user: "su me -c ./check.sh" => ["check.sh"], ["unwritten", "moving"];
    attached_option: "cd \"$CLAUDE_PROJECT_DIR\" && node -r./x.js -e 1" => ["x.js"], [];
    name_like_an_address: "cd \"$CLAUDE_PROJECT_DIR\" && cat hooks://../x.py" => [], [];
    whatever_is_found: "find . -name x -exec {} \\;" => [], ["word", "directory"];
    changed_to_in_another_process: "(cd \"$CLAUDE_PROJECT_DIR\"); ./check.sh" => ["check.sh"], ["moving"];
    changed_to_in_the_background: "cd \"$CLAUDE_PROJECT_DIR\" & ./check.sh" => ["check.sh"], ["moving"];
    changed_to_and_back: "cd / && cd - && ./check.sh" => ["check.sh"], ["moving"];
    changed_to_home: "cd && ./check.sh" => ["check.sh"], ["moving"];
    no_environment: "env -i sh -c '\"$CLAUDE_PROJECT_DIR\"/check.sh'" => [], ["word"];
    other_rights: "sudo sh -c '\"$CLAUDE_PROJECT_DIR\"/check.sh'" => [], ["word"];
}

#[test]
fn arguments_without_a_shell_are_covered_as_they_are() {
    let entry = json!({
        "type": "command",
        "command": "python3",
        "args": ["${CLAUDE_PROJECT_DIR}/a b.sh", "$HOME", "*.sh", "a; b"],
    });
    let sandbox = with_scripts(entry);
    assert_eq!(sandbox.covered(), ["a b.sh"]);
    assert_eq!(sandbox.opaque(), [""; 0]);
}

#[test]
fn a_shell_among_the_arguments_is_looked_into() {
    let text = format!("{PROJECT}/check.sh; . {PROJECT}/lib.sh");
    let entry = json!({"type": "command", "command": "bash", "args": ["-c", text]});
    assert_eq!(with_scripts(entry).covered(), ["check.sh", "lib.sh"]);
}

#[test]
fn an_entry_cannot_hide_a_script_behind_a_variable_that_exec_form_does_not_use() {
    let sandbox = Sandbox::new();
    sandbox.write("check.sh", "");
    let entry = json!({
        "type": "command",
        "command": "${CLAUDE_PROJECT_DIR}/check.sh",
        "args": [],
        "env": {"CLAUDE_PROJECT_DIR": "/nowhere"},
    });
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    sandbox.write(".hookline/hooks.json", &hooks.to_string());
    assert_eq!(sandbox.covered(), ["check.sh"]);
}

#[test]
fn what_an_entry_sets_is_known() {
    let sandbox = Sandbox::new();
    sandbox.write("tools/check.sh", "");
    let entry = json!({
        "type": "command",
        "command": "cd \"$CLAUDE_PROJECT_DIR\" && sh \"$TOOLS\"/check.sh",
        "env": {"TOOLS": "tools", "NODE_OPTIONS": "--require ./x.js"},
    });
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    sandbox.write(".hookline/hooks.json", &hooks.to_string());
    assert_eq!(sandbox.covered(), ["tools/check.sh"]);
    assert_eq!(sandbox.opaque(), ["lookup"]);
}

#[test]
fn a_fixed_working_directory_does_not_move() {
    let sandbox = Sandbox::new();
    sandbox.write("tools/check.sh", "");
    let entry = json!({"type": "command", "command": "./check.sh", "cwd": "tools"});
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    sandbox.write(".hookline/hooks.json", &hooks.to_string());
    assert_eq!(sandbox.covered(), ["tools/check.sh"]);
    assert_eq!(sandbox.opaque(), [""; 0]);
}

#[test]
fn a_text_for_another_kind_of_shell_is_not_read_as_if_it_were_for_this_one() {
    let sandbox = with_scripts(json!({
        "type": "command",
        "command": "& ./check.sh",
        "shell": "powershell",
    }));
    assert_eq!(sandbox.covered(), ["check.sh"]);
    assert!(sandbox.opaque().contains(&"unreadable"));
}

#[test]
fn what_a_script_sources_by_name_is_covered_and_what_it_computes_is_shown() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    let script =
        "#!/bin/sh\ncd \"$CLAUDE_PROJECT_DIR\"\n. ./lib.sh\n. \"$(dirname \"$0\")\"/more.sh\n";
    sandbox.write("check.sh", script);
    sandbox.write("lib.sh", "source deeper.sh");
    sandbox.write("deeper.sh", "");
    assert_eq!(sandbox.covered(), ["check.sh", "deeper.sh", "lib.sh"]);
    assert_eq!(sandbox.opaque(), ["word", "moving", "moving"]);
}

#[test]
fn an_interpreter_in_the_project_is_covered() {
    let sandbox = Sandbox::with_command("\"$CLAUDE_PROJECT_DIR\"/check");
    sandbox.write("check", "#!./interpreter --fast\n");
    sandbox.write("interpreter", "");
    assert_eq!(sandbox.covered(), ["check", "interpreter"]);
}

#[test]
fn the_systems_own_programs_are_not_covered_by_content() {
    let sandbox = Sandbox::with_command("/bin/sh -c true");
    let files = sandbox.fingerprint().files;
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].content, hook_config::trust::Content::System);
}

#[test]
fn a_program_counts_when_the_search_path_finds_it_in_the_project() {
    let sandbox = Sandbox::with_command("check --fast");
    sandbox.write("bin/check", "");
    write(&sandbox.path("elsewhere/check"), "");
    let path = std::env::join_paths([
        sandbox.path("elsewhere"),
        sandbox.project("bin"),
        "/usr/bin".into(),
    ]);
    let trust = hook_config::ContentTrust::new(
        sandbox.around().path(&path.unwrap()),
        Some(sandbox.store()),
    );
    let files = &sandbox.reviews(&trust)[0].fingerprint().files.clone();
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(paths, [std::path::Path::new("bin/check")]);
}

#[test]
fn a_file_that_is_too_large_is_covered_by_its_size_alone() {
    let sandbox = Sandbox::with_command("\"$CLAUDE_PROJECT_DIR\"/huge");
    let file = std::fs::File::create(sandbox.project("huge")).unwrap();
    file.set_len(17 * 1024 * 1024).unwrap();
    assert_eq!(sandbox.opaque(), ["too_large"]);
    let before = sandbox.fingerprint().whole;
    file.set_len(18 * 1024 * 1024).unwrap();
    assert_ne!(sandbox.fingerprint().whole, before);
}

#[test]
fn a_command_with_very_many_words_is_looked_at_within_bounds() {
    let words: Vec<String> = (0..5000).map(|n| format!("./f{n}.sh")).collect();
    let sandbox = Sandbox::with_command(&format!("cat {}", words.join(" ")));
    assert!(sandbox.opaque().contains(&"too_many"));
}

#[test]
fn a_pipe_in_place_of_a_script_holds_nobody_up() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
    let pipe = std::process::Command::new("mkfifo")
        .arg(sandbox.project("check.sh"))
        .status()
        .unwrap();
    assert!(pipe.success());
    assert_eq!(sandbox.opaque(), ["not_a_file"]);
}

/// Each row: a name, a command, a file beside the scripts, whether it is covered, and why it is opaque.
macro_rules! with_a_file {
    ($($name:ident: $command:expr, $file:expr => $files:expr, $opaque:expr;)+) => {
        $(
            #[test]
            fn $name() {
                let sandbox = with_scripts(hook($command));
                sandbox.write($file, "");
                assert_eq!(sandbox.covered(), $files as [&str; _]);
                assert_eq!(sandbox.opaque(), $opaque as [&str; _]);
            }
        )+
    };
}

with_a_file! {
    node_finds_a_script_by_a_part_of_its_name: "node \"$CLAUDE_PROJECT_DIR/guard\"", "guard.js" => ["guard.js"], ["missing"];
    node_finds_a_script_by_its_folder: "node \"$CLAUDE_PROJECT_DIR/guard\"", "guard/index.js" => ["guard/index.js"], ["directory"];
    python_finds_a_script_by_its_folder: "python3 \"$CLAUDE_PROJECT_DIR/guard\"", "guard/__main__.py" => ["guard/__main__.py"], ["directory"];
    a_file_that_a_text_names_is_covered: "cd \"$CLAUDE_PROJECT_DIR\" && awk 'BEGIN { system(\"./run.sh 1\") }'", "run.sh" => ["run.sh"], [];
    a_text_that_is_split_into_words: "cd \"$CLAUDE_PROJECT_DIR\" && env -S 'sh ./run.sh'", "run.sh" => ["run.sh"], ["unwritten", "missing"];
    a_name_that_only_the_shell_can_follow: "sh ~+/check.sh", "~+/check.sh" => [], ["word"];
    what_a_shell_takes_for_the_folder_above: "cd \"$CLAUDE_PROJECT_DIR\"/a/b/.. && ./run.sh", "a/run.sh" => ["a/run.sh"], [];
}

covering! {
    an_import_of_a_text: "python3 -c 'import json; print(1)'" => [], ["runner"];
    an_import_of_a_text_of_another: "node -e 'require(\"x\")'" => [], ["runner"];
    an_import_that_leaves_the_project_out: "python3 -I -c 'import json'" => [], [];
    hooks_of_a_repository: "git commit -m x" => [], ["runner"];
    no_hooks_of_a_repository: "git status" => [], [];
    what_comes_in: "cat /dev/stdin" => [], ["not_a_file"];
    a_place_of_whoever_looks: "sh /proc/self/cwd/check.sh" => [], ["not_a_file"];
    a_variable_that_nobody_can_name: "A=CLAUDE_PROJECT; export \"${A}_DIR=/tmp\"; \"$CLAUDE_PROJECT_DIR\"/check.sh" => ["check.sh"], ["lookup"];
    a_variable_that_is_read_by_any_name: "read \"$A\"; \"$CLAUDE_PROJECT_DIR\"/check.sh" => ["check.sh"], ["lookup"];
    an_exported_value_is_no_name: "export X=\"$Y\"" => [], ["word"];
    changed_to_where_nobody_may_be: "cd /nowhere; ./check.sh" => ["check.sh"], ["moving"];
    changed_to_where_nobody_may_be_with_something_after_it: "cd /nowhere && true; ./check.sh" => ["check.sh"], ["moving"];
    a_variable_that_a_language_runs: "LUA_INIT=@x lua -v" => [], ["unwritten", "lookup"];
    a_variable_that_changes_where_to: "CDPATH=/elsewhere; cd hooks" => [], ["lookup", "missing"];
    changed_to_for_certain: "cd / && ./check.sh" => ["check.sh"], [];
}

/// A project whose hook runs `check`, which has neither an ending nor a first line.
fn sourcing(command: &str, check: &str) -> Sandbox {
    let sandbox = Sandbox::with_command(command);
    sandbox.write("check", check);
    sandbox.write("lib", "");
    sandbox.write("sub/lib", "");
    sandbox
}

#[test]
fn a_script_is_looked_into_whatever_its_name() {
    for command in [
        "sh \"$CLAUDE_PROJECT_DIR\"/check",
        "\"$CLAUDE_PROJECT_DIR\"/check",
        ". \"$CLAUDE_PROJECT_DIR\"/check",
        "cat \"$CLAUDE_PROJECT_DIR\"/check; sh \"$CLAUDE_PROJECT_DIR\"/check",
    ] {
        let sandbox = sourcing(command, ". \"$CLAUDE_PROJECT_DIR\"/lib\n");
        assert_eq!(sandbox.covered(), ["check", "lib"], "{command}");
        assert_eq!(sandbox.opaque(), [""; 0], "{command}");
    }
}

#[test]
fn a_script_is_looked_into_from_where_the_command_changes_to() {
    let command = "cd \"$CLAUDE_PROJECT_DIR\"/sub && sh ../check";
    let sandbox = sourcing(command, ". ./lib\n");
    assert_eq!(sandbox.covered(), ["lib", "sub/../check", "sub/lib"]);
}

#[test]
fn a_script_is_not_looked_into_with_variables_that_the_command_sets() {
    let command = "X=1 CLAUDE_PROJECT_DIR=/elsewhere sh check";
    let sandbox = sourcing(command, ". \"$CLAUDE_PROJECT_DIR\"/lib\n");
    assert_eq!(sandbox.covered(), ["check"]);
    assert!(sandbox.opaque().contains(&"word"));
}

#[test]
fn a_script_that_cannot_be_looked_into_is_shown_as_such() {
    let long = "# long\n".repeat(20_000);
    for check in ["if true; then . ./lib\n", ". ./lib\r\n", long.as_str()] {
        let sandbox = sourcing("sh \"$CLAUDE_PROJECT_DIR\"/check", check);
        assert!(sandbox.opaque().contains(&"unsearched"), "{}", check.len());
    }
}

#[test]
fn a_program_that_is_no_text_is_not_taken_for_a_script() {
    let sandbox = Sandbox::with_command("\"$CLAUDE_PROJECT_DIR\"/check");
    std::fs::write(sandbox.project("check"), b"\x7fELF\0\0. ./lib\n").unwrap();
    assert_eq!(sandbox.covered(), ["check"]);
    assert_eq!(sandbox.opaque(), [""; 0]);
}

#[test]
fn what_a_variable_of_the_entry_makes_a_program_load_is_covered() {
    let sandbox = Sandbox::new();
    sandbox.write("x.js", "");
    let entry = json!({
        "type": "command",
        "command": "node -e 1",
        "cwd": ".",
        "env": {"NODE_OPTIONS": "--require ./x.js"},
    });
    let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [entry]}]}});
    sandbox.write(".hookline/hooks.json", &hooks.to_string());
    assert_eq!(sandbox.covered(), ["x.js"]);
    assert_eq!(sandbox.opaque(), ["lookup"]);
}
