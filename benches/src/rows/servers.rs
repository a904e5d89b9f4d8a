//! What a hook costs that is a server, beside a shell that is started for every event, and beside the
//! same hook as a command.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

use std::path::PathBuf;
use std::process::Stdio;
use std::rc::Rc;

use hook_runner::{Fire, Handler, HookSet, Runner};
use hook_shell::{ServerHook, ShellHook};
use hook_types::PreToolUse;
use serde_json::json;

use crate::Failure;
use crate::contest::{Contest, Side, Target, nanoseconds};
use crate::floor::Floor;
use crate::rows::Entry;
use crate::stage::{Job, Stage, Threads, floor, ours};

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: "server-shell",
        about: "hooks as commands and as servers, beside a cold `sh -c true`",
        build: beside_a_shell,
    },
    Entry {
        name: "server-python",
        about: "a Python hook as a server, beside the same hook as a command",
        build: beside_a_command,
    },
];

/// The same hook as the server's, for one event.
const COMMAND: &str = r#"
import json, re, sys
event = json.load(sys.stdin)
if event.get("tool_name") == "Bash" and re.search(r"\bsudo\b", event["tool_input"].get("command", "")):
    print(json.dumps({"decision": "block", "reason": "sudo is not allowed here"}))
"#;

fn beside_a_shell() -> Result<Contest, Failure> {
    let (stage, job) = (Stage::new()?, Job::new(c"true", 1 << 10, 0));
    Ok(Contest::of_times(2_000)
        .beside(floor("posix_spawn, `true`", Floor::new(), &job, 1))
        .side(ours(&stage, "process-tree, `true`", &job, Threads::One, 1))
        .side(fires(&stage, "a hook, `true`", ShellHook::new("true"))?)
        .side(fires(&stage, "a server in Python", python()?)?.target(Target::Times(0.25)))
        .side(fires(&stage, "a server in sh", example("sh", "guard.sh"))?))
}

fn beside_a_command() -> Result<Contest, Failure> {
    let stage = Stage::new()?;
    let command = ShellHook::exec("python3", ["-c", COMMAND]);
    Ok(Contest::of_times(200)
        .beside(fires(&stage, "a Python hook as a command", command)?)
        .side(fires(&stage, "as a server", python()?)?.target(Target::Times(1.0 / 50.0))))
}

fn python() -> Result<ServerHook, Failure> {
    let mut probe = std::process::Command::new("python3");
    match probe.arg("--version").stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(example("python3", "guard.py")),
        Ok(_) | Err(_) => Err("there is no python3 here".into()),
    }
}

fn example(interpreter: &str, file: &str) -> ServerHook {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root
        .join("../crates/hook-shell/examples/servers")
        .join(file);
    ServerHook::exec(interpreter, [path.to_str().unwrap()])
}

/// A firing at one hook, with 1 KiB of input, through the whole engine.
fn fires(stage: &Rc<Stage>, name: &str, hook: impl Handler + 'static) -> Result<Side, Failure> {
    let runner = Runner::new(HookSet::builder().hook::<PreToolUse>("", hook).build()?);
    let stage = Rc::clone(stage);
    let call = PreToolUse::new("Bash", json!({ "command": "x".repeat(1 << 10) }));
    let mut side = Side::new(name, move || {
        let (runner, call) = (runner.clone(), call.clone());
        let fire = move || {
            let (runner, call) = (runner.clone(), call.clone());
            async move {
                let verdict = runner.fire(call).await;
                assert_eq!(verdict.reason(), None);
            }
        };
        nanoseconds(stage.in_tasks(Threads::One, 1, fire))
    });
    // A server is started by its first event.
    (side.sample)();
    Ok(side)
}
