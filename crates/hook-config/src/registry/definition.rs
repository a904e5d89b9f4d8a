//! One hook of a flat list, as it is written.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Format, parse};
use crate::entry::Entry;
use crate::read::read;

/// One hook of an Opta or OpenCode file, as it is written there. Keys that nobody knows are kept.
///
/// ```
/// use std::time::Duration;
/// use hook_config::Definition;
///
/// let hook = Definition::opencode("tool:pre_execute", "echo hello")
///     .timeout(Duration::from_secs(5))
///     .description("Test hook");
/// assert_eq!(hook.to_value()["timeout"], 5.0);
///
/// let again = Definition::opencode_value(hook.to_value()).unwrap();
/// assert_eq!(again, hook);
/// assert_eq!(again.pattern(), "tool:pre_execute");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    format: Format,
    fields: Map<String, Value>,
}

impl Definition {
    /// A hook of an OpenCode file.
    pub fn opencode(pattern: impl Into<String>, command: impl Into<String>) -> Self {
        Self::new(Format::OpenCode, pattern.into(), command.into())
    }

    /// A hook of an Opta file.
    pub fn opta(event: impl Into<String>, command: impl Into<String>) -> Self {
        Self::new(Format::Opta, event.into(), command.into())
    }

    /// A hook as an OpenCode file has it. What is wrong with it is said, and there is none.
    pub fn opencode_value(value: Value) -> Result<Self, Box<Diagnostic>> {
        Self::of_value(Format::OpenCode, value)
    }

    /// A hook as an Opta file has it. What is wrong with it is said, and there is none.
    pub fn opta_value(value: Value) -> Result<Self, Box<Diagnostic>> {
        Self::of_value(Format::Opta, value)
    }

    fn new(format: Format, event: String, command: String) -> Self {
        let fields = [("event", event), ("command", command)];
        let fields = fields.map(|(key, text)| (key.to_owned(), Value::String(text)));
        Self {
            format,
            fields: fields.into_iter().collect(),
        }
    }

    fn of_value(format: Format, value: Value) -> Result<Self, Box<Diagnostic>> {
        let Value::Object(fields) = value else {
            let problem = Diagnostic::new(Code::WrongType, "a hook is an object");
            return Err(Box::new(problem));
        };
        let definition = Self { format, fields };
        definition.entry().map(|_| definition)
    }

    /// A hook that was read from a file, and is known to be one.
    pub(super) fn known(format: Format, fields: Map<String, Value>) -> Self {
        Self { format, fields }
    }

    /// Tools that it is for, where the format has a matcher of its own: Opta.
    #[must_use]
    pub fn matcher(self, pattern: &str) -> Self {
        self.with("matcher", json!(pattern))
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        let seconds = limit.as_secs_f64();
        match self.format {
            Format::Opta => self.with("timeout", json!(limit.as_millis())),
            Format::OpenCode | Format::Claude | Format::Hookline => {
                self.with("timeout", json!(seconds))
            }
        }
    }

    /// Has nobody wait for it: Opta.
    #[must_use]
    pub fn background(self) -> Self {
        self.with("background", json!(true))
    }

    /// Where it runs: OpenCode.
    #[must_use]
    pub fn working_dir(self, folder: &str) -> Self {
        self.with("working_dir", json!(folder))
    }

    /// Sets a variable for it: OpenCode.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        let variables = self.fields.entry("env").or_insert_with(|| json!({}));
        if let Some(variables) = variables.as_object_mut() {
            variables.insert(name.to_owned(), json!(value));
        }
        self
    }

    /// Switches it on or off.
    #[must_use]
    pub fn enabled(self, on: bool) -> Self {
        self.with("enabled", json!(on))
    }

    /// Says what it is for.
    #[must_use]
    pub fn description(self, text: &str) -> Self {
        self.with("description", json!(text))
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        self.fields.insert(key.to_owned(), value);
        self
    }

    /// When it runs, as it is written.
    pub fn pattern(&self) -> &str {
        self.text("event")
    }

    /// What it runs.
    pub fn command(&self) -> &str {
        self.text("command")
    }

    /// What it is for; nothing where it does not say.
    pub fn describes(&self) -> Option<&str> {
        self.fields.get("description")?.as_str()
    }

    /// Whether it is switched on.
    pub fn is_enabled(&self) -> bool {
        self.fields.get("enabled") != Some(&Value::Bool(false))
    }

    fn text(&self, key: &str) -> &str {
        let text = self.fields.get(key).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    /// As the file has it.
    pub fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// The hook, by the rules of its format; else what is wrong with it.
    pub(super) fn entry(&self) -> Result<Entry, Box<Diagnostic>> {
        let text = json!({ "hooks": [self.fields] }).to_string();
        let parsed = parse(&read("registered", text.as_bytes())?, self.format);
        let entry = parsed.entries().next().cloned();
        entry.ok_or_else(|| {
            let problems = parsed.diagnostics.into_iter();
            let mut problems = problems.filter(|problem| problem.code != Code::UnknownKey);
            let problem = problems.next();
            Box::new(problem.unwrap_or_else(|| {
                Diagnostic::new(Code::UnknownShape, "this is no hook of its format")
            }))
        })
    }
}
