//! Permission rules and `if` conditions: `Tool` or `Tool(content)`.

use std::{fmt, str::FromStr};

use super::{
    command::CommandPattern,
    domain::Domain,
    error::{RuleError, RuleErrorKind},
    name::{NameGlob, canonical},
    path::PathPattern,
    truth::{Call, Purpose, Truth},
};

mod read;

/// One permission rule, or the `if` of a hook.
///
/// The forms are described in the [module documentation](super).
///
/// ```
/// use hook_runner::matcher::{Call, Purpose, Rule, Truth};
/// use serde_json::json;
///
/// let rule = Rule::parse("Bash(git *)")?;
/// let judge = |command: &str, purpose| {
///     let call = Call {
///         tool_name: "Bash",
///         tool_input: &json!({ "command": command }),
///         cwd: "/project",
///         home: None,
///         project_root: None,
///     };
///     rule.judge(&call, purpose)
/// };
/// # if cfg!(feature = "command-patterns") {
/// assert_eq!(judge("npm test && git push", Purpose::Condition), Truth::Yes);
/// assert_eq!(judge("npm test && git push", Purpose::Allow), Truth::No);
/// assert_eq!(judge("npm test && $RUN push", Purpose::Restrict), Truth::Unknown);
/// # }
/// # Ok::<(), hook_runner::matcher::RuleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rule {
    source: String,
    tool: Tool,
    content: Content,
}

/// Which tools a rule is about.
#[derive(Clone, Debug)]
enum Tool {
    /// One tool by its present name, and those that do the same kind of thing.
    Named(String),
    /// All tools of an MCP server: `mcp__server`.
    Server(String),
    /// `mcp__server__*`, or `*`.
    Glob(NameGlob),
}

/// What a rule demands of the input.
#[derive(Clone, Debug)]
enum Content {
    Anything,
    Command(CommandPattern),
    Path(PathPattern),
    Domain(Domain),
    /// Content for a tool whose input has no field to compare it with.
    Opaque,
}

impl Rule {
    /// Reads a rule.
    ///
    /// ```
    /// use hook_runner::matcher::Rule;
    ///
    /// for rule in ["Bash", "Bash(git *)", "Edit(src/**)", "Read(~/.ssh/**)", "mcp__disk__*"] {
    ///     assert_eq!(Rule::parse(rule)?.to_string(), rule);
    /// }
    /// assert!(Rule::parse("Bash(git *) && Edit").is_err());
    /// # Ok::<(), hook_runner::matcher::RuleError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let (tool_name, content) = read::split(text)?;
        let tool = Tool::read(text, tool_name)?;
        let content = match content.map(str::trim) {
            None | Some("" | "*") => Content::Anything,
            Some(content) => Content::read(text, &tool, content)?,
        };
        Ok(Self {
            source: text.to_owned(),
            tool,
            content,
        })
    }

    /// Whether this rule covers the call.
    ///
    /// Content for a tool other than `Bash`, the file tools and `WebFetch` is
    /// [`Truth::Unknown`] on that tool: there is nothing to compare it with.
    ///
    /// ```
    /// use hook_runner::matcher::{Call, Purpose, Rule, Truth};
    /// use serde_json::json;
    ///
    /// let input = json!({ "url": "https://docs.example.com/a" });
    /// let call = Call {
    ///     tool_name: "WebFetch",
    ///     tool_input: &input,
    ///     cwd: "/",
    ///     home: None,
    ///     project_root: None,
    /// };
    /// let rule = Rule::parse("WebFetch(domain:*.example.com)")?;
    /// assert!(rule.judge(&call, Purpose::Restrict).denies());
    /// # Ok::<(), hook_runner::matcher::RuleError>(())
    /// ```
    pub fn judge(&self, call: &Call<'_>, purpose: Purpose) -> Truth {
        if !self.tool.covers(call.tool_name) {
            return Truth::No;
        }
        match &self.content {
            Content::Anything => Truth::Yes,
            Content::Opaque => Truth::Unknown,
            Content::Command(pattern) => call
                .text("command")
                .map_or(Truth::Unknown, |command| pattern.judge(command, purpose)),
            Content::Path(pattern) => pattern.judge(call),
            Content::Domain(domain) => call
                .text("url")
                .map_or(Truth::Unknown, |url| domain.judge(url)),
        }
    }
}

