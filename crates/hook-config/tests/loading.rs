//! From files on disk to hooks that run: which files, in which order, with which rules.

mod support;

use std::fs;
use std::time::Duration;

use hook_config::{Explicit, FileState, Format, Layer, Options, load};
use hook_runner::{Fire, HookSet, Wait};
use hook_types::{Event, EventName, OnFailure, PostToolUse, PreToolUse, Stop};
use serde_json::json;
use support::{Scene, codes, command, endings, options, settings};

fn bash(command: &str) -> PreToolUse {
    PreToolUse::new("Bash", json!({ "command": command }))
}

#[test]
fn every_file_that_is_looked_for_is_told_with_what_became_of_it() {
    let scene = Scene::new();
    scene.write("managed/managed-settings.json", "{}");
    scene.write("managed/managed-settings.d/b.json", "{}");
    scene.write("managed/managed-settings.d/a.json", "{}");
    scene.write("managed/managed-settings.d/notes.txt", "not settings");
    scene.write("home/.claude/settings.json", "{ not json");
    scene.write("home/.config/hookline/hooks.json", "[]");
    scene.write("project/.claude/settings.local.json", "");
    fs::create_dir_all(scene.path("project/.hookline/hooks.json")).unwrap();

    let report = scene.load().report;
    let told: Vec<String> = report
        .files
        .iter()
        .map(|file| {
            let path = file.path.strip_prefix(scene.path("")).unwrap();
            format!(
                "{:?} {} {}",
                file.origin.layer,
                path.display(),
                file.state.as_str()
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "Managed managed/managed-settings.json read",
            "Managed managed/managed-settings.d/a.json read",
            "Managed managed/managed-settings.d/b.json read",
            "Managed managed/hooks.json missing",
            "User home/.claude/settings.json not JSON",
            "User home/.config/hookline/hooks.json of no known shape",
            "User home/.config/opta/config.json missing",
            "User home/.config/opencode/hooks.json missing",
            "User home/.config/src/opencode/hooks.json missing",
            "Project project/.claude/settings.json missing",
            "Project project/.hookline/hooks.json unreadable",
            "Project project/.opta/config.json missing",
            "Project project/.opencode/hooks.json missing",
            "Project project/.src/opencode/hooks.json missing",
            "Local project/.claude/settings.local.json read",
            "Local project/.hookline/hooks.local.json missing",
        ]
    );
    assert_eq!(
        codes(&report.diagnostics),
        ["not-json", "unknown-shape", "unreadable"]
    );
}

#[tokio::test]
async fn layers_run_in_their_order_and_each_hook_knows_its_file_and_line() {
    let scene = Scene::new();
    let says = |word: &str| settings("PostToolUse", "", &[command(&format!("echo {word}"))]);
    scene.write("project/.claude/settings.local.json", says("local"));
    scene.write("project/.claude/settings.json", says("project"));
    scene.write("home/.claude/settings.json", says("user"));
    scene.write("managed/managed-settings.json", says("managed"));
    scene.write(
        "project/.hookline/hooks.json",
        format!("\n\n{}", says("own")),
    );
    let named = scene.write("elsewhere/any.json", says("named"));
    let places = scene.places().settings(named.as_path());

    let runner = scene.runner_of(load(&places, &options()));
    let verdict = runner
        .fire(PostToolUse::new("Bash", json!({}), json!("ok")))
        .await;
    let told: Vec<(String, String)> = verdict
        .attempts
        .iter()
        .map(|attempt| {
            let said = attempt.reply.evidence.stdout.trim().to_owned();
            (said, attempt.hook.id.to_string())
        })
        .collect();
    let expected = [
        (
            "managed",
            scene
                .path("managed/managed-settings.json:1")
                .display()
                .to_string(),
        ),
        ("user", "~/.claude/settings.json:1".to_owned()),
        ("project", ".claude/settings.json:1".to_owned()),
        ("own", ".hookline/hooks.json:3".to_owned()),
        ("local", ".claude/settings.local.json:1".to_owned()),
        (
            "named",
            scene.path("elsewhere/any.json:1").display().to_string(),
        ),
    ];
    let expected = expected.map(|(said, id)| (said.to_owned(), id));
    assert_eq!(told, expected);
    let source = verdict.attempts[3].hook.source.as_ref().unwrap();
    assert_eq!(source.line, 3);
    assert_eq!(
        source.file,
        scene
            .path("project/.hookline/hooks.json")
            .display()
            .to_string()
    );
}

#[tokio::test]
async fn the_same_hook_in_two_files_runs_once() {
    let scene = Scene::new();
    let log = scene.path("log");
    let text = settings(
        "PreToolUse",
        "Bash",
        &[command(&format!("echo ran >> '{}'", log.display()))],
    );
    scene.write("home/.claude/settings.json", &text);
    scene.write("project/.claude/settings.json", &text);
    scene.fire(bash("ls")).await;
    assert_eq!(support::text_of(&log), "ran\n");
}

#[tokio::test]
async fn the_hook_that_asks_gets_the_event_and_its_environment() {
    let scene = Scene::new();
    let handler = json!({
        "type": "command", "command": "printf '%s|%s|%s|' \"$WORD\" \"$CLAUDE_PROJECT_DIR\" \"$PWD\"; cat",
        "env": {"WORD": "hello"}, "cwd": "tools",
    });
    fs::create_dir(scene.path("project/tools")).unwrap();
    scene.write(
        "project/.hookline/hooks.json",
        settings("PostToolUse", "", &[handler]),
    );
    let verdict = scene
        .fire(PostToolUse::new("Bash", json!({}), json!("ok")))
        .await;
    let said = &verdict.attempts[0].reply.evidence.stdout;
    let project = scene.project().display().to_string();
    assert!(
        said.starts_with(&format!("hello|{project}|{project}/tools|")),
        "{said}"
    );
    assert!(
        said.contains("\"hook_event_name\":\"PostToolUse\""),
        "{said}"
    );
}

#[tokio::test]
async fn a_disabled_hook_does_not_run_and_is_still_told() {
    let scene = Scene::new();
    let handler = json!({"type": "command", "command": "exit 2", "enabled": false});
    scene.write(
        "project/.hookline/hooks.json",
        settings("PreToolUse", "", &[handler]),
    );
    let loaded = scene.load();
    assert_eq!(loaded.report.hooks[0].fate, hook_config::Fate::Disabled);
    let verdict = scene.runner_of(loaded).fire(bash("ls")).await;
    assert!(!verdict.is_denied());
}

#[tokio::test]
async fn a_sequential_group_hands_on_what_was_rewritten() {
    let scene = Scene::new();
    let rewrite = |text: &str| {
        let answer = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "updatedInput": {"command": text},
        }});
        command(&format!("printf '%s' '{answer}'"))
    };
    let last =
        command("grep -q '\"command\":\"first\"' || { echo 'saw the original' >&2; exit 2; }");
    let group = |mode: &str| {
        let text = json!({"hooks": {"PreToolUse": [
            {"mode": mode, "hooks": [rewrite("first"), last.clone()]},
        ]}});
        text.to_string()
    };
    scene.write("project/.hookline/hooks.json", group("sequential"));
    assert!(!scene.fire(bash("ls")).await.is_denied());
    scene.write("project/.hookline/hooks.json", group("parallel"));
    assert_eq!(
        scene.fire(bash("ls")).await.reason(),
        Some("saw the original")
    );
}

