//! Opta's files, as its two documents have them: each rule through a file on disk and a real process.
//! Tests that those documents name have their names.

mod scene;

use std::time::Instant;

use hook_config::Severity;
use hook_runner::{Fire, HookRunner, NoHooks};
use hook_types::{
    Decision, Error, EventName, PostCompact, PostToolUseFailure, SessionEnd, SessionStart, Status,
    Stop, UserPromptSubmit,
};
use scene::{AMPLE, Scene, bash, call, denied, done, one, only, options, printed, ran, reason};
use serde_json::{Value, json};

/// The eight tasks of the hook system's document, and the list of the first version's.
mod the_documents_own_tests {
    use super::*;

    #[tokio::test]
    async fn returns_non_cancelled_when_no_hooks_configured() {
        let fired = Scene::new().fire(SessionStart::new("startup")).await;
        assert!(!denied(&fired) && fired.attempts.is_empty());
    }

    #[tokio::test]
    async fn create_of_an_empty_list_returns_no_op_manager() {
        let scene = Scene::opta(r#"{"hooks": []}"#);
        assert!(scene.load().hooks.is_empty());
        assert!(!denied(&scene.fire(call("x")).await));
        // The shared manager that does nothing.
        assert!(!NoHooks.listens(EventName::PreToolUse));
        assert!(!denied(&NoHooks.fire(call("x")).await.into_fired()));
    }

    #[tokio::test]
    async fn fires_hook_and_passes_env_vars() {
        let scene = Scene::opta(&one(&json!({
            "event": "session.start", "command": "echo \"$OPTA_EVENT\"",
        })));
        let fired = scene.fire(SessionStart::new("startup")).await;
        assert!(!denied(&fired));
        assert_eq!(printed(&fired), ["session.start"]);
    }

    #[tokio::test]
    async fn skips_hooks_for_non_matching_events() {
        let scene = Scene::opta(&one(&json!({"event": "session.end", "command": "exit 1"})));
        let fired = scene.fire(SessionStart::new("startup")).await;
        assert!(!denied(&fired) && ran(&fired).is_empty());
    }

    #[tokio::test]
    async fn matcher_regex_filters_by_tool_name() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "matcher": "edit_file|write_file", "command": "exit 1",
        })));
        assert!(denied(&scene.fire(call("edit_file")).await));
        assert!(!denied(&scene.fire(call("read_file")).await));
        // The same tools under our names.
        assert!(denied(&scene.fire(call("Edit")).await));
        assert!(!denied(&scene.fire(call("Read")).await));
    }

    #[tokio::test]
    async fn matches_mcp_tool_names_with_a_prefix() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "matcher": "mcp__.*", "command": "exit 1",
        })));
        assert!(denied(&scene.fire(call("mcp__mem__save")).await));
        assert!(!denied(&scene.fire(call("Bash")).await));
    }

    #[tokio::test]
    async fn non_zero_exit_on_tool_pre_cancels_with_stderr_reason() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "command": "echo \"Blocked\" >&2 && exit 1",
        })));
        let fired = scene.fire(call("run_command")).await;
        assert!(denied(&fired));
        assert_eq!(reason(&fired), "Blocked");
    }

    #[tokio::test]
    async fn non_zero_exit_on_tool_post_does_not_cancel() {
        let scene = Scene::opta(&one(&json!({"event": "tool.post", "command": "exit 1"})));
        let fired = scene.fire(done("edit_file")).await;
        assert_eq!(fired.outcome.decision, Decision::Pass);
        assert!(!only(&fired).success());
    }

    #[tokio::test]
    async fn kills_hooks_exceeding_timeout() {
        let scene = Scene::opta(&one(&json!({
            "event": "session.start", "command": "echo $$ > pid; exec sleep 300", "timeout": 500,
        })));
        let clock = Instant::now();
        let fired = scene.fire(SessionStart::new("startup")).await;
        assert!(clock.elapsed() < AMPLE);
        assert!(only(&fired).timed_out());
        assert!(!denied(&fired));
        let pid = scene.read("project/pid");
        let alive = std::path::Path::new("/proc").join(pid.trim()).exists();
        assert!(!pid.is_empty() && !alive);
    }

    #[tokio::test]
    async fn background_hooks_do_not_block() {
        let scene = Scene::opta(&one(&json!({
            "event": "session.start", "command": "sleep 300; touch ended", "background": true,
        })));
        let runner = scene.runner();
        let clock = Instant::now();
        let fired = runner.fire(SessionStart::new("startup")).await.into_fired();
        assert!(clock.elapsed() < AMPLE);
        assert_eq!(only(&fired).reply.status, Status::Background);
        runner.close(std::time::Duration::ZERO).await;
        assert!(!scene.path("project/ended").exists());
    }

    #[test]
    fn parses_hooks_from_config() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "command": "echo hi", "matcher": "edit_file",
        })));
        let loaded = scene.load();
        assert_eq!(loaded.report.hooks.len(), 1);
        assert_eq!(loaded.report.diagnostics, []);
    }

    #[test]
    fn rejects_invalid_event_name() {
        let scene = Scene::opta(&one(&json!({"event": "invalid", "command": "x"})));
        let problem = scene.problem();
        assert_eq!(problem.code.as_str(), "unknown-event");
        assert_eq!(problem.severity, Severity::Error);
        assert!(problem.help[0].contains("`tool.pre`"), "{problem:?}");
        assert!(scene.load().hooks.is_empty());
    }

    #[test]
    fn defaults_to_empty_array() {
        let scene = Scene::opta(r#"{"model": "small"}"#);
        let loaded = scene.load();
        assert!(loaded.hooks.is_empty() && loaded.report.diagnostics.is_empty());
    }

    #[tokio::test]
    async fn hook_fires_on_matching_event() {
        let hooks = ["compact", "error"]
            .map(|event| json!({"event": event, "command": "echo $OPTA_EVENT >> fired"}));
        let scene = Scene::opta(&json!({ "hooks": hooks }).to_string());
        scene.fire(PostCompact::new("auto", "what happened")).await;
        assert_eq!(scene.lines("fired"), ["compact"]);
        scene.fire(Error::new("unknown", "it broke")).await;
        assert_eq!(scene.lines("fired"), ["compact", "error"]);
    }

    #[tokio::test]
    async fn hook_receives_correct_env_vars() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.post",
            "command": "env | grep ^OPTA_ | sort > told",
        })));
        let event = hook_types::PostToolUse::new(
            "Edit",
            json!({"file_path": "/a.ts", "new_string": "x"}),
            json!("y".repeat(5000)),
        );
        scene.fire(event).await;
        let cwd = format!("OPTA_CWD={}", scene.project().display());
        let expected = [
            cwd.as_str(),
            "OPTA_EVENT=tool.post",
            "OPTA_MODEL=model-7",
            "OPTA_SESSION_ID=sess_abc123",
            r#"OPTA_TOOL_ARGS={"path":"/a.ts","new_string":"x"}"#,
            "OPTA_TOOL_NAME=edit_file",
            &format!("OPTA_TOOL_RESULT={}", "y".repeat(2048)),
        ];
        assert_eq!(scene.lines("told"), expected);

        let scene = Scene::opta(&one(&json!({
            "event": "error", "command": "echo \"$OPTA_ERROR ${OPTA_TOOL_NAME-no tool}\"",
        })));
        assert_eq!(
            printed(&scene.fire(Error::new("unknown", "it broke")).await),
            ["it broke no tool"]
        );
    }

    #[tokio::test]
    async fn tool_pre_cancellation_works() {
        non_zero_exit_is_skip_tool("exit 1").await;
        non_zero_exit_is_skip_tool("exit 2").await;
        non_zero_exit_is_skip_tool("exit 255").await;
    }

    async fn non_zero_exit_is_skip_tool(command: &str) {
        let scene = Scene::opta(&one(&json!({"event": "tool.pre", "command": command})));
        assert!(denied(&scene.fire(bash("ls")).await), "{command}");
    }

    #[tokio::test]
    async fn timeout_kills_slow_hooks() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "command": "sleep 300", "timeout": 200,
        })));
        let fired = scene.fire(bash("ls")).await;
        assert!(only(&fired).timed_out());
        assert!(
            denied(&fired),
            "a guard that did not finish cancels the tool"
        );
    }

    #[tokio::test]
    async fn background_hooks_dont_block() {
        let scene = Scene::opta(&one(&json!({
            "event": "tool.pre", "command": "touch started; exit 1", "background": true,
        })));
        let fired = scene.fire(bash("ls")).await;
        assert!(!denied(&fired), "nobody waits for its exit code");
        assert!(scene.path("project/started").exists());
    }

    #[tokio::test]
    async fn no_hooks_configured_is_a_no_op() {
        let runner = Scene::opta(r#"{"hooks": []}"#).runner();
        for event in EventName::ALL {
            assert!(!runner.listens(*event));
        }
    }
}

