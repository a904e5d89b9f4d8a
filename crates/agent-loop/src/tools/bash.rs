//! Bash: a command in a shell.

mod report; // what became of it
mod script; // what the shell is given

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use process_tree::{Command, Control, Finished, Limits};
use serde::Deserialize;
use serde_json::{Value, json};

use self::script::Script;
use super::work;
use crate::tool::{Access, Effect, Tool, ToolContext, ToolError, ToolOutput};

/// How long a command may take where nobody says how long, and at most, in milliseconds.
const TIMEOUT: u64 = 120_000;
const LONGEST: u64 = 600_000;
/// How much of the start and of the end of each output is kept.
const START: usize = 16 << 10;
const END: usize = 16 << 10;

/// Runs a command in a shell. The working directory stays from one command to the next; nothing else does,
/// but for what hooks have exported.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agent_loop::{Effect, Tool, ToolContext, tools::Bash};
/// use serde_json::json;
///
/// let output = Bash.call(json!({"command": "cd /usr && pwd"}), &ToolContext::standalone("/")).await?;
/// assert_eq!(output.response["stdout"], "/usr\n");
/// assert_eq!(output.effects, [Effect::MovedTo("/usr".into())]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Bash;

#[derive(Deserialize)]
struct Input {
    command: String,
    timeout: Option<u64>,
}

#[async_trait]
impl Tool for Bash {
    fn name(&self) -> &'static str {
        "Bash"
    }

    fn description(&self) -> &'static str {
        "Runs a command in a shell. `cd` holds for later commands; variables do not. It has two minutes, or \
         `timeout`, and is ended with everything that it started when they are over."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["command"], "additionalProperties": false,
            "properties": {
                "command": {"type": "string", "minLength": 1, "description": "The command."},
                "timeout": {"type": "integer", "minimum": 1, "maximum": LONGEST,
                            "description": "How long it may take, in milliseconds."},
                "description": {"type": "string", "description": "What it does, in a few words."},
                "run_in_background": {"type": "boolean", "enum": [false],
                                      "description": "Not supported: end the command with & instead."},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Run
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let input: Input = work::parse(input)?;
        let timeout = Duration::from_millis(input.timeout.unwrap_or(TIMEOUT).clamp(1, LONGEST));
        let place = Place::find(context);
        let script = Script::new(&input.command, &context.exports).map_err(|error| {
            ToolError::new(format!("the command could not be prepared: {error}"))
        })?;
        let command = Command::new(context.shell.as_str())
            .args(["-c", script.text()])
            .environment(context.environment.clone())
            .env("PWD", place.folder.as_os_str())
            .cwd(&place.folder)
            .limits(Limits {
                timeout,
                stdout: START,
                stderr: START,
                tail: END,
                ..Limits::default()
            });
        let finished = run(&command, context).await;
        let moved = place.left_for(script.folder());
        let lost = place.lost.as_deref();
        report::report(&finished, lost, timeout, moved)
    }

    fn render(&self, response: &Value) -> Option<String> {
        report::render(response)
    }
}

/// Runs until the command has ended or the call is cancelled. Dropped, it kills everything at once.
async fn run(command: &Command, context: &ToolContext) -> Finished {
    let control = Control::new().with_registry(&context.processes);
    let mut running = std::pin::pin!(command.run(&control));
    tokio::select! {
        finished = &mut running => return finished,
        () = context.cancellation.cancelled() => control.cancel(),
    }
    running.await
}

/// Where a command runs.
struct Place {
    folder: PathBuf,
    /// The working directory, where it is gone.
    lost: Option<PathBuf>,
}

impl Place {
    /// The working directory; where it is gone, the project's root, then the home, then the root of all.
    fn find(context: &ToolContext) -> Self {
        let cwd = &context.cwd;
        if cwd.is_dir() {
            return Self {
                folder: cwd.clone(),
                lost: None,
            };
        }
        let others = [Some(&context.project_dir), context.home.as_ref()];
        let folder = others.into_iter().flatten().find(|folder| folder.is_dir());
        Self {
            folder: folder.cloned().unwrap_or_else(|| PathBuf::from("/")),
            lost: Some(cwd.clone()),
        }
    }

    /// The directory that later commands run in, where it is another one.
    fn left_for(&self, now: Option<PathBuf>) -> Option<Effect> {
        let now = now
            .filter(|now| now.is_dir())
            .unwrap_or_else(|| self.folder.clone());
        let stayed = self.lost.is_none() && same(&now, &self.folder);
        (!stayed).then_some(Effect::MovedTo(now))
    }
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok() == other.canonicalize().ok()
}
