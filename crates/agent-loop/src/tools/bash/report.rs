//! What became of a command: for hooks a response with parts, for the model a text.

use std::path::Path;
use std::time::Duration;

use process_tree::{Captured, Ending, Finished};
use serde_json::{Value, json};

use crate::tool::{Effect, ToolError, ToolOutput};

/// The output of a command that exited with 0; any other ending is a failure that starts with what it was.
pub(super) fn report(
    finished: &Finished,
    lost: Option<&Path>,
    timeout: Duration,
    moved: Option<Effect>,
) -> Result<ToolOutput, ToolError> {
    let response = response(finished, lost);
    let Some(ended) = how_it_failed(&finished.ending, timeout) else {
        let output = ToolOutput::structured(response);
        return Ok(moved.into_iter().fold(output, ToolOutput::and));
    };
    let text = render(&response).filter(|text| text != NOTHING);
    let message = [Some(ended), text]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n");
    let error = match finished.ending {
        Ending::Cancelled { .. } => ToolError::interrupted(message),
        Ending::Exited(_)
        | Ending::Signalled(_)
        | Ending::TimedOut { .. }
        | Ending::NeverStarted(_)
        | Ending::Lost => ToolError::new(message),
    };
    Err(moved.into_iter().fold(error, ToolError::and))
}

/// The first line of a failure.
fn how_it_failed(ending: &Ending, timeout: Duration) -> Option<String> {
    Some(match ending {
        Ending::Exited(0) => return None,
        Ending::Exited(code) => format!("Exit code {code}"),
        Ending::Signalled(signal) => format!("Killed by signal {signal}"),
        Ending::TimedOut { .. } => format!(
            "Timed out after {} ms, and was ended with everything that it had started; \
             set `timeout` to allow more, or split the work",
            timeout.as_millis()
        ),
        Ending::Cancelled { .. } => {
            "Interrupted, and ended with everything that it had started".to_owned()
        }
        Ending::NeverStarted(error) => format!("The shell did not start: {error}"),
        Ending::Lost => {
            "The exit code was lost: the host takes the status of every child".to_owned()
        }
    })
}

fn response(finished: &Finished, lost: Option<&Path>) -> Value {
    let mut response = json!({
        "stdout": whole(&finished.stdout),
        "stderr": whole(&finished.stderr),
        "interrupted": matches!(finished.ending, Ending::Cancelled { .. } | Ending::TimedOut { .. }),
        "isImage": false,
    });
    if !finished.left.is_empty() {
        response["leftRunning"] = json!(finished.left.pids());
    }
    if let Some(lost) = lost {
        response["lostDirectory"] = json!(lost);
    }
    response
}

/// The start and the end of an output, and between them how much is missing.
fn whole(output: &Captured) -> String {
    if !output.truncated {
        return format!("{}{}", output.text(), output.tail);
    }
    let kept = (output.bytes().len() + output.tail.len()) as u64;
    let missing = output.total.saturating_sub(kept);
    format!(
        "{}\n… ({missing} bytes left out) …\n{}",
        output.text(),
        output.tail
    )
}

const NOTHING: &str = "(no output)";

/// What the model sees.
pub(super) fn render(response: &Value) -> Option<String> {
    let text = |name: &str| response.get(name).and_then(Value::as_str);
    let (stdout, stderr) = (text("stdout")?, text("stderr")?);
    let mut parts = Vec::new();
    if let Some(lost) = text("lostDirectory") {
        parts.push(format!(
            "(the working directory `{lost}` is gone; the command ran elsewhere)"
        ));
    }
    let outputs = [stdout, stderr].map(|output| output.trim_end().to_owned());
    parts.extend(outputs.into_iter().filter(|output| !output.is_empty()));
    if let Some(Value::Array(left)) = response.get("leftRunning") {
        let left: Vec<String> = left.iter().map(ToString::to_string).collect();
        parts.push(format!(
            "(left running until the session ends: process {})",
            left.join(", ")
        ));
    }
    if parts.is_empty() {
        parts.push(NOTHING.to_owned());
    }
    Some(parts.join("\n"))
}