#[tokio::test]
async fn a_failed_launch_cancels_the_tool() {
    let scene = Scene::opta(&one(&json!({
        "event": "tool.pre", "command": ".opta/hooks/not-there.sh",
    })));
    let fired = scene.fire(bash("ls")).await;
    assert!(denied(&fired));
    assert!(reason(&fired).contains("not found"), "{}", reason(&fired));
}

#[tokio::test]
async fn a_background_hooks_errors_are_reported_and_change_nothing() {
    let scene = Scene::opta(&one(&json!({
        "event": "session.end", "command": "echo oops >&2; exit 3", "background": true,
    })));
    let runner = scene.runner();
    let fired = runner.fire(SessionEnd::new("other")).await.into_fired();
    assert!(!denied(&fired));
    runner.close(AMPLE).await;
    let late = runner.take_finished();
    assert_eq!(late.len(), 1);
    assert_eq!(late[0].attempt.reply.evidence.stderr, "oops\n");
    assert!(!late[0].attempt.success());
}

#[tokio::test]
async fn what_follows_a_tool_is_one_event_whether_the_tool_failed_or_not() {
    let scene = Scene::opta(&one(&json!({
        "event": "tool.post", "command": "echo \"$OPTA_EVENT: $OPTA_TOOL_RESULT\"",
    })));
    assert_eq!(
        printed(&scene.fire(done("Bash")).await),
        ["tool.post: done"]
    );
    let failure = PostToolUseFailure::new("Bash", json!({}), "no such file");
    assert_eq!(
        printed(&scene.fire(failure).await),
        ["tool.post: no such file"]
    );
}

