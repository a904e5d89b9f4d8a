//! Names that nobody sets, and names in single quotes.

use std::sync::LazyLock;

use hook_runner::matcher::ShellWords;
use hook_shell::Dialect;
use hook_types::{EventName, nearest};
use regex::Regex;

use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};
use crate::entry::{Action, Entry};

/// What hooks are told in their environment.
const CLAUDE: &[&str] = &[
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_REMOTE_SESSION_ID",
    "CLAUDE_CODE_BRIDGE_SESSION_ID",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_MESSAGING_SOCKET",
    "CLAUDE_CODE_MESSAGING_TOKEN",
];
const OPTA: &[&str] = &[
    "OPTA_EVENT",
    "OPTA_SESSION_ID",
    "OPTA_CWD",
    "OPTA_MODEL",
    "OPTA_TOOL_NAME",
    "OPTA_TOOL_ARGS",
    "OPTA_TOOL_RESULT",
    "OPTA_ERROR",
];
const OPENCODE: &[&str] = &[
    "OPENCODE_EVENT",
    "OPENCODE_TIMESTAMP",
    "OPENCODE_SESSION_ID",
    "OPENCODE_TOOL_NAME",
    "OPENCODE_TOOL_ARGS",
    "OPENCODE_TOOL_RESULT",
    "OPENCODE_ERROR",
];

/// Events whose hooks may leave variables behind.
const HAVE_ENV_FILE: [EventName; 4] = [
    EventName::SessionStart,
    EventName::Setup,
    EventName::CwdChanged,
    EventName::FileChanged,
];

/// Programs that understand `$` themselves, so that single quotes are right.
const OWN_DOLLARS: &[&str] = &[
    "awk", "bash", "dash", "eval", "gawk", "jq", "ksh", "mawk", "node", "perl", "python",
    "python3", "ruby", "sed", "sh", "trap", "xargs", "yq", "zsh", "env", "timeout", "grep",
    "egrep", "nohup",
];

static USED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\$\{?|environ(?:\.get)?[\[(]\s*["']|process\.env\.|getenv\(\s*["'])((?:CLAUDE|OPTA|OPENCODE)_[A-Z0-9_]+)"#).ok()
});

pub(super) fn check(entry: &Entry, text: &Text, found: &mut Vec<Diagnostic>) {
    for (start, line) in text.lines() {
        for used in USED.iter().flat_map(|pattern| pattern.captures_iter(line)) {
            // One that has a default is known to be unset at times.
            let has_default = |end: usize| line[end..].starts_with([':', '-', '+', '=', '?']);
            if let Some(name) = used.get(1).filter(|name| !has_default(name.end())) {
                let place = || text.place(start + name.start(), name.as_str());
                found.extend(unknown(entry, name.as_str()).map(|problem| problem.at(place())));
            }
        }
    }
    quoted(text, found);
}

/// Whether anybody sets the variable for this entry.
fn unknown(entry: &Entry, name: &str) -> Option<Diagnostic> {
    let own = match &entry.action {
        Action::Command(command) => command.env.as_slice(),
        Action::Server(server) => server.env.as_slice(),
        Action::Other { .. } => &[],
    };
    if own.iter().any(|(set, _)| set == name) || name.starts_with("CLAUDE_PLUGIN_OPTION_") {
        return None;
    }
    let known: Vec<&str> = [CLAUDE, names(entry.dialect)].concat();
    if known.contains(&name) {
        return sometimes(entry, name);
    }
    let problem = Diagnostic::new(
        Code::UnknownVariable,
        format!("nobody sets `{name}` for this hook"),
    );
    let other = [OPTA, OPENCODE].concat().contains(&name);
    Some(match nearest(name, known.iter().copied()) {
        _ if other => {
            problem.help("it belongs to another dialect: here the event comes as JSON on stdin")
        }
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help("what happened comes as JSON on stdin, not in variables"),
    })
}

fn names(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Opta => OPTA,
        Dialect::OpenCode => OPENCODE,
        Dialect::Claude | Dialect::Hookline | _ => &[],
    }
}

/// A variable that only some events have.
fn sometimes(entry: &Entry, name: &str) -> Option<Diagnostic> {
    let has = |event: &EventName| HAVE_ENV_FILE.contains(event);
    let never = !entry.listens.iter().any(|listen| has(&listen.event));
    (name == "CLAUDE_ENV_FILE" && never).then(|| {
        Diagnostic::new(
            Code::UnknownVariable,
            "`CLAUDE_ENV_FILE` is not set for the hooks of this event",
        )
        .help("only SessionStart, Setup, CwdChanged and FileChanged have it")
    })
}

/// Variables that a shell leaves alone, since they stand in single quotes.
fn quoted(text: &Text, found: &mut Vec<Diagnostic>) {
    static NAME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\$\{?((?:CLAUDE|OPTA|OPENCODE)_[A-Z0-9_]+)\}?").ok());
    let words = ShellWords::read(&text.content, &[]);
    for command in &words.commands {
        let program = command
            .words
            .first()
            .and_then(|word| word.literal.as_deref());
        let program = program.unwrap_or_default();
        let base = program.rsplit('/').next().unwrap_or_default();
        if OWN_DOLLARS.contains(&base) {
            continue;
        }
        for word in &command.words {
            let name = single_quoted(&word.written)
                .into_iter()
                .find_map(|piece| NAME.as_ref()?.captures(piece)?.get(0));
            if let Some(name) = name {
                found.push(literal(text, &word.written, name.as_str()));
            }
        }
    }
}

fn literal(text: &Text, word: &str, name: &str) -> Diagnostic {
    let at = text.content.find(word).unwrap_or_default();
    let inside = at + word.find(name).unwrap_or_default();
    Diagnostic::new(
        Code::QuotedVariable,
        format!("`{name}` stands in single quotes, so the shell leaves it as it is"),
    )
    .at(text.place(inside, name))
    .help("write double quotes around it")
}

/// The pieces of a word that stand in single quotes, and not in double ones.
fn single_quoted(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut opened, mut double, mut escaped) = (None, false, false);
    for (at, c) in word.char_indices() {
        match (c, opened) {
            _ if escaped => escaped = false,
            ('\'', Some(start)) => {
                pieces.push(&word[start..at]);
                opened = None;
            }
            ('\\', None) => escaped = true,
            ('"', None) => double = !double,
            ('\'', None) if !double => opened = Some(at + 1),
            _ => {}
        }
    }
    pieces
}
