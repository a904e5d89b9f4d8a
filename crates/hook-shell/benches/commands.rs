//! What a hook costs that is a command, and what one costs that is a server.
//!
//! The floor is `process-tree`'s own run of `sh -c true`, with the event on stdin and all its
//! guarantees on: the smallest thing that can be called here without unsafe code. What that costs
//! beside a bare `posix_spawn` is measured in `process-tree`'s benchmark `spawn`.
//!
//! All variants take turns in one run, so that a busy machine hurts them alike; what is printed are
//! medians, for one firing and as ratios to the floor at as many at once. `ROUNDS=50` changes how
//! many.

#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]
#![expect(clippy::cast_precision_loss, reason = "ratios need no 53 bits")]

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_runner::{Fire, Handler, HookSet, Runner};
use hook_shell::{ServerHook, ShellHook};
use hook_types::PreToolUse;
use process_tree::{Command, Control, Environment};
use serde_json::json;
use tokio::runtime::Runtime;

const DENY: &str = r#"echo '{"decision":"block","reason":"no"}'"#;

/// Something that is done as often at once as one likes.
enum Work {
    /// A command, bare.
    Run(Command),
    /// A firing of one hook, which denies or does not.
    Fire {
        runner: Runner,
        call: Box<PreToolUse>,
        denies: bool,
    },
}

struct Variant {
    name: &'static str,
    work: Arc<Work>,
}

impl Work {
    async fn once(&self) {
        match self {
            Self::Run(command) => {
                let done = command.run(&Control::new()).await;
                assert!(done.ending.is_success(), "{:?}", done.ending);
            }
            Self::Fire {
                runner,
                call,
                denies,
            } => {
                let verdict = runner.fire(PreToolUse::clone(call)).await;
                assert_eq!(verdict.reason().is_some(), *denies);
            }
        }
    }
}

/// A call whose command is so many bytes long.
fn call(size: usize) -> PreToolUse {
    PreToolUse::new("Bash", json!({ "command": "x".repeat(size) }))
}

fn runs(name: &'static str, script: &str, size: usize) -> Variant {
    let mut stdin = serde_json::to_string(&hook_types::HookEvent::from(call(size))).unwrap();
    stdin.push('\n');
    let command = Command::shell(script)
        .environment(Environment::inherited())
        .stdin(stdin);
    Variant {
        name,
        work: Arc::new(Work::Run(command)),
    }
}

fn fires(name: &'static str, hook: impl Handler, size: usize, denies: bool) -> Variant {
    let hooks = HookSet::builder().hook::<PreToolUse>("Bash", hook);
    let runner = Runner::new(hooks.build().unwrap());
    let call = Box::new(call(size));
    Variant {
        name,
        work: Arc::new(Work::Fire {
            runner,
            call,
            denies,
        }),
    }
}

fn variants() -> Vec<Variant> {
    let example = |interpreter: &str, file: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/servers");
        format!("exec {interpreter} '{}'", path.join(file).display())
    };
    let is_there = |program: &str| {
        let mut probe = std::process::Command::new(program);
        probe.arg("--version").stdout(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    let mut all = vec![
        runs("floor: process-tree, `true`", "true", 1 << 10),
        runs("process-tree, `cat` of 64 KiB", "cat", 64 << 10),
        fires("hook, `true`", ShellHook::new("true"), 1 << 10, false),
        fires("hook, a JSON deny", ShellHook::new(DENY), 1 << 10, true),
        fires(
            "hook, `cat` of 64 KiB",
            ShellHook::new("cat"),
            64 << 10,
            false,
        ),
        fires(
            "server, sh",
            ServerHook::new(example("sh", "guard.sh")),
            1 << 10,
            false,
        ),
    ];
    for (program, name, file) in [
        ("python3", "server, Python", "guard.py"),
        ("node", "server, Node", "guard.js"),
    ] {
        if is_there(program) {
            let hook = ServerHook::new(example(program, file));
            all.push(fires(name, hook, 1 << 10, false));
        } else {
            println!("left out: there is no {program} here");
        }
    }
    all
}

/// The same work so many times at once, a task each.
fn time(runtime: &Runtime, work: &Arc<Work>, at_once: usize) -> Duration {
    let clock = Instant::now();
    runtime.block_on(async {
        let spawn = |_| {
            let work = Arc::clone(work);
            tokio::spawn(async move { work.once().await })
        };
        for task in (0..at_once).map(spawn).collect::<Vec<_>>() {
            task.await.unwrap();
        }
    });
    clock.elapsed()
}

/// Medians of `rounds` rounds in which every variant has its turn.
fn measure(
    runtime: &Runtime,
    variants: &[Variant],
    at_once: usize,
    rounds: usize,
) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(rounds); variants.len()];
    for round in 0..=rounds {
        // Nobody is always first after the pause.
        for turn in 0..variants.len() {
            let which = (turn + round) % variants.len();
            let spent = time(runtime, &variants[which].work, at_once);
            // The first round only warms up.
            if round > 0 {
                times[which].push(spent);
            }
        }
    }
    let median = |mut all: Vec<Duration>| {
        all.sort_unstable();
        all[all.len() / 2]
    };
    times.into_iter().map(median).collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark is its own binary, and reads its setting here"
)]
fn rounds() -> usize {
    let rounds = std::env::var("ROUNDS").ok();
    rounds.and_then(|text| text.parse().ok()).unwrap_or(240)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let (variants, rounds) = (variants(), rounds());
    println!("| a firing | at once | median µs each | × the floor |");
    println!("|---|---|---|---|");
    for at_once in [1, 8, 64] {
        let medians = measure(&runtime, &variants, at_once, (rounds / at_once).max(15));
        let floor = medians[0].as_secs_f64();
        for (variant, median) in variants.iter().zip(&medians) {
            let each = median.as_secs_f64() * 1e6 / at_once as f64;
            let ratio = median.as_secs_f64() / floor;
            println!("| {} | {at_once} | {each:.0} | {ratio:.2} |", variant.name);
        }
    }
    runtime.block_on(async {
        for variant in &variants {
            if let Work::Fire { runner, .. } = &*variant.work {
                runner.close(Duration::ZERO).await;
            }
        }
    });
}
