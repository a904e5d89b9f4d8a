//! How a command ended and what it printed, read as a reply. Pure: one rule for all events, driven
//! by the event table and by the dialect.
//!
//! | exit code | stdout is an answer | stdout means to be one and is not | text or nothing |
//! |---|---|---|---|
//! | 0 | it decides | a failure | text is what the event says it is |
//! | 2 | it blocks, whatever the answer says; the rest of the answer counts | it blocks | it blocks, stderr says why |
//! | other | it decides | a failure | a failure |
//!
//! A dialect may have other rules for exit codes; they come first, and where exit codes decide, text
//! is for the log and JSON that is none is text. A refusal that can be read counts on a guard however
//! the command ended.

use hook_types::wire::{Extent, Form, Problem, Reading, read};
use hook_types::{
    Code, Decision, Diagnostic, Effect, EventName, ExitTwo, Field, HookEvent, HookOutput, Reply,
    Status, Stdout, SyncOutput,
};
use process_tree::Ending;

use crate::dialect::{Dialect, Reason};

/// The longest reason that is taken from what a command printed, in characters.
const LONGEST_REASON: usize = 10_000;

/// How a command ended and what it printed.
#[derive(Clone, Copy, Debug)]
pub struct Collected<'a> {
    /// How it ended.
    pub ending: &'a Ending,
    /// What it printed.
    pub stdout: &'a str,
    /// What it printed as errors.
    pub stderr: &'a str,
    /// Whether it printed more on stdout than was kept.
    pub cut: Extent,
    /// How long it may take.
    pub limit: std::time::Duration,
}

/// Reads what became of a command as its reply to `event`.
pub fn reply(dialect: Dialect, event: &HookEvent, collected: &Collected<'_>) -> Reply {
    let reading = read(event.name(), collected.stdout, collected.cut);
    let mut reply = match collected.ending {
        Ending::Exited(code) => exited(dialect, event, *code, collected, &reading),
        Ending::Signalled(signal) => {
            unfinished(event, &reading, Status::Crashed { signal: *signal })
        }
        Ending::TimedOut { .. } => unfinished(
            event,
            &reading,
            Status::TimedOut {
                limit: collected.limit,
            },
        ),
        Ending::Cancelled { .. } => unfinished(event, &reading, Status::Cancelled),
        Ending::NeverStarted(error) => Reply::with_status(Status::LaunchFailed(format!(
            "{error} ({})",
            error.remedy()
        ))),
        Ending::Lost => {
            let why = "it ended, and nobody can say how".to_owned();
            unfinished(event, &reading, Status::Failed(why))
        }
    };
    let said = || printed_reason(dialect, collected);
    block_a_failure(dialect, event.name(), &mut reply, said);
    reply
        .diagnostics
        .extend(unread(event.name(), collected, &reading));
    reply.diagnostics.extend(reading.diagnostics);
    match collected.ending {
        Ending::Exited(code) => reply.evidence.exit_code = Some(*code),
        Ending::Signalled(signal) => reply.evidence.signal = Some(*signal),
        Ending::TimedOut { .. }
        | Ending::Cancelled { .. }
        | Ending::NeverStarted(_)
        | Ending::Lost => {}
    }
    collected.stdout.clone_into(&mut reply.evidence.stdout);
    collected.stderr.clone_into(&mut reply.evidence.stderr);
    reply
}

/// Says so where a guard printed more text than was kept: a refusal after it was not seen.
fn unread(event: EventName, collected: &Collected<'_>, reading: &Reading) -> Option<Diagnostic> {
    let text = matches!(reading.form, Form::Text(_) | Form::Nothing);
    let message = "there is more on stdout than was kept; a refusal in the rest was not seen";
    (text && collected.cut == Extent::Cut && event.row().guard)
        .then(|| Diagnostic::new(Code::Cut, message))
}

