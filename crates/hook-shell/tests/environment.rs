//! What a command is told beside its input: variables, a directory, a file for exports; and how it
//! is found and started.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use hook_runner::{Fire, Fired, Group, Hook, HookRunner};
use hook_shell::{Host, Plugin, ShellHook};
use hook_types::{
    Code, CwdChanged, Decision, Effort, EffortLevel, EventName, FileChanged, HookEvent, OnFailure,
    PreToolUse, SessionStart, Setup,
};
use process_tree::Environment;
use serde_json::{Value, json};
use support::{AMPLE, DENY, Fixture, bash, codes, fire_and_close, only, reason, said, stdout};

mod support;

/// The variables that a hook which printed all of them has seen.
fn variables(fired: &Fired) -> BTreeMap<String, String> {
    let lines = stdout(fired).lines();
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// A host that has inherited no variables but where programs are.
fn bare_host() -> Host {
    Host::with_environment(Environment::empty().with("PATH", "/usr/bin:/bin"))
}

fn same_place(one: &str, other: &Path) -> bool {
    fs::canonicalize(one.trim()).unwrap() == fs::canonicalize(other).unwrap()
}

#[tokio::test]
async fn every_hook_is_told_its_project_its_session_and_its_host() {
    let fixture = Fixture::new();
    let runner = fixture.runner::<PreToolUse>(fixture.hook("env").host(&bare_host()));
    runner.update_session(|session| session.project_dir = "/the/project".to_owned());
    let fired = fire_and_close(&runner, bash("ls")).await;
    let seen = variables(&fired);
    for (name, value) in [
        ("CLAUDE_PROJECT_DIR", "/the/project"),
        ("CLAUDE_CODE_SESSION_ID", "session-1"),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "1"),
        ("CLAUDE_PID", &std::process::id().to_string()),
    ] {
        assert_eq!(seen.get(name).map(String::as_str), Some(value), "{name}");
    }
    for name in ["CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT"] {
        assert_eq!(seen.get(name), None, "{name}");
    }
}

#[tokio::test]
async fn the_effort_is_told_where_there_is_one() {
    let fixture = Fixture::new();
    let mut call = bash("ls");
    call.base.effort = Some(Effort::from(EffortLevel::High));
    let fired = fixture
        .fire(call, fixture.hook("printf %s \"$CLAUDE_EFFORT\""))
        .await;
    assert_eq!(stdout(&fired), "high");
}

#[tokio::test]
async fn a_plugins_hook_is_told_its_places_and_its_settings() {
    let fixture = Fixture::new();
    let plugin = Plugin {
        root: "/plugins/a b".to_owned(),
        data: Some("/data/a b".to_owned()),
        options: vec![("level".to_owned(), "$strict `x`".to_owned())],
    };
    let fired = fixture
        .call(fixture.hook("env").host(&bare_host()).plugin(plugin))
        .await;
    let seen = variables(&fired);
    assert_eq!(seen["CLAUDE_PLUGIN_ROOT"], "/plugins/a b");
    assert_eq!(seen["CLAUDE_PLUGIN_DATA"], "/data/a b");
    assert_eq!(seen["CLAUDE_PLUGIN_OPTION_LEVEL"], "$strict `x`");
}

#[tokio::test]
async fn what_another_session_told_this_process_is_not_told_to_hooks() {
    let fixture = Fixture::new();
    let inherited = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("CLAUDE_ENV_FILE", "/another/session")
        .with("CLAUDE_PLUGIN_ROOT", "/another/plugin")
        .with("CLAUDE_PROJECT_DIR", "/another/project")
        .with("OPTA_TOOL_RESULT", "another result")
        .with("KEPT", "yes");
    let hook = fixture.hook("env").host(&Host::with_environment(inherited));
    let fired = fixture.call(hook).await;
    let seen = variables(&fired);
    assert_eq!(seen["KEPT"], "yes");
    assert!(same_place(&seen["CLAUDE_PROJECT_DIR"], fixture.directory()));
    for name in ["CLAUDE_ENV_FILE", "CLAUDE_PLUGIN_ROOT", "OPTA_TOOL_RESULT"] {
        assert_eq!(seen.get(name), None, "{name}");
    }
}

