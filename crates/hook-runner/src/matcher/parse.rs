//! From text to a [`Matcher`]: which of the forms a pattern has.

use std::fmt;

use super::{
    error::{MatcherError, MatcherErrorKind},
    name::{Names, Spelling, is_glob_sign, is_separator},
    regex::Pattern,
};

/// No hand-written matcher comes near this; it bounds what a file can make us compile.
pub(super) const MAX_PATTERN_BYTES: usize = 16 * 1024;

/// A pattern that says whether a hook applies to a subject, such as a tool name.
///
/// Compiled at most once; asking it cannot fail. The forms are described in the
/// [module documentation](super).
///
/// ```
/// use hook_runner::matcher::Matcher;
///
/// let matcher = Matcher::claude("Edit|Write")?;
/// assert!(matcher.matches("Write").is_match());
/// assert!(!matcher.matches("NotebookEdit").is_match());
/// assert_eq!(matcher.to_string(), "Edit|Write");
/// # Ok::<(), hook_runner::matcher::MatcherError>(())
/// ```
#[derive(Clone)]
pub struct Matcher {
    source: String,
    pub(super) form: Form,
    /// Subjects whose answer is known, whatever the form says.
    pub(super) known: Vec<(String, bool)>,
}

/// What a pattern turned out to be.
#[derive(Clone, Debug)]
pub(super) enum Form {
    All,
    Names(Names),
    Regex(Pattern),
}

/// The answer of a [`Matcher`].
///
/// ```
/// use hook_runner::matcher::{Match, Matcher};
///
/// assert_eq!(Matcher::all().matches("Bash"), Match::Yes);
/// assert!(Match::LimitHit.is_match());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The hook does not apply.
    No,
    /// The hook applies.
    Yes,
    /// The regex gave up after too many steps. Counts as a match, so that a guard written
    /// as a costly regex cannot be evaded; worth a report to whoever wrote it.
    LimitHit,
}

impl Match {
    /// Whether the hook applies: yes, or nobody can tell.
    ///
    /// ```
    /// use hook_runner::matcher::Match;
    ///
    /// assert!(Match::LimitHit.is_match() && !Match::No.is_match());
    /// ```
    pub fn is_match(self) -> bool {
        match self {
            Self::No => false,
            Self::Yes | Self::LimitHit => true,
        }
    }
}

impl From<bool> for Match {
    fn from(matched: bool) -> Self {
        if matched { Self::Yes } else { Self::No }
    }
}

// ===== constructors =====

impl Matcher {
    /// Matches every subject, the empty one too.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert!(Matcher::all().matches("").is_match());
    /// ```
    pub fn all() -> Self {
        Self {
            source: "*".to_owned(),
            form: Form::All,
            known: Vec::new(),
        }
    }