#[tokio::test]
async fn in_our_own_files_continue_true_with_words_keeps_the_agent_going() {
    let scene = Scene::new();
    let answer = json!({"continue": true, "systemMessage": "run the tests first"});
    let text = settings("Stop", "", &[command(&format!("printf '%s' '{answer}'"))]);
    scene.write("project/.claude/settings.json", &text);
    assert!(
        !scene.fire(Stop::new(false)).await.keeps_going(),
        "a Claude file cannot say so"
    );

    scene.write("project/.claude/settings.json", "{}");
    scene.write("project/.hookline/hooks.json", &text);
    assert!(scene.fire(Stop::new(false)).await.keeps_going());

    let bare = settings("Stop", "", &[command("printf '%s' '{\"continue\": true}'")]);
    scene.write("project/.hookline/hooks.json", bare);
    assert!(
        !scene.fire(Stop::new(false)).await.keeps_going(),
        "a bare `true` is the default"
    );
}

#[tokio::test]
async fn a_file_that_is_not_json_has_no_hooks_and_every_firing_says_so() {
    let scene = Scene::new();
    scene.write("project/.claude/settings.json", "{\n  \"hooks\": {oops\n}");
    scene.write(
        "home/.claude/settings.json",
        settings("PreToolUse", "", &[command("echo ok")]),
    );
    let verdict = scene.fire(bash("ls")).await;
    assert!(!verdict.is_denied(), "nobody knows what the file asks for");
    let endings = endings(&verdict);
    assert_eq!(endings.len(), 2);
    assert!(endings[1].starts_with("LaunchFailed"), "{endings:?}");
    assert!(
        endings[1].contains("settings.json:2:13: error[not-json]"),
        "{endings:?}"
    );
    let stop = scene.fire(Stop::new(false)).await;
    assert_eq!(stop.attempts.len(), 1);
    assert!(!stop.keeps_going());
}