#[tokio::test]
async fn the_announced_events_are_there_and_answer_in_json() {
    let block = "cat > seen; echo '{\"decision\": \"block\", \"reason\": \"run the tests\"}'";
    let scene = Scene::opta(&one(&json!({"event": "stop", "command": block})));
    let fired = scene.fire(Stop::new(false)).await;
    assert!(fired.outcome.keeps_going(), "{fired:?}");
    let seen: Value = serde_json::from_str(&scene.read("project/seen")).unwrap();
    assert_eq!(seen["hook_event_name"], "Stop");

    let scene = Scene::opta(&one(&json!({"event": "prompt.pre", "command": block})));
    let fired = scene.fire(UserPromptSubmit::new("hello")).await;
    assert!(fired.outcome.is_denied());
    assert_eq!(reason(&fired), "run the tests");
}

#[tokio::test]
async fn exit_codes_decide_before_a_tool_and_nowhere_else() {
    let hooks: Vec<Value> = ["session.start", "prompt.pre", "stop", "compact", "error"]
        .iter()
        .map(|event| json!({"event": event, "command": "exit 2"}))
        .collect();
    let scene = Scene::opta(&json!({ "hooks": hooks }).to_string());
    for fired in [
        scene.fire(SessionStart::new("startup")).await,
        scene.fire(UserPromptSubmit::new("hello")).await,
        scene.fire(Stop::new(false)).await,
        scene.fire(PostCompact::new("auto", "x")).await,
        scene.fire(Error::new("unknown", "x")).await,
    ] {
        assert!(!only(&fired).success());
        assert_eq!(fired.outcome.decision, Decision::Pass, "{}", fired.event);
    }
}

#[tokio::test]
async fn a_hook_can_rewrite_a_call_under_opta_names() {
    let answer = "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \
                  \"updatedInput\": {\"path\": \"/safe\"}}}'";
    let scene = Scene::opta(&one(&json!({"event": "tool.pre", "command": answer})));
    let call = hook_types::PreToolUse::new("Read", json!({"file_path": "/etc/passwd"}));
    let fired = scene.fire(call).await;
    assert_eq!(
        fired.outcome.updated_input,
        Some(json!({"file_path": "/safe"}))
    );
}

mod order {
    use super::*;

    fn appends(event: &str, word: &str) -> Value {
        json!({"event": event, "command": format!("echo {word} >> order")})
    }

    #[tokio::test]
    async fn all_hooks_are_one_sequential_group_the_users_file_first() {
        let slow = json!({"event": "tool.pre", "command": "sleep 0.3; echo first >> order"});
        let scene = Scene::opta(
            &json!({"hooks": [appends("tool.pre", "third"), appends("tool.pre", "fourth")]})
                .to_string(),
        );
        let users = json!({"hooks": [slow, appends("tool.pre", "second")]}).to_string();
        scene.write("home/.config/opta/config.json", users);
        let fired = scene.fire(bash("ls")).await;
        assert_eq!(ran(&fired).len(), 4);
        assert_eq!(scene.lines("order"), ["first", "second", "third", "fourth"]);
    }

