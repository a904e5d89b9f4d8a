//! An end without warning: of the runtime, and of the whole process.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use hook_runner::{HookSet, Runner};
use hook_shell::ShellHook;
use hook_types::{PreToolUse, UserPromptSubmit};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::scene::{Scene, agent, call};
use crate::user::{alone, names, runtime};

const AMPLE: Duration = Duration::from_secs(30);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < AMPLE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let zombie = stat
        .rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('Z'));
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok()) && !zombie
}

#[test]
fn what_a_runtime_was_running_dies_with_it_and_the_next_runtime_runs_hooks() {
    alone(
        "killed::what_a_runtime_was_running_dies_with_it_and_the_next_runtime_runs_hooks",
        |directory| {
            let pids = directory.join("pids");
            let script = format!(
                "sleep 600 & echo $! $$ > {0}.new; mv {0}.new {0}; wait",
                pids.display()
            );
            let hooks = HookSet::builder().hook::<PreToolUse>("Bash", ShellHook::new(script));
            let runner = Runner::new(hooks.build().unwrap());
            let first = runtime();
            let firing = runner.clone();
            let task = first.spawn(async move { call(&firing).await });
            first.block_on(async {
                while !pids.exists() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            let pids: Vec<i32> = fs::read_to_string(&pids)
                .unwrap()
                .split_whitespace()
                .map(|pid| pid.parse().unwrap())
                .collect();
            assert!(
                pids.len() == 2 && pids.iter().all(|pid| is_alive(*pid)),
                "it runs"
            );
            first.shutdown_background();
            drop(task);
            until("all of it dies", || !pids.iter().any(|pid| is_alive(*pid)));

            let quick = HookSet::builder()
                .hook::<PreToolUse>("Bash", ShellHook::new("echo no >&2; exit 2"));
            runner.replace(quick.build().unwrap());
            let fired = runtime().block_on(call(&runner));
            assert_eq!(
                fired.outcome.reason.as_deref(),
                Some("no"),
                "the runner outlives a runtime"
            );
        },
    );
}

/// A process that writes a transcript without end, until it is killed.
#[test]
fn a_process_that_is_killed_leaves_a_transcript_that_can_be_resumed() {
    let name = "killed::a_process_that_is_killed_leaves_a_transcript_that_can_be_resumed";
    alone(name, |directory| {
        if directory.ends_with("writer") {
            return write_without_end(directory);
        }
        for round in 0..3 {
            let place = directory.join(format!("{round}/writer"));
            fs::create_dir_all(&place).unwrap();
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args([name, "--exact"])
                .env("HOOKLINE_FAULT_DIRECTORY", &place)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            until("it writes", || size(&place) > 20_000 * (round + 1));
            let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
            kill_process(pid, Signal::KILL).unwrap();
            child.wait().unwrap();
            can_be_resumed(&place);
        }
    });
}

fn size(place: &Path) -> u64 {
    let files = names(place)
        .into_iter()
        .filter(|name| name.contains(".jsonl"));
    files
        .map(|name| fs::metadata(place.join(name)).unwrap().len())
        .sum()
}

fn write_without_end(place: &Path) {
    let words = vec!["word"; 100_000];
    let hooks = HookSet::builder().on("", |_: UserPromptSubmit| {});
    let (builder, _) = agent(&words, place, Runner::new(hooks.build().unwrap()));
    let agent = builder.cwd(place).build();
    runtime().block_on(async {
        let mut session = agent.start().await;
        for number in 0..100_000 {
            session.prompt(format!("prompt {number}")).await;
        }
    });
}

fn can_be_resumed(place: &Path) {
    let name = names(place)
        .into_iter()
        .find(|name| name.contains(".jsonl"))
        .unwrap();
    let path = place.join(name).display().to_string();
    let whole = fs::read_to_string(&path).unwrap();
    let lines = whole.lines().count();
    let (builder, _) = agent(
        &["back"],
        place,
        Runner::new(HookSet::builder().build().unwrap()),
    );
    let agent = builder.cwd(place).build();
    let runtime = runtime();
    let mut session = runtime.block_on(agent.resume(&path)).unwrap();
    assert!(
        session.messages().len() + 2 >= lines,
        "{} of {lines}",
        session.messages().len()
    );
    assert_eq!(runtime.block_on(session.prompt("again")).text, "back");
}

#[test]
fn a_process_that_is_killed_while_it_approves_leaves_approvals_whole() {
    let name = "killed::a_process_that_is_killed_while_it_approves_leaves_approvals_whole";
    alone(name, |directory| {
        let scene = Scene::new(directory);
        if directory.join("go").exists() {
            loop {
                scene.approve().unwrap();
            }
        }
        scene.approve().unwrap();
        fs::write(directory.join("go"), "").unwrap();
        for round in 0..10 {
            let before = written(&scene);
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args([name, "--exact"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            until("it approves", || written(&scene) != before);
            std::thread::sleep(Duration::from_micros(700 * round));
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(
                scene.states(),
                [hook_config::TrustState::Trusted],
                "round {round}"
            );
        }
        // Whoever was killed holds no lock.
        scene.approve().unwrap();
        let (_, problems) = scene.store().projects();
        assert_eq!(problems, []);
    });
}

/// When the approvals were last written.
fn written(scene: &Scene) -> SystemTime {
    let store = scene.store();
    let files = names(store.directory());
    let mut paths = files.iter().map(|name| store.directory().join(name));
    let file = paths.find(|path| path.extension().is_some_and(|end| end == "json"));
    fs::metadata(file.unwrap()).unwrap().modified().unwrap()
}
