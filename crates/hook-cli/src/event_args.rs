//! Which event, and what is known of it: from arguments, a file, or stdin.

use std::io::Read;
use std::path::Path;

use clap::Args;
use hook_types::{Base, EventName, HookEvent, sample};
use serde_json::{Map, Value, json};

use crate::commands::event_named;
use crate::failure::Failure;
use crate::safe::clean_line;
use crate::world::World;

/// How much is read from a file or from stdin.
const LARGEST_INPUT: u64 = 64 << 20;

/// The event and its input.
#[derive(Args, Clone, Debug)]
pub(crate) struct EventArgs {
    /// The event, such as `PreToolUse`. `hookline schema` lists them.
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// The tool that is called, such as Bash.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// What the tool is called with: a JSON object, `@FILE`, or `-` for stdin.
    #[arg(long, value_name = "JSON")]
    pub(crate) tool_input: Option<String>,
    /// Short for --tool Bash --tool-input '{"command": …}'.
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["tool", "tool_input"])]
    pub(crate) command: Option<String>,
    /// The whole input of the hooks: a JSON object, `@FILE`, or `-` for stdin. What every event
    /// carries is filled in where it is missing.
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
}

/// An event that can be fired, and where its input comes from.
pub(crate) struct Asked {
    pub(crate) event: HookEvent,
    /// Whether any of the input is a sample's.
    pub(crate) sampled: bool,
}

impl EventArgs {
    /// An event, and perhaps a tool, as if they were given as arguments.
    #[cfg(feature = "tui")]
    pub(crate) fn named(event: &str, tool: Option<&str>) -> Self {
        Self {
            event: event.to_owned(),
            tool: tool.map(str::to_owned),
            tool_input: None,
            command: None,
            input: None,
        }
    }

    /// The event, complete.
    pub(crate) fn read(&self, root: &Path, world: &World) -> Result<Asked, Failure> {
        let name = event_named(&self.event)?;
        let given = self
            .input
            .as_deref()
            .map(|text| object(text, "--input"))
            .transpose()?;
        let sampled = given.is_none();
        let of_sample = || sample::input(name).as_object().cloned().unwrap_or_default();
        let mut input = given.unwrap_or_else(of_sample);
        let of_own = self.put_tool(name, &mut input)?;
        let event = HookEvent::from_json(name.as_str(), Value::Object(input), &base(root, world))
            .map_err(|error| {
            Failure::invalid(error.to_string()).help(format!(
                "`hookline schema {name} --input` says what it takes"
            ))
        })?;
        Ok(Asked {
            event,
            sampled: sampled && !of_own,
        })
    }

    /// What is odd about the tool's name, if it was given.
    pub(crate) fn odd_tool(&self) -> Option<String> {
        let tool = self.tool.as_deref()?;
        let known = hook_config::known_tools();
        if tool.starts_with("mcp__") || known.contains(&tool) {
            return None;
        }
        let near = hook_types::nearest(tool, known.iter().copied());
        let tool = clean_line(tool);
        Some(match near {
            Some(near) => {
                format!("note: no tool that is known is called `{tool}`; did you mean `{near}`?")
            }
            None => format!("note: no tool that is known is called `{tool}`"),
        })
    }

    /// The tool and its input, as far as they were given.
    fn tool_call(&self) -> Result<(Option<String>, Option<Value>), Failure> {
        if let Some(command) = &self.command {
            return Ok((Some("Bash".to_owned()), Some(json!({"command": command}))));
        }
        let given = self.tool_input.as_deref();
        let tool_input = given.map(|text| object(text, "--tool-input")).transpose()?;
        Ok((self.tool.clone(), tool_input.map(Value::Object)))
    }

    /// Puts the tool's name and input into the event; whether there were any.
    fn put_tool(&self, name: EventName, input: &mut Map<String, Value>) -> Result<bool, Failure> {
        let (tool, tool_input) = self.tool_call()?;
        if tool.is_none() && tool_input.is_none() {
            return Ok(false);
        }
        if !name.row().is_about_a_tool_call() {
            return Err(Failure::invalid(format!("{name} is about no tool call"))
                .help("--tool, --tool-input and --command are for events such as PreToolUse"));
        }
        if let Some(tool) = tool {
            // The sample's input is another tool's.
            if input.insert("tool_name".to_owned(), json!(tool)) != Some(json!(tool)) {
                input.insert("tool_input".to_owned(), json!({}));
            }
        }
        if let Some(tool_input) = tool_input {
            input.insert("tool_input".to_owned(), tool_input);
        }
        Ok(true)
    }
}

/// What every event carries, where nobody says otherwise.
fn base(root: &Path, world: &World) -> Base {
    let directory = world.directory.as_deref().unwrap_or(root);
    Base::new(
        "hookline-try",
        root.join(".hookline/try.jsonl").display().to_string(),
        directory.display().to_string(),
    )
}

/// A JSON object from an argument, from the file that it names, or from stdin.
fn object(text: &str, argument: &str) -> Result<Map<String, Value>, Failure> {
    let (text, from) = match text.strip_prefix('@') {
        _ if text == "-" => (
            read(std::io::stdin().lock(), Path::new("stdin"))?,
            "stdin".into(),
        ),
        Some(path) => {
            let path = Path::new(path);
            let file = std::fs::File::open(path).map_err(|why| Failure::unreadable(path, why))?;
            (read(file, path)?, path.display().to_string())
        }
        None => (text.to_owned(), argument.to_owned()),
    };
    if text.trim().is_empty() {
        return Err(Failure::invalid(format!("{from} is empty"))
            .help("a JSON object is expected, such as '{\"command\": \"ls\"}'"));
    }
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(Failure::invalid(format!(
            "{from} is no JSON object: {other}"
        ))),
        Err(error) => Err(Failure::invalid(format!("{from} is not JSON: {error}"))
            .help("a JSON object is expected, such as '{\"command\": \"ls\"}'")),
    }
}

/// A whole text, if it is one and not too long.
pub(crate) fn read(from: impl Read, path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(LARGEST_INPUT + 1)
        .read_to_end(&mut bytes)
        .map_err(|why| Failure::unreadable(path, why))?;
    if bytes.len() as u64 > LARGEST_INPUT {
        return Err(Failure::unreadable(path, "it has more than 64 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::unreadable(path, "it is not UTF-8"))
}
