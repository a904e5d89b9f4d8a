//! Path patterns over the files a tool touches, in the manner of `.gitignore`.
//!
//! Purely lexical: links are not followed, and nothing has to exist.

use globset::{GlobBuilder, GlobMatcher};

use super::truth::{Call, Truth};

mod lexical;

use lexical::{Absolute, components};

/// A path pattern: where it starts, and what the path has to look like from there.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    base: Base,
    /// Without a slash, or with `**/` in front: fits at any depth.
    floating: bool,
    parts: Vec<Part>,
}

/// Where a pattern starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// `src/**`, `./src`, `*.ts`
    Cwd,
    /// `/src/**`
    Project,
    /// `~/.ssh/**`
    Home,
    /// `//etc/**`
    Root,
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of folders, none included.
    Folders,
    /// `*`: any one name.
    Any,
    Name(String),
    Glob(GlobMatcher),
}

/// Why a path pattern is not valid.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// What of the file system a call touches.
enum Target {
    /// One file.
    File(Absolute),
    /// Whatever is below a folder, and the search may look at.
    Tree(Absolute),
}

// ===== reading =====

impl PathPattern {
    pub(super) fn parse(content: &str) -> Result<Self, Problem> {
        if content.starts_with('!') {
            return Err(problem(
                "it is negated",
                "write a rule for what it is about instead",
            ));
        }
        let (base, rest) = Base::of(content);
        let rest = rest.strip_prefix("./").unwrap_or(rest);
        let names: Vec<&str> = components(rest).collect();
        if names.contains(&"..") {
            let hint = "write `//` and the absolute path";
            return Err(problem("it leaves its folder with `..`", hint));
        }
        let single = !rest.trim_end_matches('/').contains('/');
        let floating = base == Base::Cwd && (single || names.first() == Some(&"**"));
        let mut parts = names
            .iter()
            .map(|name| Part::read(name))
            .collect::<Result<Vec<_>, _>>()?;
        if floating && !matches!(parts.first(), Some(Part::Folders)) {
            parts.insert(0, Part::Folders);
        }
        // What is below a folder that fits, fits as well: `src/**` needs one name below `src`.
        if let Some(last @ Part::Folders) = parts.last_mut() {
            *last = Part::Any;
        }
        Ok(Self {
            base,
            floating,
            parts,
        })
    }
}

impl Base {
    fn of(content: &str) -> (Self, &str) {
        if let Some(rest) = content.strip_prefix("//") {
            (Self::Root, rest)
        } else if let Some(rest) = content.strip_prefix('/') {
            (Self::Project, rest)
        } else if content == "~" {
            (Self::Home, "")
        } else if let Some(rest) = content.strip_prefix("~/") {
            (Self::Home, rest)
        } else {
            (Self::Cwd, content)
        }
    }

    fn folder<'a>(self, call: &Call<'a>) -> Option<&'a str> {
        match self {
            Self::Cwd => Some(call.cwd),
            Self::Project => call.project_root,
            Self::Home => call.home,
            Self::Root => Some("/"),
        }
    }
}

impl Part {
    fn read(name: &str) -> Result<Self, Problem> {
        match name {
            "**" => Ok(Self::Folders),
            "*" => Ok(Self::Any),
            _ if !name.contains(['*', '?', '[', ']', '{', '}', '\\']) => {
                Ok(Self::Name(name.to_owned()))
            }
            _ => GlobBuilder::new(name)
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map(|glob| Self::Glob(glob.compile_matcher()))
                .map_err(|error| Problem {
                    message: format!("`{name}`: {}", error.kind()),
                    hint: super::hint::for_glob(name)
                        .map(|hint| format!("{hint}; alternatives in braces cannot contain `/`")),
                }),
        }
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            Self::Folders | Self::Any => true,
            Self::Name(expected) => expected == name,
            Self::Glob(glob) => glob.is_match(name),
        }
    }
}

fn problem(message: &str, hint: &str) -> Problem {
    Problem {
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
    }
}

// ===== judging =====

impl PathPattern {
    pub(super) fn judge(&self, call: &Call<'_>) -> Truth {
        let Some(base) = self.base.folder(call) else {
            return Truth::Unknown;
        };
        let base = Absolute::new(base, call);
        match Target::of(call) {
            None => Truth::Unknown,
            Some(Target::File(path)) => self.judge_file(&base, &path),
            Some(Target::Tree(root)) => self.judge_tree(&base, &root),
        }
    }

    fn judge_file(&self, base: &Absolute, path: &Absolute) -> Truth {
        match path.below(base) {
            Some(rest) => self.walk(rest).is_none().into(),
            // `*.ts` says nothing about where. Outside the working directory a hook should
            // see it, but nobody has allowed it.
            None if self.floating && self.walk(path.names()).is_none() => Truth::Unknown,
            None => Truth::No,
        }
    }

    /// Yes if all of the tree is covered, unknown if some of it may be.
    fn judge_tree(&self, base: &Absolute, root: &Absolute) -> Truth {
        let Some(rest) = root.below(base) else {
            let some = self.floating || base.below(root).is_some();
            return if some { Truth::Unknown } else { Truth::No };
        };
        match self.walk(rest) {
            None => Truth::Yes,
            Some(open) if open.iter().any(|at| self.rest_is_anything(*at)) => Truth::Yes,
            Some(open) if open.is_empty() => Truth::No,
            Some(_) => Truth::Unknown,
        }
    }

    fn rest_is_anything(&self, at: usize) -> bool {
        matches!(
            self.parts.get(at..),
            Some([Part::Any] | [Part::Folders, Part::Any])
        )
    }

    /// Follows the names from the base. `None` if the path, or a folder it is in, fits the
    /// whole pattern; else the places in the pattern where it could go on below.
    fn walk(&self, names: &[String]) -> Option<Vec<usize>> {
        let mut open = vec![0];
        self.skip_folders(&mut open);
        for name in names {
            let mut next = Vec::new();
            for at in open {
                match self.parts.get(at) {
                    Some(Part::Folders) => next.push(at),
                    Some(part) if part.fits(name) => next.push(at + 1),
                    Some(_) | None => {}
                }
            }
            self.skip_folders(&mut next);
            if next.contains(&self.parts.len()) {
                return None;
            }
            open = next;
        }
        // A pattern without parts is its base, and everything in it.
        if self.parts.is_empty() {
            None
        } else {
            Some(open)
        }
    }

    /// `**` may stand for no folder at all.
    fn skip_folders(&self, open: &mut Vec<usize>) {
        let mut at = 0;
        while let Some(place) = open.get(at).copied() {
            if matches!(self.parts.get(place), Some(Part::Folders)) {
                open.push(place + 1);
            }
            at += 1;
        }
        open.sort_unstable();
        open.dedup();
    }
}

impl Target {
    fn of(call: &Call<'_>) -> Option<Self> {
        match call.tool_name {
            "Glob" => Some(Self::Tree(lexical::glob_root(call))),
            "Grep" => Some(Self::Tree(Absolute::new(
                call.text("path").unwrap_or("."),
                call,
            ))),
            "NotebookEdit" => {
                let path = call
                    .text("notebook_path")
                    .or_else(|| call.text("file_path"))?;
                Some(Self::File(Absolute::new(path, call)))
            }
            _ => Some(Self::File(Absolute::new(call.text("file_path")?, call))),
        }
    }
}
