//! What goes in and what comes out.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use process_tree::{Command, Control, Ending, Limits};
use support::{AMPLE, Fixture, run, within};
use test_support::memory;

mod support;

const MEGABYTE: usize = 1 << 20;

#[tokio::test]
async fn a_command_without_input_sees_the_end_at_once() {
    let fixture = Fixture::new();
    assert_eq!(
        run(&fixture.shell("cat; echo done")).await.stdout.text(),
        "done\n"
    );
}

#[tokio::test]
async fn a_megabyte_that_is_never_read_is_no_error() {
    let fixture = Fixture::new();
    let command = fixture.shell("echo done").stdin(vec![b'x'; MEGABYTE * 4]);
    let done = run(&command).await;
    assert_eq!(
        (done.ending, &*done.stdout.text()),
        (Ending::Exited(0), "done\n")
    );
}

#[tokio::test]
async fn a_command_that_closes_stdin_early_is_not_at_fault() {
    let fixture = Fixture::new();
    let command = fixture
        .shell("exec <&-; sleep 0.2; echo done")
        .stdin(vec![b'x'; MEGABYTE * 4]);
    assert_eq!(run(&command).await.stdout.text(), "done\n");
}

#[tokio::test]
async fn printing_much_before_reading_much_does_not_deadlock() {
    let fixture = Fixture::new();
    let script = "head -c 300000 /dev/zero | tr '\\0' a; wc -c >&2";
    let done = run(&fixture.shell(script).stdin(vec![b'x'; MEGABYTE])).await;
    assert_eq!(done.ending, Ending::Exited(0));
    assert_eq!(done.stdout.total, 300_000);
    assert_eq!(done.stderr.text().trim(), "1048576");
}

#[tokio::test]
async fn a_slow_reader_gets_everything() {
    let fixture = Fixture::new();
    let script = "for i in 1 2 3 4 5; do head -c 100000 | wc -c; sleep 0.05; done; wc -c";
    let done = run(&fixture.shell(script).stdin(vec![b'x'; MEGABYTE])).await;
    let text = done.stdout.text();
    let counts = text
        .split_whitespace()
        .map(|count| count.parse::<usize>().unwrap());
    // `head` may read ahead, so the parts need not add up; every one has something to read.
    let counts: Vec<usize> = counts.collect();
    assert_eq!(counts.len(), 6);
    assert!(
        counts[..5].iter().all(|count| *count == 100_000),
        "{counts:?}"
    );
}

#[tokio::test]
async fn sixteen_megabytes_come_back_as_they_went_in() {
    let fixture = Fixture::new();
    let payload: Vec<u8> = (b'a'..=b'w').cycle().take(16 * MEGABYTE).collect();
    let limits = Limits {
        stdout: 32 * MEGABYTE,
        ..Limits::default()
    };
    let command = fixture
        .mark(Command::new("cat"))
        .stdin(payload.clone())
        .limits(limits);
    let done = run(&command).await;
    assert!(!done.stdout.truncated);
    assert!(done.stdout.text().as_bytes() == payload);
}

#[tokio::test]
async fn one_payload_feeds_many_commands() {
    let fixture = Fixture::new();
    let shared: Arc<[u8]> = Arc::from(vec![b'x'; 200_000]);
    let count = fixture.shell("wc -c").stdin(Arc::clone(&shared));
    for _ in 0..3 {
        assert_eq!(run(&count).await.stdout.text().trim(), "200000");
    }
}

#[tokio::test]
async fn the_two_outputs_are_kept_apart() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("echo out; echo err >&2")).await;
    assert_eq!(
        (&*done.stdout.text(), &*done.stderr.text()),
        ("out\n", "err\n")
    );
}

#[tokio::test]
async fn a_character_split_over_two_writes_is_whole() {
    let fixture = Fixture::new();
    let script = r"printf 'a\342\202'; sleep 0.2; printf '\254b'";
    assert_eq!(run(&fixture.shell(script)).await.stdout.text(), "a€b");
}

#[tokio::test]
async fn broken_text_is_replaced() {
    let fixture = Fixture::new();
    assert_eq!(
        run(&fixture.shell(r"printf 'a\377b'")).await.stdout.text(),
        "a\u{FFFD}b"
    );
}

