//! No process and no thread can be added: `RLIMIT_NPROC`.

use std::path::Path;
use std::process::Command;

use hook_runner::{Group, Hook, HookSet, Runner, blocking_fn};
use hook_shell::{ServerHook, ShellHook};
use hook_types::{Event, EventName, OnFailure, PreToolUse, UserPromptSubmit};
use process_tree::{LaunchErrorKind, Watchdog};
use rustix::process::Resource;

use crate::scene::{Scene, agent, call, endings, transcript};
use crate::user::{alone, descriptors, limited, runtime};

/// Without another process, and without another thread.
fn with_none_to_add<T>(during: impl FnOnce() -> T) -> T {
    limited(Resource::Nproc, 1, || {
        let process = Command::new("/bin/true").spawn();
        let thread = std::thread::Builder::new().spawn(|| ());
        assert!(
            process.is_err() && thread.is_err(),
            "the limit does not bite"
        );
        during()
    })
}

fn commands(on_failure: OnFailure) -> Runner {
    let hook = Hook::new(EventName::PreToolUse, ShellHook::new("exit 0")).on_failure(on_failure);
    Runner::new(
        HookSet::builder()
            .group(Group::parallel().hook(hook))
            .build()
            .unwrap(),
    )
}

#[test]
fn a_command_that_cannot_be_started_is_a_failure_and_starts_again_later() {
    alone(
        "processes::a_command_that_cannot_be_started_is_a_failure_and_starts_again_later",
        |_| {
            let (runtime, runner) = (runtime(), commands(OnFailure::Continue));
            let open = descriptors();
            let fired = with_none_to_add(|| runtime.block_on(call(&runner)));
            assert!(endings(&fired)[0].starts_with("LaunchFailed"), "{fired:?}");
            assert!(
                endings(&fired)[0].contains("refuses another process"),
                "{fired:?}"
            );
            assert!(!fired.outcome.is_denied());
            let after = runtime.block_on(call(&runner));
            assert_eq!(endings(&after), ["NoOpinion"]);
            assert!(descriptors() <= open + 4, "the runtime's own, and no more");
        },
    );
}

#[test]
fn a_guard_that_must_not_fail_blocks_when_it_cannot_be_started() {
    alone(
        "processes::a_guard_that_must_not_fail_blocks_when_it_cannot_be_started",
        |_| {
            let (runtime, runner) = (runtime(), commands(OnFailure::Block));
            let fired = with_none_to_add(|| runtime.block_on(call(&runner)));
            assert!(fired.outcome.is_denied(), "{fired:?}");
            assert!(
                endings(&fired)[0].starts_with("LaunchFailed"),
                "it keeps its own status"
            );
            assert!(!runtime.block_on(call(&runner)).outcome.is_denied());
        },
    );
}

#[test]
fn a_server_and_a_watchdog_that_cannot_be_started_say_so() {
    alone(
        "processes::a_server_and_a_watchdog_that_cannot_be_started_say_so",
        |_| {
            let server = r#"while read -r line; do id=${line#*:}; echo "{\"id\":${id%%,*}}"; done"#;
            let hooks = HookSet::builder().hook::<PreToolUse>("Bash", ServerHook::new(server));
            let (runtime, runner) = (runtime(), Runner::new(hooks.build().unwrap()));
            with_none_to_add(|| {
                let fired = runtime.block_on(call(&runner));
                assert!(endings(&fired)[0].starts_with("LaunchFailed"), "{fired:?}");
                let error = Watchdog::start().unwrap_err();
                assert_eq!(error.kind(), &LaunchErrorKind::TooManyProcesses);
            });
            let answered = || endings(&runtime.block_on(call(&runner))) == ["NoOpinion"];
            assert!((0..50).any(|_| answered()), "it starts once there is room");
        },
    );
}

#[test]
fn closures_that_need_a_thread_fail_alone_and_long_texts_are_kept_here_and_now() {
    alone(
        "processes::closures_that_need_a_thread_fail_alone_and_long_texts_are_kept_here_and_now",
        |directory| {
            let long = "x".repeat(20_000);
            let hooks = HookSet::builder()
                .on("Bash", blocking_fn(|_: PreToolUse| PreToolUse::pass()))
                .on("Bash", move |_: PreToolUse| {
                    PreToolUse::context(long.clone())
                })
                .on("Bash", |_: PreToolUse| PreToolUse::deny("no"));
            let (runtime, runner) = (runtime(), Runner::new(hooks.build().unwrap()));
            let place = directory.join("long");
            runner.update_session(|session| session.long_texts = Some(place.clone()));
            let fired = with_none_to_add(|| runtime.block_on(call(&runner)));
            assert!(fired.outcome.is_denied(), "the others count: {fired:?}");
            assert!(endings(&fired)[0].contains("ailed"), "{fired:?}");
            let kept = std::fs::read_dir(&place).unwrap().next().unwrap().unwrap();
            assert_eq!(std::fs::metadata(kept.path()).unwrap().len(), 20_000);
        },
    );
}

#[test]
fn a_session_goes_on_and_its_transcript_has_every_word() {
    alone(
        "processes::a_session_goes_on_and_its_transcript_has_every_word",
        |directory| {
            let words = ["one", "two"];
            let hooks = HookSet::builder().hook::<UserPromptSubmit>("", ShellHook::new("exit 0"));
            let runner = Runner::new(hooks.build().unwrap());
            let (builder, warnings) = agent(&words, directory, runner);
            let runtime = runtime();
            let agent = builder.cwd(directory).build();
            let (path, said) = with_none_to_add(|| {
                runtime.block_on(async {
                    let mut session = agent.start().await;
                    let said = [
                        session.prompt("a").await.text,
                        session.prompt("b").await.text,
                    ];
                    (session.transcript_path(), said)
                })
            });
            assert_eq!(said, words);
            assert_eq!(
                transcript(&path),
                ["a", "one", "b", "two"],
                "{:?}",
                warnings.all()
            );
        },
    );
}

#[test]
fn what_is_approved_stays_approved() {
    alone(
        "processes::what_is_approved_stays_approved",
        |directory: &Path| {
            let scene = Scene::new(directory);
            with_none_to_add(|| scene.approve().unwrap());
            assert_eq!(scene.states().len(), 1);
            let runner = Runner::new(scene.load().hooks);
            let (fired, after) = {
                let runtime = runtime();
                let fired = with_none_to_add(|| runtime.block_on(call(&runner)));
                (fired, runtime.block_on(call(&runner)))
            };
            assert!(endings(&fired)[0].starts_with("LaunchFailed"), "{fired:?}");
            assert_eq!(after.outcome.reason.as_deref(), Some("not here"));
        },
    );
}
