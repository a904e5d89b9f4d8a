//! The values that a command's words are filled with, as far as they are known before it runs.

use super::case::CommandLine;
use super::surroundings::Surroundings;

/// Names and values. A value that is not text is not known.
#[derive(Debug)]
pub(super) struct Variables {
    /// Variables of the command's environment. What the entry itself sets hides the rest.
    environment: Vec<(String, String)>,
    /// Placeholders of the exec form, which no variable hides.
    placeholders: Vec<(String, String)>,
}

impl Variables {
    pub(super) fn of(line: &CommandLine, around: &Surroundings) -> Self {
        let mut placeholders = Vec::new();
        let mut environment = line.env.clone();
        let mut tell = |name: &str, value: Option<&str>| {
            let is_hidden = environment.iter().any(|(known, _)| known == name);
            let told = value.filter(|_| !is_hidden);
            environment.extend(told.map(|value| (name.to_owned(), value.to_owned())));
        };
        tell(
            "HOME",
            around.home_directory().and_then(|home| home.to_str()),
        );
        let plugin = line.plugin.as_ref();
        let paths = [
            ("CLAUDE_PROJECT_DIR", around.project().to_str()),
            (
                "CLAUDE_PLUGIN_ROOT",
                plugin.map(|plugin| plugin.root.as_str()),
            ),
            (
                "CLAUDE_PLUGIN_DATA",
                plugin.and_then(|plugin| plugin.data.as_deref()),
            ),
        ];
        for (name, value) in paths {
            tell(name, value);
            placeholders.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        }
        for (key, value) in plugin.iter().flat_map(|plugin| &plugin.options) {
            let name = format!("CLAUDE_PLUGIN_OPTION_{}", key.to_uppercase());
            tell(&name, Some(value));
            placeholders.push((format!("user_config.{key}"), value.clone()));
        }
        Self {
            environment,
            placeholders,
        }
    }

    /// The environment, as a shell would see it.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        self.environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }

    /// An argument of the exec form with its placeholders filled in. `$NAME` without braces, and what
    /// is no placeholder, stay as they are.
    pub(super) fn fill(&self, argument: &str) -> String {
        let mut filled = String::with_capacity(argument.len());
        let mut rest = argument;
        while let Some((before, after)) = rest.split_once("${") {
            filled.push_str(before);
            let found = after.split_once('}').and_then(|(name, after)| {
                let known = self.placeholders.iter().find(|(known, _)| known == name);
                known.map(|(_, value)| (value.as_str(), after))
            });
            filled.push_str(found.map_or("${", |(value, _)| value));
            rest = found.map_or(after, |(_, rest)| rest);
        }
        filled.push_str(rest);
        filled
    }

    /// A text with the values pasted in, for want of a shell that could read it.
    pub(super) fn paste(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.environment {
            filled = filled.replace(&format!("${{{name}}}"), value);
            filled = filled.replace(&format!("${name}"), value);
        }
        filled
    }
}
