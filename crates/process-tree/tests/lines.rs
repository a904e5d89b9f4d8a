//! Servers that answer lines with lines.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    io::ErrorKind,
    sync::Arc,
    time::{Duration, Instant},
};

use process_tree::{Control, Ending, Force, LaunchErrorKind, Limits, Lines};
use support::{AMPLE, Fixture, within};

mod support;

const ECHO: &str = "while read -r line; do echo \"got $line\"; done; echo closing >&2";

async fn serve(fixture: &Fixture, script: &str) -> Lines {
    fixture
        .shell(script)
        .spawn_lines(&Control::new())
        .await
        .unwrap()
}

async fn text(server: &Lines) -> Option<String> {
    server.next_line().await.map(|line| line.text)
}

#[tokio::test]
async fn a_server_answers_and_ends_when_its_stdin_closes() {
    let fixture = Fixture::new();
    let server = serve(&fixture, ECHO).await;
    for word in ["one", "two", "three"] {
        server.send_line(word).await.unwrap();
        assert_eq!(text(&server).await, Some(format!("got {word}")));
    }
    let done = server.end(AMPLE).await;
    assert_eq!(
        (done.ending, &*done.stderr.text()),
        (Ending::Exited(0), "closing\n")
    );
}

#[tokio::test]
async fn requests_can_overlap() {
    let fixture = Fixture::new();
    let server = Arc::new(serve(&fixture, ECHO).await);
    let senders: Vec<_> = (0..50)
        .map(|number| {
            let server = Arc::clone(&server);
            let line = format!("{number} {}", "x".repeat(5000));
            tokio::spawn(async move { server.send_line(&line).await.unwrap() })
        })
        .collect();
    let mut numbers = Vec::new();
    while numbers.len() < 50 {
        let line = text(&server).await.unwrap();
        assert_eq!(line.matches('x').count(), 5000);
        numbers.push(line.split(' ').nth(1).unwrap().parse::<u32>().unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..50).collect::<Vec<_>>());
    for sender in senders {
        sender.await.unwrap();
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_loses_no_line() {
    let fixture = Fixture::new();
    let script = "printf par; sleep 0.3; printf 'tial\\nnext\\n'; sleep 300";
    let server = serve(&fixture, script).await;
    let waited = tokio::time::timeout(Duration::from_millis(100), server.next_line()).await;
    assert!(waited.is_err());
    assert_eq!(text(&server).await, Some("partial".into()));
    assert_eq!(text(&server).await, Some("next".into()));
}

#[tokio::test]
async fn a_send_that_is_dropped_does_not_mix_lines() {
    let fixture = Fixture::new();
    let script = "sleep 0.5; while read -r line; do echo ${#line}; done";
    let server = serve(&fixture, script).await;
    let long = "x".repeat(1 << 20);
    let sent = tokio::time::timeout(Duration::from_millis(50), server.send_line(&long)).await;
    assert!(
        sent.is_err(),
        "a megabyte went into a pipe that nobody reads"
    );
    server.send_line("short").await.unwrap();
    assert_eq!(text(&server).await, Some((1 << 20).to_string()));
    assert_eq!(text(&server).await, Some("5".into()));
}

#[tokio::test]
async fn a_send_that_is_dropped_before_its_line_was_begun_sends_nothing() {
    let fixture = Fixture::new();
    let script = "sleep 0.7; while read -r line; do echo ${#line}; done";
    let server = serve(&fixture, script).await;
    let long = "x".repeat(1 << 20);
    // Were they kept, a server that does not read would cost its host all its memory.
    for _ in 0..3 {
        let sent = tokio::time::timeout(Duration::from_millis(50), server.send_line(&long)).await;
        assert!(sent.is_err());
    }
    server.send_line("last").await.unwrap();
    assert_eq!(text(&server).await, Some((1 << 20).to_string()));
    assert_eq!(text(&server).await, Some("4".into()));
}

#[tokio::test]
async fn the_last_words_of_a_server_that_died_are_heard() {
    let fixture = Fixture::new();
    let server = serve(&fixture, "echo one; printf two; echo sorry >&2; exit 9").await;
    assert_eq!(text(&server).await, Some("one".into()));
    assert_eq!(text(&server).await, Some("two".into()));
    assert_eq!(text(&server).await, None);
    assert_eq!(text(&server).await, None);
    assert_eq!(server.stderr_tail(), "sorry\n");
    assert_eq!(server.end(AMPLE).await.ending, Ending::Exited(9));
}

#[tokio::test]
async fn a_dead_server_is_noticed_though_a_descendant_holds_its_stdout() {
    let fixture = Fixture::new();
    let server = serve(&fixture, "sleep 300 & echo one; kill -9 $$").await;
    assert_eq!(text(&server).await, Some("one".into()));
    assert_eq!(text(&server).await, None);
    assert_eq!(server.end(AMPLE).await.ending, Ending::Signalled(9));
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn sending_to_a_server_that_is_gone_is_an_error() {
    let fixture = Fixture::new();
    let server = serve(&fixture, "exit 0").await;
    assert_eq!(text(&server).await, None);
    // A command that starts at this moment may hold the pipe for an instant.
    let clock = Instant::now();
    let error = loop {
        match server.send_line("x").await {
            Err(error) => break error,
            Ok(()) => assert!(clock.elapsed() < AMPLE),
        }
    };
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn a_line_with_a_line_break_is_refused() {
    let fixture = Fixture::new();
    let server = serve(&fixture, ECHO).await;
    assert_eq!(
        server.send_line("a\nb").await.unwrap_err().kind(),
        ErrorKind::InvalidInput
    );
    server.send_line("c").await.unwrap();
    assert_eq!(text(&server).await, Some("got c".into()));
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut_and_marked() {
    let fixture = Fixture::new();
    let limits = Limits {
        stdout: 10,
        ..Limits::default()
    };
    let script = "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo short";
    let command = fixture.shell(script).limits(limits);
    let server = command.spawn_lines(&Control::new()).await.unwrap();
    let long = server.next_line().await.unwrap();
    assert_eq!((long.text.as_str(), long.truncated), ("xxxxxxxxxx", true));
    assert_eq!(text(&server).await, Some("short".into()));
}

#[tokio::test]
async fn only_the_end_of_stderr_is_kept() {
    let fixture = Fixture::new();
    let limits = Limits {
        stderr: 100,
        ..Limits::default()
    };
    let script = "head -c 1000000 /dev/zero | tr '\\0' x >&2; echo the end >&2; echo done";
    let command = fixture.shell(script).limits(limits);
    let server = command.spawn_lines(&Control::new()).await.unwrap();
    assert_eq!(text(&server).await, Some("done".into()));
    let done = server.end(AMPLE).await;
    assert!(done.stderr.text().ends_with("xthe end\n"));
    assert_eq!(
        (done.stderr.text().len(), done.stderr.total),
        (100, 1_000_008)
    );
}

#[tokio::test]
async fn a_server_that_does_not_end_is_ended() {
    let fixture = Fixture::new();
    let script = "trap '' TERM; echo up; setsid sleep 300 & while :; do sleep 300; done";
    let command = fixture.shell(script).limits(within(0));
    let server = command.spawn_lines(&Control::new()).await.unwrap();
    assert_eq!(text(&server).await, Some("up".into()));
    let done = server.end(Duration::from_millis(100)).await;
    assert_eq!(done.ending, Ending::Cancelled { by: Force::Kill });
    assert_eq!(fixture.strays(), [0; 0]);
}

#[tokio::test]
async fn dropping_a_server_kills_its_tree() {
    let fixture = Fixture::new();
    let server = serve(&fixture, "setsid sleep 300 & sleep 300").await;
    fixture.until_there_are(3).await;
    drop(server);
    assert_eq!(fixture.remaining(), [0; 0]);
}

#[tokio::test]
async fn cancelling_ends_a_server() {
    let fixture = Fixture::new();
    let control = Control::new();
    let server = fixture
        .shell("sleep 300")
        .spawn_lines(&control)
        .await
        .unwrap();
    let (line, ()) = tokio::join!(server.next_line(), async { control.cancel() });
    assert_eq!(line, None);
    assert!(server.send_line("x").await.is_err());
    assert_eq!(fixture.remaining(), [0; 0]);
    assert!(matches!(
        server.end(AMPLE).await.ending,
        Ending::Cancelled { .. }
    ));
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let error = process_tree::Command::new("/no/such/server")
        .spawn_lines(&Control::new())
        .await;
    assert_eq!(error.unwrap_err().kind(), &LaunchErrorKind::ProgramMissing);
}

#[tokio::test]
async fn a_flood_does_not_outlast_the_grace() {
    let fixture = Fixture::new();
    let server = fixture
        .shell("yes")
        .spawn_lines(&Control::new())
        .await
        .unwrap();
    assert!(server.next_line().await.is_some());
    let clock = Instant::now();
    server.end(Duration::from_millis(100)).await;
    assert!(clock.elapsed() < AMPLE, "{:?}", clock.elapsed());
}