#[tokio::test]
async fn a_file_for_exports_is_offered_on_four_events_and_no_others() {
    let fixture = Fixture::new();
    let samples: Value =
        serde_json::from_str(include_str!("../../hook-types/samples/inputs.json")).unwrap();
    for name in EventName::ALL {
        let hook = fixture
            .hook("echo \"[$CLAUDE_ENV_FILE]\" >&2")
            .host(&bare_host())
            .timeout(AMPLE);
        let runner = fixture.runner_of(Group::parallel().hook(Hook::new(*name, hook)));
        let event = HookEvent::parse(samples[name.as_str()]["minimal"].clone()).unwrap();
        let fired = runner.fire_event(event).await;
        let told = only(&fired).reply.evidence.stderr.trim();
        let offered = matches!(
            name,
            EventName::SessionStart
                | EventName::Setup
                | EventName::CwdChanged
                | EventName::FileChanged
        );
        assert_eq!(told != "[]", offered, "{name}: {told}");
    }
}

#[tokio::test]
async fn what_hooks_export_is_read_back_in_order_and_the_files_are_removed() {
    let fixture = Fixture::new();
    let export = |line: &str, wait: &str| {
        let script = format!(
            "echo \"$CLAUDE_ENV_FILE\" >> files; sleep {wait}; echo '{line}' >> \"$CLAUDE_ENV_FILE\""
        );
        fixture.hook(&script)
    };
    let group = Group::parallel()
        .handler::<SessionStart>("", export("export A=\"one two\"", "0.4"))
        .handler::<SessionStart>("", fixture.hook("true"))
        .handler::<SessionStart>("", export("export B=$A", "0"));
    let fired = fire_and_close(&fixture.runner_of(group), SessionStart::new("startup")).await;
    let exports = fired.outcome.specific.exports.as_deref().unwrap();
    let lines: Vec<&str> = exports.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["export A=\"one two\"", "export B=$A"]);
    let files = fixture.read("files");
    let files: Vec<&str> = files.lines().collect();
    assert_eq!(files.len(), 2);
    assert_ne!(files[0], files[1], "each hook has its own");
    for file in files {
        assert!(!Path::new(file).exists(), "{file}");
        assert!(!Path::new(file).parent().unwrap().exists(), "{file}");
    }
}

#[tokio::test]
async fn exports_count_on_each_of_the_four_events() {
    let fixture = Fixture::new();
    let script = "echo export A=1 > \"$CLAUDE_ENV_FILE\"";
    let exported = |fired: &Fired| fired.outcome.specific.exports.clone();
    let expected = Some("export A=1\n".to_owned());
    let hook = || fixture.hook(script);
    let fired = fixture.fire(SessionStart::new("resume"), hook()).await;
    assert_eq!(exported(&fired), expected);
    let fired = fixture.fire(Setup::new("init"), hook()).await;
    assert_eq!(exported(&fired), expected);
    let fired = fixture.fire(CwdChanged::new("/a", "/b"), hook()).await;
    assert_eq!(exported(&fired), expected);
    let changed = FileChanged::new("/a/.env", "change");
    let fired = fixture.fire(changed, hook()).await;
    assert_eq!(exported(&fired), expected);
}

#[tokio::test]
async fn only_its_owner_can_read_the_file_for_exports() {
    let fixture = Fixture::new();
    let script = "stat -c %a \"$(dirname \"$CLAUDE_ENV_FILE\")\" >&2";
    let fired = fixture
        .fire(SessionStart::new("startup"), fixture.hook(script))
        .await;
    assert_eq!(only(&fired).reply.evidence.stderr, "700\n");
}

#[tokio::test]
async fn exports_that_cannot_be_read_are_reported_and_the_hook_still_counts() {
    let fixture = Fixture::new();
    for spoil in [
        "rm \"$CLAUDE_ENV_FILE\"",
        "rm \"$CLAUDE_ENV_FILE\"; mkfifo \"$CLAUDE_ENV_FILE\"",
        "rm \"$CLAUDE_ENV_FILE\"; ln -s /etc/passwd \"$CLAUDE_ENV_FILE\"",
        "rm \"$CLAUDE_ENV_FILE\"; mkdir \"$CLAUDE_ENV_FILE\"; echo x > \"$CLAUDE_ENV_FILE/x\"",
        "head -c 100000 /dev/zero | tr '\\0' x > \"$CLAUDE_ENV_FILE\"",
        "printf '\\377' > \"$CLAUDE_ENV_FILE\"",
    ] {
        let script = format!("echo \"$CLAUDE_ENV_FILE\" > file; {spoil}; echo context");
        let fired = fixture
            .fire(SessionStart::new("startup"), fixture.hook(&script))
            .await;
        assert_eq!(fired.outcome.specific.exports, None, "{spoil}");
        assert_eq!(codes(&fired), [Code::WrongValue], "{spoil}");
        assert_eq!(fired.outcome.additional_context[0].text, "context");
        let file = fixture.read("file");
        assert!(
            !Path::new(file.trim()).parent().unwrap().exists(),
            "{spoil}"
        );
    }
}

