//! What does not end: it is not kept, and not waited for.

use std::time::Duration;

use agent_loop::{LARGEST_REPLY, ModelEvent, ModelRequest, Trouble};
use serde_json::json;
use tokio::sync::Mutex;

use crate::server::{Answer, Server};
use crate::stage::{error, once, turn};
use crate::wire::{BOTH, Kind, Reply};

/// Held while memory is measured: what the others use would count.
static ALONE: Mutex<()> = Mutex::const_new(());

/// How much memory this process has used at its most, in bytes; nothing where no system says it.
fn peak() -> usize {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return 0;
    };
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .unwrap()
        << 10
}

async fn too_large(kind: Kind, answer: Answer) {
    let _alone = ALONE.lock().await;
    let server = Server::answering([answer]).await;
    let before = peak();
    let (result, heard) = turn(kind.model(&server.address, |_| ()), once()).await;
    assert_eq!(
        error(&result).trouble,
        Some(Trouble::ReplyTooLarge),
        "{kind:?}"
    );
    assert!(heard.stop_failure("server_error"));
    server.closed().await;
    // What is kept is the limit, some copies of it, and what is on its way.
    assert!(
        peak() - before.min(peak()) < 12 * LARGEST_REPLY,
        "{} bytes",
        peak() - before
    );
}

#[tokio::test]
async fn a_line_that_never_ends() {
    for kind in BOTH {
        let start = Answer::begin().send(["data: {\"x\": \""]);
        too_large(kind, start.forever(&"x".repeat(1 << 16))).await;
    }
}

#[tokio::test]
async fn a_body_that_never_ends() {
    for kind in BOTH {
        let words = "and on ".repeat(1 << 13);
        let event = match kind {
            Kind::Anthropic => json!({"type": "content_block_delta", "index": 0, "delta": {
                "type": "text_delta", "text": words}}),
            Kind::OpenAi => json!({"choices": [{"index": 0, "delta": {"content": words}}]}),
        };
        let begun = kind.events(&Reply::say("on"));
        let start = Answer::begin().send(&begun[..3]);
        too_large(kind, start.forever(&format!("data: {event}\n\n"))).await;
    }
}

#[tokio::test]
async fn a_call_whose_input_never_ends() {
    for kind in BOTH {
        let part = "x".repeat(1 << 16);
        let begun = kind.events(&Reply::say("").call("c1", "Write", json!({"content": "abc"})));
        let (upto, event) = match kind {
            Kind::Anthropic => (
                5,
                json!({"type": "content_block_delta", "index": 0, "delta": {
                "type": "input_json_delta", "partial_json": part}}),
            ),
            Kind::OpenAi => (
                2,
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": 0, "function": {"arguments": part}}]}}]}),
            ),
        };
        let start = Answer::begin().send(&begun[..upto]);
        too_large(kind, start.forever(&format!("data: {event}\n\n"))).await;
    }
}

#[tokio::test]
async fn events_that_say_nothing_and_never_end_are_not_read_for_ever() {
    for kind in BOTH {
        let server = Server::answering([
            Answer::begin().forever("event: ping\ndata: {\"type\": \"ping\"}\n\n")
        ])
        .await;
        let model = kind.model(&server.address, |settings| {
            settings.patience.whole = Duration::from_millis(500);
        });
        let (result, _) = turn(model, once()).await;
        assert_eq!(error(&result).trouble, Some(Trouble::TimedOut));
        server.closed().await;
    }
}

#[tokio::test]
async fn an_error_that_never_ends_is_read_to_a_limit() {
    for kind in BOTH {
        let endless = Answer::error("500 Internal Server Error", &json!("x"));
        let server = Server::answering([endless.forever(&"x".repeat(1 << 14))]).await;
        let (result, _) = turn(kind.model(&server.address, |_| ()), once()).await;
        let error = error(&result);
        assert_eq!(error.trouble, Some(Trouble::ServiceFailed));
        assert!(error.to_string().len() < 1_000);
        server.closed().await;
    }
}

#[tokio::test]
async fn a_reply_that_is_large_and_not_too_large_is_whole() {
    let text = "word ".repeat(20_000);
    for kind in BOTH {
        let server =
            Server::answering([Answer::stream([kind.events(&Reply::say(&text)).concat()])]).await;
        let model = kind.model(&server.address, |_| ());
        let mut stream = model.stream(ModelRequest::default()).await.unwrap();
        let mut all = String::new();
        while let Some(piece) = stream.next().await {
            if let ModelEvent::Text(more) = piece.unwrap() {
                all.push_str(&more);
            }
        }
        assert_eq!(all.len(), text.len());
    }
}
