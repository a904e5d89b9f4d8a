//! What a command is told: its input, variables, a file for exports.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use hook_runner::{Fire, Fired, Group, Hook, HookRunner};
use hook_shell::{Host, Plugin};
use hook_types::{
    Code, CwdChanged, Decision, Effort, EffortLevel, EventName, FileChanged, HookEvent, PreToolUse,
    SessionStart, Setup,
};
use process_tree::Environment;
use serde_json::{Value, json};
use support::{AMPLE, Fixture, bash, codes, fire_and_close, only, said, stdout};

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
