//! The adapter: `hookline adapt`, a program between an agent and a command that was written for
//! another one. Here is its command line, as text and back.
//!
//! ```text
//! hookline adapt --from opta --to claude --timeout 10 -- sh -c '.opta/hooks/block-rm.sh'
//! ```

use std::time::Duration;

use hook_types::OnFailure;
use serde_json::{Map, Value, json};

use super::words::{quoted, words};
use crate::dialect::Format;
use crate::factory::POWERSHELL;

/// What calls the adapter.
const PROGRAM: [&str; 2] = ["hookline", "adapt"];

/// Behind a guard's adapter: where it cannot be started, the guard is closed and not open. An exit code
/// of 1 is a failure that changes nothing, as the contract has it.
const OR_BLOCK: &str = " || exit $(($? > 1 ? 2 : 1))";

/// What a rewrite becomes where the agent may know exit codes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rewrites {
    /// An answer in JSON, which Hookline reads in every dialect.
    #[default]
    Answered,
    /// A refusal: what was to be changed does not happen as it was, either.
    Blocked,
}

/// A command for one agent's hooks that runs as a hook of another's.
///
/// ```
/// use hook_config::{Adapter, Format};
///
/// let adapter = Adapter::new(Format::Opta, Format::Claude, ["sh", "-c", "./no rm.sh"]);
/// let text = adapter.to_command();
/// assert_eq!(text, "hookline adapt --from opta --to claude -- sh -c './no rm.sh'");
/// assert_eq!(Adapter::from_command(&text), Some(adapter));
/// assert_eq!(Adapter::from_command("./lint.sh"), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Adapter {
    /// Whose rules the command is written for.
    pub from: Format,
    /// Who calls it.
    pub to: Format,
    /// On which of our events it runs; empty: on whatever it is called for.
    pub events: Vec<String>,
    /// For which subjects only, as Claude settings have it.
    pub matcher: Option<String>,
    /// For which tool calls only.
    pub condition: Option<String>,
    /// How long the command may take.
    pub timeout: Option<Duration>,
    /// What its failure means.
    pub on_failure: OnFailure,
    /// What a rewrite of it becomes.
    pub rewrites: Rewrites,
    /// Variables that are set for it.
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub cwd: Option<String>,
    /// Whether nobody waits for it.
    pub background: bool,
    /// Whether it is a server, which is asked once and ended.
    pub server: bool,
    /// Whether a guard is to be closed where the adapter cannot be started.
    pub closed: bool,
    /// The program and its arguments.
    pub run: Vec<String>,
}

