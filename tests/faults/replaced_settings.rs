//! Settings that are replaced while they are read.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hook_config::{Options, Reloaded, Reloader, write_atomically};
use hook_runner::{HookSet, Runner};
use hook_shell::Host;
use hook_types::PreToolUse;

use crate::scene::{Scene, call};
use crate::user::{alone, runtime};

const LOADS: usize = 60;

/// Loads again and again while another thread writes; how many different numbers of guards were seen.
fn load_while(
    scene: &Scene,
    write: impl Fn(usize) + Sync,
    mut check: impl FnMut(hook_config::Loaded) -> usize,
) {
    let (done, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                write(written.fetch_add(1, Ordering::Relaxed));
            }
        });
        let mut seen: Vec<usize> = Vec::new();
        let mut loads = 0;
        // Until both have been seen: else nothing was replaced while it was read.
        while loads < LOADS || seen.len() < 2 && loads < 100 * LOADS {
            let guards = check(scene.load());
            if !seen.contains(&guards) {
                seen.push(guards);
            }
            loads += 1;
        }
        done.store(true, Ordering::Relaxed);
        seen
    });
    assert!(seen.len() >= 2, "it was not replaced meanwhile: {seen:?}");
}

#[test]
fn a_file_that_is_replaced_in_one_step_is_the_old_one_or_the_new_one() {
    alone(
        "replaced_settings::a_file_that_is_replaced_in_one_step_is_the_old_one_or_the_new_one",
        |directory| {
            let scene = Scene::new(directory);
            let texts = [Scene::text(1), Scene::text(200)];
            let path = scene.settings();
            write_atomically(&path, texts[0].as_bytes()).unwrap();
            load_while(
                &scene,
                |number| write_atomically(&path, texts[number % 2].as_bytes()).unwrap(),
                |loaded| {
                    assert!(
                        !loaded.report.has_errors(),
                        "{:?}",
                        loaded.report.diagnostics
                    );
                    let hooks = loaded.report.hooks.len();
                    assert!(hooks == 1 || hooks == 200, "a part of a file: {hooks}");
                    hooks
                },
            );
        },
    );
}

#[test]
fn a_file_that_is_written_over_never_loses_its_guards_in_silence() {
    alone(
        "replaced_settings::a_file_that_is_written_over_never_loses_its_guards_in_silence",
        |directory| {
            let scene = Scene::new(directory);
            let texts = [Scene::text(1), Scene::text(200)];
            let path = scene.settings();
            // In place, so that a reader may find any part of it, but not an empty file.
            load_while(
                &scene,
                |number| {
                    let file = fs::File::options().write(true).open(&path).unwrap();
                    std::os::unix::fs::FileExt::write_all_at(
                        &file,
                        texts[number % 2].as_bytes(),
                        0,
                    )
                    .unwrap();
                    file.set_len(texts[number % 2].len() as u64).unwrap();
                },
                |loaded| {
                    let (hooks, guarded) = (loaded.report.hooks.len(), !loaded.hooks.is_empty());
                    assert!(guarded, "a guard is gone: {:?}", loaded.report.files);
                    hooks
                },
            );
        },
    );
}

#[test]
fn a_session_in_use_keeps_its_guards_whatever_becomes_of_the_file() {
    alone(
        "replaced_settings::a_session_in_use_keeps_its_guards_whatever_becomes_of_the_file",
        |directory| {
            let scene = Scene::new(directory);
            scene.approve().unwrap();
            let loaded = scene.load();
            let trust = std::sync::Arc::new(scene.trust());
            let options = Options::new(Host::new()).trust(trust);
            let mut reloader = Reloader::new(scene.places(), options, &loaded.report);
            let runner = Runner::new(loaded.hooks);
            let (runtime, whole) = (runtime(), Scene::text(1));
            for cut in 1..whole.len() - 1 {
                fs::write(scene.settings(), &whole[..cut]).unwrap();
                match reloader.reload() {
                    Reloaded::Ready { loaded, .. } => runner.replace(loaded.hooks),
                    Reloaded::Broken { problems, .. } => assert!(!problems.is_empty()),
                    Reloaded::Unchanged => {}
                    other => panic!("{other:?}"),
                }
            }
            let fired = runtime.block_on(call(&runner));
            assert_eq!(fired.outcome.reason.as_deref(), Some("not here"));
            fs::write(scene.settings(), &whole).unwrap();
            drop(reloader.reload());
            let none = HookSet::builder()
                .on("", |_: PreToolUse| {})
                .build()
                .unwrap();
            runner.replace(none);
            assert!(
                !runtime.block_on(call(&runner)).outcome.is_denied(),
                "the guard was the file's"
            );
        },
    );
}
