//! What people are told of files that are wrong: a folder of them, and what is said of each.
//!
//! `INSTA_UPDATE=always cargo test -p hook-config --test broken_files` writes the snapshots anew.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hook_config::{Code, Options, Places, Report, Style, load, render};
use hook_shell::Host;

mod broken_scripts;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/broken");

/// The report of one broken file in a project of its own, whose scripts are there.
fn report(name: &str, project: &Path) -> Report {
    let scripts = project.join("scripts");
    fs::create_dir(&scripts).unwrap();
    for entry in fs::read_dir(format!("{FOLDER}/project/scripts")).unwrap() {
        let entry = entry.unwrap();
        let copy = scripts.join(entry.file_name());
        fs::copy(entry.path(), &copy).unwrap();
        let mode = if entry.file_name() == "plain.sh" {
            0o644
        } else {
            0o755
        };
        fs::set_permissions(&copy, fs::Permissions::from_mode(mode)).unwrap();
    }
    let file = project.join(name);
    fs::copy(format!("{FOLDER}/{name}"), &file).unwrap();
    let places = Places::none().project(project).settings(file.as_path());
    load(&places, &Options::new(Host::new()).lint(true)).report
}

fn shown(name: &str) -> String {
    let project = tempfile::tempdir().unwrap();
    let report = report(name, project.path());
    let rendered = report
        .diagnostics
        .iter()
        .map(|problem| render(problem, Style::Plain));
    let text = rendered.collect::<Vec<_>>().join("\n\n");
    text.replace(&format!("{}/", project.path().display()), "")
}

macro_rules! snapshots {
    ($($name:ident: $file:literal;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(shown($file));
        }
    )*};
}

snapshots! {
    names_that_nobody_has_are_said_with_the_nearest_one: "names.json";
    values_of_the_wrong_kind_are_said_one_by_one: "values.json";
    matchers_that_fit_nothing_are_said: "matchers.json";
    scripts_are_looked_at: "scripts.json";
    words_of_commands_are_looked_at: "words.json";
    a_file_that_ends_too_early_is_no_json: "cut.json";
    a_list_is_of_no_known_shape: "list.json";
    the_rules_of_opta_are_checked: "opta.json";
    the_rules_of_opencode_are_checked: "opencode.json";
    what_else_can_be_wrong_is_said: "rest.json";
    a_file_of_which_nobody_can_tell_the_dialect_is_said: "unsure.json";
}

/// The codes that a file of hooks with one entry on `PreToolUse` gets.
fn codes(command: &str) -> Vec<&'static str> {
    let project = tempfile::tempdir().unwrap();
    let said = broken_scripts::said(project.path(), command);
    said.into_iter().map(|(code, _)| code).collect()
}

macro_rules! commands {
    ($($name:ident: $command:literal => $codes:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(codes($command), $codes as [&str; _]);
        }
    )*};
}

commands! {
    a_plain_command_is_fine: "grep -q sudo && exit 2; exit 0" => [];
    double_quotes_are_fine: r#"echo "$CLAUDE_PROJECT_DIR""# => [];
    single_quotes_leave_a_variable_alone: "echo '$CLAUDE_PROJECT_DIR'" => ["quoted-variable"];
    awk_reads_dollars_itself: "awk '{print $CLAUDE_PROJECT_DIR}'" => [];
    a_quote_within_double_quotes_is_no_quote: r#"echo "it's in $CLAUDE_PROJECT_DIR""# => [];
    exit_one_blocks_nothing: "exit 1" => ["exit-one"];
    exit_one_beside_exit_two_is_a_failure_on_purpose: "test -x /bin/sh || exit 1; exit 2" => [];
    exit_ten_is_another_code: "exit 10" => [];
    bash_syntax_is_not_sh_s: "[[ -f x ]] && exit 2" => ["wrong-shell"];
    brackets_in_quotes_are_text: "echo '[[ x ]]'" => [];
    what_awk_is_told_is_awk_s: "awk '\n  function f() { return 1 }\n{ print f() }'; exit 2" => [];
    bash_s_expansions_count_in_double_quotes_too: "echo \"${HOME^^}\"; exit 2" => ["wrong-shell"];
    a_here_string_is_bash_s: "grep x <<< \"$HOME\" && exit 2" => ["wrong-shell"];
    a_program_on_the_path_is_nobody_s_file: "git status" => [];
    a_missing_script_is_said: "./nothing.sh" => ["missing-script"];
    a_script_behind_cd_cannot_be_known: "cd /tmp && ./nothing.sh" => [];
    a_script_text_is_no_file: "python3 -c 'print(1)'" => [];
    a_module_is_no_file: "python3 -m json.tool" => [];
    a_script_whose_name_only_the_shell_knows_is_left_alone: "\"$SOMEWHERE/x.sh\"" => [];
    a_plugin_s_option_is_the_plugin_s: "echo \"$CLAUDE_PLUGIN_OPTION_KEY\"" => [];
    a_variable_of_another_dialect_is_unknown: "echo \"$OPTA_TOOL_NAME\"" => ["unknown-variable"];
    an_answer_on_stderr_is_not_heard: "echo '{\"decision\":\"block\"}' >&2" => ["json-on-stderr"];
    words_on_stderr_are_the_reason: "echo 'no {braces}' >&2; exit 2" => [];
}

