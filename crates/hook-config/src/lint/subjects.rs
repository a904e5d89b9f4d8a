//! Matchers that fit nothing there is.

use hook_types::{EventName, nearest};

use crate::diagnostic::{Code, Diagnostic};
use crate::entry::{Entry, Listen};

/// Tools that agents have. Others may exist, which is why this warns and no more.
const TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "LSP",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
    // What Opta and OpenCode call theirs, where they have no name of ours.
    "edit_file",
    "multi_edit",
    "read_file",
    "run_command",
    "write_file",
];

/// The tools that agents are known to have, in the alphabet's order. Others may exist.
///
/// ```
/// assert!(hook_config::known_tools().contains(&"Bash"));
/// ```
pub fn known_tools() -> &'static [&'static str] {
    TOOLS
}

/// What the subjects of other events can be, where the contract closes the list.
const TABLE: &[(EventName, &[&str])] = &[
    (
        EventName::SessionStart,
        &["startup", "resume", "clear", "compact", "fork"],
    ),
    (
        EventName::SessionEnd,
        &["clear", "resume", "logout", "prompt_input_exit", "other"],
    ),
    (EventName::PreCompact, &["manual", "auto"]),
    (EventName::PostCompact, &["manual", "auto"]),
    (EventName::Setup, &["init", "maintenance"]),
    (
        EventName::ConfigChange,
        &[
            "user_settings",
            "project_settings",
            "local_settings",
            "policy_settings",
            "skills",
        ],
    ),
    (
        EventName::DirectoryAdded,
        &["slash_command", "register_repo_root"],
    ),
];

/// What the subject of an event can be, if that is known.
fn subjects(event: EventName) -> Option<&'static [&'static str]> {
    if event.row().is_about_a_tool_call() {
        return Some(TOOLS);
    }
    let found = TABLE.iter().find(|(name, _)| *name == event);
    found.map(|(_, subjects)| *subjects)
}

pub(super) fn check(entry: &Entry, found: &mut Vec<Diagnostic>) {
    for listen in &entry.listens {
        if let Some(known) = subjects(listen.event).filter(|_| !listen.matcher.is_all()) {
            check_one(entry, listen, known, found);
        }
    }
}

fn check_one(entry: &Entry, listen: &Listen, known: &[&str], found: &mut Vec<Diagnostic>) {
    let pattern = listen.matcher.to_string();
    for name in names(&pattern) {
        // Dialects have names of their own for some tools.
        if known.contains(&name) || known.contains(&entry.dialect.names().ours(name)) {
            continue;
        }
        if let Some(server) = whole_server(name) {
            let problem = Diagnostic::new(
                Code::MatchesNothing,
                format!("`{name}` is a server and no tool, so it matches nothing"),
            );
            found.push(
                problem
                    .at(place(entry, name))
                    .help(format!("write `{server}__.*` for all its tools")),
            );
        } else if !name.starts_with("mcp__") {
            found.push(unknown(entry, listen.event, name, known));
        }
    }
    let is_list = names(&pattern).next().is_some();
    let any = known
        .iter()
        .any(|subject| listen.matcher.matches(subject).is_match());
    if !is_list && !any && !pattern.contains("mcp") {
        let problem = Diagnostic::new(
            Code::MatchesNothing,
            format!(
                "`{pattern}` matches nothing that {} is known for",
                listen.event
            ),
        );
        found.push(problem.at(place(entry, &pattern)).help(examples(known)));
    }
}

/// The names of a list; none where the pattern is no list of names.
fn names(pattern: &str) -> impl Iterator<Item = &str> {
    let name = |c: char| c.is_alphanumeric() || "_-|, ".contains(c);
    let list = if pattern.chars().all(name) {
        pattern
    } else {
        ""
    };
    list.split(['|', ','])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// The server, of a name that has no tool: `mcp__memory`.
fn whole_server(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("mcp__")?;
    (!rest.contains("__")).then_some(name)
}

fn unknown(entry: &Entry, event: EventName, name: &str, known: &[&str]) -> Diagnostic {
    let what = if event.row().is_about_a_tool_call() {
        "tool"
    } else {
        "value"
    };
    let problem = Diagnostic::new(
        Code::MatchesNothing,
        format!("no {what} that {event} is known for is called `{name}`"),
    )
    .at(place(entry, name));
    match nearest(name, known.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help(examples(known)),
    }
}

fn examples(known: &[&str]) -> String {
    let first: Vec<&str> = known.iter().take(6).copied().collect();
    let more = if known.len() > first.len() {
        ", …"
    } else {
        ""
    };
    format!("known are {}{more}", first.join(", "))
}

/// Where the pattern is written: before the entry, in the group that it is part of, or in it.
fn place(entry: &Entry, name: &str) -> crate::source::Place {
    let place = &entry.place;
    let text = place.file.text();
    let inside = place.text().find(name).map(|at| place.span.start + at);
    let before = || {
        text.get(..place.span.start)
            .and_then(|text| text.rfind(name))
    };
    match inside.or_else(before) {
        Some(at) => {
            crate::source::Place::new(&place.file, crate::source::Span::new(at, at + name.len()))
        }
        None => place.clone(),
    }
}
