//! `${NAME}` in the arguments of a command that runs without a shell: filled as plain strings, so that
//! nothing in a path can become syntax.

use hook_runner::Session;

use crate::environment::Plugin;

/// The names that are filled, and are variables too.
pub(crate) const NAMES: [&str; 3] = [
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
];

/// A placeholder that nothing is known for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is known for `${{{0}}}`")]
pub(crate) struct Unfilled(pub(crate) String);

/// Fills the placeholders of one argument. What is not one of ours stays as it is.
pub(crate) fn fill(
    argument: &str,
    session: &Session,
    plugin: Option<&Plugin>,
) -> Result<String, Unfilled> {
    let mut filled = String::with_capacity(argument.len());
    let mut rest = argument;
    while let Some(start) = rest.find("${") {
        let (before, placeholder) = rest.split_at(start);
        filled.push_str(before);
        let Some(end) = placeholder.find('}') else {
            filled.push_str(placeholder);
            return Ok(filled);
        };
        let name = &placeholder[2..end];
        match value(name, session, plugin)? {
            Some(value) => filled.push_str(&value),
            None => filled.push_str(&placeholder[..=end]),
        }
        rest = &placeholder[end + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

fn value(
    name: &str,
    session: &Session,
    plugin: Option<&Plugin>,
) -> Result<Option<String>, Unfilled> {
    let known = match name {
        "CLAUDE_PROJECT_DIR" => {
            Some(session.project_dir.clone()).filter(|project| !project.is_empty())
        }
        "CLAUDE_PLUGIN_ROOT" => plugin.map(|plugin| plugin.root.clone()),
        "CLAUDE_PLUGIN_DATA" => plugin.and_then(|plugin| plugin.data.clone()),
        _ => match name.strip_prefix("user_config.") {
            None => return Ok(None),
            Some(key) => {
                let options = plugin.into_iter().flat_map(|plugin| &plugin.options);
                options
                    .into_iter()
                    .find(|(name, _)| name == key)
                    .map(|(_, value)| value.clone())
            }
        },
    };
    known.map(Some).ok_or_else(|| Unfilled(name.to_owned()))
}

/// Whether a shell command asks for a setting of the user's in a way that a shell would take apart.
pub(crate) fn asks_the_shell_for_settings(command: &str) -> bool {
    command.contains("${user_config.")
}
