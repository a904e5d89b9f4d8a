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

/// A glob over a whole name. Nearly all of them are a prefix and a star, which need no engine.
#[derive(Clone, Debug)]
pub(super) enum NameGlob {
    Prefix(String),
    Wild(GlobMatcher),
}

impl NameGlob {
    pub(super) fn new(pattern: &str) -> Result<Self, globset::Error> {
        match pattern.strip_suffix('*') {
            Some(prefix) if !prefix.contains(is_glob_sign) => Ok(Self::Prefix(prefix.to_owned())),
            Some(_) | None => Ok(Self::Wild(glob(pattern)?.compile_matcher())),
        }
    }

    pub(super) fn matches(&self, subject: &str) -> bool {
        match self {
            Self::Prefix(prefix) => subject.starts_with(prefix.as_str()),
            Self::Wild(glob) => glob.is_match(subject),
        }
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
