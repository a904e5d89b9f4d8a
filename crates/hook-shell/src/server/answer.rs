//! What a server said of a request, read as the reply that a command would have given.

use std::time::Duration;

use hook_runner::Input;
use hook_types::wire::Extent;
use hook_types::{Code, Decision, Diagnostic, Reply, Status};
use process_tree::Ending;
use serde_json::Value;

use super::said::unquoted;
use crate::dialect::Dialect;
use crate::promise::promised_at_the_end;
use crate::protocol;
use crate::protocol::Collected;

/// Reads an answer as it is meant.
pub(super) fn answer(input: &Input, members: &[(String, &str)]) -> Reply {
    let named = |name: &'static str| {
        let named = members.iter().filter(move |(key, _)| key == name);
        named
            .map(|(_, written)| *written)
            .filter(|written| *written != "null")
    };
    let mut outputs: Vec<Reply> = named("output").map(|output| told(input, output)).collect();
    let error = named("error").next();
    let error = error.map(|error| unquoted(error).unwrap_or_else(|| error.to_owned()));
    let beside = beside(input, members);
    // On a guard a refusal counts, wherever it stands.
    let refusal = outputs
        .iter()
        .chain(&beside)
        .find(|reply| refuses(input, reply));
    if let Some(refusal) = refusal {
        let mut reply = refusal.clone();
        if let Some(why) = error {
            reply.status = Status::Failed(why);
        }
        return reply;
    }
    if let Some(why) = error {
        return Reply::failed(why);
    }
    match (outputs.pop(), outputs.len(), beside) {
        (Some(reply), 0, _) => reply,
        (Some(_), ..) => bad("`output` stands more than once"),
        (None, _, Some(beside)) if beside.status == Status::Answered => {
            bad("the answer stands beside `output`; it belongs into it")
        }
        (None, _, beside) => {
            let mut reply = read_as_printed(input, "", Extent::Whole);
            reply.diagnostics = beside.map(|beside| beside.diagnostics).unwrap_or_default();
            reply
        }
    }
}

/// What stands beside `output`, read as if it were the output.
pub(super) fn beside(input: &Input, members: &[(String, &str)]) -> Option<Reply> {
    let others: Vec<String> = members
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "id" | "output" | "error"))
        .map(|(key, written)| format!("{}:{written}", Value::from(key.as_str())))
        .collect();
    if others.is_empty() {
        return None;
    }
    let object = format!("{{{}}}", others.join(","));
    let mut reply = read_as_printed(input, &object, Extent::Whole);
    let message = "this stands beside `output`; it belongs into it";
    reply
        .diagnostics
        .push(Diagnostic::new(Code::Misplaced, message));
    Some(reply)
}

/// Reads an output as it is written: an object, or text in quotes.
pub(super) fn told(input: &Input, output: &str) -> Reply {
    if output.starts_with('{') {
        return read_as_printed(input, output, Extent::Whole);
    }
    match unquoted(output) {
        Some(text) => read_as_printed(input, &text, Extent::Whole),
        None => bad("`output` is neither an object nor text"),
    }
}

/// Reads a text as if a command had printed it and exited with 0.
pub(super) fn read_as_printed(input: &Input, text: &str, extent: Extent) -> Reply {
    let collected = Collected {
        ending: &Ending::Exited(0),
        stdout: text,
        stderr: "",
        cut: extent,
        limit: Duration::ZERO,
    };
    let mut reply = protocol::reply(Dialect::Hookline, input.event(), &collected);
    reply.evidence.exit_code = None;
    reply.evidence.truncated = extent == Extent::Cut;
    if promised_at_the_end(input.name(), text).is_some() {
        let message = "a server answers when it answers, and can promise nothing for later";
        let diagnostic = Diagnostic::new(Code::NoEffect, message).at("async");
        reply.diagnostics.push(diagnostic);
    }
    reply
}

/// What counts of a line that is no JSON, or was cut: a refusal; else it is a bad answer to whoever
/// it begins with.
pub(super) fn flawed_answer(
    input: &Input,
    text: &str,
    extent: Extent,
    first: bool,
) -> Option<Reply> {
    let text = output_in(text);
    let reply = read_as_printed(input, &text, extent);
    if refuses(input, &reply) {
        return Some(reply);
    }
    let mut bad = bad("the line is not one JSON object");
    bad.evidence = reply.evidence;
    bad.diagnostics = reply.diagnostics;
    first.then_some(bad)
}

/// What follows `"output":`, else all of it as an object.
pub(super) fn output_in(text: &str) -> String {
    let output = text.split_once("\"output\"");
    let output = output.and_then(|(_, after)| after.trim_start().strip_prefix(':'));
    output.map_or_else(|| format!("{{{text}"), |output| output.trim().to_owned())
}

pub(super) fn refuses(input: &Input, reply: &Reply) -> bool {
    input.name().row().guard && reply.output.decision == Decision::Deny
}

pub(super) fn bad(why: &str) -> Reply {
    Reply::with_status(Status::BadOutput(why.to_owned()))
}