    #[tokio::test]
    async fn the_same_hook_in_both_files_runs_once() {
        let scene = Scene::new();
        let text = json!({"hooks": [appends("tool.pre", "once")]}).to_string();
        scene.write("home/.config/opta/config.json", &text);
        scene.write("project/.opta/config.json", &text);
        scene.fire(bash("ls")).await;
        assert_eq!(scene.lines("order"), ["once"]);
    }

    #[tokio::test]
    async fn the_first_that_cancels_ends_the_list() {
        let cancels = json!({"event": "tool.pre", "command": "echo no >&2; exit 1"});
        let hooks = json!({"hooks": [appends("tool.pre", "before"), cancels, appends("tool.pre", "after")]});
        let scene = Scene::opta(&hooks.to_string());
        let fired = scene.fire(bash("ls")).await;
        assert!(denied(&fired));
        assert_eq!(scene.lines("order"), ["before"]);
    }

    #[tokio::test]
    async fn a_failure_anywhere_else_ends_nothing() {
        let fails = json!({"event": "tool.post", "command": "exit 1"});
        let hooks = json!({"hooks": [fails, appends("tool.post", "after")]});
        let scene = Scene::opta(&hooks.to_string());
        scene.fire(done("Bash")).await;
        assert_eq!(scene.lines("order"), ["after"]);
    }
}

mod what_is_wrong {
    use super::*;

    #[test]
    fn a_timeout_is_between_100_and_60_000_milliseconds() {
        let with = |timeout: Value| {
            let hook = json!({"event": "tool.pre", "command": "x", "timeout": timeout});
            Scene::opta(&one(&hook)).codes()
        };
        for good in [json!(100), json!(250.5), json!(60_000)] {
            assert!(with(good.clone()).is_empty(), "{good}");
        }
        for bad in [
            json!(99),
            json!(5),
            json!(60_001),
            json!(0),
            json!(-1),
            json!("5000"),
        ] {
            assert_eq!(with(bad.clone()), ["bad-timeout"], "{bad}");
        }
    }

    #[test]
    fn a_timeout_in_seconds_is_recognised() {
        let hook = json!({"event": "tool.pre", "command": "x", "timeout": 10});
        let problem = Scene::opta(&one(&hook)).problem();
        assert_eq!(problem.suggestion.as_deref(), Some("10000"));
        assert_eq!(problem.help, ["this looks like seconds"]);
    }

    #[test]
    fn the_deadline_is_ten_seconds_where_nothing_is_said() {
        let scene = Scene::opta(&one(&json!({"event": "tool.pre", "command": "x"})));
        let loaded = scene.load();
        let (hook, _) = loaded.hooks.hooks().next().unwrap();
        assert_eq!(hook.get_timeout(), Some(std::time::Duration::from_secs(10)));
    }

    #[tokio::test]
    async fn a_broken_guard_cancels_until_it_is_mended() {
        for (hook, code) in [
            (
                json!({"event": "tool.pre", "command": "true", "timeout": 5}),
                "bad-timeout",
            ),
            (json!({"event": "tool.pre"}), "missing-key"),
            (json!({"event": "tool.pre", "command": 7}), "wrong-type"),
            (json!({"event": "tool.pre", "command": " "}), "wrong-value"),
            (
                json!({"event": "tool.pre", "command": "true", "matcher": "(" }),
                "bad-matcher",
            ),
            (
                json!({"event": "tool.pree", "command": "true"}),
                "unknown-event",
            ),
            (
                json!({"event": "PreToolUse", "command": "true"}),
                "unknown-event",
            ),
            (json!({"command": "true"}), "missing-key"),
            (json!("true"), "wrong-type"),
        ] {
            let scene = Scene::opta(&one(&hook));
            assert_eq!(scene.codes(), [code], "{hook}");
            assert!(denied(&scene.fire(bash("ls")).await), "{hook}");
            assert!(!denied(&scene.fire(done("Bash")).await), "{hook}");
        }
    }

