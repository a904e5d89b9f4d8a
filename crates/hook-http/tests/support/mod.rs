//! Servers on this machine that say whatever a test wants said.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_http::{HttpHook, Network};
use hook_runner::{Fired, HookRunner, HookSet, Runner};
use hook_types::{Attempt, Event, PreToolUse};
use process_tree::Environment;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Ten times longer than anything here takes on a busy machine.
pub(crate) const AMPLE: Duration = Duration::from_mins(1);

pub(crate) const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not here"}}"#;

/// A server, and what it was asked so far.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A server that does this with every connection, once it has read the request.
    pub(crate) async fn doing<F, R>(what: F) -> Self
    where
        F: Fn(TcpStream, String) -> R + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap().to_string(),
            asked: Arc::default(),
        };
        let asked = Arc::clone(&server.asked);
        let what = Arc::new(what);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (asked, what) = (Arc::clone(&asked), Arc::clone(&what));
                tokio::spawn(async move {
                    let request = request(&mut stream).await;
                    asked.lock().unwrap().push(request.clone());
                    what(stream, request).await;
                });
            }
        });
        server
    }

    /// A server that says these bytes and hangs up.
    pub(crate) async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::doing(move |mut stream, _| {
            let bytes = Arc::clone(&bytes);
            async move {
                // Whoever has enough may hang up first.
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }

    /// A server that answers with this status and body.
    pub(crate) async fn answering(status: u16, body: &str) -> Self {
        Self::saying(response(status, body)).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn hook(&self) -> HttpHook {
        hook(&self.url("/hook"))
    }
}

/// A hook that knows no environment.
pub(crate) fn hook(url: &str) -> HttpHook {
    HttpHook::new(url)
        .unwrap()
        .network(&Network::new(Environment::empty()))
}

pub(crate) fn response(status: u16, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// The head and as much body as it announces.
pub(crate) async fn request(stream: &mut TcpStream) -> String {
    let mut seen = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let mut lines = head.lines();
            let length = lines.find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return text,
            Ok(read) => seen.extend_from_slice(&piece[..read]),
        }
    }
}

pub(crate) fn call() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "make"}))
}

/// What becomes of the hook at a firing.
pub(crate) async fn fire<E: Event>(hook: HttpHook, event: E) -> Fired {
    let hooks = HookSet::builder().hook::<E>("", hook).build().unwrap();
    Runner::new(hooks).fire_event(event.into()).await
}

/// The one attempt.
pub(crate) fn only(fired: &Fired) -> &Attempt {
    assert_eq!(fired.attempts.len(), 1);
    &fired.attempts[0]
}