#[tokio::test]
async fn what_a_hook_leaves_running_cannot_bring_the_file_back() {
    let fixture = Fixture::new();
    let script = "echo \"$CLAUDE_ENV_FILE\" > file; \
                  (while [ ! -e go ]; do sleep 0.05; done; echo late >> \"$CLAUDE_ENV_FILE\"; echo tried > tried) \
                  </dev/null >/dev/null 2>&1 &";
    let runner = fixture.runner::<SessionStart>(fixture.hook(script));
    runner.fire(SessionStart::new("startup")).await;
    fs::write(fixture.path("go"), "").unwrap();
    fixture.written("tried").await;
    let file = fixture.read("file");
    assert!(!Path::new(file.trim()).exists());
    runner.close(Duration::ZERO).await;
}

#[tokio::test]
async fn a_hooks_own_variables_come_last_and_scrubbed_ones_are_gone() {
    let fixture = Fixture::new();
    let environment = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("TOKEN", "secret")
        .with("COLOUR", "red");
    let hook = fixture
        .hook("env")
        .host(&Host::with_environment(environment))
        .env("COLOUR", "a 'blue' $one")
        .env("CLAUDE_PROJECT_DIR", "/mine")
        .without_env("TOKEN")
        .without_env("CLAUDE_PID");
    let fired = fixture.call(hook).await;
    let seen = variables(&fired);
    assert_eq!(seen["COLOUR"], "a 'blue' $one");
    assert_eq!(seen["CLAUDE_PROJECT_DIR"], "/mine");
    assert!(!seen.contains_key("TOKEN") && !seen.contains_key("CLAUDE_PID"));
}

#[tokio::test]
async fn telemetry_and_another_plugins_settings_are_not_handed_on() {
    let fixture = Fixture::new();
    let inherited = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=x")
        .with("OTEL_SERVICE_NAME", "agent")
        .with("CLAUDE_PLUGIN_OPTION_TOKEN", "another's")
        .with("TRACEPARENT", "00-1-1-01")
        .with("ANTHROPIC_API_KEY", "key");
    let hook = fixture
        .hook("env")
        .host(&Host::with_environment(inherited))
        .env("OTEL_OWN", "mine");
    let seen = variables(&fixture.call(hook).await);
    let telemetry: Vec<&str> = seen
        .keys()
        .map(String::as_str)
        .filter(|name| name.starts_with("OTEL_") || name.starts_with("CLAUDE_PLUGIN"))
        .collect();
    assert_eq!(telemetry, ["OTEL_OWN"], "what a hook sets itself stays");
    assert_eq!(seen["TRACEPARENT"], "00-1-1-01");
    assert_eq!(seen["ANTHROPIC_API_KEY"], "key");
}

/// The credentials that a hook sees of a host on which the switch is set to `scrub`.
async fn credentials(fixture: &Fixture, scrub: &str) -> Vec<String> {
    let inherited = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", scrub)
        .with("ANTHROPIC_API_KEY", "key")
        .with("AWS_SECRET_ACCESS_KEY", "key")
        .with("OPENAI_API_KEY", "key")
        .with("GITHUB_TOKEN", "key");
    let hook = fixture
        .hook("env")
        .host(&Host::with_environment(inherited))
        .env("GOOGLE_API_KEY", "key");
    let seen = variables(&fixture.call(hook).await);
    let keys = seen.iter().filter(|(_, value)| *value == "key");
    keys.map(|(name, _)| name.clone()).collect()
}

