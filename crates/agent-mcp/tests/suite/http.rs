//! A server over loopback HTTP.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use agent_mcp::{Limits, McpServers, ServerConfig, ServerStatus};
use serde_json::json;

use crate::support::{call, failure, limits, memory, script, status};

/// The server's process, and what it prints.
struct Running {
    process: Child,
    printed: Lines<BufReader<ChildStdout>>,
    port: u16,
}

impl Running {
    fn start(mode: &str) -> Self {
        let mut process = Command::new("python3")
            .arg(script())
            .args([mode, "--http"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = printed.next().unwrap().unwrap().parse().unwrap();
        Self {
            process,
            printed,
            port,
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    fn config(&self) -> ServerConfig {
        ServerConfig::http("test", self.url())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn connected(config: ServerConfig, limits: Limits) -> McpServers {
    let servers = McpServers::builder().server(config).limits(limits).build();
    servers.start();
    servers.settled().await;
    servers
}

#[tokio::test]
async fn tools_are_listed_and_called_and_the_session_is_given_back() {
    let mut running = Running::start("good");
    let servers = connected(running.config().header("X-Token", "abc"), limits()).await;
    assert!(
        matches!(status(&servers), ServerStatus::Connected { tools: 20 }),
        "{:?}",
        status(&servers)
    );
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    assert_eq!(call(&servers, "headers", json!({})).await.text(), "abc");
    assert!(call(&servers, "fail", json!({"text": "no"})).await.is_error);
    assert!(
        failure(&servers, "refuse")
            .await
            .ends_with("refused the call: not with me")
    );
    servers.close().await;
    assert_eq!(running.printed.next().unwrap().unwrap(), "deleted s1");
}

#[tokio::test]
async fn answers_may_come_as_a_stream_of_events() {
    let running = Running::start("streams");
    let servers = connected(running.config(), limits()).await;
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_wants_a_sign_in_is_never_signed_in_to() {
    let running = Running::start("locked");
    let servers = connected(running.config(), limits()).await;
    assert_eq!(
        status(&servers).word(),
        "needs-auth",
        "{:?}",
        status(&servers)
    );
    servers.close().await;
}

#[tokio::test]
async fn redirects_are_not_followed_and_what_is_wrong_is_said() {
    for (mode, want) in [
        (
            "redirects",
            "a redirect (307) to http://127.0.0.1:1/elsewhere, which is not followed",
        ),
        (
            "broken",
            "status 500 and no message, but text/plain: out of order",
        ),
    ] {
        let running = Running::start(mode);
        let servers = connected(running.config(), limits()).await;
        let ServerStatus::Failed(why) = status(&servers) else {
            panic!("{:?}", status(&servers));
        };
        assert!(why.contains(want), "{why}");
        servers.close().await;
    }
}

#[tokio::test]
async fn an_address_where_nobody_listens_or_that_is_none_fails_at_once() {
    for url in ["http://127.0.0.1:1/mcp", "ftp://x", "not an address"] {
        let servers = connected(ServerConfig::http("test", url), limits()).await;
        assert_eq!(
            status(&servers).word(),
            "failed",
            "{url}: {:?}",
            status(&servers)
        );
        servers.close().await;
    }
    let bad_header = ServerConfig::http("test", "http://127.0.0.1:1/mcp").header("a b", "c");
    let servers = connected(bad_header, limits()).await;
    assert_eq!(status(&servers).word(), "failed");
}

#[tokio::test]
async fn a_body_without_end_is_not_kept() {
    let running = Running::start("good");
    let servers = connected(running.config(), limits()).await;
    for tool in ["shout", "flood"] {
        let before = memory();
        let error = failure(&servers, tool).await;
        assert!(error.contains("more than 8388608 bytes"), "{tool}: {error}");
        assert!(
            memory() < before + 256,
            "{tool}: {before} MiB before, {} after",
            memory()
        );
        assert_eq!(
            call(&servers, "echo", json!({"text": "hi"})).await.text(),
            "hi"
        );
    }
    servers.close().await;
}

#[tokio::test]
async fn a_call_that_hangs_runs_out_of_time_and_the_next_one_goes_through() {
    let running = Running::start("good");
    let mut limits = limits();
    limits.call = Duration::from_secs(2);
    let servers = connected(running.config(), limits).await;
    let error = failure(&servers, "hang").await;
    assert!(error.contains("has not answered within 2s"), "{error}");
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_is_gone_fails_the_call_and_one_in_its_place_serves_the_next() {
    let mut running = Running::start("good");
    let servers = connected(running.config(), limits()).await;
    running.process.kill().unwrap();
    running.process.wait().unwrap();
    let error = failure(&servers, "echo").await;
    assert!(error.contains("the MCP server `test`"), "{error}");
    let error = failure(&servers, "echo").await;
    assert!(error.contains("not connected"), "{error}");
    servers.close().await;
}