    #[tokio::test]
    async fn one_bad_entry_does_not_disable_the_others() {
        let hooks = json!({"hooks": [
            {"event": "session.strat", "command": "true"},
            {"event": "session.start", "command": "echo here"},
        ]});
        let scene = Scene::opta(&hooks.to_string());
        let problem = scene.problem();
        assert_eq!(problem.suggestion.as_deref(), Some("\"session.start\""));
        let fired = scene.fire(SessionStart::new("startup")).await;
        assert!(printed(&fired).contains(&"here"));
    }

    #[tokio::test]
    async fn a_broken_guard_for_some_tools_cancels_those_alone() {
        let hook =
            json!({"event": "tool.pre", "matcher": "run_command", "command": "true", "timeout": 5});
        let scene = Scene::opta(&one(&hook));
        assert!(denied(&scene.fire(bash("ls")).await));
        assert!(!denied(&scene.fire(call("Read")).await));
    }

    #[test]
    fn a_matcher_on_an_event_without_a_tool_is_ignored_and_told() {
        let hook = json!({"event": "session.start", "matcher": "Bash", "command": "x"});
        let problem = Scene::opta(&one(&hook)).problem();
        assert_eq!(problem.code.as_str(), "useless-matcher");
        assert_eq!(problem.severity, Severity::Warning);
    }

    #[tokio::test]
    async fn a_switched_off_entry_blocks_nothing_even_when_it_is_broken() {
        for hook in [
            json!({"event": "tool.pre", "command": "exit 1", "enabled": false}),
            json!({"event": "tool.pre", "timeout": 1, "enabled": false}),
        ] {
            let scene = Scene::opta(&one(&hook));
            assert!(!denied(&scene.fire(bash("ls")).await), "{hook}");
        }
    }

    #[tokio::test]
    async fn a_file_that_is_not_json_is_told_and_is_no_hooks() {
        let scene = Scene::opta("{\"hooks\": [");
        assert_eq!(scene.codes(), ["not-json"]);
        assert!(!denied(&scene.fire(bash("ls")).await));
    }

    #[test]
    fn settings_of_the_agent_and_comments_are_none_of_our_business() {
        let scene = Scene::opta("{\n // mine\n \"model\": \"small\", \"search\": {\"a\": 1},\n}");
        assert!(scene.codes().is_empty());
    }
}

#[tokio::test]
async fn a_prompt_hook_is_made_by_whoever_makes_them() {
    use std::sync::Arc;

    use hook_config::{Action, Entry, Factories, Setting, load};
    use hook_runner::Handler;
    use hook_shell::{Host, ShellHook};

    let hook =
        json!({"event": "tool.pre", "type": "prompt", "prompt": "is it safe?", "matcher": "Bash"});
    let scene = Scene::opta(&one(&hook));
    assert_eq!(scene.codes(), ["no-factory"]);
    let factories = Factories::new().with("prompt", |entry: &Entry, _: &Setting<'_>| {
        let Action::Other { fields, .. } = &entry.action else {
            return Err("another type".to_owned());
        };
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["prompt"]);
        Ok(Arc::new(ShellHook::new("echo 'not safe' >&2; exit 2")) as Arc<dyn Handler>)
    });
    let options = options(Host::new()).factories(factories);
    let runner = scene.runner_of(load(&scene.places(), &options));
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(verdict.reason(), Some("not safe"));
}

#[tokio::test]
async fn what_is_shown_while_a_hook_runs_is_kept() {
    let hook = json!({
        "event": "tool.pre", "command": "true",
        "statusMessage": "Looking…", "description": "A guard",
    });
    let loaded = Scene::opta(&one(&hook)).load();
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    assert_eq!(hook.get_status_message(), Some("Looking…"));
    assert_eq!(hook.get_description(), Some("A guard"));
}

#[tokio::test]
async fn the_documents_own_configuration_works() {
    // With double quotes: a variable in single quotes stays as it is written.
    let scene = Scene::opta(
        r#"{"hooks": [
            {"event": "tool.pre", "command": "echo \"About to run $OPTA_TOOL_NAME\"", "timeout": 5000},
            {"event": "session.end",
             "command": "git init -q . && git add -A && git -c user.name=o -c user.email=o@example.org commit -q -m 'opta: session complete'",
             "background": true}
        ]}"#,
    );
    assert_eq!(
        printed(&scene.fire(bash("ls")).await),
        ["About to run run_command"]
    );
    scene.fire(SessionEnd::new("other")).await;
    assert!(
        scene
            .path("project/.git/refs/heads")
            .read_dir()
            .unwrap()
            .next()
            .is_some()
    );
}