#[tokio::test]
async fn credentials_are_kept_from_hooks_where_that_is_asked_for() {
    let fixture = Fixture::new();
    for on in ["1", "true"] {
        // A token for the code host is what hooks are for; what a hook sets itself stays.
        let kept = credentials(&fixture, on).await;
        assert_eq!(kept, ["GITHUB_TOKEN", "GOOGLE_API_KEY"], "{on}");
    }
    for off in ["0", "false", ""] {
        assert_eq!(credentials(&fixture, off).await.len(), 5, "{off}");
    }
}

#[tokio::test]
async fn a_shell_prefix_is_handed_each_shell_command_as_one_word() {
    let fixture = Fixture::new();
    let log = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > log\neval \"$1\"\n";
    let prefix = fixture.program("log it.sh", log);
    let inherited = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("CLAUDE_CODE_SHELL_PREFIX", prefix);
    let host = Host::with_environment(inherited);
    let script = "read -r line; echo \"it's ${#line}\" >&2; exit 2";
    let fired = fixture.call(fixture.hook(script).host(&host)).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny), "{fired:?}");
    assert!(reason(&fired).starts_with("it's "), "{fired:?}");
    assert_eq!(fixture.read("log"), format!("1\n{script}\n"));
    fs::remove_file(fixture.path("log")).unwrap();
    let exec = fixture.mark(ShellHook::exec("sh", ["-c", "exit 2"]).host(&host));
    assert_eq!(said(&fixture.call(exec).await), ("blocked", Decision::Deny));
    assert!(!fixture.path("log").exists(), "exec form has no shell");
}

#[tokio::test]
async fn powershell_is_started_as_it_wants_to_be() {
    let fixture = Fixture::new();
    let printer = "#!/bin/sh\nprintf '%s\\n' \"$@\" >&2\nexit 2\n";
    fs::create_dir(fixture.path("bin")).unwrap();
    fixture.program("bin/pwsh", printer);
    let path = format!("{}:/usr/bin:/bin", fixture.text_path("bin"));
    let hook = fixture
        .hook("& \"${CLAUDE_PROJECT_DIR}/guard.ps1\" ${mine}")
        .shell("powershell")
        .env("PATH", path);
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny), "{fired:?}");
    let told: Vec<&str> = reason(&fired).lines().collect();
    let options = ["-NoProfile", "-NonInteractive", "-Command"];
    assert_eq!(told[..3], options);
    assert_eq!(told[3], "& \"${env:CLAUDE_PROJECT_DIR}/guard.ps1\" ${mine}");
    assert!(told[4].contains("exit $LASTEXITCODE"), "{told:?}");
}

#[tokio::test]
async fn a_relative_directory_is_the_projects() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.path("project/hooks")).unwrap();
    fs::create_dir(fixture.path("agents")).unwrap();
    let runner = fixture.runner::<PreToolUse>(fixture.hook("pwd").cwd("hooks"));
    runner.update_session(|session| session.project_dir = fixture.text_path("project"));
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("agents");
    let fired = fire_and_close(&runner, call).await;
    assert!(same_place(stdout(&fired), &fixture.path("project/hooks")));
}

#[tokio::test]
async fn a_hook_whose_own_directory_is_gone_runs_nowhere_else() {
    let fixture = Fixture::new();
    let hook = fixture.hook("touch ran; exit 2").cwd("gone");
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("gone"), "{why}");
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_hook_runs_in_its_own_directory_else_in_the_agents() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("own")).unwrap();
    fs::create_dir(fixture.path("agents")).unwrap();
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("agents");
    let fired = fixture.fire(call.clone(), fixture.hook("pwd")).await;
    assert!(same_place(stdout(&fired), &fixture.path("agents")));
    let hook = fixture.hook("pwd").cwd(fixture.path("own"));
    let fired = fixture.fire(call, hook).await;
    assert!(same_place(stdout(&fired), &fixture.path("own")));
    assert_eq!(codes(&fired), []);
}

/// The directory that a hook runs in whose best places are gone.
async fn place(fixture: &Fixture, project: &str, home: Option<&str>) -> Fired {
    let runner = fixture.runner::<PreToolUse>(fixture.hook("pwd"));
    runner.update_session(|session| {
        session.base.cwd = fixture.text_path("gone/too");
        project.clone_into(&mut session.project_dir);
        session.home = home.map(str::to_owned);
    });
    fire_and_close(&runner, bash("ls")).await
}

