//! Whatever a server does, a hook keeps its deadline, and memory is bounded by a number that we chose.
//!
//! Alone in its file, for it counts what belongs to the whole process.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::time::{Duration, Instant};

use hook_types::{Decision, Notification};
use support::{AMPLE, Server, call, fire, only};
use test_support::{Counting, live, most_live, watch_most};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

#[global_allocator]
static COUNTING: Counting = Counting;

/// A body is kept up to 1 MiB. It is there as bytes, as text, as what was read and as evidence; a
/// buffer that grows is there twice.
const MOST_MEMORY: usize = 16 * 1024 * 1024;
/// What chance may hold at one moment more than at another.
const SLACK: usize = 2 * 1024 * 1024;
/// How long a hook may take that takes all of its time.
const LIMIT: Duration = Duration::from_millis(300);

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/// What a server does once it has been asked.
#[derive(Clone, Copy)]
enum Does {
    /// Says this, and hangs up.
    Says(&'static str),
    /// Says the first, then the second for ever.
    Floods(&'static str, &'static str),
    /// The same, with a pause before each.
    Drips(&'static str, &'static str),
    /// Says this, and resets the connection.
    Resets(&'static str),
    /// Says this and then nothing, and stays.
    Hangs(&'static str),
}

/// A name, what the server does, and how the hook ends: one of these.
const CASES: &[(&str, Does, &[&str])] = &[
    ("silence", Does::Hangs(""), &["timed_out"]),
    (
        "a head without end",
        Does::Hangs("HTTP/1.1 200 OK\r\nx: "),
        &["timed_out"],
    ),
    ("a head in drops", Does::Drips(OK, "x"), &["timed_out"]),
    (
        "a body that stops",
        Does::Hangs("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"),
        &["timed_out"],
    ),
    (
        "a body in drops",
        Does::Drips(CHUNKED, "1\r\ny\r\n"),
        &["timed_out"],
    ),
    (
        "a body without end",
        Does::Floods(CHUNKED, BLOCK),
        &["bad_output"],
    ),
    (
        "an object without end",
        Does::Floods(OBJECT, BLOCK),
        &["bad_output"],
    ),
    (
        "a gigabyte",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n",
            BLOCK,
        ),
        &["bad_output"],
    ),
    (
        "a gigabyte of an error",
        Does::Floods(
            "HTTP/1.1 500 X\r\ncontent-length: 1073741824\r\n\r\n",
            BLOCK,
        ),
        &["failed"],
    ),
    (
        "a body until it hangs up",
        Does::Floods("HTTP/1.1 200 OK\r\n\r\n", BLOCK),
        &["bad_output"],
    ),
    (
        "one header without end",
        Does::Floods("HTTP/1.1 200 OK\r\nx: ", WORDS),
        &["failed"],
    ),
    (
        "headers without end",
        Does::Floods(OK, "x: y\r\n"),
        &["failed"],
    ),
    (
        "a status without end",
        Does::Floods("HTTP/1.1 200 ", WORDS),
        &["failed"],
    ),
    (
        "a hundred without end",
        Does::Floods("", "HTTP/1.1 100 Continue\r\n\r\n"),
        &["failed", "timed_out"],
    ),
    (
        "the size of a piece without end",
        Does::Floods(CHUNKED, "0"),
        &["failed", "timed_out"],
    ),
    (
        "a remark on a piece without end",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;",
            WORDS,
        ),
        &["failed", "timed_out"],
    ),
    (
        "trailers without end",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n",
            "x: y\r\n",
        ),
        &["failed", "timed_out"],
    ),
    ("no HTTP", Does::Says("<html>hello</html>"), &["failed"]),
    ("no HTTP, without end", Does::Floods("", WORDS), &["failed"]),
    ("nothing", Does::Says(""), &["failed"]),
    (
        "a length that is too long",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{}"),
        &["failed"],
    ),
    (
        "a length that is too short",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}{}{}"),
        &["no_opinion"],
    ),
    (
        "a length that is none",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}"),
        &["failed"],
    ),
    (
        "two lengths",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 4\r\n\r\n{}{}"),
        &["failed"],
    ),
    (
        "a length that overflows",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n{}"),
        &["failed"],
    ),
    (
        "a length and pieces",
        Does::Says(
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        ),
        &["no_opinion", "failed"],
    ),
    (
        "a reset in the head",
        Does::Resets("HTTP/1.1 200 OK\r\ncon"),
        &["failed"],
    ),
    (
        "a reset in the body",
        Does::Resets("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"),
        &["failed"],
    ),
    (
        "a body that says it is compressed",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
            BLOCK,
        ),
        &["bad_output"],
    ),
    (
        "objects in objects",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n",
            "{\"a\":",
        ),
        &["bad_output"],
    ),
    (
        "lists in lists",
        Does::Floods(
            "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n",
            "[[[[[[[[",
        ),
        &["bad_output"],
    ),
    (
        "an upgrade",
        Does::Says("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
        &["failed"],
    ),
    (
        "bytes that are no text",
        Does::Says("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n\0\0\0"),
        &["bad_output"],
    ),
];

