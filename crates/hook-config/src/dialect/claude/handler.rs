//! One handler: the five types of the contract, `server` of our own, and types that somebody else
//! makes.

use std::path::PathBuf;
use std::time::Duration;

use hook_runner::Wait;
use hook_runner::matcher::Rule;
use hook_shell::Dialect;
use hook_types::OnFailure;
use serde_json::Map;

use super::Extras;
use super::group::ON_FAILURE;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::fields::{Fields, first_error};
use crate::document::{Document, Node};
use crate::entry::{Action, CommandAction, Entry, Listen, Run, ServerAction};

/// A timeout of so many seconds was probably meant as milliseconds.
const LOOKS_LIKE_MILLISECONDS: Duration = Duration::from_secs(1000);

/// What is known before a handler is read.
pub(super) struct Expected {
    pub(super) extras: Extras,
    pub(super) listens: Vec<Listen>,
}

/// A handler that was read.
pub(super) struct Read {
    /// The entry; else why there is none, unless it is switched off.
    pub(super) entry: Result<Entry, Option<Diagnostic>>,
    pub(super) problems: Vec<Diagnostic>,
}

/// The keys of types that need a factory, beside those of all types: the required ones, and the
/// others.
const OTHER_TYPES: [(&str, &[&str], &[&str]); 4] = [
    (
        "http",
        &["url"],
        &["headers", "allowedEnvVars", "onFailure"],
    ),
    ("prompt", &["prompt"], &["model", "continueOnBlock"]),
    ("agent", &["prompt"], &["model"]),
    ("mcp_tool", &["server", "tool"], &["input"]),
];

pub(super) fn read(document: &Document, node: &Node, expected: Expected) -> Read {
    let mut fields = match Fields::of(document, node, "a hook") {
        Ok(fields) => fields,
        Err(problem) => {
            return Read {
                entry: Err(Some((*problem).clone())),
                problems: vec![*problem],
            };
        }
    };
    let enabled = expected.extras == Extras::None || fields.flag("enabled").unwrap_or(true);
    let entry = entry(&mut fields, node, expected);
    let problems = fields.finish();
    let entry = match (entry, first_error(&problems)) {
        (Some(mut entry), None) => {
            entry.enabled = enabled;
            Ok(entry)
        }
        (_, error) => Err(error.filter(|_| enabled).cloned()),
    };
    Read { entry, problems }
}

/// The entry, as far as it can be read.
fn entry(fields: &mut Fields<'_>, node: &Node, expected: Expected) -> Option<Entry> {
    let Expected { extras, listens } = expected;
    let Some(kind) = kind(fields, node) else {
        fields.know_all();
        return None;
    };
    let action = action(fields, node, kind, extras);
    let dialect = match extras {
        Extras::None => Dialect::Claude,
        Extras::Hookline => Dialect::Hookline,
    };
    let condition = condition(fields, &listens);
    let timeout = timeout(fields);
    let mut entry = Entry::new(listens, action?, dialect, fields.place());
    entry.condition = condition;
    entry.timeout = timeout;
    entry.once = fields.flag("once").unwrap_or(false);
    entry.status_message = fields.caption("statusMessage");
    entry.description = fields.caption("description");
    if matches!(entry.action, Action::Command(_)) {
        entry.wait = wait(fields);
    }
    let may_block = !matches!(entry.action.kind(), "prompt" | "agent" | "mcp_tool");
    if may_block || extras == Extras::Hookline {
        entry.on_failure = fields.word("onFailure", &ON_FAILURE);
    }
    if entry.wait != Wait::Awaited && entry.on_failure == Some(OnFailure::Block) {
        let message = "nobody waits for this hook, so its failure blocks nothing";
        let problem = Diagnostic::new(Code::UselessKey, message).at(fields.key("onFailure"));
        fields.report(problem.help("take `async` away, or `onFailure`"));
    }
    elsewhere(fields, extras);
    Some(entry)
}

/// The type; where it is missing, what was probably meant.
fn kind<'a>(fields: &mut Fields<'a>, node: &Node) -> Option<&'a str> {
    if fields.any("type").is_none() && node.get("command").is_some() {
        let problem = Diagnostic::new(Code::MissingKey, "a hook needs `type`")
            .at(fields.place())
            .help("add \"type\": \"command\"");
        fields.report(problem);
        return None;
    }
    fields.required_text("type", "a hook")
}

/// Keys that count for other types, or in other files.
fn elsewhere(fields: &mut Fields<'_>, extras: Extras) {
    let of_commands = ["command", "args", "shell", "async", "asyncRewake"];
    for key in of_commands {
        fields.useless(key, "it belongs to hooks of type `command`");
    }
    for (name, required, optional) in OTHER_TYPES {
        for key in required.iter().chain(optional) {
            fields.useless(key, &format!("it belongs to hooks of type `{name}`"));
        }
    }
    if extras == Extras::None {
        for key in ["env", "cwd", "enabled"] {
            fields.useless(
                key,
                "it counts in Hookline's own files: `.hookline/hooks.json`",
            );
        }
    }
}

