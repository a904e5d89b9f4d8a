//! No descriptor is left: `RLIMIT_NOFILE`.

use std::fs::File;

use hook_config::FileState;
use hook_config::trust::{StoreErrorKind, TrustState};
use hook_runner::{HookSet, Policy, Runner, Session};
use hook_shell::ShellHook;
use hook_types::{OnFailure, PreToolUse};
use rustix::process::Resource;

use crate::scene::{Scene, agent, call, endings, transcript};
use crate::user::{alone, descriptors, limited, runtime};

/// Without another descriptor.
fn with_none_left<T>(during: impl FnOnce() -> T) -> T {
    limited(Resource::Nofile, 3, || {
        let error = File::open("/dev/null").expect_err("the limit does not bite");
        assert!(error.to_string().contains("Too many open files"), "{error}");
        during()
    })
}

#[test]
fn settings_that_cannot_be_opened_are_not_settings_without_hooks() {
    alone(
        "descriptors::settings_that_cannot_be_opened_are_not_settings_without_hooks",
        |directory| {
            let scene = Scene::new(directory);
            scene.approve().unwrap();
            let loaded = with_none_left(|| scene.load());
            let settings = scene.settings();
            let file = loaded
                .report
                .files
                .iter()
                .find(|file| file.path == settings)
                .unwrap();
            assert!(
                matches!(file.state, FileState::Unreadable(_)),
                "{:?}",
                file.state
            );
            assert!(loaded.report.has_errors());
            let mut policy = Policy::default();
            policy.on_failure = OnFailure::Block;
            let runner = Runner::with(loaded.hooks, Session::default(), policy);
            let fired = runtime().block_on(call(&runner));
            assert!(
                endings(&fired)[0].contains("Too many open files"),
                "{fired:?}"
            );
            assert!(fired.outcome.is_denied(), "where failures block: {fired:?}");

            let runner = Runner::new(scene.load().hooks);
            let fired = runtime().block_on(call(&runner));
            assert_eq!(fired.outcome.reason.as_deref(), Some("not here"));
        },
    );
}

#[test]
fn approvals_that_cannot_be_opened_approve_nothing_and_are_still_there_later() {
    alone(
        "descriptors::approvals_that_cannot_be_opened_approve_nothing_and_are_still_there_later",
        |directory| {
            let scene = Scene::new(directory);
            scene.approve().unwrap();
            let trust = scene.trust();
            let reviews = trust.reviews(&hook_config::discover(&scene.places()));
            with_none_left(|| {
                let error = trust.approve(&reviews).unwrap_err();
                assert!(matches!(error.kind(), StoreErrorKind::Io(_)), "{error}");
                let problem = scene.trust().problem().unwrap();
                assert!(matches!(problem.kind(), StoreErrorKind::Io(_)), "{problem}");
            });
            assert_eq!(scene.states(), [TrustState::Trusted]);
        },
    );
}

#[test]
fn a_command_fails_and_runs_again_once_there_is_room() {
    alone(
        "descriptors::a_command_fails_and_runs_again_once_there_is_room",
        |_| {
            let hooks = HookSet::builder().hook::<PreToolUse>("Bash", ShellHook::new("exit 0"));
            let runner = Runner::new(hooks.build().unwrap());
            let runtime = runtime();
            assert_eq!(endings(&runtime.block_on(call(&runner))), ["NoOpinion"]);
            let open = descriptors();
            for _ in 0..20 {
                let fired = with_none_left(|| runtime.block_on(call(&runner)));
                assert!(
                    endings(&fired)[0].contains("no file descriptor is left"),
                    "{fired:?}"
                );
            }
            assert_eq!(descriptors(), open, "nothing is left open");
            assert_eq!(endings(&runtime.block_on(call(&runner))), ["NoOpinion"]);
        },
    );
}

#[test]
fn a_transcript_that_cannot_be_opened_is_written_later() {
    alone(
        "descriptors::a_transcript_that_cannot_be_opened_is_written_later",
        |directory| {
            let hooks = HookSet::builder().build().unwrap();
            let (builder, warnings) = agent(&["one", "two"], directory, Runner::new(hooks));
            let (runtime, agent) = (runtime(), builder.cwd(directory).build());
            let mut session = runtime.block_on(agent.start());
            let first = with_none_left(|| runtime.block_on(session.prompt("a")).text);
            assert_eq!(first, "one");
            assert_eq!(warnings.all().len(), 1, "{:?}", warnings.all());
            runtime.block_on(session.prompt("b"));
            assert_eq!(
                transcript(&session.transcript_path()),
                ["a", "one", "b", "two"]
            );
        },
    );
}
