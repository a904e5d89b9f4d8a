//! A disk that is full: `RLIMIT_FSIZE`, which lets a file grow to a size and no further, and `/dev/full`.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use hook_config::trust::{StoreErrorKind, TrustState};
use hook_config::{Edit, Step, write_atomically};
use hook_runner::{HookSet, Runner};
use hook_types::{Event, PreToolUse};
use rustix::process::Resource;
use serde_json::json;

use crate::scene::{Scene, agent, call, transcript};
use crate::user::{alone, limited, names, runtime};

/// With room for so many bytes in a file.
fn with_room<T>(directory: &Path, bytes: u64, during: impl FnOnce() -> T) -> T {
    let probe = directory.join("probe");
    let done = limited(Resource::Fsize, bytes, || {
        let mut file = File::create(&probe).unwrap();
        let more = vec![b'x'; usize::try_from(bytes).unwrap() + 1];
        assert!(file.write_all(&more).is_err(), "the limit does not bite");
        during()
    });
    fs::remove_file(probe).unwrap();
    done
}

#[test]
fn a_file_that_cannot_be_saved_is_what_it_was() {
    alone(
        "full_disk::a_file_that_cannot_be_saved_is_what_it_was",
        |directory| {
            let folder = directory.join("saved");
            let path = folder.join("hooks.json");
            write_atomically(&path, b"{\"hooks\": {}}\n").unwrap();
            let error = with_room(directory, 100, || write_atomically(&path, &[b' '; 4096]));
            assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
            assert_eq!(fs::read(&path).unwrap(), b"{\"hooks\": {}}\n");
            assert_eq!(names(&folder), ["hooks.json"], "nothing lies beside it");

            let mut edit = Edit::open(&path).unwrap();
            let way = [Step::Key("description".to_owned())];
            edit.set(&way, &json!("d".repeat(4096))).unwrap();
            with_room(directory, 100, || edit.save().unwrap_err());
            assert_eq!(fs::read(&path).unwrap(), b"{\"hooks\": {}}\n");
            assert_eq!(names(&folder), ["hooks.json"]);
            edit.save().unwrap();
            assert!(fs::read_to_string(&path).unwrap().contains("dddd"));
        },
    );
}

#[test]
fn an_approval_that_cannot_be_kept_is_an_error_and_those_before_it_stay() {
    alone(
        "full_disk::an_approval_that_cannot_be_kept_is_an_error_and_those_before_it_stay",
        |directory| {
            let scene = Scene::new(directory);
            scene.approve().unwrap();
            let before = names(scene.store().directory());
            fs::write(scene.settings(), Scene::text(2)).unwrap();
            let error = with_room(directory, 100, || scene.approve().unwrap_err());
            assert!(matches!(error.kind(), StoreErrorKind::Io(_)), "{error}");
            assert_eq!(
                names(scene.store().directory()),
                before,
                "nothing lies beside it"
            );
            let states = scene.states();
            assert_eq!(
                states
                    .iter()
                    .filter(|state| **state == TrustState::Trusted)
                    .count(),
                1,
                "{states:?}"
            );
            scene.approve().unwrap();
            assert_eq!(scene.states(), [TrustState::Trusted; 2]);
        },
    );
}

#[test]
fn a_long_text_that_cannot_be_kept_is_cut_and_no_half_of_it_lies_about() {
    alone(
        "full_disk::a_long_text_that_cannot_be_kept_is_cut_and_no_half_of_it_lies_about",
        |directory| {
            let hooks = HookSet::builder()
                .on("Bash", |_: PreToolUse| {
                    PreToolUse::context("x".repeat(20_000))
                })
                .on("Bash", |_: PreToolUse| PreToolUse::deny("no"));
            let runner = Runner::new(hooks.build().unwrap());
            let place = directory.join("long");
            runner.update_session(|session| session.long_texts = Some(place.clone()));
            let fired = with_room(directory, 5_000, || runtime().block_on(call(&runner)));
            assert!(fired.outcome.is_denied(), "the decision stands");
            let codes: Vec<&str> = fired
                .outcome
                .diagnostics
                .iter()
                .map(|finding| finding.diagnostic.code.as_str())
                .collect();
            assert_eq!(codes, ["spill_failed"]);
            let text = &fired.outcome.additional_context[0].text;
            assert!(
                text.contains("could not be kept") && text.len() < 3_000,
                "{text}"
            );
            assert_eq!(names(&place), [""; 0], "no half of a text");
        },
    );
}

#[test]
fn a_transcript_has_no_half_lines_and_is_whole_once_there_is_room() {
    alone(
        "full_disk::a_transcript_has_no_half_lines_and_is_whole_once_there_is_room",
        |directory| {
            let hooks = HookSet::builder().build().unwrap();
            let sessions = directory.join("sessions");
            let (builder, warnings) =
                agent(&["one", "two", "three"], &sessions, Runner::new(hooks));
            let (runtime, agent) = (runtime(), builder.cwd(directory).build());
            let mut session = runtime.block_on(agent.start());
            runtime.block_on(session.prompt("a"));
            let path = session.transcript_path();
            let full = fs::metadata(&path).unwrap().len();
            // Room for a part of the next line.
            let text = with_room(directory, full + 100, || {
                runtime.block_on(session.prompt("b")).text
            });
            assert_eq!(text, "two", "the session goes on");
            assert_eq!(transcript(&path), ["a", "one"], "no half of a line");
            assert_eq!(warnings.all().len(), 1, "told once: {:?}", warnings.all());
            assert!(
                warnings.all()[0].contains("cannot be written"),
                "{:?}",
                warnings.all()
            );
            runtime.block_on(session.prompt("c"));
            assert_eq!(
                transcript(&path),
                ["a", "one", "b", "two", "c", "three"],
                "nothing is lost"
            );
        },
    );
}

#[test]
fn a_transcript_on_a_full_device_is_an_error_that_is_told_once() {
    alone(
        "full_disk::a_transcript_on_a_full_device_is_an_error_that_is_told_once",
        |directory| {
            let probe = File::options()
                .append(true)
                .open("/dev/full")
                .unwrap()
                .write_all(b"x");
            assert_eq!(probe.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
            let sessions = directory.join("sessions");
            let hooks = HookSet::builder().build().unwrap();
            let (builder, warnings) = agent(&["one", "two"], &sessions, Runner::new(hooks));
            let (runtime, agent) = (runtime(), builder.cwd(directory).build());
            let mut session = runtime.block_on(agent.start());
            let path = session.transcript_path();
            fs::create_dir_all(&sessions).unwrap();
            std::os::unix::fs::symlink("/dev/full", &path).unwrap();
            assert_eq!(runtime.block_on(session.prompt("a")).text, "one");
            assert_eq!(runtime.block_on(session.prompt("b")).text, "two");
            let warnings = warnings.all();
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(warnings[0].contains("No space left"), "{warnings:?}");
        },
    );
}
