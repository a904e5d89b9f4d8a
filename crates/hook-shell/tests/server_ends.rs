//! How a server ends: with its session, its hook or its runtime, and when nobody waits any more.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use hook_runner::Handler;
use hook_shell::{Host, ShellHook};
use hook_types::Status;
use servers_support::{AMPLE, Fixture, ask, assert_word, each, failure, fixture_warm, millis};

mod servers_support;

// Nobody waits any more.

#[tokio::test]
async fn a_request_that_is_dropped_is_forgotten() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in *slow*) sleep 0.5 ;; esac
           word=${line#*'"command":"'}; word=${word%%'"'*}
           echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$word\"}}""#,
    );
    assert_eq!(ask(&hook, "first").await.status, Status::Answered);
    let dropped = tokio::time::timeout(millis(100), ask(&hook, "slow")).await;
    assert!(dropped.is_err());
    let next = ask(&hook, "next").await;
    assert_eq!(next.output.system_message.as_deref(), Some("next"));
    assert_eq!(fixture.starts(), 1, "a firing that is cancelled is no hang");
}

#[tokio::test]
async fn a_session_that_ends_closes_its_stdin_and_waits_for_it() {
    let fixture = Fixture::new();
    let body = each(r#"echo "{\"id\":$id}""#);
    let hook = fixture.server(&format!("sleep 600 &\n{body}\necho bye >farewell"));
    assert_word(&ask(&hook, "make").await, "no_opinion");
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
    let farewell = fs::read_to_string(fixture.path().join("farewell"));
    assert_eq!(farewell.unwrap(), "bye\n");
}

#[tokio::test]
async fn one_that_will_not_end_is_ended_with_the_session() {
    let fixture = Fixture::new();
    let hook = fixture.server("trap '' TERM HUP INT; setsid sleep 600 & while :; do sleep 1; done");
    fixture_warm(&hook, &fixture).await;
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_request_that_is_under_way_when_the_session_ends_is_told() {
    let fixture = Fixture::new();
    let hook = fixture.server("cat >/dev/null");
    let (reply, ()) = tokio::join!(ask(&hook, "make"), async {
        fixture
            .until("it has started", |fixture| fixture.starts() > 0)
            .await;
        hook.close().await;
    });
    assert!(
        failure(&reply).starts_with("the server was ended"),
        "{reply:?}"
    );
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_firing_after_the_end_of_a_session_starts_it_again() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id}""#);
    assert_word(&ask(&hook, "make").await, "no_opinion");
    hook.close().await;
    assert_word(&ask(&hook, "make").await, "no_opinion");
    assert_eq!(fixture.starts(), 2);
    hook.close().await;
}

#[tokio::test]
async fn a_hook_that_is_dropped_takes_its_server_with_it() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"setsid sleep 600 & echo "{\"id\":$id}""#);
    assert_word(&ask(&hook, "make").await, "no_opinion");
    drop(hook);
    fixture.until_nothing_runs().await;
}

#[tokio::test]
async fn a_hook_that_is_dropped_while_its_server_starts_leaves_nothing() {
    for pause in [0, 1, 3, 10] {
        let fixture = Fixture::new();
        let hook = fixture.server("exec sleep 600");
        let _ = tokio::time::timeout(millis(pause), ask(&hook, "make")).await;
        drop(hook);
        fixture.until_nothing_runs().await;
    }
}

#[test]
fn a_runtime_that_is_dropped_takes_the_server_with_it_and_another_starts_a_new_one() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id}""#);
    for starts in 1..=2 {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .worker_threads(2)
            .build()
            .unwrap();
        let reply = runtime.block_on(ask(&hook, "make"));
        assert_word(&reply, "no_opinion");
        drop(runtime);
        assert_eq!(fixture.starts(), starts);
        let clock = Instant::now();
        while !fixture.strays().is_empty() {
            assert!(clock.elapsed() < AMPLE);
            std::thread::sleep(millis(10));
        }
    }
}

#[tokio::test]
async fn a_command_that_is_closed_on_the_same_host_leaves_a_server_its_grace() {
    let fixture = Fixture::new();
    let host = Host::new();
    let until_its_end = r#"while read -r line; do echo '{"id":1}'; done; sleep 0.4; echo >ended"#;
    let server = fixture.server(until_its_end).host(&host);
    let command = ShellHook::new("true").host(&host);
    assert_word(&ask(&server, "make").await, "no_opinion");
    // In any order, and at once: nobody's close cuts another's grace short.
    tokio::join!(command.close(), server.close(), command.close());
    assert!(fixture.path().join("ended").exists());
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_host_that_is_closed_ends_every_server_on_it_and_waits_for_all_of_them_at_once() {
    let fixture = Fixture::new();
    let host = Host::new();
    let until_its_end = |file: &str| {
        format!(r#"while read -r line; do echo '{{"id":1}}'; done; sleep 0.4; echo >{file}"#)
    };
    let names = ["a", "b", "c"];
    let servers = names.map(|name| fixture.server(&until_its_end(name)).host(&host));
    for server in &servers {
        assert_word(&ask(server, "make").await, "no_opinion");
    }
    host.close().await;
    for name in names {
        assert!(fixture.path().join(name).exists(), "{name}");
    }
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn servers_and_commands_can_share_a_host() {
    let fixture = Fixture::new();
    let host = Host::new();
    let one = fixture.each(r#"echo "{\"id\":$id}""#).host(&host);
    let two = fixture.each(r#"echo "{\"id\":$id}""#).host(&host);
    assert_word(&ask(&one, "make").await, "no_opinion");
    assert_word(&ask(&two, "make").await, "no_opinion");
    tokio::join!(one.close(), two.close());
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_requests_at_once_on_a_server_that_keeps_dying_all_end() {
    let fixture = Fixture::new();
    let hook = Arc::new(fixture.each(
        r#"count=$((count + 1)); [ $count -lt 20 ] || exit 1; echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}""#,
    ));
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let hook = Arc::clone(&hook);
            tokio::spawn(async move {
                tokio::time::sleep(millis(number)).await;
                ask(&hook, "make").await
            })
        })
        .collect();
    let mut answered = 0;
    for task in tasks {
        let reply = task.await.unwrap();
        let word = reply.status.word();
        assert!(matches!(word, "answered" | "failed"), "{reply:?}");
        answered += usize::from(word == "answered");
    }
    assert!(answered > 0);
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}