/// The reply of a command that could not be started for a reason of ours.
pub(crate) fn unstarted(dialect: Dialect, event: EventName, why: String) -> Reply {
    let mut reply = Reply::with_status(Status::LaunchFailed(why));
    block_a_failure(dialect, event, &mut reply, || None);
    reply
}

/// Some dialects block where a hook fails; it keeps its status.
fn block_a_failure(
    dialect: Dialect,
    event: EventName,
    reply: &mut Reply,
    said: impl FnOnce() -> Option<String>,
) {
    if dialect.failure_blocks(event)
        && reply.status.is_failure()
        && reply.output.decision != Decision::Deny
    {
        let what = format!("the hook {}", reply.status);
        reply.output = SyncOutput::deny(match said() {
            Some(said) => format!("{what}; it said: {said}"),
            None => what,
        })
        .into();
    }
}

/// The reply of a hook that did not get to its end: on a guard its refusal counts, and nothing else;
/// output of which nobody knows what it says is one.
pub fn unfinished(event: &HookEvent, reading: &Reading, status: Status) -> Reply {
    let mut reply = Reply::with_status(status);
    if let Form::Bad(problem) = &reading.form
        && problem.blocks(event.name())
    {
        reply.output = SyncOutput::deny(problem.to_string()).into();
    }
    let refusal = reading
        .answer()
        .filter(|answer| answer.decision == Decision::Deny);
    if let Some(answer) = refusal.filter(|_| event.name().row().guard) {
        reply.output.decision = Decision::Deny;
        reply.output.reason.clone_from(&answer.reason);
    }
    reply
}

fn exited(
    dialect: Dialect,
    event: &HookEvent,
    code: i32,
    collected: &Collected<'_>,
    reading: &Reading,
) -> Reply {
    if code != 0 && blocks(dialect, event.name(), code) {
        return blocked(dialect, code, collected, reading);
    }
    let text = match &reading.form {
        Form::Text(text) => text,
        Form::Nothing => "",
        // What is no answer is text, where the exit code has decided.
        Form::Bad(problem) if dialect.exit_decides() && !problem.blocks(event.name()) => "",
        Form::Answer(output) => return answered(dialect, event, output),
        Form::Bad(problem) => return unreadable(event, problem),
    };
    printed(dialect, event.name(), code, collected, text)
}

/// The reply that an answer is, however it came.
pub fn answered(dialect: Dialect, event: &HookEvent, answer: &HookOutput) -> Reply {
    match answer {
        HookOutput::Sync(output) => Reply::answer(meant(dialect, event, (**output).clone())),
        HookOutput::Async(_) => Reply::no_opinion(),
    }
}

/// The reply of a hook that said something which means to be an answer and is none, however it came.
pub fn unreadable(event: &HookEvent, problem: &Problem) -> Reply {
    let mut reply = Reply::with_status(Status::BadOutput(problem.to_string()));
    if problem.blocks(event.name()) {
        reply.output = SyncOutput::deny(problem.to_string()).into();
    }
    reply
}

/// An answer in our terms: what only this dialect says by its words, and what it calls arguments.
fn meant(dialect: Dialect, event: &HookEvent, mut output: SyncOutput) -> SyncOutput {
    if dialect.goes_on_by_continue() && keeps_going(event.name(), &output) {
        go_on(&mut output);
    }
    if let (Some(updated), Some((_, original))) = (&mut output.updated_input, event.tool_call()) {
        dialect.names().make_ours(original, updated);
    }
    output
}

/// Whether `continue: true` is a wish to go on. Alone it is only the default, spelt out.
fn keeps_going(event: EventName, output: &SyncOutput) -> bool {
    let row = event.row();
    row.effect == Effect::KeepGoing
        && row.honours(Field::AdditionalContext)
        && output.proceed == Some(true)
}

/// A reason keeps the agent going, and so does context. The message is for the model then.
fn go_on(output: &mut SyncOutput) {
    let is_said = |text: &String| !text.trim().is_empty();
    if output.reason.as_ref().is_some_and(is_said) {
        output.decision = Decision::Deny;
    }
    if let Some(message) = output.system_message.take().filter(is_said) {
        output.additional_context = Some(match output.additional_context.take() {
            Some(context) if is_said(&context) => format!("{context}\n{message}"),
            _ => message,
        });
    }
}