#[test]
fn an_explicit_file_is_of_any_format_and_must_be_there() {
    let scene = Scene::new();
    let ours = scene.write(
        "any/.hookline/x.json",
        settings("Stop", "", &[command("a")]),
    );
    let claude = scene.write("any/x.json", settings("Stop", "", &[command("b")]));
    let gone = scene.path("any/gone.json");
    let inline = Explicit::Text(settings("Stop", "", &[command("c")]));
    let mut places = hook_config::Places::none();
    for path in [&ours, &claude, &gone] {
        places = places.settings(path.as_path());
    }
    let report = load(&places.settings(inline), &options()).report;
    let formats: Vec<Format> = report.files.iter().map(|file| file.format).collect();
    assert_eq!(formats[..2], [Format::Hookline, Format::Claude]);
    assert!(matches!(report.files[2].state, FileState::Unreadable(_)));
    assert_eq!(codes(&report.diagnostics), ["unreadable"]);
    assert!(
        report
            .files
            .iter()
            .all(|file| file.origin.layer == Layer::Settings)
    );
    assert_eq!(report.hooks.len(), 3);
    assert_eq!(report.hooks[2].place.to_string(), "--settings:1:42");
}

#[test]
fn without_the_user_only_the_users_files_are_left_out() {
    let scene = Scene::new();
    let places = scene.places().without_user();
    let layers: Vec<Layer> = places
        .candidates()
        .iter()
        .map(|place| place.layer)
        .collect();
    assert!(!layers.contains(&Layer::User));
    assert!(layers.contains(&Layer::Managed) && layers.contains(&Layer::Project));
}

#[test]
fn private_settings_may_be_at_the_root_of_the_repository() {
    let scene = Scene::new();
    fs::create_dir(scene.path("project/.git")).unwrap();
    fs::create_dir_all(scene.path("project/crates/a")).unwrap();
    scene.write(
        "project/.claude/settings.local.json",
        settings("Stop", "", &[command("x")]),
    );
    scene.write(
        "project/.claude/settings.json",
        settings("Stop", "", &[command("y")]),
    );
    let places = scene.places().project(scene.path("project/crates/a"));
    let report = load(&places, &options()).report;
    let commands: Vec<String> = report
        .hooks
        .iter()
        .map(|hook| hook.entry.as_ref().unwrap().summary())
        .collect();
    assert_eq!(
        commands,
        ["x"],
        "shared settings are only looked for in the project itself"
    );
}

