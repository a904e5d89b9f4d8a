//! Servers that hang, die, flood and shout: nobody waits for them for long, and memory stays in bounds.

use std::time::Duration;

use agent_mcp::{Limits, McpServers, ServerConfig, ServerStatus};
use hook_runner::{Admission, Gate};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::{
    call, failure, is_alive, limits, memory, pid, server, started, status, until,
};

/// How much more memory a hostile server may cost, in MiB: some messages of 8 MiB on their way, and what
/// other tests in this process use meanwhile.
const ROOM: usize = 256;

fn with(mode: &str, change: impl FnOnce(&mut Limits)) -> McpServers {
    let mut limits = limits();
    change(&mut limits);
    McpServers::builder()
        .server(server(mode))
        .limits(limits)
        .build()
}

async fn why_not(servers: &McpServers) -> String {
    servers.start();
    servers.settled().await;
    let ServerStatus::Failed(why) = status(servers) else {
        panic!("{:?}", status(servers));
    };
    why
}

#[tokio::test]
async fn a_server_that_says_nothing_at_its_start_is_given_up_and_ended() {
    let servers = with("silent", |limits| limits.start = Duration::from_millis(300));
    let why = why_not(&servers).await;
    assert_eq!(
        why,
        "it was not ready within 300ms; MCP_TIMEOUT sets the limit"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_dies_at_its_start_says_why() {
    let servers = with("dies", |_| {});
    let why = why_not(&servers).await;
    assert_eq!(why, "it exited with code 7: no configuration found");
    // Whoever calls sees it too, and waits for a new attempt.
    let error = failure(&servers, "echo").await;
    assert!(
        error.ends_with("it exited with code 7: no configuration found"),
        "{error}"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_says_so() {
    let missing = ServerConfig::command("test", "/no/such/program");
    let servers = McpServers::builder().server(missing).build();
    let why = why_not(&servers).await;
    assert!(why.contains("/no/such/program"), "{why}");
}

#[tokio::test]
async fn a_server_that_does_not_list_its_tools_says_so() {
    let why = why_not(&with("no-list", |_| {})).await;
    assert_eq!(why, "it does not list its tools: there is no list today");
}

#[tokio::test]
async fn what_is_no_message_is_passed_over() {
    let servers = started([server("chatty")]).await;
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_floods_its_stdout_is_ended() {
    let before = memory();
    let servers = with("floods-stdout", |limits| limits.noise = 1 << 20);
    assert_eq!(
        why_not(&servers).await,
        "it prints without end what is no message"
    );
    assert!(
        memory() < before + ROOM,
        "{before} MiB before, {} after",
        memory()
    );
    servers.close().await;
}

#[tokio::test]
async fn a_line_without_end_is_not_kept() {
    let before = memory();
    let servers = with("shouts", |_| {});
    let why = why_not(&servers).await;
    assert_eq!(why, "it sent a message of more than 8388608 bytes");
    assert!(
        memory() < before + ROOM,
        "{before} MiB before, {} after",
        memory()
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_floods_its_stderr_serves_all_the_same() {
    let before = memory();
    let servers = started([server("floods-stderr")]).await;
    for n in 0..50 {
        let text = n.to_string();
        assert_eq!(
            call(&servers, "echo", json!({"text": text})).await.text(),
            text
        );
    }
    assert!(
        memory() < before + ROOM,
        "{before} MiB before, {} after",
        memory()
    );
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_floods_in_a_call_is_ended_and_serves_again() {
    let servers = with("good", |limits| limits.noise = 1 << 20);
    for (tool, want) in [
        ("flood", "it says things without end that answer nothing"),
        ("shout", "it sent a message of more than 8388608 bytes"),
        ("pester", "it asks more than 32 questions at once"),
    ] {
        let before = (pid(&servers).await, memory());
        let error = failure(&servers, tool).await;
        assert!(error.contains(want), "{tool}: {error}");
        assert!(
            memory() < before.1 + ROOM,
            "{tool}: {} MiB, then {}",
            before.1,
            memory()
        );
        assert_eq!(
            call(&servers, "echo", json!({"text": "hi"})).await.text(),
            "hi"
        );
        assert!(!is_alive(before.0), "{tool}");
    }
    servers.close().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_fails_and_others_go_on() {
    let servers = with("good", |limits| limits.call = Duration::from_secs(2));
    let server = pid(&servers).await;
    let error = failure(&servers, "hang").await;
    assert_eq!(
        error,
        "the MCP server `test` has not answered within 2s; MCP_TOOL_TIMEOUT sets the limit"
    );
    assert_eq!(pid(&servers).await, server);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_answers_nothing_any_more_is_ended_and_serves_again() {
    let servers = with("good", |limits| limits.call = Duration::from_secs(2));
    let server = pid(&servers).await;
    let error = failure(&servers, "freeze").await;
    assert!(error.contains("has not answered within"), "{error}");
    until("the server is gone", || !is_alive(server)).await;
    until("its end is known", || {
        !matches!(status(&servers), ServerStatus::Connected { .. })
    })
    .await;
    assert_ne!(pid(&servers).await, server);
    servers.close().await;
}

#[tokio::test]
async fn closing_does_not_wait_for_a_call_or_for_a_start() {
    let busy = started([server("good")]).await;
    let starting = with("silent", |_| {});
    starting.start();
    let hung = failure(&busy, "hang");
    let (error, (), ()) = tokio::join!(
        hung,
        async {
            tokio::task::yield_now().await;
            busy.close().await;
        },
        starting.close(),
    );
    assert!(
        error.contains("it was ended") || error.contains("not connected"),
        "{error}"
    );
    assert_eq!(status(&starting), ServerStatus::Closed);
}

/// A gate that somebody opens and shuts.
struct Door(AtomicBool);

impl Gate for Door {
    fn admit(&self) -> Admission {
        if self.0.load(Ordering::Relaxed) {
            Admission::Admitted
        } else {
            Admission::Untrusted
        }
    }
}

#[tokio::test]
async fn a_server_that_nobody_approved_never_starts_and_the_gate_is_asked_each_time() {
    let directory = tempfile::tempdir().unwrap();
    let mark = directory.path().join("started");
    let script = format!(
        "touch {}; exec python3 {} good",
        mark.display(),
        crate::support::script().display()
    );
    let door = Arc::new(Door(AtomicBool::new(false)));
    let gated = ServerConfig::command("test", "sh")
        .args(["-c", script.as_str()])
        .gate(door.clone());
    let servers = started([gated]).await;
    let why = "it comes with the project, and you have not approved it; `hookline trust` shows it";
    assert_eq!(status(&servers), ServerStatus::NotAllowed(why.to_owned()));
    let error = failure(&servers, "echo").await;
    assert_eq!(
        error,
        format!("the MCP server `test` is not started: {why}")
    );
    assert!(!mark.exists());

    door.0.store(true, Ordering::Relaxed);
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    assert!(mark.exists());

    // It dies, and is no longer what was approved.
    door.0.store(false, Ordering::Relaxed);
    failure(&servers, "die").await;
    let error = failure(&servers, "echo").await;
    assert!(error.contains("is not started"), "{error}");
    servers.close().await;
}
