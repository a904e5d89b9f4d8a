//! A hook behind an adapter.

use std::time::Duration;

use hook_types::ExitTwo;
use serde_json::{Map, Value, json};

use super::adapter::Adapter;
use super::plan::Hook;
use super::remark::{Became, Remarks};
use crate::dialect::Format;
use crate::entry::{Action, Run};
use crate::factory::POWERSHELL;

/// What the adapter has beyond the command's own time: its own start, and the grace of a command that
/// does not end when it is told to.
pub(super) const MARGIN: Duration = Duration::from_secs(5);

/// The adapter that runs a hook for another agent; none where there is nothing to run.
pub(super) fn adapter(hook: &Hook, to: Format) -> Option<Adapter> {
    let (run, env, cwd, server) = match &hook.action {
        Action::Command(command) => {
            let run = match &command.run {
                Run::Shell(text) => {
                    let shell = command.shell.as_deref().unwrap_or("sh");
                    vec![shell.to_owned(), "-c".to_owned(), text.clone()]
                }
                Run::Exec { program, args } => {
                    let program = std::iter::once(program);
                    program.chain(args).cloned().collect()
                }
            };
            (run, &command.env, &command.cwd, false)
        }
        Action::Server(server) => {
            let run = ["sh", "-c", &server.command].map(str::to_owned).to_vec();
            (run, &server.env, &server.cwd, true)
        }
        Action::Other { .. } => return None,
    };
    let mut adapter = Adapter::new(hook.speaks, to, run);
    adapter.server = server;
    adapter.timeout = hook.timeout;
    if matches!(to, Format::Opta | Format::OpenCode) {
        adapter.rewrites = hook.rewrites;
    }
    if to != Format::OpenCode {
        adapter.env.clone_from(env);
        adapter.cwd = cwd.as_ref().map(|cwd| cwd.display().to_string());
    }
    let row = hook.event.row();
    adapter.closed = to == Format::Claude && row.guard && row.exit_two == ExitTwo::Blocks;
    Some(adapter)
}

/// Says why a hook is behind an adapter.
pub(super) fn remark(hook: &Hook, to: Format, remarks: &mut Remarks) {
    let speaks = hook.speaks;
    let same = super::events::same_contract(speaks, to, hook.event);
    let why = if same {
        "`hookline adapt` does what the file has no key for, and must be on the path".to_owned()
    } else {
        let (theirs, ours) = (rule(speaks), rule(to));
        format!("{theirs}; {ours}. `hookline adapt` stands between them, and must be on the path")
    };
    remarks.add(hook.about(), "command", Became::Wrapped, why);
    if matches!(hook.action, Action::Server(_)) {
        let why = "there are no servers: it is started for each event, and remembers nothing";
        remarks.add(hook.about(), "type", Became::Approximated, why);
    }
}

/// How commands are told and read, in a few words.
fn rule(format: Format) -> &'static str {
    match format {
        Format::Claude => "Claude tells its hooks on stdin, and exit code 2 refuses",
        Format::Hookline => {
            "Hookline tells its hooks on stdin, exit code 2 refuses, and `continue: true` with a \
             reason holds an agent back"
        }
        Format::Opta => "Opta tells its hooks in OPTA_ variables, and any exit code but 0 refuses",
        Format::OpenCode => {
            "OpenCode tells its hooks in OPENCODE_ variables, and any exit code but 0 refuses"
        }
    }
}

/// The keys of a command in a file of the Claude shape.
pub(super) fn command_keys(action: &Action) -> Map<String, Value> {
    let mut keys = Map::new();
    let mut put = |key: &str, value: Value| keys.insert(key.to_owned(), value);
    put("type", json!(action.kind()));
    let env = |env: &[(String, String)]| -> Map<String, Value> {
        env.iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect()
    };
    let (variables, cwd) = match action {
        Action::Command(command) => {
            match &command.run {
                Run::Shell(text) => put("command", json!(text)),
                Run::Exec { program, args } => {
                    put("command", json!(program));
                    put("args", json!(args))
                }
            };
            if let Some(shell) = &command.shell {
                let word = if shell == POWERSHELL {
                    "powershell"
                } else {
                    shell
                };
                put("shell", json!(word));
            }
            (env(&command.env), command.cwd.clone())
        }
        Action::Server(server) => {
            put("command", json!(server.command));
            (env(&server.env), server.cwd.clone())
        }
        Action::Other { fields, .. } => {
            for (key, value) in fields {
                put(key, value.clone());
            }
            (Map::new(), None)
        }
    };
    if !variables.is_empty() {
        put("env", Value::Object(variables));
    }
    if let Some(cwd) = cwd {
        put("cwd", json!(cwd));
    }
    keys
}

/// A time in seconds, as people write it.
pub(super) fn seconds(time: Duration) -> Value {
    if time.subsec_nanos() == 0 {
        json!(time.as_secs())
    } else {
        json!(time.as_secs_f64())
    }
}