fn wait(fields: &mut Fields<'_>) -> Wait {
    let background = fields.flag("async").unwrap_or(false);
    match fields.flag("asyncRewake") {
        Some(true) => Wait::Rewake,
        _ if background => Wait::Background,
        _ => Wait::Awaited,
    }
}

pub(in crate::dialect) fn timeout(fields: &mut Fields<'_>) -> Option<Duration> {
    let node = fields.any("timeout");
    let timeout = fields.time("timeout", Duration::from_secs(1))?;
    if timeout >= LOOKS_LIKE_MILLISECONDS
        && let Some(node) = node
    {
        let message = format!("{timeout:?} is long for a hook: this looks like milliseconds");
        let seconds = timeout.as_secs_f64() / 1000.0;
        let problem = Diagnostic::new(Code::Milliseconds, message)
            .at(fields.at(node))
            .suggest(seconds.to_string())
            .help("`timeout` is in seconds");
        fields.report(problem);
    }
    Some(timeout)
}

fn condition(fields: &mut Fields<'_>, listens: &[Listen]) -> Option<Rule> {
    let node = fields.any("if")?;
    let text = fields.text("if")?;
    let about_no_call = |listen: &&Listen| !listen.event.row().is_about_a_tool_call();
    if let Some(listen) = listens.iter().find(about_no_call) {
        let message = format!(
            "{} is about no tool call, so `if` never holds",
            listen.event
        );
        let problem = Diagnostic::new(Code::NoCondition, message)
            .at(fields.at(node))
            .help("take `if` away, or let the hook decide for itself");
        fields.report(problem);
        return None;
    }
    Rule::parse(text)
        .map_err(|error| {
            let problem = Diagnostic::new(Code::BadCondition, error.to_string());
            let problem = problem.at(fields.at(node));
            fields
                .report(problem.help("a rule is `Tool` or `Tool(pattern)`, such as `Bash(git *)`"));
        })
        .ok()
}

fn action(fields: &mut Fields<'_>, node: &Node, kind: &str, extras: Extras) -> Option<Action> {
    match kind {
        "command" => command(fields, extras).map(Action::Command),
        "server" if extras == Extras::Hookline => server(fields).map(Action::Server),
        _ => Some(other(fields, node, kind)),
    }
}

fn command(fields: &mut Fields<'_>, extras: Extras) -> Option<CommandAction> {
    let command = fields.required_text("command", "a hook of type `command`");
    let args = fields.texts("args");
    let shell = fields.word("shell", &[("bash", "bash"), ("powershell", "pwsh")]);
    let command = command?.to_owned();
    let (env, cwd) = surroundings(fields, extras);
    if args.is_some() && shell.is_some() {
        let problem = Diagnostic::new(Code::UselessKey, "`shell` does nothing beside `args`");
        let problem = problem.at(fields.key("shell"));
        fields.report(problem.help("with `args` the program is started without a shell"));
    }
    let (run, shell) = match args {
        Some(args) => (
            Run::Exec {
                program: command,
                args,
            },
            None,
        ),
        None => (Run::Shell(command), shell.map(str::to_owned)),
    };
    Some(CommandAction {
        run,
        shell,
        env,
        cwd,
    })
}

fn server(fields: &mut Fields<'_>) -> Option<ServerAction> {
    let command = fields
        .required_text("command", "a hook of type `server`")?
        .to_owned();
    let (env, cwd) = surroundings(fields, Extras::Hookline);
    Some(ServerAction { command, env, cwd })
}

fn surroundings(
    fields: &mut Fields<'_>,
    extras: Extras,
) -> (Vec<(String, String)>, Option<PathBuf>) {
    if extras == Extras::None {
        return (Vec::new(), None);
    }
    let env = fields.text_map("env").unwrap_or_default();
    (env, fields.text("cwd").map(PathBuf::from))
}

/// A type that needs a factory. One that is none of the contract's keeps all its keys: whoever
/// makes it knows them.
pub(in crate::dialect) fn other(fields: &mut Fields<'_>, node: &Node, kind: &str) -> Action {
    let known = OTHER_TYPES.iter().find(|(name, _, _)| *name == kind);
    match known {
        Some((name, required, optional)) => {
            let what = format!("a hook of type `{name}`");
            for key in *required {
                fields.required_text(key, &what);
            }
            optional.iter().for_each(|key| fields.know(key));
        }
        None => fields.know_all(),
    }
    let members = node.as_object().unwrap_or_default().iter();
    let own = members.filter(|member| !SHARED.contains(&member.key.as_str()));
    let own = own.map(|member| (member.key.clone(), member.value.to_value()));
    let kind_place = node
        .get("type")
        .map_or_else(|| fields.place(), |node| fields.at(node));
    Action::Other {
        kind: kind.to_owned(),
        kind_place,
        fields: own.collect::<Map<_, _>>(),
    }
}

/// Keys that every type has, and the entry holds.
const SHARED: [&str; 8] = [
    "type",
    "if",
    "timeout",
    "statusMessage",
    "once",
    "onFailure",
    "description",
    "enabled",
];
