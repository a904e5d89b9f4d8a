//! Which variables a command sees.

use std::ffi::OsStr;
use std::fmt;

use hook_runner::Session;
use hook_types::{EventName, HookEvent};
use process_tree::Environment;

/// The plugin that a hook belongs to. Debug output shows names of options only: values are often
/// secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Plugin {
    /// Where its files are.
    pub root: String,
    /// Where it keeps its data.
    pub data: Option<String>,
    /// What the user configured for it, by name.
    pub options: Vec<(String, String)>,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<&str> = self.options.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Plugin")
            .field("root", &self.root)
            .field("data", &self.data)
            .field("options", &options)
            .finish()
    }
}

/// Variables that only some commands are told. What this process has inherited of them is another
/// session's, and must not pass for what a command is told here.
const ONLY_SOMETIMES: [&str; 12] = [
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

/// What begins like this is never handed on: the settings of a plugin are its own, and telemetry is
/// the agent's.
const NEVER: [&str; 2] = ["CLAUDE_PLUGIN_OPTION_", "OTEL_"];

/// Set to keep credentials from commands.
const SCRUB: &str = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB";

/// The program that is to run every shell command.
const PREFIX: &str = "CLAUDE_CODE_SHELL_PREFIX";

/// Variables that hold what opens a model or a cloud. A token for the code host stays: hooks are often
/// there to use it.
const CREDENTIALS: [&str; 24] = [
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_RUNTIME_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_CERTIFICATE_PASSWORD",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_SECRET",
    "AZURE_OPENAI_API_KEY",
    "CLAUDE_CODE_MESSAGING_TOKEN",
    "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "OPENAI_API_KEY",
    "SSH_SIGNING_KEY",
];

/// What commands inherit of an environment.
pub(crate) fn inherited(environment: &Environment) -> Environment {
    let scrub = environment.get(SCRUB).is_some_and(is_on);
    let kept = environment.iter().filter(|(name, _)| {
        let name = name.to_string_lossy();
        let is_kept = |names: &[&str]| !names.contains(&name.as_ref());
        is_kept(&ONLY_SOMETIMES)
            && !NEVER.iter().any(|start| name.starts_with(start))
            && (!scrub || is_kept(&CREDENTIALS))
    });
    kept.collect()
}

/// Whether a switch is on: set, and to nothing that says it is not.
fn is_on(value: &OsStr) -> bool {
    let value = value.to_string_lossy().trim().to_ascii_lowercase();
    !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
}

/// What an environment says is to run every shell command.
pub(crate) fn shell_prefix(environment: &Environment) -> Option<String> {
    let prefix = environment.get(PREFIX)?.to_str()?.trim();
    (!prefix.is_empty()).then(|| prefix.to_owned())
}

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
