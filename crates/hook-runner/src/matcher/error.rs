//! What can be wrong with a pattern or a rule, and how to mend it.

use std::fmt;

/// A matcher pattern that cannot be compiled.
///
/// Its message names the pattern, the problem and, where one is known, the remedy.
///
/// ```
/// use hook_runner::matcher::Matcher;
///
/// let error = Matcher::claude("*.ts").unwrap_err();
/// assert_eq!(error.pattern(), "*.ts");
/// assert_eq!(
///     error.hint(),
///     Some(r"a regex cannot start with `*`; did you mean `.*\.ts$`?")
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("matcher `{}` {kind}{}", Shortened(pattern), Hint(hint.as_deref()))]
pub struct MatcherError {
    pattern: String,
    kind: MatcherErrorKind,
    hint: Option<String>,
}

impl MatcherError {
    pub(super) fn new(pattern: &str, kind: MatcherErrorKind, hint: Option<String>) -> Self {
        Self {
            pattern: pattern.to_owned(),
            kind,
            hint,
        }
    }

    /// The pattern as it was written.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// assert_eq!(Matcher::regex("(a").unwrap_err().pattern(), "(a");
    /// ```
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// What is wrong with it.
    ///
    /// ```
    /// use hook_runner::matcher::{Matcher, MatcherErrorKind};
    ///
    /// let error = Matcher::pattern("|").unwrap_err();
    /// assert_eq!(error.kind(), &MatcherErrorKind::Empty);
    /// ```
    pub fn kind(&self) -> &MatcherErrorKind {
        &self.kind
    }

    /// How to mend it, where that can be guessed.
    ///
    /// ```
    /// use hook_runner::matcher::Matcher;
    ///
    /// let error = Matcher::regex(r"a\").unwrap_err();
    /// assert_eq!(error.hint(), Some(r"to match a backslash, write `\\`"));
    /// ```
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// The kind of problem a matcher pattern has.
///
/// ```
/// use hook_runner::matcher::{Matcher, MatcherErrorKind};
///
/// let error = Matcher::regex("(a{1000}){1000}").unwrap_err();
/// assert_eq!(error.kind(), &MatcherErrorKind::TooLarge);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatcherErrorKind {
    /// The text is not a regex.
    #[error("is not a valid regex: {0}")]
    Regex(String),
    /// The text is a regex, but asks for what neither regex engine can do.
    #[error("asks for what the regex engines here cannot do: {0}")]
    Unsupported(String),
    /// The text is not a glob.
    #[error("is not a valid glob: {0}")]
    Glob(String),
    /// The regex is fine, but compiles to more than the size limit.
    #[error("is too large once compiled")]
    TooLarge,
    /// The text itself is longer than any sensible pattern.
    #[error("is longer than {limit} bytes")]
    TooLong {
        /// The most bytes a pattern may have.
        limit: usize,
    },
    /// The text is a list without a single name in it.
    #[error("is a list that names nothing")]
    Empty,
}

/// A permission rule or `if` condition that cannot be read.
///
/// ```
/// use hook_runner::matcher::{Rule, RuleErrorKind};
///
/// let error = Rule::parse("Bash(git *").unwrap_err();
/// assert_eq!(error.kind(), &RuleErrorKind::Unclosed);
/// assert_eq!(error.hint(), Some("did you mean `Bash(git *)`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule `{}` {kind}{}", Shortened(rule), Hint(hint.as_deref()))]
pub struct RuleError {
    rule: String,
    kind: RuleErrorKind,
    hint: Option<String>,
}

impl RuleError {
    pub(super) fn new(rule: &str, kind: RuleErrorKind, hint: Option<String>) -> Self {
        Self {
            rule: rule.to_owned(),
            kind,
            hint,
        }
    }

    /// The rule as it was written.
    ///
    /// ```
    /// use hook_runner::matcher::Rule;
    ///
    /// assert_eq!(Rule::parse("Bash(").unwrap_err().rule(), "Bash(");
    /// ```
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// What is wrong with it.
    ///
    /// ```
    /// use hook_runner::matcher::{Rule, RuleErrorKind};
    ///
    /// let error = Rule::parse("Edit|Write").unwrap_err();
    /// assert_eq!(error.kind(), &RuleErrorKind::Combined);
    /// ```
    pub fn kind(&self) -> &RuleErrorKind {
        &self.kind
    }

    /// How to mend it, where that can be guessed.
    ///
    /// ```
    /// use hook_runner::matcher::Rule;
    ///
    /// let error = Rule::parse("Bash(ls) now").unwrap_err();
    /// assert_eq!(error.hint(), Some("remove `now`"));
    /// ```
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// The kind of problem a rule has.
///
/// ```
/// use hook_runner::matcher::{Rule, RuleErrorKind};
///
/// let error = Rule::parse("WebFetch(example.com)").unwrap_err();
/// assert_eq!(error.kind(), &RuleErrorKind::Domain);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleErrorKind {
    /// There is nothing before the parenthesis, or nothing at all.
    #[error("names no tool")]
    NoTool,
    /// The tool name has a character that no tool name has.
    #[error("has `{0}` in its tool name")]
    ToolName(char),
    /// The opening parenthesis is never closed.
    #[error("lacks its closing parenthesis")]
    Unclosed,
    /// Something follows the closing parenthesis.
    #[error("goes on after its closing parenthesis")]
    Trailing,
    /// Several rules were combined into one.
    #[error("combines several rules")]
    Combined,
    /// The rule starts with a negation.
    #[error("is negated")]
    Negated,
    /// The path pattern in the parentheses is not a glob.
    #[error("has a path pattern that is not valid: {0}")]
    Path(String),
    /// A `WebFetch` rule without a domain.
    #[error("names no domain")]
    Domain,
    /// The text itself is longer than any sensible rule.
    #[error("is longer than {limit} bytes")]
    TooLong {
        /// The most bytes a rule may have.
        limit: usize,
    },
}

/// A pattern from a file can be of any length; a message should not be.
struct Shortened<'a>(&'a str);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 120;
        match self.0.char_indices().nth(SHOWN) {
            None => f.write_str(self.0),
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
        }
    }
}

struct Hint<'a>(Option<&'a str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}
