//! What makes two commands the same hook, and what people are shown of one.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use hook_runner::{Fire, Group, Handler, Hook};
use hook_shell::{Dialect, Host, Plugin, ServerHook, ShellHook};
use hook_types::{EventName, SkipReason, Status};
use support::{Fixture, bash};

mod support;

fn plugin(root: &str, option: &str) -> Plugin {
    Plugin {
        root: root.to_owned(),
        data: None,
        options: vec![("level".to_owned(), option.to_owned())],
    }
}

fn lint() -> ShellHook {
    ShellHook::new("./lint.sh")
}

#[test]
fn how_long_it_may_take_and_what_it_shares_do_not_make_a_command_another() {
    let plain = lint().identity().unwrap();
    for same in [
        lint().timeout(Duration::from_secs(5)),
        lint().grace(Duration::ZERO).output_limit(10),
        lint().host(&Host::new()),
        lint().shell("sh"),
        lint().shell("/bin/sh"),
        lint().dialect(Dialect::Claude),
    ] {
        assert_eq!(same.identity().unwrap(), plain, "{same:?}");
    }
    let ordered = lint().env("A", "1").env("B", "2").identity();
    assert_eq!(lint().env("B", "2").env("A", "1").identity(), ordered);
    let last = lint().env("A", "0").env("B", "2").env("A", "1");
    assert_eq!(last.identity(), ordered, "of two values the last counts");
    let ours = lint().plugin(plugin("/a", "1")).identity();
    assert_eq!(lint().plugin(plugin("/a", "2")).identity(), ours);
}

#[test]
fn everything_that_a_command_is_makes_it_another() {
    let none: [&str; 0] = [];
    let all = [
        lint().identity(),
        ShellHook::new("./lint.sh ").identity(),
        lint().shell("bash").identity(),
        lint().shell("powershell").identity(),
        lint().env("A", "1").identity(),
        lint().env("A", "2").identity(),
        lint().env("A", "1").without_env("A").identity(),
        lint().cwd("/tmp").identity(),
        lint().dialect(Dialect::Opta).identity(),
        lint().dialect(Dialect::OpenCode).identity(),
        lint().dialect(Dialect::Hookline).identity(),
        lint().plugin(plugin("/a", "1")).identity(),
        lint().plugin(plugin("/b", "1")).identity(),
        ShellHook::exec("./lint.sh", none).identity(),
        ShellHook::exec("./lint.sh", ["a", "b"]).identity(),
        ShellHook::exec("./lint.sh", ["a b"]).identity(),
        ServerHook::new("./lint.sh").identity(),
        ServerHook::new("./lint.sh").env("A", "1").identity(),
        ServerHook::exec("./lint.sh", none).identity(),
    ];
    for (place, one) in all.iter().enumerate() {
        assert!(one.is_some());
        for other in &all[place + 1..] {
            assert_ne!(one, other);
        }
    }
}

#[tokio::test]
async fn the_same_command_of_two_files_runs_once() {
    let fixture = Fixture::new();
    let count = || fixture.hook("echo >> runs");
    let hook = |hook: ShellHook| Hook::new(EventName::PreToolUse, hook);
    let group = Group::parallel()
        .hook(hook(count().env("A", "1").env("B", "2")).id("first"))
        .hook(
            hook(
                count()
                    .env("B", "2")
                    .env("A", "1")
                    .timeout(Duration::from_secs(9)),
            )
            .id("copy"),
        )
        .hook(hook(count().env("A", "2")).id("other"));
    let runner = fixture.runner_of(group);
    let fired = runner.fire(bash("ls")).await;
    assert_eq!(fixture.read("runs").len(), 2);
    let copy = &fired.attempts[1].reply.status;
    assert_eq!(
        *copy,
        Status::Skipped(SkipReason::Duplicate("first".into()))
    );
    runner.close(Duration::ZERO).await;
}

#[test]
fn what_is_shown_of_a_hook_has_no_secrets() {
    let secret = |name: &str| Plugin {
        options: vec![(name.to_owned(), "hush-3".to_owned())],
        ..Plugin::default()
    };
    let host = Host::with_environment([("TOKEN", "hush-1")].into_iter().collect());
    let command = lint()
        .host(&host)
        .env("KEY", "hush-2")
        .plugin(secret("password"));
    let server = ServerHook::new("./serve")
        .host(&host)
        .env("KEY", "hush-2")
        .plugin(secret("password"));
    for shown in [
        format!("{command:?}"),
        format!("{server:?}"),
        format!("{:?}", command.describe()),
        format!("{:?}", server.describe()),
        format!("{host:?}"),
        format!("{:?}", secret("password")),
    ] {
        assert!(!shown.contains("hush"), "{shown}");
    }
    assert!(format!("{command:?}").contains("KEY"));
}

#[test]
fn a_description_says_what_runs_and_how() {
    let details = |hook: &dyn Handler| {
        let described = hook.describe();
        let details = described.details.iter();
        let details: Vec<String> = details
            .map(|(name, text)| format!("{name}: {text}"))
            .collect();
        (
            described.kind.as_str().to_owned(),
            described.summary,
            details.join("; "),
        )
    };
    let full = lint()
        .shell("bash")
        .cwd("sub dir")
        .env("B", "2")
        .env("A", "1")
        .env("A", "3")
        .without_env("TOKEN");
    let expected = "environment: A B; without: TOKEN; shell: bash; directory: sub dir";
    assert_eq!(
        details(&full),
        ("command".into(), "./lint.sh".into(), expected.into())
    );
    let exec = ServerHook::exec("node", ["guard.js", "-v"]);
    assert_eq!(
        details(&exec),
        ("server".into(), "node guard.js -v".into(), String::new())
    );
}