#[tokio::test]
async fn output_beyond_the_limit_is_counted_and_marked() {
    let fixture = Fixture::new();
    let limits = Limits {
        stdout: 1000,
        stderr: 10,
        ..Limits::default()
    };
    let script = "head -c 500000 /dev/zero | tr '\\0' a; printf 0123456789 >&2";
    let done = run(&fixture.shell(script).limits(limits)).await;
    assert_eq!(
        (done.stdout.text().len(), done.stdout.total),
        (1000, 500_000)
    );
    assert!(done.stdout.truncated);
    assert_eq!(
        (&*done.stderr.text(), done.stderr.truncated),
        ("0123456789", false)
    );
}

#[tokio::test]
async fn the_end_of_a_long_output_is_kept_beside_its_start() {
    let fixture = Fixture::new();
    let limits = Limits {
        stdout: 10,
        stderr: 5,
        tail: 6,
        ..Limits::default()
    };
    let script = "seq 1 100000; printf 0123456789 >&2";
    let done = run(&fixture.shell(script).limits(limits)).await;
    let stdout = &done.stdout;
    assert_eq!(
        (&*stdout.text(), stdout.tail.as_str(), stdout.truncated),
        ("1\n2\n3\n4\n5\n", "00000\n", true)
    );
    let stderr = &done.stderr;
    assert_eq!(
        (&*stderr.text(), stderr.tail.as_str(), stderr.truncated),
        ("01234", "56789", false)
    );
}

#[tokio::test]
async fn nothing_is_kept_when_the_limit_is_zero() {
    let fixture = Fixture::new();
    let limits = Limits {
        stdout: 0,
        ..Limits::default()
    };
    let done = run(&fixture.shell("echo hello").limits(limits)).await;
    assert_eq!((&*done.stdout.text(), done.stdout.total), ("", 6));
    assert!(done.stdout.truncated);
}

#[tokio::test]
async fn three_hundred_megabytes_of_output_cost_no_memory() {
    let fixture = Fixture::new();
    let before = memory("VmRSS");
    let done = run(&fixture.shell("head -c 300000000 /dev/zero")).await;
    let grown = memory("VmRSS").saturating_sub(before);
    assert_eq!(done.stdout.total, 300_000_000);
    assert!(done.stdout.truncated);
    assert!(grown < 100_000, "{grown} KiB more than before");
}

#[tokio::test]
async fn a_command_that_closes_its_outputs_and_goes_on_is_awaited() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("echo early; exec >&- 2>&-; sleep 0.3; exit 7")).await;
    assert_eq!(
        (done.ending, &*done.stdout.text()),
        (Ending::Exited(7), "early\n")
    );
    assert!(done.timing.total >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_listener_hears_of_output_while_the_command_runs() {
    let fixture = Fixture::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heard);
    let control = Control::new().on_output(move |progress| {
        log.lock()
            .unwrap()
            .push((progress.stdout().into_owned(), progress.stderr_total()));
    });
    let script = r"printf 'one \342\202'; sleep 0.5; printf '\254 two'; echo x >&2; sleep 0.5";
    let done = fixture.shell(script).run(&control).await;
    let heard = heard.lock().unwrap().clone();
    assert_eq!(done.stdout.text(), "one € two");
    assert_eq!(heard.first(), Some(&("one ".to_owned(), 0)));
    assert_eq!(heard.last(), Some(&("one € two".to_owned(), 2)));
}

#[tokio::test]
async fn a_listener_is_not_called_for_every_byte() {
    let fixture = Fixture::new();
    let calls = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&calls);
    let control = Control::new().on_output(move |_| *counter.lock().unwrap() += 1);
    let done = fixture.shell("yes | head -c 20000000").run(&control).await;
    assert_eq!(done.stdout.total, 20_000_000);
    let most = done.timing.total.as_millis() / 100 + 1;
    assert!(*calls.lock().unwrap() <= most);
}

#[tokio::test]
async fn a_flood_does_not_hide_the_deadline() {
    let fixture = Fixture::new();
    let done = run(&fixture.shell("yes & yes >&2").limits(within(300))).await;
    assert!(
        matches!(done.ending, Ending::TimedOut { .. }),
        "{:?}",
        done.ending
    );
    assert!(done.stdout.total > 0 && done.stderr.total > 0);
    assert!(done.timing.total < AMPLE);
}