macro_rules! four {
    ($text:expr) => {
        concat!($text, $text, $text, $text)
    };
}

/// 1 KiB in a piece of a chunked body.
const BLOCK: &str = concat!("400\r\n", four!(four!(four!("yyyyyyyyyyyyyyyy"))), "\r\n");
const WORDS: &str = "yyyyyyyyyyyyyyyy";
const OBJECT: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{\"\r\n";

impl Does {
    /// Whoever has enough hangs up; writing then fails, and that is fine.
    async fn serve(self, mut stream: TcpStream) {
        let (first, then) = match self {
            Self::Says(first) | Self::Resets(first) | Self::Hangs(first) => (first, ""),
            Self::Floods(first, then) | Self::Drips(first, then) => (first, then),
        };
        let _ = stream.write_all(first.as_bytes()).await;
        match self {
            Self::Says(_) => {}
            Self::Resets(_) => stream.set_zero_linger().unwrap(),
            Self::Hangs(_) => std::future::pending().await,
            Self::Floods(..) => flood(stream, then).await,
            Self::Drips(..) => drip(stream, then).await,
        }
    }
}

async fn flood(mut stream: TcpStream, text: &str) {
    let much = text.repeat(64 * 1024 / text.len());
    while stream.write_all(much.as_bytes()).await.is_ok() {}
}

async fn drip(mut stream: TcpStream, text: &str) {
    while stream.write_all(text.as_bytes()).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_server_does_a_hook_keeps_its_deadline_and_its_memory() {
    // What is made once is not counted.
    fire(Server::answering(200, "{}").await.hook(), call()).await;
    let before = live();
    for (name, does, endings) in CASES {
        let server = Server::doing(|stream, _| does.serve(stream)).await;
        let began = watch_most();
        let started = Instant::now();
        let limit = if endings.contains(&"timed_out") {
            LIMIT
        } else {
            AMPLE
        };
        let fired = fire(server.hook().timeout(limit), call()).await;
        let most = most_live().saturating_sub(began);
        let attempt = only(&fired);
        let status = &attempt.reply.status;
        assert!(endings.contains(&status.word()), "{name}: {status}");
        assert!(
            started.elapsed() < AMPLE,
            "{name} took {:?}",
            started.elapsed()
        );
        assert!(most < MOST_MEMORY, "{name} held {most} bytes");
        assert!(
            attempt.reply.evidence.stdout.len() <= 3 * 1024 * 1024,
            "{name}"
        );
        // Only what starts like an answer and was cut blocks: nobody knows what it said.
        let cut =
            attempt.reply.evidence.stdout.starts_with('{') && attempt.reply.evidence.truncated;
        assert_eq!(fired.outcome.decision == Decision::Deny, cut, "{name}");
    }
    let settled = || live() < before + SLACK;
    let start = Instant::now();
    while !settled() && start.elapsed() < AMPLE {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let left = live().saturating_sub(before);
    assert!(settled(), "{left} bytes are left");

    // Where nobody guards, nothing blocks.
    let server = Server::doing(|stream, _| Does::Floods(OBJECT, BLOCK).serve(stream)).await;
    let fired = fire(
        server.hook().timeout(AMPLE),
        Notification::new("hello", "idle_prompt"),
    )
    .await;
    assert_eq!(fired.outcome.decision, Decision::Pass);
}
