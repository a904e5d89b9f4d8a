//! Which variables a command sees.

use hook_runner::Session;
use hook_types::{EventName, HookEvent};

/// The plugin that a hook belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plugin {
    /// Where its files are.
    pub root: String,
    /// Where it keeps its data.
    pub data: Option<String>,
    /// What the user configured for it, by name.
    pub options: Vec<(String, String)>,
}

/// Variables that only some commands are told. What this process has inherited of them is another
/// session's, and must not pass for what a command is told here.
pub(crate) const ONLY_SOMETIMES: [&str; 12] = [
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PLUGIN_ROOT",
    "OPENCODE_ERROR",
    "OPENCODE_TOOL_ARGS",
    "OPENCODE_TOOL_NAME",
    "OPENCODE_TOOL_RESULT",
    "OPTA_ERROR",
    "OPTA_TOOL_ARGS",
    "OPTA_TOOL_NAME",
    "OPTA_TOOL_RESULT",
];

/// The variables that every command is told.
pub(crate) fn variables(
    event: &HookEvent,
    session: &Session,
    plugin: Option<&Plugin>,
) -> Vec<(String, String)> {
    let base = event.base();
    let mut variables = vec![
        ("CLAUDE_PROJECT_DIR".to_owned(), session.project_dir.clone()),
        (
            "CLAUDE_CODE_SESSION_ID".to_owned(),
            base.session_id.to_string(),
        ),
        ("CLAUDECODE".to_owned(), "1".to_owned()),
        ("CLAUDE_CODE_CHILD_SESSION".to_owned(), "1".to_owned()),
        ("CLAUDE_PID".to_owned(), std::process::id().to_string()),
    ];
    if let Some(effort) = &base.effort {
        variables.push(("CLAUDE_EFFORT".to_owned(), effort.level.to_string()));
    }
    if let Some(plugin) = plugin {
        variables.push(("CLAUDE_PLUGIN_ROOT".to_owned(), plugin.root.clone()));
        variables.extend(
            plugin
                .data
                .iter()
                .map(|data| ("CLAUDE_PLUGIN_DATA".to_owned(), data.clone())),
        );
        let option = |(key, value): &(String, String)| {
            (
                format!("CLAUDE_PLUGIN_OPTION_{}", key.to_uppercase()),
                value.clone(),
            )
        };
        variables.extend(plugin.options.iter().map(option));
    }
    variables
}

/// Whether a command may set variables for later commands of the agent.
pub(crate) fn may_export(event: EventName) -> bool {
    matches!(
        event,
        EventName::SessionStart | EventName::Setup | EventName::CwdChanged | EventName::FileChanged
    )
}