#[tokio::test]
async fn a_directory_that_is_gone_gives_way_to_the_project_the_home_and_the_temporary_one() {
    let fixture = Fixture::new();
    for name in ["project", "home"] {
        fs::create_dir(fixture.path(name)).unwrap();
    }
    fs::write(fixture.path("file"), "").unwrap();
    let (project, home) = (fixture.text_path("project"), fixture.text_path("home"));
    let gone = fixture.text_path("gone");

    let fired = place(&fixture, &project, Some(&home)).await;
    assert!(same_place(stdout(&fired), Path::new(&project)));
    assert_eq!(codes(&fired), [Code::WrongValue], "and that is said");
    let fired = place(&fixture, &gone, Some(&home)).await;
    assert!(same_place(stdout(&fired), Path::new(&home)));
    let fired = place(&fixture, &fixture.text_path("file"), Some(&home)).await;
    assert!(
        same_place(stdout(&fired), Path::new(&home)),
        "a file is no place"
    );
    let fired = place(&fixture, &gone, Some(&gone)).await;
    assert!(same_place(stdout(&fired), &std::env::temp_dir()));
    let fired = place(&fixture, "", None).await;
    assert!(same_place(stdout(&fired), &std::env::temp_dir()));
}

#[tokio::test]
async fn a_program_beside_the_project_is_found_when_the_directory_is_gone() {
    let fixture = Fixture::new();
    fixture.program("check", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let hook = fixture.mark(ShellHook::exec("./check", [] as [&str; 0]));
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("gone");
    let fired = fixture.fire(call, hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny), "{fired:?}");
}

/// A plugin with everything that can go wrong in a shell.
fn nasty_plugin() -> Plugin {
    Plugin {
        root: "/plug in/'one' \"two\" $HOME".to_owned(),
        data: Some("/data\nline".to_owned()),
        options: vec![
            ("name".to_owned(), "; rm -rf * `id` $(id)".to_owned()),
            ("other".to_owned(), "${CLAUDE_PROJECT_DIR}".to_owned()),
        ],
    }
}

#[tokio::test]
async fn placeholders_become_plain_strings_in_arguments() {
    let fixture = Fixture::new();
    let arguments = [
        "%s|",
        "${CLAUDE_PROJECT_DIR}/a b",
        "x${CLAUDE_PLUGIN_ROOT}y${CLAUDE_PLUGIN_ROOT}",
        "${CLAUDE_PLUGIN_DATA}",
        "${user_config.name}",
        "${user_config.other}",
        "${HOME} $CLAUDE_PROJECT_DIR ${unclosed",
        "",
    ];
    let hook = fixture.mark(ShellHook::exec("printf", arguments).plugin(nasty_plugin()));
    let runner = fixture.runner::<PreToolUse>(hook);
    runner.update_session(|session| session.project_dir = "/pro \"ject\" $x\n'".to_owned());
    let fired = fire_and_close(&runner, bash("ls")).await;
    let root = "/plug in/'one' \"two\" $HOME";
    let expected = [
        "/pro \"ject\" $x\n'/a b",
        &format!("x{root}y{root}"),
        "/data\nline",
        "; rm -rf * `id` $(id)",
        "${CLAUDE_PROJECT_DIR}",
        "${HOME} $CLAUDE_PROJECT_DIR ${unclosed",
        "",
        "",
    ];
    assert_eq!(stdout(&fired), expected.join("|"));
}

