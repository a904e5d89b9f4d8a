//! A server in service: its tools, its results, its end, and its next life.

use std::time::Duration;

use agent_loop::ToolSource;
use agent_mcp::{CallResult, McpServers, ServerStatus};
use serde_json::{Map, json};

use crate::support::{
    call, failure, is_alive, limits, named, object, pid, server, started, status, until,
};

#[tokio::test]
async fn tools_have_the_names_of_the_contract_with_their_descriptions_and_schemas() {
    let servers = started([server("good")]).await;
    let tools = servers.tools();
    let echo = tools
        .iter()
        .find(|tool| tool.name() == "mcp__test__echo")
        .unwrap();
    assert_eq!(echo.description(), "Says what it was given.");
    assert_eq!(
        echo.input_schema(),
        json!({"type": "object", "properties": {"text": {"type": "string"}}})
    );
    let from = echo.mcp_server().unwrap();
    assert_eq!((from.name.as_str(), from.source.as_str()), ("test", "sdk"));
    servers.close().await;
    assert_eq!(status(&servers), ServerStatus::Closed);
}

#[tokio::test]
async fn results_of_every_kind_are_handed_back() {
    let servers = started([server("good")]).await;
    let echo = call(&servers, "echo", json!({"text": "hällo\n\"you\""})).await;
    assert_eq!(
        (echo.text().as_str(), echo.is_error),
        ("hällo\n\"you\"", false)
    );
    let failed = call(&servers, "fail", json!({"text": "no disk"})).await;
    assert_eq!((failed.text().as_str(), failed.is_error), ("no disk", true));
    let picture = call(&servers, "picture", json!({})).await.text();
    assert_eq!(
        picture,
        "look:\n[image: image/png, 300 bytes]\n[resource: file:///notes]\nsome notes"
    );
    let structured = call(&servers, "structured", json!({})).await.text();
    assert_eq!(structured, r#"{"temperature":21}"#);
    let refused = failure(&servers, "refuse").await;
    assert_eq!(
        refused,
        "the MCP server `test` refused the call: not with me"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_result_beyond_the_limit_is_cut_and_says_so() {
    let servers = started([server("good")]).await;
    let big = call(&servers, "big", json!({"count": 150_000}))
        .await
        .text();
    assert!(
        big.ends_with("xxx… [+50000 characters]"),
        "{}",
        &big[big.len() - 60..]
    );
    servers.close().await;
}

#[tokio::test]
async fn programs_see_their_variables_the_projects_root_and_their_directory() {
    let directory = tempfile::tempdir().unwrap();
    let servers = McpServers::builder()
        .server(server("good").env("TOKEN", "abc"))
        .directory(directory.path())
        .limits(limits())
        .build();
    for (name, want) in [
        ("TOKEN", "abc".to_owned()),
        ("CLAUDE_PROJECT_DIR", directory.path().display().to_string()),
        ("NOT_SET", "(unset)".to_owned()),
    ] {
        assert_eq!(
            call(&servers, "variable", json!({"name": name}))
                .await
                .text(),
            want
        );
    }
    let cwd = std::fs::read_link(format!("/proc/{}/cwd", pid(&servers).await)).unwrap();
    assert_eq!(cwd, directory.path().canonicalize().unwrap());
    servers.close().await;
}

#[tokio::test]
async fn calls_overlap() {
    let servers = started([server("good")]).await;
    let echo = |n: i32| call(&servers, "echo", json!({"text": n.to_string()}));
    let said = futures_util::future::join_all((0..20).map(echo)).await;
    let said: Vec<String> = said.iter().map(CallResult::text).collect();
    let want: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    assert_eq!(said, want);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_was_never_started_is_started_by_the_first_call() {
    let servers = McpServers::builder()
        .server(server("good"))
        .limits(limits())
        .build();
    assert_eq!(status(&servers), ServerStatus::Idle);
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    assert!(matches!(status(&servers), ServerStatus::Connected { .. }));
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_dies_fails_the_call_and_serves_the_next() {
    let servers = started([server("good")]).await;
    let first = pid(&servers).await;
    let died = failure(&servers, "die").await;
    assert_eq!(
        died,
        "the MCP server `test` ended before it answered: it exited with code 3: something terrible \
         happened; the next call starts it again"
    );
    let second = pid(&servers).await;
    assert_ne!(first, second);
    assert!(!is_alive(first));
    servers.close().await;
    assert!(!is_alive(second));
}

#[tokio::test]
async fn all_calls_in_flight_fail_when_a_server_dies() {
    let servers = started([server("good")]).await;
    let (hung, died) = tokio::join!(failure(&servers, "hang"), async {
        tokio::task::yield_now().await;
        failure(&servers, "die").await
    });
    for error in [hung, died] {
        assert!(error.contains("it exited with code 3"), "{error}");
    }
    servers.close().await;
}

#[tokio::test]
async fn a_list_of_tools_that_changes_is_followed() {
    let servers = started([server("good")]).await;
    let has_grown = || {
        servers
            .tools()
            .iter()
            .any(|tool| tool.name() == "mcp__test__grown")
    };
    let before = servers.version();
    assert!(!has_grown());
    call(&servers, "grow", json!({})).await;
    until("the new tool", has_grown).await;
    assert_ne!(servers.version(), before);
    assert_eq!(
        call(&servers, "grown", json!({})).await.text(),
        "at your service"
    );
    servers.close().await;
}

#[tokio::test]
async fn closing_ends_a_server_and_everything_it_started() {
    let servers = started([server("good")]).await;
    let server = pid(&servers).await;
    let child: u32 = call(&servers, "child", json!({}))
        .await
        .text()
        .parse()
        .unwrap();
    assert!(is_alive(server) && is_alive(child));
    servers.close().await;
    assert!(!is_alive(server) && !is_alive(child));
    let closed = failure(&servers, "echo").await;
    assert_eq!(closed, "the MCP server `test` is not connected: ended");
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_and_term_is_killed() {
    let servers = started([server("stubborn")]).await;
    let server = pid(&servers).await;
    servers.close().await;
    assert!(!is_alive(server));
}

#[tokio::test]
async fn dropping_the_servers_ends_them() {
    let servers = started([server("good")]).await;
    let server = pid(&servers).await;
    drop(servers);
    until("the server is gone", || !is_alive(server)).await;
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_any_more_is_given_up_and_the_server_goes_on() {
    let servers = started([server("good")]).await;
    let before = pid(&servers).await;
    let hung = tokio::time::timeout(Duration::from_millis(50), failure(&servers, "hang")).await;
    assert!(hung.is_err());
    assert_eq!(pid(&servers).await, before);
    servers.close().await;
}

#[tokio::test]
async fn of_two_servers_whose_tools_would_have_the_same_names_the_first_counts() {
    let servers = started([named("my server", "good"), named("my_server", "good")]).await;
    let reports = servers.reports();
    assert_eq!(reports[0].status.word(), "connected");
    assert_eq!(
        reports[1].status.to_string(),
        "not started: its tools would have the names of those of `my server`"
    );
    let error = servers
        .call("my_server", "echo", Map::new())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("its tools would have the names"),
        "{error}"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_those_that_are() {
    let servers = McpServers::builder().server(server("good")).build();
    let error = servers
        .call("tset", "echo", object(&json!({})))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no MCP server `tset`; there are: test"
    );
    let error = McpServers::none()
        .call("x", "y", Map::new())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no MCP server `x`; none is configured"
    );
}
