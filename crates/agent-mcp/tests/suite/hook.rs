//! Hooks of type `mcp_tool`, through a runner and a real server.

use std::time::{Duration, Instant};

use agent_mcp::{McpServers, McpToolFactory, McpToolHook};
use hook_config::{Factories, Options, Places, load};
use hook_runner::{Fired, HookRunner, HookSet, Runner};
use hook_shell::Host;
use hook_types::{
    Event, HookEvent, Notification, NotificationType, PostToolUse, PreToolUse, SessionSource,
    SessionStart, Setup, SetupTrigger, UserPromptSubmit,
};
use serde_json::{Value, json};

use crate::support::{LONG, limits, named, server, started, until};

fn echo(servers: &McpServers, text: &Value) -> McpToolHook {
    let text = text
        .as_str()
        .map_or_else(|| text.to_string(), str::to_owned);
    McpToolHook::new(servers, "test", "echo").input(json!({"text": text}))
}

async fn fire<E: Event + Into<HookEvent>>(hook: McpToolHook, event: E) -> Fired {
    let hooks = HookSet::builder().hook::<E>("", hook).build().unwrap();
    Runner::new(hooks).fire_event(event.into()).await
}

fn call() -> PreToolUse {
    PreToolUse::new(
        "Bash",
        json!({"command": "make", "times": 3, "flags": ["-j"]}),
    )
}

#[tokio::test]
async fn what_the_tool_says_is_read_as_what_a_command_prints() {
    let servers = started([server("good")]).await;
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                      "permissionDecision": "deny", "permissionDecisionReason": "not today"}});
    let fired = fire(echo(&servers, &deny), call()).await;
    assert!(fired.outcome.is_denied());
    assert_eq!(fired.outcome.reason.as_deref(), Some("not today"));

    let text = fire(echo(&servers, &json!("just talking")), call()).await;
    assert!(!text.outcome.is_denied());
    assert_eq!(text.attempts[0].reply.status.word(), "no_opinion");

    let prompt = fire(
        echo(&servers, &json!("remember the milk")),
        UserPromptSubmit::new("go"),
    )
    .await;
    assert_eq!(
        prompt.outcome.additional_context[0].text,
        "remember the milk"
    );

    let broken = fire(echo(&servers, &json!("{\"decision\": }")), call()).await;
    assert_eq!(broken.attempts[0].reply.status.word(), "bad_output");
    servers.close().await;
}

#[tokio::test]
async fn placeholders_are_filled_from_the_event_and_keep_their_types() {
    let servers = started([server("good")]).await;
    let hook = McpToolHook::new(&servers, "test", "arguments").input(json!({
        "times": "${tool_input.times}",
        "input": "${tool_input}",
        "said": "run ${tool_input.command} ${tool_input.times} times",
        "deep": [{"event": "${hook_event_name}"}],
        "missing": "${tool_input.none}",
    }));
    let fired = fire(hook, call()).await;
    let got: Value = serde_json::from_str(&fired.attempts[0].reply.evidence.stdout).unwrap();
    assert_eq!(
        got,
        json!({
            "times": 3,
            "input": {"command": "make", "times": 3, "flags": ["-j"]},
            "said": "run make 3 times",
            "deep": [{"event": "PreToolUse"}],
            "missing": null,
        })
    );
    servers.close().await;
}

#[tokio::test]
async fn an_error_of_the_tool_is_a_failure_and_no_decision() {
    let servers = started([server("good")]).await;
    let hook = McpToolHook::new(&servers, "test", "fail").input(json!({"text": "no disk"}));
    let fired = fire(hook, call()).await;
    assert!(!fired.outcome.is_denied());
    assert_eq!(
        fired.attempts[0].reply.status.to_string(),
        "failed: the tool failed: no disk"
    );
    for (tool, want) in [
        (
            "refuse",
            "failed: the MCP server `test` refused the call: not with me",
        ),
        ("die", "it exited with code 3"),
    ] {
        let fired = fire(McpToolHook::new(&servers, "test", tool), call()).await;
        assert!(!fired.outcome.is_denied());
        let status = fired.attempts[0].reply.status.to_string();
        assert!(status.contains(want), "{status}");
    }
    servers.close().await;
}

#[tokio::test]
async fn an_answer_that_was_cut_blocks_a_guard_that_it_may_have_refused() {
    let servers = started([server("good")]).await;
    let long = json!({"systemMessage": "x".repeat(150_000), "decision": "block"});
    let guarded = fire(echo(&servers, &long), call()).await;
    assert!(guarded.outcome.is_denied(), "{:?}", guarded.attempts);
    let status = &guarded.attempts[0].reply.status;
    assert_eq!(status.word(), "bad_output", "{status}");

    let watched = PostToolUse::new("Bash", json!({}), json!("ok"));
    let watched = fire(echo(&servers, &long), watched).await;
    assert!(!watched.outcome.is_denied(), "{:?}", watched.attempts);
    servers.close().await;
}

#[tokio::test]
async fn a_refusal_that_can_be_read_counts_even_in_an_error() {
    let servers = started([server("good")]).await;
    let text = r#"{"decision": "block", "reason": "no"}"#;
    let hook = McpToolHook::new(&servers, "test", "fail").input(json!({"text": text}));
    let fired = fire(hook, call()).await;
    assert!(fired.outcome.is_denied());
    assert_eq!(fired.attempts[0].reply.status.word(), "failed");
    servers.close().await;
}

