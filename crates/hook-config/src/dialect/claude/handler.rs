//! One handler: the five types of the contract, `server` of our own, and types that somebody else
//! makes.

use std::path::PathBuf;
use std::time::Duration;

use hook_runner::Wait;
use hook_runner::matcher::Rule;
use hook_types::OnFailure;
use serde_json::Map;

use super::Extras;
use super::group::ON_FAILURE;
use super::own;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::CONTRACT_TYPES;
use crate::dialect::fields::{Fields, first_error};
use crate::document::{Document, Node};
use crate::entry::{Action, CommandAction, Entry, Listen, Run, ServerAction};
use crate::factory::POWERSHELL;

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
    /// When it runs, or would.
    pub(super) listens: Vec<Listen>,
    pub(super) problems: Vec<Diagnostic>,
}

/// Keys of one type alone.
const OF_ONE_TYPE: [(&str, &[&str]); 5] = [
    (
        "command",
        &["command", "args", "shell", "async", "asyncRewake"],
    ),
    ("http", &["url", "headers", "allowedEnvVars"]),
    ("prompt", &["prompt", "model", "continueOnBlock"]),
    ("mcp_tool", &["server", "tool", "input"]),
    ("http` and `command", &["onFailure"]),
];

pub(super) fn read(document: &Document, node: &Node, expected: Expected) -> Read {
    let mut fields = match Fields::of(document, node, "a hook") {
        Ok(fields) => fields,
        Err(problem) => {
            return Read {
                entry: Err(Some((*problem).clone())),
                listens: expected.listens,
                problems: vec![*problem],
            };
        }
    };
    let Expected { extras, listens } = expected;
    let enabled = extras == Extras::None || fields.flag("enabled").unwrap_or(true);
    let listens = own::listens(&mut fields, extras, listens);
    let entry = entry(&mut fields, node, extras, listens.clone());
    let problems = fields.finish();
    let entry = match (entry, first_error(&problems)) {
        (Some(mut entry), None) => {
            entry.enabled = enabled;
            Ok(entry)
        }
        (_, error) => Err(error.filter(|_| enabled).cloned()),
    };
    Read {
        entry,
        listens,
        problems,
    }
}

/// The entry, as far as it can be read.
fn entry(
    fields: &mut Fields<'_>,
    node: &Node,
    extras: Extras,
    listens: Vec<Listen>,
) -> Option<Entry> {
    let Some(kind) = kind(fields, node) else {
        fields.know_all();
        return None;
    };
    let action = action(fields, node, kind, extras);
    let dialect = own::dialect(fields, kind, extras);
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
    let own = [&CONTRACT_TYPES[..], &["server"]].concat();
    if own.contains(&entry.action.kind()) {
        elsewhere(fields, extras);
    }
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
    for (kind, keys) in OF_ONE_TYPE {
        for key in keys {
            fields.useless(key, &format!("it belongs to hooks of type `{kind}`"));
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
        "server" => {
            let place = fields
                .any("type")
                .map_or_else(|| fields.place(), |node| fields.at(node));
            let message = "no kind of hook is called `server` in this file";
            let problem = Diagnostic::new(Code::UnknownType, message).at(place);
            fields.report(problem.help("write it into `.hookline/hooks.json`"));
            fields.know_all();
            None
        }
        _ => {
            let mut action = other(fields, node, kind);
            if let (Action::Other { fields, .. }, Extras::Hookline) = (&mut action, extras) {
                fields.shift_remove("matcher");
            }
            Some(action)
        }
    }
}

fn command(fields: &mut Fields<'_>, extras: Extras) -> Option<CommandAction> {
    let command = fields.required_text("command", "a hook of type `command`");
    let args = fields.texts("args");
    let shell = fields.word("shell", &[("bash", "bash"), ("powershell", POWERSHELL)]);
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
    match kind {
        "http" => {
            address(fields);
            fields.text_map("headers");
            fields.texts("allowedEnvVars");
        }
        "prompt" | "agent" => {
            fields.required_text("prompt", &format!("a hook of type `{kind}`"));
            fields.text("model");
            if kind == "prompt" {
                fields.flag("continueOnBlock");
            }
        }
        "mcp_tool" => {
            fields.required_text("server", "a hook of type `mcp_tool`");
            fields.required_text("tool", "a hook of type `mcp_tool`");
            fields.object("input");
        }
        _ => fields.know_all(),
    }
    let kind_place = fields
        .any("type")
        .map_or_else(|| fields.place(), |node| fields.at(node));
    let members = node.as_object().unwrap_or_default().iter();
    let own = members.filter(|member| !SHARED.contains(&member.key.as_str()));
    let own = own.map(|member| (member.key.clone(), member.value.to_value()));
    Action::Other {
        kind: kind.to_owned(),
        kind_place,
        fields: own.collect::<Map<_, _>>(),
    }
}

/// Where an `http` hook is asked.
fn address(fields: &mut Fields<'_>) {
    let Some(url) = fields.required_text("url", "a hook of type `http`") else {
        return;
    };
    let host = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let is_host = |host: &str| {
        let starts = host.chars().next();
        starts.is_some_and(|c| c.is_alphanumeric() || c == '[')
            && !host.contains(char::is_whitespace)
    };
    if !host.is_some_and(is_host) {
        let place = fields
            .any("url")
            .map_or_else(|| fields.place(), |node| fields.at(node));
        let problem = Diagnostic::new(Code::WrongValue, "`url` is no address of the web");
        fields.report(problem.at(place).help("write https://host/path"));
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
