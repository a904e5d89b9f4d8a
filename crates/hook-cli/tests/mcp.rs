//! MCP servers from the command line: found, approved, used and ended.
#![cfg(feature = "network")]

use std::path::Path;

use crate::support::{Printed, Scratch};
use serde_json::{Value, json};

/// The server of the tests of `agent-mcp`, as an entry of a file.
fn server(mode: &str) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent-mcp/tests/server/server.py");
    json!({"command": "python3", "args": [script, mode]})
}

fn servers(mode: &str) -> Value {
    json!({"mcpServers": {"test": server(mode)}})
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"calls": [{"name": format!("mcp__test__{tool}"), "input": input}]})
}

/// Runs the agent with a script, and shows its stream.
fn run(scratch: &Scratch, more: &[&str]) -> (Printed, Vec<Value>) {
    let base = [
        "run",
        "--model",
        "scripted:script.json",
        "--permission-mode",
        "bypassPermissions",
    ];
    let stream = ["--output-format", "stream-json", "go"];
    let printed = scratch.run(&[&base, more, &stream].concat());
    let lines = printed.lines();
    (printed, lines)
}

fn init(lines: &[Value]) -> &Value {
    let init = lines.iter().find(|line| line["subtype"] == "init");
    init.unwrap_or_else(|| panic!("{lines:?}"))
}

/// What the model was told of its calls.
fn results(lines: &[Value]) -> Vec<String> {
    let users = lines.iter().filter(|line| line["type"] == "user");
    let blocks = users
        .filter_map(|line| line["message"]["content"].as_array())
        .flatten();
    let results = blocks.filter(|block| block["type"] == "tool_result");
    results.map(|block| block["content"].to_string()).collect()
}

fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| {
        !status
            .rsplit(')')
            .next()
            .is_some_and(|rest| rest.starts_with(" Z"))
    })
}

