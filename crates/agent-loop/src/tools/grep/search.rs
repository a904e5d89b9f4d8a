//! All files of a search.

use std::io::Read;
use std::path::{Path, PathBuf};

use hook_runner::Cancellation;
use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use regex::bytes::{Regex, RegexBuilder};

use super::lines::{self, Shown};
use super::{Input, Mode, Page};
use crate::tool::{ToolContext, ToolError};
use crate::tools::walk::{self, Scope};
use crate::tools::{file, paths};

/// Files larger than this are not searched.
const LARGEST: u64 = 64 << 20;
/// How much of the start tells text from other things.
const START: usize = 8 << 10;
/// How many bytes of lines are held.
const HELD: usize = 4 << 20;
/// How many files are held, to find the newest of them.
const FILES: usize = 100_000;

/// A search that is ready to run.
pub(super) struct Search {
    builder: WalkBuilder,
    regex: Regex,
    cwd: PathBuf,
    mode: Mode,
    page: Page,
    numbers: bool,
    context: (usize, usize),
    multiline: bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// What is shown: lines, files, or files with a count.
    pub(super) entries: Vec<String>,
    /// The files that the entries are about, where those are not files.
    pub(super) files: Vec<PathBuf>,
    /// How many lines match.
    pub(super) matches: usize,
    /// What was left out.
    pub(super) note: Option<String>,
}

impl Search {
    pub(super) fn new(input: &Input, page: Page, context: &ToolContext) -> Result<Self, ToolError> {
        let root = paths::absolute(input.path.as_deref().unwrap_or("."), context);
        let root = walk::root(root)?;
        let mut builder = walk::walker(&root, Scope::NotIgnored);
        narrow(&mut builder, input, &root)?;
        let around = input.around.or(input.context).unwrap_or(0);
        Ok(Self {
            builder,
            regex: regex(input)?,
            cwd: context.cwd.clone(),
            mode: input.output_mode,
            page,
            numbers: input.numbers.unwrap_or(true),
            context: (
                input.before.unwrap_or(around),
                input.after.unwrap_or(around),
            ),
            multiline: input.multiline,
        })
    }

    pub(super) fn run(&self, until: &Cancellation) -> Result<Found, ToolError> {
        let mut tally = Tally::default();
        let complete = walk::visit(&self.builder, until, |path| {
            self.look_into(path, &mut tally);
            !self.is_enough(&tally)
        })?;
        let cut_short = !complete && !self.is_enough(&tally);
        Ok(self.found(tally, cut_short))
    }

    fn look_into(&self, path: &Path, tally: &mut Tally) {
        let text = match load(path) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(TooLarge) => {
                tally.too_large += 1;
                return;
            }
        };
        let lines = lines::lines(&text);
        let matching = lines::matching(&text, &lines, &self.regex, self.multiline);
        if matching.is_empty() {
            return;
        }
        tally.matches += matching.len();
        tally.files.push(path.to_owned());
        match self.mode {
            Mode::FilesWithMatches => {}
            Mode::Count => tally
                .entries
                .push(format!("{}:{}", self.name(path), matching.len())),
            Mode::Content => self.show(
                path,
                &lines::with_context(&text, &lines, &matching, self.context),
                tally,
            ),
        }
    }

    fn show(&self, path: &Path, shown: &[Shown], tally: &mut Tally) {
        let name = self.name(path);
        if self.context != (0, 0) && !tally.entries.is_empty() {
            tally.entries.push("--".to_owned());
        }
        for shown in shown {
            let entry = match shown {
                Shown::Gap => "--".to_owned(),
                Shown::Line {
                    number,
                    text,
                    matches,
                } => {
                    let sign = if *matches { ':' } else { '-' };
                    let number = if self.numbers {
                        format!("{number}{sign}")
                    } else {
                        String::new()
                    };
                    format!("{name}{sign}{number}{text}")
                }
            };
            tally.bytes += entry.len();
            tally.entries.push(entry);
        }
    }

    /// Whether what is found fills the page. The newest files are known only when all have been seen.
    fn is_enough(&self, tally: &Tally) -> bool {
        match self.mode {
            Mode::Content => tally.entries.len() >= self.page.enough() || tally.bytes > HELD,
            Mode::FilesWithMatches | Mode::Count => tally.files.len() >= FILES,
        }
    }

    fn found(&self, tally: Tally, cut_short: bool) -> Found {
        let notes = [
            (tally.too_large > 0)
                .then(|| format!("{} files over 64 MiB were not searched", tally.too_large)),
            (cut_short || tally.files.len() >= FILES)
                .then(|| "there are too many files, and not all were searched".to_owned()),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        let (entries, files) = match self.mode {
            Mode::FilesWithMatches => {
                let files = walk::newest_first(tally.files);
                let names = files.iter().map(|path| path.to_string_lossy().into_owned());
                (names.collect(), Vec::new())
            }
            Mode::Content | Mode::Count => (tally.entries, tally.files),
        };
        Found {
            entries,
            files,
            matches: tally.matches,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }

    /// A file's name as lines have it: from the working directory on.
    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.cwd).unwrap_or(path);
        below.to_string_lossy().into_owned()
    }
}

#[derive(Default)]
struct Tally {
    entries: Vec<String>,
    files: Vec<PathBuf>,
    matches: usize,
    bytes: usize,
    too_large: usize,
}

fn regex(input: &Input) -> Result<Regex, ToolError> {
    let regex = RegexBuilder::new(&input.pattern)
        .case_insensitive(input.ignore_case)
        .multi_line(true)
        .dot_matches_new_line(input.multiline)
        .build();
    regex.map_err(|error| {
        ToolError::new(format!(
            "`{}` is no regular expression: {error}",
            input.pattern
        ))
    })
}

/// Leaves only the files that were asked for.
fn narrow(builder: &mut WalkBuilder, input: &Input, root: &Path) -> Result<(), ToolError> {
    if let Some(glob) = &input.glob {
        let folder = if root.is_dir() {
            root
        } else {
            root.parent().unwrap_or(root)
        };
        let mut overrides = OverrideBuilder::new(folder);
        let bad = |error: ignore::Error| ToolError::new(format!("`{glob}` is no pattern: {error}"));
        for one in glob.split_whitespace() {
            overrides.add(one).map_err(bad)?;
        }
        builder.overrides(overrides.build().map_err(bad)?);
    }
    if let Some(kind) = &input.kind {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(kind);
        let types = types.build().map_err(|_| {
            ToolError::new(format!(
                "`{kind}` is no type of files that is known; use `glob` instead"
            ))
        })?;
        builder.types(types);
    }
    Ok(())
}

struct TooLarge;

/// The content of a text file; nothing where it is none, or cannot be read.
fn load(path: &Path) -> Result<Option<Vec<u8>>, TooLarge> {
    let Ok(facts) = path.metadata() else {
        return Ok(None);
    };
    if facts.len() > LARGEST {
        return Err(TooLarge);
    }
    let Ok((opened, _)) = file::open(path, LARGEST) else {
        return Ok(None);
    };
    let mut text = Vec::new();
    let read = opened.take(LARGEST).read_to_end(&mut text).is_ok();
    let is_text = !file::is_binary(&text[..text.len().min(START)]);
    Ok((read && is_text).then_some(text))
}
