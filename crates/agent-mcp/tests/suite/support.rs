//! Servers, and what is left of them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent_mcp::{CallResult, Limits, McpServers, ServerConfig, ServerStatus};
use serde_json::{Map, Value};

/// Long enough for a machine that does a lot at once.
pub(crate) const LONG: Duration = Duration::from_mins(1);

pub(crate) fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/server.py")
}

/// A server of some manners, called `test`.
pub(crate) fn server(mode: &str) -> ServerConfig {
    named("test", mode)
}

pub(crate) fn named(name: &str, mode: &str) -> ServerConfig {
    let script = script().display().to_string();
    ServerConfig::command(name, "python3").args([script.as_str(), mode])
}

pub(crate) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.start = LONG;
    limits.call = LONG;
    limits.grace = Duration::from_millis(300);
    limits
}

/// Servers that are started and settled.
pub(crate) async fn started(servers: impl IntoIterator<Item = ServerConfig>) -> McpServers {
    let servers = McpServers::builder()
        .servers(servers)
        .limits(limits())
        .build();
    servers.start();
    servers.settled().await;
    servers
}

pub(crate) fn status(servers: &McpServers) -> ServerStatus {
    servers.reports()[0].status.clone()
}

pub(crate) fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

pub(crate) async fn call(servers: &McpServers, tool: &str, arguments: Value) -> CallResult {
    let called = servers.call("test", tool, object(&arguments)).await;
    called.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

pub(crate) async fn failure(servers: &McpServers, tool: &str) -> String {
    let called = servers.call("test", tool, Map::new()).await;
    called.unwrap_err().to_string()
}

pub(crate) async fn pid(servers: &McpServers) -> u32 {
    call(servers, "pid", serde_json::json!({}))
        .await
        .text()
        .parse()
        .unwrap()
}

/// Whether a process is there and is not a zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap().starts_with(" Z"))
}

/// Waits until something holds; fails where it never does.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !holds() {
        assert!(Instant::now() < end, "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The memory of this process now, in MiB.
pub(crate) fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let words = line.and_then(|line| line.split_whitespace().nth(1));
    words.and_then(|kib| kib.parse::<usize>().ok()).unwrap_or(0) / 1024
}