impl Adapter {
    /// An adapter with nothing but what it must have.
    pub fn new<T: Into<String>>(
        from: Format,
        to: Format,
        run: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            from,
            to,
            events: Vec::new(),
            matcher: None,
            condition: None,
            timeout: None,
            on_failure: OnFailure::Continue,
            rewrites: Rewrites::Answered,
            env: Vec::new(),
            cwd: None,
            background: false,
            server: false,
            closed: false,
            run: run.into_iter().map(Into::into).collect(),
        }
    }

    /// The command line, for a shell.
    pub fn to_command(&self) -> String {
        let arguments = self.arguments();
        let arguments = PROGRAM.into_iter().map(str::to_owned).chain(arguments);
        let quoted: Vec<String> = arguments.map(|word| quoted(&word)).collect();
        let mut text = quoted.join(" ");
        if self.closed {
            text.push_str(OR_BLOCK);
        }
        text
    }

    /// The arguments of `hookline adapt`.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut option = |name: &str, value: &str| {
            arguments.push(format!("--{name}"));
            arguments.push(value.to_owned());
        };
        option("from", self.from.as_str());
        option("to", self.to.as_str());
        for event in &self.events {
            option("event", event);
        }
        for (name, value) in [
            ("matcher", &self.matcher),
            ("if", &self.condition),
            ("cwd", &self.cwd),
        ] {
            if let Some(value) = value {
                option(name, value);
            }
        }
        if let Some(timeout) = self.timeout {
            option("timeout", &timeout.as_secs_f64().to_string());
        }
        if self.on_failure == OnFailure::Block {
            option("on-failure", "block");
        }
        if self.rewrites == Rewrites::Blocked {
            option("rewrites", "block");
        }
        for (name, value) in &self.env {
            option("env", &format!("{name}={value}"));
        }
        let flags = [("--background", self.background), ("--server", self.server)];
        let flags = flags.into_iter().filter(|(_, on)| *on);
        arguments.extend(flags.map(|(flag, _)| flag.to_owned()));
        arguments.push("--".to_owned());
        arguments.extend(self.run.iter().cloned());
        arguments
    }

    /// The adapter that a command is, if it is one of ours, as [`Adapter::to_command`] writes it.
    pub fn from_command(text: &str) -> Option<Self> {
        let (text, closed) = match text.strip_suffix(OR_BLOCK) {
            Some(text) => (text, true),
            None => (text, false),
        };
        let words = words(text)?;
        let rest = words.strip_prefix(&PROGRAM.map(str::to_owned))?;
        let adapter = Self::from_arguments(rest)?;
        Some(Self { closed, ..adapter })
    }

    /// The adapter of the arguments of `hookline adapt`; none where they are not what it takes.
    pub fn from_arguments(arguments: &[String]) -> Option<Self> {
        let end = arguments.iter().position(|word| word == "--")?;
        let (options, run) = (&arguments[..end], &arguments[end + 1..]);
        if run.is_empty() {
            return None;
        }
        let mut adapter = Self::new(Format::Claude, Format::Claude, run.iter().cloned());
        let mut told = [false; 2];
        let mut options = options.iter().map(String::as_str);
        while let Some(option) = options.next() {
            match option {
                "--background" => adapter.background = true,
                "--server" => adapter.server = true,
                "--from" | "--to" => {
                    let is_from = option == "--from";
                    let format = Format::named(options.next()?)?;
                    *if is_from {
                        &mut adapter.from
                    } else {
                        &mut adapter.to
                    } = format;
                    told[usize::from(!is_from)] = true;
                }
                _ => adapter.put(option, options.next()?)?,
            }
        }
        (told == [true; 2]).then_some(adapter)
    }

    /// Takes in an option with a value.
    fn put(&mut self, option: &str, value: &str) -> Option<()> {
        let text = || Some(value.to_owned());
        match option {
            "--event" => self.events.extend(text()),
            "--matcher" => self.matcher = text(),
            "--if" => self.condition = text(),
            "--cwd" => self.cwd = text(),
            "--timeout" => {
                let seconds = value.parse().ok()?;
                self.timeout = Some(Duration::try_from_secs_f64(seconds).ok()?);
            }
            "--on-failure" => {
                let is_block = value == "block";
                self.on_failure = if is_block {
                    OnFailure::Block
                } else {
                    OnFailure::Continue
                };
            }
            "--rewrites" => {
                self.rewrites = match value {
                    "block" => Rewrites::Blocked,
                    "answer" => Rewrites::Answered,
                    _ => return None,
                };
            }
            "--env" => {
                let (name, value) = value.split_once('=')?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            _ => return None,
        }
        Some(())
    }

    /// The hook that the adapter runs, as Hookline's own files have it.
    pub fn handler(&self) -> Value {
        let mut hook = Map::new();
        let kind = if self.server { "server" } else { "command" };
        hook.insert("type".to_owned(), json!(kind));
        match (self.shell(), self.run.as_slice()) {
            (Some((shell, text)), _) => {
                hook.insert("command".to_owned(), json!(text));
                if shell != "sh" {
                    hook.insert("shell".to_owned(), json!(shell));
                }
            }
            (None, [program, arguments @ ..]) => {
                hook.insert("command".to_owned(), json!(program));
                hook.insert("args".to_owned(), json!(arguments));
            }
            (None, []) => {}
        }
        if !self.server {
            hook.insert("dialect".to_owned(), json!(self.from.as_str()));
        }
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                hook.insert(key.to_owned(), value);
            }
        };
        put("matcher", self.matcher.as_ref().map(|text| json!(text)));
        put("if", self.condition.as_ref().map(|text| json!(text)));
        put(
            "timeout",
            self.timeout.map(|time| json!(time.as_secs_f64())),
        );
        put(
            "onFailure",
            (self.on_failure == OnFailure::Block).then(|| json!("block")),
        );
        put("cwd", self.cwd.as_ref().map(|text| json!(text)));
        if !self.env.is_empty() {
            let env = self
                .env
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            put("env", Some(Value::Object(env.collect())));
        }
        Value::Object(hook)
    }

    /// The shell and what it reads, where a shell runs.
    fn shell(&self) -> Option<(&'static str, &str)> {
        let [program, flag, text] = self.run.as_slice() else {
            return None;
        };
        let shell = match program.as_str() {
            "sh" => "sh",
            "bash" => "bash",
            POWERSHELL => "powershell",
            _ => return None,
        };
        (flag == "-c").then_some((shell, text.as_str()))
    }
}
