//! What came back, read as a reply. Pure: the table of the contract, driven by the event table.

use std::time::Duration;

use hook_shell::{Dialect, protocol};
use hook_types::wire::{Extent, Form, Reading, read};
use hook_types::{Code, Decision, Diagnostic, HookEvent, HookOutput, Reply, Status, Stdout};

/// What came back.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The status: `200` and the like.
    pub status: u16,
    /// How the body is compressed, where it is. That was not asked for, and is not undone.
    pub encoding: Option<&'a str>,
    /// The body, as far as it came and was kept.
    pub body: &'a str,
    /// Whether there was more than was kept.
    pub extent: Extent,
    /// What went wrong on the way.
    pub fault: Option<Fault>,
}

/// What went wrong on the way, after the head of the response had come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection failed, or the response leads where no hook is followed.
    Failed(String),
    /// The time was over.
    TimedOut(Duration),
}

impl<'a> Response<'a> {
    /// A response that is all there.
    pub fn new(status: u16, body: &'a str) -> Self {
        Self {
            status,
            encoding: None,
            body,
            extent: Extent::Whole,
            fault: None,
        }
    }
}

/// Reads what came back as the reply to `event`.
///
/// ```
/// use hook_http::{Response, reply};
/// use hook_shell::Dialect;
/// use hook_types::{HookEvent, PreToolUse, Status};
/// use serde_json::json;
///
/// let call = HookEvent::from(PreToolUse::new("Bash", json!({"command": "make"})));
/// let answer = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}"#;
/// assert_eq!(reply(Dialect::Claude, &call, &Response::new(200, answer)).status, Status::Answered);
/// assert!(reply(Dialect::Claude, &call, &Response::new(200, "fine")).status.is_failure());
/// assert!(reply(Dialect::Claude, &call, &Response::new(403, "")).output.is_empty());
/// ```
pub fn reply(dialect: Dialect, event: &HookEvent, response: &Response<'_>) -> Reply {
    let reading = read(event.name(), response.body, response.extent);
    let mut reply = match (&response.fault, response.status) {
        (Some(Fault::Failed(why)), _) => unfinished(event, &reading, Status::Failed(why.clone())),
        (Some(Fault::TimedOut(limit)), _) => {
            unfinished(event, &reading, Status::TimedOut { limit: *limit })
        }
        (None, 200..=299) => answered(dialect, event, response, &reading),
        (None, status) => {
            let why = format!("the server answered with status {status}");
            unfinished(event, &reading, Status::Failed(why))
        }
    };
    // What is odd about an answer is of no interest where there is none.
    if !reply.status.is_failure() || reply.output.decision == Decision::Deny || is_bad(&reading) {
        reply.diagnostics.extend(reading.diagnostics);
    }
    response.body.clone_into(&mut reply.evidence.stdout);
    reply.evidence.truncated = response.extent == Extent::Cut;
    reply
}

fn is_bad(reading: &Reading) -> bool {
    matches!(reading.form, Form::Bad(_))
}

/// Nothing but a refusal counts.
fn unfinished(event: &HookEvent, reading: &Reading, status: Status) -> Reply {
    protocol::unfinished(event, reading, status)
}

/// A response that says it is one.
fn answered(
    dialect: Dialect,
    event: &HookEvent,
    response: &Response<'_>,
    reading: &Reading,
) -> Reply {
    match &reading.form {
        Form::Answer(output) => {
            let mut reply = protocol::answered(dialect, event, output);
            reply.diagnostics.extend(promised(output));
            with_path(event, reply)
        }
        Form::Bad(problem) => protocol::unreadable(event, problem),
        Form::Nothing => with_path(event, Reply::no_opinion()),
        Form::Text(_) => no_object(event, response),
    }
}

/// A body that is no JSON object: a failure, and its text goes nowhere.
fn no_object(event: &HookEvent, response: &Response<'_>) -> Reply {
    let why = match response.encoding {
        Some(encoding) => format!("the body is compressed ({encoding}), which nobody asked for"),
        None => "the body is not a JSON object".to_owned(),
    };
    let mut reply = Reply::with_status(Status::BadOutput(why));
    if response.extent == Extent::Cut && event.name().row().guard {
        let message = "the body is longer than what was read; a refusal in the rest was not seen";
        reply.diagnostics.push(Diagnostic::new(Code::Cut, message));
    }
    reply
}

/// Nobody can promise an answer for later where a response is all that there is.
fn promised(output: &HookOutput) -> Option<Diagnostic> {
    let message = "a response is the answer; nothing can be promised for later";
    match output {
        HookOutput::Async(_) => Some(Diagnostic::new(Code::NoEffect, message).at("async")),
        HookOutput::Sync(_) => None,
    }
}

/// Where a path was asked for, an answer without one is none.
fn with_path(event: &HookEvent, reply: Reply) -> Reply {
    let asked = event.name().row().stdout == Stdout::Path;
    let output = &reply.output;
    if !asked || output.specific.worktree_path.is_some() || output.decision == Decision::Deny {
        return reply;
    }
    let mut failed = Reply::failed("it answered without `hookSpecificOutput.worktreePath`");
    failed.diagnostics = reply.diagnostics;
    failed
}
