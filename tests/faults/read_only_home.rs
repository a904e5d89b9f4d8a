//! A home that cannot be written to.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use hook_config::trust::{StoreErrorKind, TrustState};
use hook_config::write_atomically;
use hook_runner::{HookSet, Runner};
use hook_types::{Event, PreToolUse};

use crate::scene::{Scene, agent, call};
use crate::user::{alone, names, runtime};

fn read_only(scene: &Scene) {
    let home = scene.path("home");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o555)).unwrap();
    let error = fs::write(home.join("probe"), "x").expect_err("the mode does not bite");
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
}

#[test]
fn nothing_can_be_approved_and_nothing_is_trusted_for_that() {
    alone(
        "read_only_home::nothing_can_be_approved_and_nothing_is_trusted_for_that",
        |directory| {
            let scene = Scene::new(directory);
            read_only(&scene);
            let error = scene.approve().unwrap_err();
            assert!(matches!(error.kind(), StoreErrorKind::Io(_)), "{error}");
            assert!(error.path().starts_with(scene.path("home")), "{error}");
            assert_eq!(scene.states(), [TrustState::Untrusted]);
            assert_eq!(names(&scene.path("home")), [""; 0]);
        },
    );
}

#[test]
fn what_was_approved_before_still_is() {
    alone(
        "read_only_home::what_was_approved_before_still_is",
        |directory| {
            let scene = Scene::new(directory);
            scene.approve().unwrap();
            for path in ["home/state/trust", "home/state"] {
                fs::set_permissions(scene.path(path), fs::Permissions::from_mode(0o555)).unwrap();
            }
            read_only(&scene);
            assert_eq!(scene.states(), [TrustState::Trusted]);
            let fired = runtime().block_on(call(&Runner::new(scene.load().hooks)));
            assert_eq!(fired.outcome.reason.as_deref(), Some("not here"));
            fs::write(scene.settings(), Scene::text(2)).unwrap();
            scene.approve().unwrap_err();
            assert_eq!(
                scene
                    .states()
                    .iter()
                    .filter(|state| **state == TrustState::Trusted)
                    .count(),
                1
            );
        },
    );
}

#[test]
fn settings_long_texts_and_transcripts_are_errors_and_the_session_goes_on() {
    alone(
        "read_only_home::settings_long_texts_and_transcripts_are_errors_and_the_session_goes_on",
        |directory| {
            let scene = Scene::new(directory);
            read_only(&scene);
            let home = scene.path("home");
            let error = write_atomically(&home.join(".claude/settings.json"), b"{}").unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);

            let long = HookSet::builder().on("Bash", |_: PreToolUse| {
                PreToolUse::context("x".repeat(20_000))
            });
            let runner = Runner::new(long.build().unwrap());
            runner.update_session(|session| session.long_texts = Some(home.join("long")));
            let runtime = runtime();
            let fired = runtime.block_on(call(&runner));
            assert!(
                fired.outcome.additional_context[0]
                    .text
                    .contains("could not be kept")
            );

            let (builder, warnings) = agent(&["one"], &home.join("sessions"), runner);
            let agent = builder.cwd(directory).build();
            let mut session = runtime.block_on(agent.start());
            assert_eq!(runtime.block_on(session.prompt("a")).text, "one");
            assert!(
                warnings.all()[0].contains("Permission denied"),
                "{:?}",
                warnings.all()
            );
            assert_eq!(names(&home), [""; 0]);
        },
    );
}
