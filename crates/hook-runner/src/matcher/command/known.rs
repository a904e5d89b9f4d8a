//! Variables whose values are known before anything runs.

/// Names and values. Empty when commands are matched: what a variable holds then is the agent's affair.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Vec<(String, String)>);

impl Known {
    /// The variables that the text does not touch. One that it may set is not known any more.
    pub(super) fn untouched(variables: &[(&str, &str)], source: &str) -> Self {
        let untouched = |(name, _): &&(&str, &str)| !mentions(source, name);
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self(variables.iter().filter(untouched).map(owned).collect())
    }

    /// Forgets a variable; `false` if it was not known.
    pub(super) fn forget(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|(known, _)| known != name);
        self.0.len() < before
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value in place of `$NAME` or `${NAME}`. Outside quotes the shell takes some values apart.
    pub(super) fn expand(&self, text: &str, in_quotes: bool) -> Option<&str> {
        const TAKEN_APART: &[char] = &[' ', '\t', '\n', '*', '?', '[', '\\'];
        let name = text.strip_prefix('$')?;
        let bare = name
            .strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'));
        let value = self.get(bare.unwrap_or(name))?;
        let stays_whole = !value.is_empty() && !value.contains(TAKEN_APART);
        (in_quotes || stays_whole).then_some(value)
    }
}

/// Whether the name occurs other than as `$NAME` or `${NAME`: it may be set there.
fn mentions(source: &str, name: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    source.match_indices(name).any(|(at, _)| {
        let before = source.get(..at).unwrap_or_default();
        let after = source.get(at + name.len()..).unwrap_or_default();
        let is_read = before.ends_with('$') || before.ends_with("${");
        !is_read && !before.ends_with(in_name) && !after.starts_with(in_name)
    })
}
