//! From a command's output, or a JSON value, to an answer.

use serde_json::{Map, Value};

use super::denial::{self, Denial};
use super::detect::{Detected, detect, objects_at_line_starts};
use super::read::Reader;
use super::scan::{self, Member};
use crate::decision::Decision;
use crate::diagnostic::{Code, Diagnostic};
use crate::event::EventName;
use crate::event::object::kind_of;
use crate::output::{HookOutput, SyncOutput};

/// How many oddities of one answer are told.
const MOST_DIAGNOSTICS: usize = 32;

/// What was read, and what was odd about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What it is.
    pub form: Form,
    /// What was odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What an output turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Nothing but blanks.
    Nothing,
    /// Plain text. What it is for is the event's [`Stdout`](crate::event::Stdout).
    Text(String),
    /// An answer.
    Answer(HookOutput),
    /// Something that means to be an answer and cannot be taken for one: a failure.
    Bad(Problem),
}

/// Why an output that means to be an answer is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not of the contract's shape.
    #[error("the answer does not fit the contract: {0}")]
    WrongShape(String),
    /// There are several answers.
    #[error("there are several JSON documents where one is expected")]
    SeveralDocuments,
    /// There are so many braces in it that the search for a refusal was given up. On a guard this
    /// blocks.
    #[error("the output has too many braces that do not close to look for an answer in it")]
    TooNoisy,
    /// It was cut at the limit for output. On a guard this blocks.
    #[error("the answer was cut at the limit for output, so nobody knows what it says")]
    Cut,
}

/// Whether an output is all there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    #[default]
    Whole,
    /// It was cut at a limit.
    Cut,
}

impl Reading {
    /// The answer, if it is one for now.
    pub fn answer(&self) -> Option<&SyncOutput> {
        match &self.form {
            Form::Answer(HookOutput::Sync(output)) => Some(output),
            Form::Answer(HookOutput::Async(_)) | Form::Nothing | Form::Text(_) | Form::Bad(_) => {
                None
            }
        }
    }

    /// What was decided.
    pub fn decision(&self) -> Decision {
        self.answer()
            .map_or(Decision::Pass, |output| output.decision)
    }

    fn new(form: Form) -> Self {
        Self {
            form,
            diagnostics: Vec::new(),
        }
    }
}

impl Problem {
    /// Whether the problem alone blocks: on a guard, an answer that nobody could read to its end
    /// may have refused.
    pub fn blocks(&self, event: EventName) -> bool {
        match self {
            Self::Cut | Self::TooNoisy => event.row().guard,
            Self::NotJson(_) | Self::WrongShape(_) | Self::SeveralDocuments => false,
        }
    }
}

/// Reads a command's output as an answer to `event`.
///
/// ```
/// use hook_types::wire::{Extent, Form, read};
/// use hook_types::{Decision, EventName};
///
/// let answer = read(
///     EventName::PreToolUse,
///     "loading profile…\n{\"decision\": \"block\", \"reason\": \"no\"}\nbye",
///     Extent::Whole,
/// );
/// assert_eq!(answer.decision(), Decision::Deny);
/// assert_eq!(answer.diagnostics[0].code.as_str(), "noise");
///
/// let text = read(EventName::SessionStart, "on branch main", Extent::Whole);
/// assert_eq!(text.form, Form::Text("on branch main".into()));
/// ```
pub fn read(event: EventName, output: &str, extent: Extent) -> Reading {
    let text = output.trim_start_matches('\u{feff}').trim();
    let reading = match detect(text) {
        Detected::Nothing => return Reading::new(Form::Nothing),
        _ if extent == Extent::Cut && text.starts_with('{') => bad(Problem::Cut, Code::Cut),
        Detected::Object => return read_document(event, text),
        Detected::SeveralDocuments => bad(Problem::SeveralDocuments, Code::SeveralDocuments),
        Detected::Text => Reading::new(Form::Text(text.to_owned())),
    };
    rescue(event, text, reading)
}

/// Reads a JSON value as an answer to `event`. What is not an object is a bad answer.
pub fn read_value(event: EventName, value: &Value) -> Reading {
    let Some(object) = value.as_object() else {
        let message = format!("expected an object, found {}", kind_of(value));
        return bad(Problem::WrongShape(message), Code::WrongType);
    };
    read_object(event, object, &scan::members_of(object))
}

/// Reads text that means to be one JSON object.
fn read_document(event: EventName, text: &str) -> Reading {
    match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(object) => {
            // The text, not the object: of two equal keys an object has only the last.
            let members = scan::scan(text).map(|scanned| scanned.members);
            let members = members.unwrap_or_else(|_| scan::members_of(&object));
            read_object(event, &object, &members)
        }
        Err(error) => {
            let broken = bad(Problem::NotJson(error.to_string()), Code::BrokenJson);
            rescue(event, text, broken)
        }
    }
}