#[tokio::test]
async fn a_program_may_be_a_placeholder_and_no_arguments_are_no_shell() {
    let fixture = Fixture::new();
    fixture.program("a $b 'c'", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let none: [&str; 0] = [];
    let hook = fixture.mark(ShellHook::exec("${CLAUDE_PROJECT_DIR}/a $b 'c'", none));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    let hook = fixture.mark(ShellHook::exec("exit 2", none));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
}

#[tokio::test]
async fn a_placeholder_that_nothing_is_known_for_is_named_and_nothing_runs() {
    let fixture = Fixture::new();
    for argument in ["${CLAUDE_PLUGIN_ROOT}/x", "${user_config.colour}"] {
        let hook = fixture.mark(ShellHook::exec("touch", ["ran", argument]));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
        let why = only(&fired).reply.status.to_string();
        assert!(why.contains(argument.trim_end_matches("/x")), "{why}");
    }
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_project_that_nobody_named_fills_no_placeholder() {
    let fixture = Fixture::new();
    let hook = fixture.mark(ShellHook::exec("touch", ["ran", "${CLAUDE_PROJECT_DIR}/x"]));
    let runner = fixture.runner::<PreToolUse>(hook);
    runner.update_session(|session| session.project_dir.clear());
    let fired = fire_and_close(&runner, bash("ls")).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_setting_of_the_users_in_a_shell_command_is_refused() {
    let fixture = Fixture::new();
    let shell = fixture
        .hook("touch ran; echo ${user_config.name}")
        .plugin(nasty_plugin());
    let hook = Hook::new(EventName::PreToolUse, shell).on_failure(OnFailure::Block);
    let fired = fire_and_close(&fixture.runner_of(Group::parallel().hook(hook)), bash("ls")).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
    assert!(reason(&fired).contains("args"), "{fired:?}");
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn stdin_is_the_event_as_one_line() {
    let fixture = Fixture::new();
    let call = PreToolUse::new("Bash", json!({"command": "echo 'a\nb' \"ü\" \u{2028}"}));
    let fired = fixture
        .fire(call.clone(), fixture.hook("cat > stdin"))
        .await;
    assert_eq!(said(&fired), ("no_opinion", Decision::Pass));
    let text = fixture.read("stdin");
    assert!(text.ends_with("}\n"));
    assert_eq!(text.matches('\n').count(), 1, "{text:?}");
    let object: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["hook_event_name"], "PreToolUse");
    assert_eq!(object["session_id"], "session-1");
    assert_eq!(object["cwd"], fixture.directory().to_str().unwrap());
    assert_eq!(object["tool_input"], call.tool_input);
}

#[tokio::test]
async fn a_shell_reads_the_whole_line_at_once() {
    let fixture = Fixture::new();
    let script = "IFS= read -r line || echo unfinished; printf '%s' \"$line\" | tail -c 1; cat";
    let fired = fixture.script(script).await;
    assert_eq!(stdout(&fired), "}");
}

#[tokio::test]
async fn a_program_is_looked_up_in_the_path_that_the_hook_is_given() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("bin dir")).unwrap();
    fixture.program("bin dir/guard", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let none: [&str; 0] = [];
    let path = format!("{}:/usr/bin:/bin", fixture.text_path("bin dir"));
    let hook = fixture.mark(ShellHook::exec("guard", none).env("PATH", path));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    let fired = fixture
        .call(fixture.mark(ShellHook::exec("guard", none)))
        .await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("guard") && why.contains("PATH"), "{why}");
}

#[tokio::test]
async fn a_file_that_may_not_be_run_says_so() {
    let fixture = Fixture::new();
    fs::write(fixture.path("plain"), "#!/bin/sh\n").unwrap();
    assert_eq!(
        fs::metadata(fixture.path("plain")).unwrap().mode() & 0o111,
        0
    );
    let hook = fixture.mark(ShellHook::exec("./plain", [] as [&str; 0]));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("executable"), "{why}");
    let fired = fixture.script("./plain").await;
    assert_eq!(only(&fired).reply.evidence.exit_code, Some(126));
}

#[tokio::test]
async fn another_shell_reads_the_command_where_it_is_asked_for() {
    let fixture = Fixture::new();
    let script = "[[ abc == a* ]] && [ -n \"$BASH_VERSION\" ] && exit 2";
    let fired = fixture.call(fixture.hook(script).shell("bash")).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
    let fired = fixture
        .call(fixture.hook("exit 2").shell("/no/such/shell"))
        .await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
}

#[tokio::test]
async fn one_host_closes_for_all_of_its_hooks() {
    let fixture = Fixture::new();
    let host = Host::new();
    let group = Group::parallel()
        .handler::<PreToolUse>("", fixture.hook("sleep 300 & sleep 301 &").host(&host))
        .handler::<PreToolUse>("", fixture.hook("setsid sleep 300 &").host(&host));
    let runner = fixture.runner_of(group);
    runner.fire(bash("ls")).await;
    fixture.until_there_are(3).await;
    host.close().await;
    assert_eq!(fixture.strays(), [0; 0]);
}