#[test]
fn a_shell_that_is_bash_may_have_bash_s_syntax() {
    let project = tempfile::tempdir().unwrap();
    fs::create_dir(project.path().join(".claude")).unwrap();
    fs::write(
        project.path().join(".claude/settings.json"),
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "[[ -f x ]] && exit 2", "shell": "bash"}]}]}}"#,
    )
    .unwrap();
    let places = Places::none().project(project.path());
    let report = load(&places, &Options::new(Host::new()).lint(true)).report;
    assert_eq!(report.diagnostics, []);
}

#[test]
fn a_problem_in_a_command_points_into_the_string() {
    let project = tempfile::tempdir().unwrap();
    let report = report("words.json", project.path());
    let quoted = report
        .diagnostics
        .iter()
        .find(|problem| problem.code == Code::QuotedVariable);
    let place = quoted.unwrap().place.as_ref().unwrap();
    assert_eq!(place.text(), "$CLAUDE_PROJECT_DIR");
    assert_eq!(place.line(), 5);
}

#[test]
fn whatever_is_wrong_has_a_place_and_a_remedy() {
    let mut files = 0;
    for entry in fs::read_dir(FOLDER).unwrap() {
        let entry = entry.unwrap();
        if entry.path().extension().is_none() {
            continue;
        }
        let name = entry.file_name().into_string().unwrap();
        files += 1;
        let project = tempfile::tempdir().unwrap();
        for problem in report(&name, project.path()).diagnostics {
            assert!(problem.place.is_some(), "{problem}");
            let is_told = !problem.help.is_empty() || problem.suggestion.is_some();
            assert!(is_told, "{problem}");
        }
    }
    assert_eq!(files, 11);
}

#[test]
fn every_code_has_a_section_in_the_documentation() {
    let docs = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/diagnostics.md"
    ))
    .unwrap();
    let sections: BTreeSet<&str> = docs
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(sections, codes);
}

#[test]
fn nothing_is_wrong_with_the_templates() {
    for template in hook_config::TEMPLATES {
        let project = tempfile::tempdir().unwrap();
        let places = Places::none().project(project.path());
        template
            .install(&places, hook_config::Layer::Project)
            .unwrap();
        let report = load(&places, &Options::new(Host::new()).lint(true)).report;
        let found = report
            .diagnostics
            .iter()
            .map(|problem| render(problem, Style::Plain));
        assert_eq!(found.collect::<Vec<_>>(), [""; 0], "{}", template.name);
        assert!(!report.hooks.is_empty(), "{}", template.name);
    }
}

#[test]
fn a_script_in_a_folder_of_the_home_is_looked_for_there() {
    let folder = tempfile::tempdir().unwrap();
    let (project, home) = (folder.path().join("project"), folder.path().join("home"));
    fs::create_dir_all(project.join(".hookline")).unwrap();
    fs::create_dir_all(home.join("tools")).unwrap();
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "sh ./guard.sh", "cwd": "~/tools"}]}]}}"#;
    fs::write(project.join(".hookline/hooks.json"), text).unwrap();
    let mut places = Places::none().project(&project);
    places.home = Some(home.clone());
    let codes = || {
        let report = load(&places, &Options::new(Host::new()).lint(true)).report;
        let problems = report.diagnostics.into_iter();
        problems.map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(), [Code::MissingScript]);
    fs::write(home.join("tools/guard.sh"), "exit 2").unwrap();
    assert_eq!(codes(), []);
}

#[test]
fn a_mistake_in_a_very_long_line_is_shown_with_what_is_near_it() {
    let hooks = r#"{"type": "command", "command": "é"}, "#.repeat(20_000);
    let text = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{hooks}{{\"type\": \"command\", \"comand\": \"x\"}}]}}]}}}}"
    );
    let document = hook_config::read("hooks.json", text.as_bytes()).unwrap();
    let problems = hook_config::parse(&document, hook_config::Format::Claude).diagnostics;
    let started = std::time::Instant::now();
    let shown = render(&problems[0], Style::Plain);
    for _ in 0..200 {
        assert_eq!(render(&problems[0], Style::Plain), shown);
    }
    // Were the whole line looked at each time, it would take minutes.
    let taken = started.elapsed();
    assert!(taken < std::time::Duration::from_secs(30), "{taken:?}");
    let place = problems[0].place.as_ref().unwrap();
    assert!(
        shown.contains(&format!("--> hooks.json:1:{}", place.column())),
        "{shown}"
    );
    assert!(shown.contains("\"comand\": \"x\""), "{shown}");
    assert!(shown.len() < 10_000, "{} bytes", shown.len());
}