#[test]
fn run_connects_servers_lists_them_gives_the_agent_their_tools_and_ends_them() {
    let scratch = Scratch::new();
    let script = json!([
        call("echo", &json!({"text": "hello from afar"})),
        call("pid", &json!({})),
        {"say": "Done."},
    ]);
    scratch.write("script.json", &script.to_string());
    scratch.write("servers.json", &servers("good").to_string());
    let (printed, lines) = run(&scratch, &["--mcp-config", "servers.json"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let init = init(&lines);
    assert_eq!(
        init["mcp_servers"],
        json!([{"name": "test", "status": "connected"}])
    );
    let tools = init["tools"].to_string();
    assert!(tools.contains("mcp__test__echo"), "{tools}");
    let results = results(&lines);
    assert!(results[0].contains("hello from afar"), "{results:?}");
    let pid: String = results[1].chars().filter(char::is_ascii_digit).collect();
    assert!(!pid.is_empty() && !is_alive(&pid), "{results:?}");
}

#[test]
fn servers_may_stand_on_the_command_line_and_what_is_wrong_is_said() {
    let scratch = Scratch::new();
    scratch.write("script.json", &json!([{"say": "Hi."}]).to_string());
    let text = json!({"mcpServers": {"gone": {"command": "/no/such/program"}}}).to_string();
    let (printed, lines) = run(&scratch, &["--mcp-config", &text]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(
        init(&lines)["mcp_servers"],
        json!([{"name": "gone", "status": "failed"}])
    );
    let notes = printed.stdout.matches("MCP server gone: failed").count();
    assert_eq!(notes, 1, "{printed:?}");
    let missing = scratch.run(&["run", "--mcp-config", "nowhere.json", "go"]);
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("there is no such file"),
        "{missing:?}"
    );
}

#[test]
fn a_projects_server_waits_for_an_approval_and_trust_shows_and_gives_it() {
    let scratch = Scratch::new();
    let script = json!([call("echo", &json!({"text": "hi"})), {"say": "Done."}]);
    scratch.write("script.json", &script.to_string());
    scratch.write(".mcp.json", &servers("good").to_string());
    let (_, lines) = run(&scratch, &[]);
    assert_eq!(
        init(&lines)["mcp_servers"],
        json!([{"name": "test", "status": "disabled"}])
    );
    assert!(!init(&lines)["tools"].to_string().contains("mcp__"));

    let listed = scratch.run(&["trust", "--list"]);
    assert!(listed.stdout.contains(".mcp.json:1"), "{listed:?}");
    assert!(
        listed.stdout.contains("as the MCP server test"),
        "{listed:?}"
    );
    let approved = scratch.run(&["trust", "--all"]);
    assert_eq!(approved.code, Some(0), "{approved:?}");

    let (printed, lines) = run(&scratch, &[]);
    assert_eq!(
        init(&lines)["mcp_servers"],
        json!([{"name": "test", "status": "connected"}])
    );
    assert!(results(&lines)[0].contains("hi"), "{printed:?}");

    scratch.run(&["untrust", "--all"]);
    let (_, lines) = run(&scratch, &[]);
    assert_eq!(init(&lines)["mcp_servers"][0]["status"], "disabled");
    let (_, lines) = run(&scratch, &["--trust"]);
    assert_eq!(init(&lines)["mcp_servers"][0]["status"], "connected");
}

fn hook(event: &str, text: &str) -> String {
    let hook =
        json!({"type": "mcp_tool", "server": "test", "tool": "echo", "input": {"text": text}});
    json!({"hooks": {event: [{"hooks": [hook]}]}}).to_string()
}

#[test]
fn hooks_that_call_a_server_work_in_run() {
    let scratch = Scratch::new();
    let script =
        json!([{"calls": [{"name": "Bash", "input": {"command": "make"}}]}, {"say": "Done."}]);
    scratch.write("script.json", &script.to_string());
    let deny = r#"{"decision": "block", "reason": "no ${tool_input.command} today"}"#;
    scratch.write("hooks.json", &hook("PreToolUse", deny));
    let named = servers("good").to_string();
    let (printed, lines) = run(
        &scratch,
        &["--mcp-config", &named, "--settings", "hooks.json"],
    );
    assert!(results(&lines)[0].contains("no make today"), "{printed:?}");
}

#[test]
fn fire_starts_the_servers_that_the_hooks_name_and_ends_them() {
    let scratch = Scratch::new();
    let deny = r#"{"decision": "block", "reason": "no ${tool_input.command}"}"#;
    scratch.write("hooks.json", &hook("PreToolUse", deny));
    let named = servers("good").to_string();
    let fire = [
        "fire",
        "PreToolUse",
        "--command",
        "make",
        "--settings",
        "hooks.json",
    ];
    let fired = scratch.run(&[&fire[..], &["--mcp-config", &named, "--json"]].concat());
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert_eq!(fired.json()["outcome"]["reason"], "no make");
    assert_eq!(fired.json()["hooks"][0]["kind"], "mcp_tool");

    // On an event that is only watched nobody waits, but `fire` has waited before.
    scratch.write("hooks.json", &hook("PostToolUse", "seen"));
    let fire = ["fire", "PostToolUse", "--settings", "hooks.json", "--json"];
    let fired = scratch.run(&[&fire[..], &["--mcp-config", &named]].concat());
    assert_eq!(
        fired.json()["hooks"][0]["status"],
        "no_opinion",
        "{fired:?}"
    );

    let nobody = scratch.run(&fire);
    let why = nobody.json()["hooks"][0].to_string();
    assert!(why.contains("there is no MCP server `test`"), "{why}");
}

#[test]
fn check_says_what_is_wrong_with_a_file_of_servers() {
    let scratch = Scratch::new();
    scratch.write(".mcp.json", r#"{"mcpServers": {"a": {"args": []}}}"#);
    let checked = scratch.run(&["check"]);
    assert!(
        checked.stdout.contains("the server `a` has no `command`"),
        "{checked:?}"
    );
}
