//! What became of one hook in one firing.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::ser::SerializeStruct;
use serde_json::{Map, Value};

use crate::decision::Decision;
use crate::event::EventName;
use crate::id::HookId;
use crate::reply::Reply;
use crate::status::Status;
use crate::wire;

/// What kind of hook it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookKind {
    /// A Rust closure.
    Function,
    /// A command.
    Command,
    /// A kind that is declared elsewhere: `http`, `prompt`, …
    Other(String),
}

impl HookKind {
    /// The kind in one word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Function => "function",
            Self::Command => "command",
            Self::Other(kind) => kind,
        }
    }
}

/// Where a hook is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// Which hook it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookInfo {
    /// The hook.
    pub id: HookId,
    /// What its author says of it.
    pub description: Option<String>,
    /// What kind of hook it is.
    pub kind: HookKind,
    /// Where it is written.
    pub source: Option<Source>,
}

impl HookInfo {
    /// A hook without description and source.
    pub fn new(id: impl Into<HookId>, kind: HookKind) -> Self {
        Self {
            id: id.into(),
            description: None,
            kind,
            source: None,
        }
    }
}

/// Where a hook stands among all: layer, group, place in the group. Results are reported and
/// merged in this order, whatever finished first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order {
    /// The layer: managed, user, project, …
    pub layer: u32,
    /// The group in its layer.
    pub group: u32,
    /// The place in its group.
    pub index: u32,
}

/// What a hook's failure means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OnFailure {
    /// No opinion: it is reported, and things take their course.
    #[default]
    Continue,
    /// On a guard, a block.
    Block,
}

/// What became of one hook in one firing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// The event it was asked about.
    pub event: EventName,
    /// The event and its subject: `PreToolUse:Bash`.
    pub name: Arc<str>,
    /// Which hook it was.
    pub hook: Arc<HookInfo>,
    /// Where it stands among all.
    pub order: Order,
    /// How long it took.
    pub duration: Duration,
    /// What its failure means here.
    pub on_failure: OnFailure,
    /// What it handed back.
    pub reply: Reply,
}

impl Attempt {
    /// What became of a hook.
    pub fn new(
        event: EventName,
        name: impl Into<Arc<str>>,
        hook: impl Into<Arc<HookInfo>>,
        reply: Reply,
    ) -> Self {
        Self {
            event,
            name: name.into(),
            hook: hook.into(),
            order: Order::default(),
            duration: Duration::ZERO,
            on_failure: OnFailure::Continue,
            reply,
        }
    }

    /// Whether the hook ran without an error: no timeout, no crash, no exit code but 0.
    pub fn success(&self) -> bool {
        matches!(
            self.reply.status,
            Status::Answered | Status::NoOpinion | Status::Background
        )
    }

    /// Whether the agent may go on, as far as this hook is concerned.
    pub fn should_continue(&self) -> bool {
        let output = &self.reply.output;
        !output.stops() && output.decision != Decision::Deny
    }

    /// Whether it took longer than it may.
    pub fn timed_out(&self) -> bool {
        matches!(self.reply.status, Status::TimedOut { .. })
    }
}

impl Serialize for Attempt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Reply {
            status,
            output,
            evidence,
            diagnostics,
        } = &self.reply;
        let mut map = serializer.serialize_struct("Attempt", 15)?;
        map.serialize_field("id", &self.hook.id)?;
        map.serialize_field("name", &*self.name)?;
        map.serialize_field("description", &self.hook.description)?;
        map.serialize_field("kind", self.hook.kind.as_str())?;
        map.serialize_field("source", &self.hook.source)?;
        map.serialize_field("status", status.word())?;
        map.serialize_field("exit_code", &evidence.exit_code)?;
        map.serialize_field("stdout", &evidence.stdout)?;
        map.serialize_field("stderr", &evidence.stderr)?;
        map.serialize_field("truncated", &evidence.truncated)?;
        match evidence.facts.as_slice() {
            [] => map.skip_field("facts")?,
            facts => map.serialize_field("facts", &named(facts))?,
        }
        map.serialize_field("duration_ms", &milliseconds(self.duration))?;
        map.serialize_field("output", &wire::write(self.event, output))?;
        map.serialize_field("diagnostics", diagnostics)?;
        match status.detail() {
            Some(detail) => map.serialize_field("detail", &detail)?,
            None => map.skip_field("detail")?,
        }
        map.end()
    }
}

/// Facts as an object; of two with one name the first.
fn named(facts: &[(String, String)]) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, value) in facts {
        object.entry(name).or_insert_with(|| value.as_str().into());
    }
    object
}

/// Milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_told_by_name_and_only_where_there_are_some() {
        let hook = HookInfo::new("judge", HookKind::Other("prompt".to_owned()));
        let mut attempt = Attempt::new(EventName::Stop, "Stop", hook, Reply::no_opinion());
        let told = |attempt: &Attempt| serde_json::to_value(attempt).unwrap().get("facts").cloned();
        assert_eq!(told(&attempt), None);
        let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        attempt.reply.evidence.facts = vec![fact("model", "small"), fact("tokens", "7")];
        let expected = serde_json::json!({"model": "small", "tokens": "7"});
        assert_eq!(told(&attempt), Some(expected));
    }
}