#[test]
fn the_claude_directory_and_the_configuration_directory_can_be_elsewhere() {
    let environment = |name: &str| match name {
        "HOME" => Some("/h".into()),
        "CLAUDE_CONFIG_DIR" => Some("/c".into()),
        "XDG_CONFIG_HOME" => Some("/x".into()),
        _ => None,
    };
    let places = hook_config::Places::from_environment(environment);
    let paths: Vec<String> = places
        .candidates()
        .iter()
        .filter(|place| place.layer == Layer::User)
        .map(|place| place.path.display().to_string())
        .collect();
    assert_eq!(paths[..2], ["/c/settings.json", "/x/hookline/hooks.json"]);
    assert_eq!(places.user_directory(), Some("/x/hookline".into()));
}

#[test]
fn a_project_in_the_users_home_has_the_users_files_and_they_count_once() {
    let scene = Scene::new();
    scene.write(
        "home/.claude/settings.json",
        settings("Stop", "", &[command("x")]),
    );
    let places = scene.places().project(scene.path("home"));
    let report = load(&places, &options()).report;
    assert_eq!(report.hooks.len(), 1);
    assert_eq!(report.hooks[0].origin.layer, Layer::User);
    let path = scene.path("home/.claude/settings.json");
    let states = report.files.iter().filter(|file| file.path == path);
    let states: Vec<&FileState> = states.map(|file| &file.state).collect();
    assert_eq!(states, [&FileState::Read, &FileState::SameAs(path.clone())]);
}

#[tokio::test]
async fn where_nobody_says_whom_to_trust_none_of_a_projects_hooks_run() {
    let scene = Scene::new();
    let log = scene.path("log");
    let says = |word: &str| {
        let line = format!("echo {word} >> '{}'", log.display());
        settings("PreToolUse", "", &[command(&line)])
    };
    scene.write("home/.claude/settings.json", says("user"));
    scene.write("project/.claude/settings.json", says("project"));
    scene.write("project/.claude/settings.local.json", says("local"));
    let loaded = load(&scene.places(), &Options::new(hook_shell::Host::new()));
    scene.runner_of(loaded).fire(bash("ls")).await;
    assert_eq!(support::text_of(&log), "user\n");
}

#[test]
fn placeholders_are_variables_of_the_environment_in_powershell_too() {
    let scene = Scene::new();
    let text = "& ${CLAUDE_PROJECT_DIR}/x.ps1 $CLAUDE";
    let handler = json!({"type": "command", "command": text, "shell": "powershell"});
    scene.write(
        "project/.claude/settings.json",
        settings("Stop", "", &[handler]),
    );
    let loaded = scene.load();
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    assert_eq!(
        hook.describe().summary,
        "& ${env:CLAUDE_PROJECT_DIR}/x.ps1 $CLAUDE"
    );
}

#[tokio::test]
async fn hooks_written_in_rust_are_the_last_layer_and_no_file_switches_them_off() {
    let scene = Scene::new();
    scene.write(
        "home/.claude/settings.json",
        settings("PreToolUse", "", &[command("true")]),
    );
    let options = options()
        .rust_hooks(|| HookSet::builder().on("Bash", |_: PreToolUse| PreToolUse::deny("in Rust")));
    let fired = async || {
        let verdict = scene
            .runner_of(load(&scene.places(), &options))
            .fire(bash("ls"))
            .await;
        let kinds = verdict
            .attempts
            .iter()
            .map(|attempt| attempt.hook.kind.as_str().to_owned());
        (
            kinds.collect::<Vec<_>>(),
            verdict.reason().map(str::to_owned),
        )
    };
    let denied = Some("in Rust".to_owned());
    assert_eq!(
        fired().await,
        (
            vec!["command".to_owned(), "function".to_owned()],
            denied.clone()
        )
    );
    scene.write(
        "home/.config/hookline/hooks.json",
        r#"{"disableAllHooks": true}"#,
    );
    assert_eq!(fired().await, (vec!["function".to_owned()], denied));
}

#[tokio::test]
async fn a_set_that_cannot_be_built_blocks_every_guard_and_says_why() {
    let scene = Scene::new();
    let options =
        options().rust_hooks(|| HookSet::builder().on("(", |_: PreToolUse| PreToolUse::pass()));
    let loaded = load(&scene.places(), &options);
    assert_eq!(codes(&loaded.report.diagnostics), ["no-set"]);
    assert!(scene.runner_of(loaded).fire(bash("ls")).await.is_denied());
}

