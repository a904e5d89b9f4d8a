//! Names: exact ones, lists of them, and globs over a whole name.

use globset::{Glob, GlobBuilder, GlobMatcher};

/// Tool names that were renamed, oldest spelling first. Either spelling finds the other.
const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
];

/// The present name of a tool that may have been renamed.
pub(super) fn canonical(name: &str) -> &str {
    RENAMED
        .iter()
        .find(|(old, _)| *old == name)
        .map_or(name, |(_, new)| new)
}

/// Which spellings of a name count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Tool names: a legacy name and its successor are one.
    Renamed,
    /// File names and error names: every letter counts.
    AsWritten,
}

/// A list of alternatives; one of them has to be the whole name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) exact: Vec<String>,
    pub(super) globs: Vec<NameGlob>,
    pub(super) spelling: Spelling,
}

impl Names {
    pub(super) fn exact<'a>(parts: impl Iterator<Item = &'a str>, spelling: Spelling) -> Self {
        let mut names = Self {
            exact: Vec::new(),
            globs: Vec::new(),
            spelling,
        };
        parts.for_each(|part| names.push_exact(part));
        names
    }

    /// Splits at the separators outside braces and brackets; a part with a glob sign is a glob.
    pub(super) fn with_globs(list: &str) -> Result<Self, globset::Error> {
        let mut names = Self::exact([].into_iter(), Spelling::Renamed);
        for part in split_outside_brackets(list) {
            if part.contains(is_glob_sign) {
                names.globs.push(NameGlob::new(part.trim())?);
            } else {
                names.push_exact(part);
            }
        }
        Ok(names)
    }

    fn push_exact(&mut self, part: &str) {
        let part = part.trim();
        if !part.is_empty() {
            self.exact.push(self.spell(part).to_owned());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.globs.is_empty()
    }

    pub(super) fn matches(&self, subject: &str) -> bool {
        let spelt = self.spell(subject);
        self.exact.iter().any(|name| name == spelt)
            || self.globs.iter().any(|glob| glob.matches(subject))
    }

    fn spell<'a>(&self, name: &'a str) -> &'a str {
        match self.spelling {
            Spelling::Renamed => canonical(name),
            Spelling::AsWritten => name,
        }
    }
}

/// A glob over a whole name. Nearly all of them are a prefix and a star, and most others have no sign
/// but stars; they need no engine.
#[derive(Clone, Debug)]
pub(super) enum NameGlob {
    Prefix(String),
    Stars(Stars),
    Wild(GlobMatcher),
}

impl NameGlob {
    pub(super) fn new(pattern: &str) -> Result<Self, globset::Error> {
        match pattern.strip_suffix('*') {
            Some(prefix) if !prefix.contains(is_glob_sign) => Ok(Self::Prefix(prefix.to_owned())),
            Some(_) | None => match Stars::new(pattern) {
                Some(stars) => Ok(Self::Stars(stars)),
                None => Ok(Self::Wild(glob(pattern)?.compile_matcher())),
            },
        }
    }

    /// The same for a set of globs.
    pub(super) fn to_glob(&self) -> Option<Glob> {
        match self {
            Self::Prefix(prefix) => glob(&format!("{prefix}*")).ok(),
            Self::Stars(stars) => glob(&stars.parts.join("*")).ok(),
            Self::Wild(glob) => Some(glob.glob().clone()),
        }
    }

    pub(super) fn matches(&self, subject: &str) -> bool {
        match self {
            Self::Prefix(prefix) => subject.starts_with(prefix.as_str()),
            Self::Stars(stars) => stars.matches(subject),
            Self::Wild(glob) => glob.is_match(subject),
        }
    }
}

/// Texts with a star between each two.
#[derive(Clone, Debug)]
pub(super) struct Stars {
    /// Two at least. The first and the last may be empty, no other.
    parts: Vec<String>,
}

impl Stars {
    /// None where it is another kind of glob.
    fn new(pattern: &str) -> Option<Self> {
        let special = |c: char| (c != '*' && is_glob_sign(c)) || matches!(c, '/' | '\\');
        if pattern.contains("**") || pattern.contains(special) {
            return None;
        }
        let parts: Vec<String> = pattern.split('*').map(str::to_owned).collect();
        (parts.len() > 1).then_some(Self { parts })
    }

    /// The first and the last text stand at the ends; those between are looked for in order.
    fn matches(&self, subject: &str) -> bool {
        let [first, between @ .., last] = self.parts.as_slice() else {
            return false;
        };
        let inner = subject
            .strip_prefix(first.as_str())
            .and_then(|rest| rest.strip_suffix(last.as_str()));
        let left = inner.and_then(|inner| {
            between.iter().try_fold(inner, |rest, part| {
                rest.split_once(part.as_str()).map(|(_, rest)| rest)
            })
        });
        left.is_some()
    }

    /// The longest text, which is in whatever fits.
    pub(super) fn longest(&self) -> &str {
        let longest = self.parts.iter().max_by_key(|part| part.len());
        longest.map_or("", String::as_str)
    }
}

/// Names have no folders: a star crosses slashes, and a backslash is not special.
fn glob(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern)
        .literal_separator(false)
        .backslash_escape(false)
        .build()
}

pub(super) fn is_glob_sign(c: char) -> bool {
    matches!(c, '*' | '?' | '[' | ']' | '{' | '}')
}

pub(super) fn is_separator(c: char) -> bool {
    matches!(c, '|' | ',')
}

fn split_outside_brackets(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    list.split(move |c| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is_separator(c)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Of few letters, so that parts overlap; `?` and `[` are for the engine.
        #[test]
        fn stars_without_an_engine_fit_what_the_engine_says(
            pattern in "[abü_\\*]{1,8}",
            subjects in prop::collection::vec("[abü_\n]{0,10}", 20),
        ) {
            let plain = Stars::new(&pattern).map(NameGlob::Stars);
            let engine = glob(&pattern).unwrap().compile_matcher();
            for subject in &subjects {
                let fits = engine.is_match(subject);
                prop_assert_eq!(NameGlob::new(&pattern).unwrap().matches(subject), fits);
                if let Some(plain) = &plain {
                    prop_assert_eq!(plain.matches(subject), fits, "{} {}", pattern, subject);
                    let again = plain.to_glob().unwrap().compile_matcher();
                    prop_assert_eq!(again.is_match(subject), fits);
                }
            }
        }

        /// A subject that fits, so that it is not only said that nothing does.
        #[test]
        fn stars_fit_whatever_stands_in_their_place(
            parts in prop::collection::vec("[ab_]{1,3}", 2..5),
            between in prop::collection::vec("[abü]{0,3}", 4),
        ) {
            let stars = Stars::new(&parts.join("*")).unwrap();
            let ends = parts.iter().zip(between.iter().map(String::as_str));
            let subject: String = ends.flat_map(|(part, gap)| [part.as_str(), gap]).collect();
            let last = between.get(parts.len() - 1).map_or("", String::as_str);
            prop_assert!(stars.matches(subject.strip_suffix(last).unwrap()));
        }
    }

    #[test]
    fn only_globs_of_texts_and_stars_need_no_engine() {
        for pattern in ["mcp__*_7__*", "*", "*__read", "a*b*c"] {
            assert!(Stars::new(pattern).is_some(), "{pattern}");
        }
        for pattern in ["Bash", "a?*", "[ab]*", "{a,b}*", "a**b", "a/*b", r"a\*b"] {
            assert!(Stars::new(pattern).is_none(), "{pattern}");
        }
    }
}