#[tokio::test]
async fn on_an_event_that_can_be_held_up_a_server_is_waited_for() {
    let servers = McpServers::builder()
        .server(server("good"))
        .limits(limits())
        .build();
    servers.start();
    let deny = json!({"decision": "block", "reason": "waited"});
    let fired = fire(echo(&servers, &deny), call()).await;
    assert_eq!(fired.outcome.reason.as_deref(), Some("waited"));
    servers.close().await;
}

#[tokio::test]
async fn it_is_waited_for_no_longer_than_the_hook_may_take() {
    let servers = McpServers::builder()
        .server(server("silent"))
        .limits(limits())
        .build();
    servers.start();
    let hook = echo(&servers, &json!("never")).timeout(Duration::from_millis(200));
    let began = Instant::now();
    let fired = fire(hook, call()).await;
    assert_eq!(fired.attempts[0].reply.status.word(), "timed_out");
    assert!(!fired.outcome.is_denied() && began.elapsed() < LONG / 2);
    servers.close().await;
}

#[tokio::test]
async fn on_an_event_that_is_only_watched_nobody_waits() {
    let servers = McpServers::builder()
        .server(server("silent"))
        .limits(limits())
        .build();
    servers.start();
    let began = Instant::now();
    let after = PostToolUse::new("Bash", json!({"command": "make"}), json!("ok"));
    let fired = fire(echo(&servers, &json!("x")), after).await;
    let notice = Notification::new("hello", NotificationType::IdlePrompt);
    let noticed = fire(echo(&servers, &json!("x")), notice).await;
    for fired in [fired, noticed] {
        let status = fired.attempts[0].reply.status.to_string();
        assert_eq!(
            status,
            "failed: the MCP server `test` is not connected: connecting"
        );
    }
    // The server may take LONG to start.
    assert!(began.elapsed() < LONG / 2);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_nobody_waited_for_is_there_the_next_time() {
    let servers = McpServers::builder()
        .server(server("good"))
        .limits(limits())
        .build();
    let after = || PostToolUse::new("Bash", json!({"command": "make"}), json!("ok"));
    let first = fire(echo(&servers, &json!("x")), after()).await;
    assert_eq!(first.attempts[0].reply.status.word(), "failed");
    until("connected", || {
        servers.reports()[0].status.word() == "connected"
    })
    .await;
    let second = fire(echo(&servers, &json!("x")), after()).await;
    assert_eq!(second.attempts[0].reply.status.word(), "no_opinion");
    servers.close().await;
}

#[tokio::test]
async fn it_is_skipped_on_setup_and_when_a_session_is_launched() {
    // A server that cannot be started: whoever called it would fail.
    let servers = McpServers::none();
    let hook = || echo(&servers, &json!("x"));
    let skipped = [
        fire(hook(), Setup::new(SetupTrigger::Init)).await,
        fire(hook(), SessionStart::new(SessionSource::Startup)).await,
        fire(hook(), SessionStart::new(SessionSource::Resume)).await,
        fire(hook(), SessionStart::new(SessionSource::Fork)).await,
    ];
    for fired in skipped {
        assert_eq!(fired.attempts[0].reply.status.word(), "no_opinion");
        assert!(
            fired.attempts[0].reply.diagnostics[0]
                .message
                .contains("skipped")
        );
    }
    for source in [SessionSource::Clear, SessionSource::Compact] {
        let fired = fire(hook(), SessionStart::new(source)).await;
        assert_eq!(fired.attempts[0].reply.status.word(), "failed");
    }
}

#[tokio::test]
async fn a_server_of_a_plugin_is_named_with_its_plugin() {
    let servers = started([named("plugin:guard:db", "good")]).await;
    let deny = json!({"decision": "block", "reason": "the plugin says no"}).to_string();
    let hook = McpToolHook::new(&servers, "plugin:guard:db", "echo").input(json!({"text": deny}));
    assert_eq!(
        fire(hook, call()).await.outcome.reason.as_deref(),
        Some("the plugin says no")
    );
    let short = McpToolHook::new(&servers, "db", "echo");
    let status = fire(short, call()).await.attempts[0]
        .reply
        .status
        .to_string();
    assert_eq!(
        status,
        "failed: there is no MCP server `db`; there are: plugin:guard:db"
    );
    servers.close().await;
}

#[tokio::test]
async fn an_entry_of_a_file_becomes_such_a_hook() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("settings.json");
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{
        "type": "mcp_tool", "server": "test", "tool": "echo", "timeout": 50,
        "input": {"text": "{\"decision\": \"block\", \"reason\": \"${tool_input.command}\"}"},
    }]}]}});
    std::fs::write(&path, settings.to_string()).unwrap();
    let servers = started([server("good")]).await;
    let factories = Factories::new().with("mcp_tool", McpToolFactory::new(&servers));
    let places = Places::none().settings(path.as_path());
    let loaded = load(&places, &Options::new(Host::new()).factories(factories));
    assert_eq!(loaded.report.diagnostics, []);
    let fired = Runner::new(loaded.hooks).fire_event(call().into()).await;
    assert_eq!(fired.outcome.reason.as_deref(), Some("make"));
    servers.close().await;
}