/// Whether an exit code other than 0 blocks.
fn blocks(dialect: Dialect, event: EventName, code: i32) -> bool {
    if let Some(blocks) = dialect.exit_blocks(event) {
        return blocks;
    }
    match event.row().exit_two {
        ExitTwo::Blocks => code == 2,
        ExitTwo::BlocksLikeAnyFailure => true,
        ExitTwo::Shown | ExitTwo::Ignored => false,
    }
}

/// Blocked by the exit code: the rest of an answer counts, but for what only this event has.
fn blocked(dialect: Dialect, code: i32, collected: &Collected<'_>, reading: &Reading) -> Reply {
    let answer = reading.answer().cloned().unwrap_or_default();
    let reason = answer
        .reason
        .clone()
        .filter(|_| answer.decision == Decision::Deny);
    let mut reply = Reply::with_status(Status::Blocked { exit_code: code });
    let elicitation = answer.specific.elicitation.is_some();
    reply.output = answer.into();
    if elicitation {
        reply.output.specific = hook_types::Specific::default();
    }
    reply.output.decision = Decision::Deny;
    reply.output.reason = reason.or_else(|| printed_reason(dialect, collected));
    reply
}

/// The reason that a blocking command printed, where its dialect looks for it.
fn printed_reason(dialect: Dialect, collected: &Collected<'_>) -> Option<String> {
    let (first, second) = match dialect.reason() {
        Reason::Stderr => (collected.stderr, None),
        Reason::Stdout => (collected.stdout, Some(collected.stderr)),
    };
    as_reason(first).or_else(|| second.and_then(as_reason))
}

/// What was printed, as a reason, if it is one.
pub(crate) fn as_reason(printed: &str) -> Option<String> {
    Some(clip(printed.trim())).filter(|text| !text.is_empty())
}

/// Plain text: of a command that succeeded the event says what it is.
fn printed(
    dialect: Dialect,
    event: EventName,
    code: i32,
    collected: &Collected<'_>,
    text: &str,
) -> Reply {
    if code != 0 {
        return Reply::failed(exit_message(code, collected.stderr));
    }
    let row = event.row();
    match row.stdout {
        Stdout::Context | Stdout::Answer if dialect.exit_decides() => Reply::no_opinion(),
        Stdout::Context if row.honours(Field::AdditionalContext) && !text.is_empty() => {
            let mut output = SyncOutput::default();
            output.additional_context = Some(text.to_owned());
            Reply::answer(output)
        }
        Stdout::Path => match last_line(text) {
            Some(path) => {
                let mut output = SyncOutput::default();
                output.specific.worktree_path = Some(path);
                Reply::answer(output)
            }
            None => Reply::failed("it printed no path; the last line of its output must be one"),
        },
        Stdout::Answer | Stdout::Context | Stdout::Ignored => Reply::no_opinion(),
    }
}

/// The last line that is not blank, without colours.
fn last_line(text: &str) -> Option<String> {
    text.lines()
        .rev()
        .map(without_colours)
        .find(|line| !line.is_empty())
}

fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let sequence = &rest[start + 2..];
        let end = sequence
            .find(|c: char| c.is_ascii_alphabetic())
            .map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain.trim().to_owned()
}

fn exit_message(code: i32, stderr: &str) -> String {
    let first = stderr.lines().map(str::trim).find(|line| !line.is_empty());
    let hint = match code {
        126 => " (found, but not executable)",
        127 => " (command not found)",
        _ => "",
    };
    match first {
        Some(line) => format!("exit code {code}{hint}: {}", clip(line)),
        None => format!("exit code {code}{hint}"),
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(LONGEST_REASON) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… [cut]", &text[..end]),
    }
}
