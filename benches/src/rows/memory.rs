//! How much memory an engine takes that has nothing to do.
//!
//! Each turn starts this program anew, has it build an engine and fire a few events, and asks it how much
//! of its memory is resident: all of it, the program itself included.

use std::process::{Command, Stdio};

use hook_runner::{Fire, HookSet, Runner};
use hook_shell::ShellHook;
use hook_types::{Event, PostToolUse, PreToolUse, Stop, UserPromptSubmit};
use serde_json::json;

use crate::Failure;
use crate::contest::{Contest, Side, Target, Unit};
use crate::rows::Entry;
use crate::rows::firing::one_thread;

const HOOKS: usize = 100;
/// Starting a program takes a while, and the figure hardly moves.
const STARTS: usize = 30;

pub(crate) const ROWS: &[Entry] = &[Entry {
    name: "memory-idle",
    about: "what is resident of an idle engine with 100 hooks, half of them commands",
    build: idle,
}];

fn idle() -> Result<Contest, Failure> {
    // Once by hand, so that what cannot be measured says why.
    started("idle")?;
    let contest = Contest {
        unit: Unit::Bytes,
        ..Contest::of_times(STARTS)
    };
    let figure = |what: &'static str| move || started(what).unwrap_or(f64::INFINITY);
    Ok(contest
        .beside(Side::new(
            "the same program without an engine",
            figure("bare"),
        ))
        .side(Side::new("100 hooks", figure("idle")).target(Target::AtMost(6e6))))
}

/// What this program says of itself when it is started as `what`.
#[expect(
    clippy::disallowed_methods,
    reason = "it starts nobody who could hold its pipes"
)]
fn started(what: &str) -> Result<f64, Failure> {
    let output = Command::new(std::env::current_exe()?)
        .args(["resident", what])
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8(output.stdout)?;
    let said = said.trim();
    Ok(said
        .parse()
        .map_err(|_| format!("`{said}` is no number of bytes"))?)
}

/// How many bytes of this program are resident: bare, or with an engine that has nothing to do.
pub(crate) fn resident(what: &str) -> Result<u64, Failure> {
    let runtime = one_thread()?;
    let runner = match what {
        "idle" => Some(engine()?),
        _ => None,
    };
    if let Some(runner) = &runner {
        runtime.block_on(async {
            runner
                .fire(PreToolUse::new("Bash", json!({"command": "ls"})))
                .await;
            runner.fire(Stop::new(false)).await;
        });
    }
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|error| format!("/proc/self/status says how much is resident: {error}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    drop(runner);
    Ok(kibibytes.ok_or("there is no VmRSS in /proc/self/status")? * 1024)
}

/// Closures and commands by turns, for four events, with names, globs and regexes for matchers.
fn engine() -> Result<Runner, Failure> {
    let hooks = (0..HOOKS / 4).fold(HookSet::builder(), |builder, number| {
        builder
            .on(
                &format!("Tool_{number}|mcp__server_{number}__*"),
                |_: PreToolUse| PreToolUse::pass(),
            )
            .hook::<PreToolUse>(
                &format!("^(Read|Edit)_{number}_[a-z]+$"),
                ShellHook::new(format!("./guard {number}")),
            )
            .hook::<PostToolUse>(
                &format!("mcp__*_{number}__*"),
                ShellHook::new(format!("./format {number}")),
            )
            .on("", |prompt: UserPromptSubmit| {
                let long = prompt.prompt.len() > 100_000;
                if long {
                    UserPromptSubmit::deny("too long")
                } else {
                    UserPromptSubmit::pass()
                }
            })
    });
    Ok(Runner::new(hooks.build()?))
}