impl Rule {
    /// Whether these allow rules together cover the call.
    ///
    /// For a compound command, each subcommand has to be allowed by one of them; for any
    /// other call one rule has to allow it alone.
    ///
    /// ```
    /// use hook_runner::matcher::{Call, Purpose, Rule, Truth};
    /// use serde_json::json;
    ///
    /// let rules = [Rule::parse("Bash(cd *)")?, Rule::parse("Bash(git *)")?];
    /// let call = Call {
    ///     tool_name: "Bash",
    ///     tool_input: &json!({ "command": "cd docs && git status" }),
    ///     cwd: "/project",
    ///     home: None,
    ///     project_root: None,
    /// };
    /// # if cfg!(feature = "command-patterns") {
    /// assert!(rules.iter().all(|rule| rule.judge(&call, Purpose::Allow) == Truth::No));
    /// assert!(Rule::allow_together(&rules, &call).allows());
    /// # }
    /// # Ok::<(), hook_runner::matcher::RuleError>(())
    /// ```
    pub fn allow_together<'a>(rules: impl IntoIterator<Item = &'a Self>, call: &Call<'_>) -> Truth {
        let mut alone = Truth::No;
        let mut patterns = Vec::new();
        for rule in rules
            .into_iter()
            .filter(|rule| rule.tool.covers(call.tool_name))
        {
            match &rule.content {
                Content::Command(pattern) => patterns.push(pattern),
                Content::Anything | Content::Path(_) | Content::Domain(_) | Content::Opaque => {
                    alone = alone.max(rule.judge(call, Purpose::Allow));
                }
            }
        }
        match call.text("command") {
            _ if patterns.is_empty() || alone == Truth::Yes => alone,
            Some(command) => alone.max(CommandPattern::allow_together(&patterns, command)),
            None => Truth::Unknown,
        }
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        Self::parse(text)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Tool {
    fn read(rule: &str, name: &str) -> Result<Self, RuleError> {
        if name.contains('*') {
            let glob = NameGlob::new(name)
                .map_err(|_| RuleError::new(rule, RuleErrorKind::ToolName('*'), None))?;
            return Ok(Self::Glob(glob));
        }
        let server = name
            .strip_prefix("mcp__")
            .filter(|rest| !rest.contains("__"));
        Ok(match server {
            Some(_) => Self::Server(name.to_owned()),
            None => Self::Named(canonical(name).to_owned()),
        })
    }

    fn covers(&self, called: &str) -> bool {
        match self {
            Self::Named(name) => {
                let called = canonical(called);
                name == called || implied_by(name).contains(&called)
            }
            Self::Server(server) => called
                .strip_prefix(server.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("__")),
            Self::Glob(glob) => glob.matches(called),
        }
    }
}

/// Tools that a rule for the named one covers too: they change, or read, files as well.
fn implied_by(name: &str) -> &'static [&'static str] {
    match name {
        "Edit" => &["Write", "MultiEdit", "NotebookEdit"],
        "Read" => &["Grep", "Glob"],
        _ => &[],
    }
}

impl Content {
    fn read(rule: &str, tool: &Tool, content: &str) -> Result<Self, RuleError> {
        let Tool::Named(name) = tool else {
            return Ok(Self::Opaque);
        };
        match name.as_str() {
            "Bash" => Ok(Self::Command(CommandPattern::parse(content))),
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" => {
                PathPattern::parse(content)
                    .map(Self::Path)
                    .map_err(|problem| {
                        RuleError::new(rule, RuleErrorKind::Path(problem.message), problem.hint)
                    })
            }
            "WebFetch" => Domain::parse(content).map(Self::Domain).ok_or_else(|| {
                let hint = format!("write `WebFetch(domain:{})`", read::host_in(content));
                RuleError::new(rule, RuleErrorKind::Domain, Some(hint))
            }),
            _ => Ok(Self::Opaque),
        }
    }
}