fn read_object(event: EventName, object: &Map<String, Value>, members: &[Member]) -> Reading {
    let reader = Reader::read(event, object);
    let denial = denial::find(event, members).or_else(|| {
        if reader.declines() {
            return None;
        }
        denial::declined(event, members)
    });
    let mut diagnostics = reader.diagnostics;
    let duplicates = denial::duplicates(members);
    diagnostics.extend(denial.as_ref().and_then(|denial| denial.diagnostic(event)));

    let mut output = reader.output;
    let mut flaw = reader.flaw;
    if !duplicates.is_empty() {
        let (strongest, valid) = denial::strongest(event, members);
        output.decision = output.decision.max(strongest);
        if !valid {
            flaw.get_or_insert_with(|| "of two equal keys one is no decision".to_owned());
        }
    }
    diagnostics.extend(duplicates);
    if denial::stops(event, members) {
        output.proceed = Some(false);
    }
    let form = match (reader.promise, flaw, denial) {
        (Some(_), _, Some(denial)) if event.row().guard => {
            let message = "an answer with `async` cannot refuse; on this event the refusal counts";
            diagnostics.push(Diagnostic::new(Code::AsyncDeny, message).at("async"));
            Form::Answer(denial.into_output().into())
        }
        (Some(promise), ..) => Form::Answer(HookOutput::Async(promise)),
        (None, None, denial) => Form::Answer(strengthened(output, denial).into()),
        (None, Some(flaw), denial) => restricted(&output, denial)
            .map_or(Form::Bad(Problem::WrongShape(flaw)), |output| {
                Form::Answer(output.into())
            }),
    };
    Reading {
        form,
        diagnostics: few(diagnostics),
    }
}

/// No more oddities than somebody reads; what is left out is counted.
fn few(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if let Some(more) = diagnostics
        .len()
        .checked_sub(MOST_DIAGNOSTICS)
        .filter(|more| *more > 0)
    {
        diagnostics.truncate(MOST_DIAGNOSTICS);
        let message = format!("and {more} more oddities of this kind");
        let last = diagnostics
            .last()
            .map_or(Code::UnknownKey, |last| last.code);
        diagnostics.push(Diagnostic::new(last, message));
    }
    diagnostics
}

/// An answer without a flaw, with its refusal, however that was spelt.
fn strengthened(mut output: SyncOutput, denial: Option<Denial>) -> SyncOutput {
    if let Some(denial) = denial {
        output.decision = Decision::Deny;
        output.reason = denial.reason.or(output.reason);
    }
    output
}

/// What counts of an answer with a flaw: whatever restricts the agent. A refusal, a wish to ask or
/// to defer, and an order to stop.
fn restricted(output: &SyncOutput, denial: Option<Denial>) -> Option<SyncOutput> {
    let asks = output.decision >= Decision::Ask;
    if denial.is_none() && !output.stops() && !asks {
        return None;
    }
    let asked = || SyncOutput {
        decision: if asks {
            output.decision
        } else {
            Decision::Pass
        },
        reason: output.reason.clone().filter(|_| asks),
        ..SyncOutput::default()
    };
    let mut kept = denial.map_or_else(asked, Denial::into_output);
    if output.stops() {
        kept.proceed = Some(false);
        kept.stop_reason.clone_from(&output.stop_reason);
    }
    Some(kept)
}

/// On guards, the refusal in output that is not an answer by the book; else `reading`, which is what
/// the output is without one.
fn rescue(event: EventName, text: &str, reading: Reading) -> Reading {
    if !event.row().guard {
        return reading;
    }
    let mut objects = objects_at_line_starts(text);
    let found = objects.by_ref().find_map(|members| {
        denial::find(event, &members).or_else(|| denial::declined(event, &members))
    });
    let Some(denial) = found else {
        let lost = objects.gave_up;
        return if lost {
            bad(Problem::TooNoisy, Code::Noise)
        } else {
            reading
        };
    };
    let noise = match detect(text) {
        Detected::Object => Diagnostic::new(
            Code::BrokenJson,
            "the answer is not JSON by the book; only its refusal counts",
        ),
        Detected::Nothing | Detected::SeveralDocuments | Detected::Text => Diagnostic::new(
            Code::Noise,
            "there is more on stdout than one JSON object; only the refusal in it counts",
        ),
    };
    let odd = denial.diagnostic(event);
    let form = Form::Answer(denial.into_output().into());
    Reading {
        form,
        diagnostics: [Some(noise), odd].into_iter().flatten().collect(),
    }
}

fn bad(problem: Problem, code: Code) -> Reading {
    let diagnostic = Diagnostic::new(code, problem.to_string());
    Reading {
        form: Form::Bad(problem),
        diagnostics: vec![diagnostic],
    }
}
