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

    /// Forgets the variables that a text may set: what is run after it may see another value.
    pub(super) fn forget_touched(&mut self, text: &str) {
        self.environment.retain(|(name, _)| !touches(text, name));
    }

    /// Forgets all of them.
    pub(super) fn forget_all(&mut self) {
        self.environment.clear();
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

/// Whether a text has the name other than as `$NAME` or `${NAME`: it may set it there.
fn touches(text: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let is_read = before.ends_with('$') || before.ends_with("${");
        !is_read && !before.ends_with(in_name) && !after.starts_with(in_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_a_text_may_set_is_touched() {
        for text in [
            "HOME=x",
            "export HOME",
            "read HOME",
            "for HOME in a; do :; done",
        ] {
            assert!(touches(text, "HOME"), "{text}");
        }
        for text in ["$HOME", "${HOME:-x}", "MY_HOME=x", "HOMES=x", ""] {
            assert!(!touches(text, "HOME"), "{text}");
        }
    }
}