    /// The rule of Claude-format files.
    ///
    /// Empty or `*` is all; only letters, digits, `_`, `-`, blank, `,` and `|` is a list of
    /// exact names; anything else is an unanchored JavaScript regex.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert!(Matcher::claude("Edit, Write")?.matches("Edit").is_match());
    /// assert!(!Matcher::claude("mcp__memory")?.matches("mcp__memory__read").is_match());
    /// assert!(Matcher::claude("Edit.*")?.matches("NotebookEdit").is_match());
    /// assert!(Matcher::claude("^(?!Bash)")?.matches("Read").is_match());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn claude(pattern: &str) -> Result<Self, MatcherError> {
        if is_all(pattern) {
            return Ok(Self::with_form(pattern, Form::All));
        }
        if pattern
            .chars()
            .all(|c| is_name_char(c) || is_separator(c) || c == ' ')
        {
            let names = Names::exact(pattern.split(is_separator), Spelling::Renamed);
            return Ok(Self::with_form(pattern, Form::Names(names)));
        }
        Self::regex(pattern)
    }

    /// The narrower rule of Claude-format files for `FileChanged` and `StopFailure`.
    ///
    /// Only letters, digits, `_` and `|` make a list, only `|` separates, and a name stands
    /// for itself alone; a hyphen, a blank or a comma makes a regex.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// let matcher = Matcher::claude_narrow(".envrc|.env")?;
    /// assert!(matcher.matches(".envrc").is_match());
    /// let matcher = Matcher::claude_narrow("rate_limit|overloaded")?;
    /// assert!(!matcher.matches("rate_limited").is_match());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn claude_narrow(pattern: &str) -> Result<Self, MatcherError> {
        if is_all(pattern) {
            return Ok(Self::with_form(pattern, Form::All));
        }
        if pattern
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '|'))
        {
            let names = Names::exact(pattern.split('|'), Spelling::AsWritten);
            return Ok(Self::with_form(pattern, Form::Names(names)));
        }
        Self::regex(pattern)
    }

    /// The rule of the Rust API: as [`Matcher::claude`], and globs.
    ///
    /// A pattern of name characters, separators and the signs `* ? [ ] { }` is a list whose
    /// parts are names or globs, each of them for the whole name. `:` counts as a name
    /// character, so that `plugin:agent` is a name. Anything else is an unanchored regex.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// let matcher = Matcher::pattern("Bash, mcp__*__read")?;
    /// assert!(matcher.matches("mcp__disk__read").is_match());
    /// assert!(!matcher.matches("mcp__disk__read_all").is_match());
    /// assert!(Matcher::pattern("^mcp__(disk|net)__")?.matches("mcp__net__get").is_match());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn pattern(pattern: &str) -> Result<Self, MatcherError> {
        let trimmed = pattern.trim();
        if is_all(trimmed) {
            return Ok(Self::with_form(pattern, Form::All));
        }
        if !trimmed.chars().all(is_list_char) {
            return Self::regex(pattern);
        }
        check_length(pattern)?;
        let names = Names::with_globs(trimmed).map_err(|error| {
            let kind = MatcherErrorKind::Glob(error.kind().to_string());
            MatcherError::new(pattern, kind, super::hint::for_glob(trimmed))
        })?;
        if names.is_empty() {
            let hint = Some("write `*` for everything".to_owned());
            return Err(MatcherError::new(pattern, MatcherErrorKind::Empty, hint));
        }
        Ok(Self::with_form(pattern, Form::Names(names)))
    }

    /// Always an unanchored regex, for formats that know no other form.
    ///
    /// The syntax is JavaScript's, look-around and back-references included.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert!(Matcher::regex("Edit")?.matches("NotebookEdit").is_match());
    /// assert!(Matcher::regex(r"^(\w)\1")?.matches("aardvark").is_match());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn regex(pattern: &str) -> Result<Self, MatcherError> {
        check_length(pattern)?;
        Ok(Self::with_form(
            pattern,
            Form::Regex(Pattern::compile(pattern)?),
        ))
    }

    fn with_form(source: &str, form: Form) -> Self {
        Self {
            source: source.to_owned(),
            form,
            known: Vec::new(),
        }
    }

    /// Answers for some subjects as it is told, whatever its pattern says: for tools that go by
    /// another name where the pattern was written.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// let known = [("Bash".to_owned(), true), ("Read".to_owned(), false)];
    /// let matcher = Matcher::regex("run_command|^[A-Z]")?.knowing(known);
    /// assert!(matcher.matches("Bash").is_match() && matcher.matches("Task").is_match());
    /// assert!(!matcher.matches("Read").is_match());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    #[must_use]
    pub fn knowing(mut self, answers: impl IntoIterator<Item = (String, bool)>) -> Self {
        self.known.extend(answers);
        self
    }

    /// Is shown as another text: as its writer wrote it.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert_eq!(Matcher::regex("^mcp_.*$")?.shown_as("mcp_*").to_string(), "mcp_*");
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    #[must_use]
    pub fn shown_as(mut self, text: impl Into<String>) -> Self {
        self.source = text.into();
        self
    }
}

// ===== asking =====

impl Matcher {
    /// Whether the hook applies to this subject.
    ///
    /// A subject that is absent is the empty text: only [`Matcher::all`] and regexes that
    /// match nothing at all match it.
    ///
    /// ```
    /// use hook_runner::matcher::{Match, Matcher};
    ///
    /// let matcher = Matcher::claude("Task")?;
    /// assert_eq!(matcher.matches("Agent"), Match::Yes); // the tool's present name
    /// assert_eq!(matcher.matches("agent"), Match::No);
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn matches(&self, subject: &str) -> Match {
        if let Some((_, answer)) = self.known.iter().find(|(known, _)| known == subject) {
            return (*answer).into();
        }
        match &self.form {
            Form::All => Match::Yes,
            Form::Names(names) => names.matches(subject).into(),
            Form::Regex(pattern) => pattern.matches(subject),
        }
    }

    /// Whether every subject matches, so that nobody needs to ask.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert!(Matcher::claude("*")?.is_all());
    /// assert!(!Matcher::claude("Bash")?.is_all());
    /// # Ok::<(), hook_runner::matcher::MatcherError>(())
    /// ```
    pub fn is_all(&self) -> bool {
        matches!(self.form, Form::All) && self.known.iter().all(|(_, answer)| *answer)
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match &self.form {
            Form::All => "all",
            Form::Names(names) if names.globs.is_empty() => "names",
            Form::Names(_) => "globs",
            Form::Regex(Pattern::Linear(_)) => "regex",
            Form::Regex(Pattern::Backtracking(_)) => "backtracking regex",
        };
        write!(f, "Matcher({:?}, {form})", self.source)
    }
}

fn is_all(pattern: &str) -> bool {
    matches!(pattern, "" | "*")
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn is_list_char(c: char) -> bool {
    is_name_char(c) || is_separator(c) || is_glob_sign(c) || matches!(c, ' ' | ':')
}

fn check_length(pattern: &str) -> Result<(), MatcherError> {
    if pattern.len() <= MAX_PATTERN_BYTES {
        return Ok(());
    }
    let kind = MatcherErrorKind::TooLong {
        limit: MAX_PATTERN_BYTES,
    };
    let hint = Some("split it over several hooks".to_owned());
    Err(MatcherError::new(pattern, kind, hint))
}