#[test]
fn a_link_that_leads_nowhere_is_told() {
    let scene = Scene::new();
    fs::create_dir(scene.path("home/.claude")).unwrap();
    let link = scene.path("home/.claude/settings.json");
    std::os::unix::fs::symlink(scene.path("home/dotfiles/settings.json"), link).unwrap();
    assert_eq!(codes(&scene.load().report.diagnostics), ["unreadable"]);
    scene.write(
        "home/dotfiles/settings.json",
        settings("Stop", "", &[command("x")]),
    );
    assert_eq!(scene.load().report.hooks.len(), 1);
}

#[test]
fn a_managed_folder_that_cannot_be_listed_is_told() {
    let scene = Scene::new();
    scene.write("managed/managed-settings.d", "this was to be a folder");
    assert_eq!(codes(&scene.load().report.diagnostics), ["not-json"]);
}

#[test]
fn what_an_entry_says_its_hook_does() {
    let scene = Scene::new();
    let handler = json!({
        "type": "command", "command": "x", "if": "Bash(git *)", "timeout": 7, "once": true,
        "onFailure": "block", "statusMessage": "looking", "description": "looks", "asyncRewake": true,
    });
    let text = settings("PreToolUse", "Bash|Edit", &[handler]);
    scene.write("project/.hookline/hooks.json", text);
    let loaded = scene.load();
    let (hook, layer) = loaded.hooks.hooks().next().unwrap();
    let when = (layer, hook.get_event(), hook.get_matcher().to_string());
    assert_eq!(
        when,
        (
            Layer::Project,
            EventName::PreToolUse,
            "Bash|Edit".to_owned()
        )
    );
    let condition = hook.get_condition().map(ToString::to_string);
    let limits = (
        condition.as_deref(),
        hook.get_timeout(),
        hook.get_on_failure(),
    );
    let seven = Some(Duration::from_secs(7));
    assert_eq!(limits, (Some("Bash(git *)"), seven, Some(OnFailure::Block)));
    let texts = (
        hook.get_status_message(),
        hook.get_description(),
        hook.get_wait(),
    );
    assert_eq!(texts, (Some("looking"), Some("looks"), Wait::Rewake));
    assert!(hook.is_once() && hook.is_enabled());
}

#[tokio::test]
async fn a_hook_runs_for_its_matcher_alone() {
    let scene = Scene::new();
    scene.write(
        "project/.claude/settings.json",
        settings("PreToolUse", "Bash", &[command("exit 2")]),
    );
    assert!(scene.fire(bash("ls")).await.is_denied());
    assert!(
        !scene
            .fire(PreToolUse::new("Edit", json!({})))
            .await
            .is_denied()
    );
}

#[tokio::test]
async fn a_group_that_is_switched_off_does_not_run() {
    let scene = Scene::new();
    let text = json!({"hooks": {"PreToolUse": [{"enabled": false, "hooks": [command("exit 2")]}]}});
    scene.write("project/.hookline/hooks.json", text.to_string());
    let verdict = scene.fire(bash("ls")).await;
    assert!(!verdict.is_denied());
    assert_eq!(endings(&verdict), ["Skipped(Disabled)"]);
}

#[tokio::test]
async fn what_a_group_says_holds_for_hooks_that_say_nothing() {
    let scene = Scene::new();
    let text = json!({"hooks": {"PreToolUse": [
        {"timeout": 0.3, "onFailure": "block", "hooks": [command("sleep 300")]},
    ]}});
    scene.write("project/.hookline/hooks.json", text.to_string());
    let started = std::time::Instant::now();
    let verdict = scene.fire(bash("ls")).await;
    assert!(started.elapsed() < Duration::from_mins(1));
    assert!(
        endings(&verdict)[0].starts_with("TimedOut"),
        "{:?}",
        endings(&verdict)
    );
    assert!(verdict.is_denied());
}
