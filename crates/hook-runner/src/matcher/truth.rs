//! Yes, no, or unknown: what a rule says about a call, and what follows from it.

use serde_json::Value;

/// What a rule says about a call.
///
/// Ordered so that "any of these" is the greatest and "all of these" the least.
///
/// | answer | an `if` | an allow rule | a deny rule | an ask rule |
/// |---|---|---|---|---|
/// | yes | runs the hook | allows | denies | asks |
/// | unknown | runs the hook | does not allow | asks | asks |
/// | no | skips the hook | does not allow | nothing | nothing |
///
/// ```
/// use hook_runner::matcher::Truth;
///
/// assert!(Truth::Unknown.runs_hook() && Truth::Unknown.asks());
/// assert!(!Truth::Unknown.allows() && !Truth::Unknown.denies());
/// assert_eq!(Truth::No.max(Truth::Unknown), Truth::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// The rule does not cover the call.
    No,
    /// Nobody can tell without running it: an expansion, a text that is not shell, a tool
    /// whose input has no known meaning.
    Unknown,
    /// The rule covers the call.
    Yes,
}

impl Truth {
    /// Whether a hook with this `if` runs: unless the answer is no.
    ///
    /// ```
    /// use hook_runner::matcher::Truth;
    ///
    /// assert!(Truth::Unknown.runs_hook() && !Truth::No.runs_hook());
    /// ```
    pub fn runs_hook(self) -> bool {
        self != Self::No
    }

    /// Whether an allow rule allows: only on a plain yes.
    ///
    /// ```
    /// use hook_runner::matcher::Truth;
    ///
    /// assert!(Truth::Yes.allows() && !Truth::Unknown.allows());
    /// ```
    pub fn allows(self) -> bool {
        self == Self::Yes
    }

    /// Whether a deny rule denies: only on a plain yes. See [`Truth::asks`] for the rest.
    ///
    /// ```
    /// use hook_runner::matcher::Truth;
    ///
    /// assert!(Truth::Yes.denies() && !Truth::Unknown.denies());
    /// ```
    pub fn denies(self) -> bool {
        self == Self::Yes
    }

    /// Whether to ask: an ask rule unless the answer is no, and so a deny rule that does not
    /// deny outright.
    ///
    /// ```
    /// use hook_runner::matcher::Truth;
    ///
    /// assert!(Truth::Unknown.asks() && !Truth::No.asks());
    /// ```
    pub fn asks(self) -> bool {
        self != Self::No
    }
}

impl From<bool> for Truth {
    fn from(known: bool) -> Self {
        if known { Self::Yes } else { Self::No }
    }
}

/// What a rule is asked for. It matters for commands that contain several commands.
///
/// ```
/// use hook_runner::matcher::{Call, Purpose, Rule, Truth};
///
/// let input = serde_json::json!({ "command": "git add . && rm x" });
/// let call =
///     Call { tool_name: "Bash", tool_input: &input, cwd: "/", home: None, project_root: None };
/// let rule = Rule::parse("Bash(git *)")?;
/// # if cfg!(feature = "command-patterns") {
/// assert_eq!(rule.judge(&call, Purpose::Condition), Truth::Yes);
/// assert_eq!(rule.judge(&call, Purpose::Allow), Truth::No);
/// assert_eq!(rule.judge(&call, Purpose::Restrict), Truth::Yes);
/// # }
/// # Ok::<(), hook_runner::matcher::RuleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The `if` of a hook: yes when any subcommand fits. A pattern of more than a command's
    /// name is unknown for every command with `$(…)`, backticks or `$NAME` in it.
    Condition,
    /// An allow rule: yes only when every subcommand fits, and none of them is helped by a
    /// change of privilege or of where programs and libraries are found.
    Allow,
    /// A deny or ask rule: yes when any subcommand fits.
    Restrict,
}

/// One call of a tool, as a rule sees it.
///
/// ```
/// use hook_runner::matcher::{Call, Purpose, Rule, Truth};
/// use serde_json::json;
///
/// let input = json!({ "file_path": "src/main.rs" });
/// let call = Call {
///     tool_name: "Write",
///     tool_input: &input,
///     cwd: "/home/ann/project",
///     home: Some("/home/ann"),
///     project_root: None,
/// };
/// assert_eq!(Rule::parse("Edit(src/**)")?.judge(&call, Purpose::Allow), Truth::Yes);
/// # Ok::<(), hook_runner::matcher::RuleError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool's name.
    pub tool_name: &'a str,
    /// The tool's input, as the model wrote it.
    pub tool_input: &'a Value,
    /// The working directory: relative paths, in the input and in rules, start here.
    pub cwd: &'a str,
    /// What `~` stands for; rules with `~` are unknown without it.
    pub home: Option<&'a str>,
    /// What a leading `/` in a path rule stands for; such rules are unknown without it.
    pub project_root: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// A text field of the input.
    pub(super) fn text(&self, field: &str) -> Option<&'a str> {
        self.tool_input.get(field).and_then(Value::as_str)
    }
}
