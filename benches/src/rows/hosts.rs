//! What a host of a gigabyte pays, and what 64 floods cost: each in a process of its own.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::exit,
    reason = "a benchmark may stop at the first surprise, and is told by a variable that it is such a process, which \
              has nothing else to do"
)]

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Std, Stdio};
use std::time::Duration;

use hook_runner::{Fire, Group, HookSet, Policy, Runner, Session};
use hook_shell::ShellHook;
use hook_types::{Base, PreToolUse};
use serde_json::json;

use crate::Failure;
use crate::contest::{Contest, Side, Target, Unit};
use crate::rows::Entry;
use crate::stage::{Job, Stage, Threads, ours};

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: PARENT,
        about: "`sh -c true` from a host of 1 GiB, beside the same from a small one",
        build: parent,
    },
    Entry {
        name: FLOOD,
        about: "64 hooks at once that each print 1 GB: what more than the caps is resident",
        build: flood,
    },
];

const PARENT: &str = "command-host";
const FLOOD: &str = "memory-flood";

/// Says to a process that it is one of those, and how large.
const ROLE: &str = "HOOKLINE_BENCH_HOST";

/// What is kept of each output of a hook, with the end of one that is longer.
const CAP: u64 = (1 << 20) + (64 << 10);
const HOOKS: usize = 64;
/// What the floods may cost beyond their caps.
const MORE: f64 = 10e6;

// ===== a host of a gigabyte =====

fn parent() -> Result<Contest, Failure> {
    if let Ok(size) = std::env::var(ROLE) {
        serve(size.parse()?)?;
    }
    let (small, large) = (Host::start(0)?, Host::start(1 << 30)?);
    Ok(Contest::of_times(2_000)
        .beside(small.side("from a small host"))
        .side(
            large
                .side("from a host of 1 GiB")
                .target(Target::Times(1.1)),
        ))
}

/// Runs a command for every line, and says how long it took; never returns.
fn serve(size: usize) -> Result<(), Failure> {
    let ballast = vec![1_u8; size];
    let (stage, job) = (Stage::new()?, Job::new(c"true", 1 << 10, 0));
    let mut side = ours(&stage, "", &job, Threads::One, 1);
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        line?;
        writeln!(out, "took {}", (side.sample)())?;
    }
    std::hint::black_box(ballast);
    std::process::exit(0);
}

/// This program once more, as the host of one row.
struct Host {
    _child: Child,
    ask: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Host {
    fn start(size: usize) -> Result<Self, Failure> {
        let mut child = Std::new(std::env::current_exe()?)
            .args(["--only", PARENT])
            .env(ROLE, size.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (ask, said) = (child.stdin.take(), child.stdout.take());
        let answers = BufReader::new(said.ok_or("no stdout")?).lines();
        Ok(Self {
            _child: child,
            ask: ask.ok_or("no stdin")?,
            answers,
        })
    }

    fn side(mut self, name: &str) -> Side {
        Side::new(name, move || {
            writeln!(self.ask, "go").unwrap();
            self.answers
                .by_ref()
                .find_map(|line| line.unwrap().strip_prefix("took ")?.parse().ok())
                .unwrap()
        })
    }
}

// ===== floods =====

fn flood() -> Result<Contest, Failure> {
    if std::env::var(ROLE).is_ok() {
        drown()?;
    }
    let sample = || {
        let mut again = Std::new(std::env::current_exe().unwrap());
        again.args(["--only", FLOOD]).env(ROLE, "1");
        let said = String::from_utf8(again.output().unwrap().stdout).unwrap();
        let mut lines = said.lines();
        lines
            .find_map(|line| line.strip_prefix("grew ")?.parse().ok())
            .unwrap()
    };
    Ok(Contest {
        unit: Unit::Bytes,
        pairs: 1,
        baseline: None,
        sides: vec![
            Side::new("resident beyond 64 times the caps, at the most", sample)
                .target(Target::AtMost(MORE)),
        ],
    })
}

/// Fires one event at 64 hooks and says how much more was resident at the most than the caps allow;
/// never returns.
fn drown() -> Result<(), Failure> {
    let stage = Stage::new()?;
    let group = (0..HOOKS).fold(Group::parallel(), |group, number| {
        let flood = ShellHook::new("head -c 1000000000 /dev/zero").env("FLOOD", number.to_string());
        group.handler::<PreToolUse>("", flood.timeout(Duration::from_hours(1)))
    });
    let hooks = HookSet::builder().group(group).build()?;
    let mut policy = Policy::default();
    policy.at_once = HOOKS;
    let session = Session::new(Base::new("floods", "/nowhere/floods.jsonl", "/"));
    let runner = Runner::with(hooks, session, policy);
    let call = PreToolUse::new("Bash", json!({ "command": "x" }));
    let before = resident("VmRSS:");
    stage.runtime(Threads::Many).block_on(async {
        let verdict = runner.fire(call).await;
        assert_eq!(verdict.reason(), None);
    });
    let caps = CAP * HOOKS as u64;
    let grown = resident("VmHWM:").saturating_sub(before);
    let mut out = std::io::stdout().lock();
    writeln!(out, "grew {}", grown.saturating_sub(caps))?;
    std::process::exit(0);
}

/// A field of this process's status, in bytes.
fn resident(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}
