//! What every event carries beside its own fields.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::event::object::{FieldError, Object};
use crate::id::{AgentId, PromptId, SessionId};
use crate::open_enum::open_enum;

open_enum! {
    /// How much an agent may do without asking.
    PermissionMode {
        /// Ask where no rule says otherwise.
        Default = "default",
        /// Another word for the same.
        Manual = "manual",
        /// Read and plan; change nothing.
        Plan = "plan",
        /// Edit files without asking.
        AcceptEdits = "acceptEdits",
        /// A classifier decides in the user's place.
        Auto = "auto",
        /// Refuse instead of asking.
        DontAsk = "dontAsk",
        /// Ask nothing.
        BypassPermissions = "bypassPermissions",
    }

    /// How hard the model is told to think.
    EffortLevel {
        /// As little as possible.
        Low = "low",
        /// The usual.
        Medium = "medium",
        /// More than usual.
        High = "high",
        /// Much more than usual.
        XHigh = "xhigh",
        /// All it can.
        Max = "max",
    }
}

/// How hard the model is told to think, as the wire has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Effort {
    /// The level.
    pub level: EffortLevel,
    /// Fields that this version does not know.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl From<EffortLevel> for Effort {
    fn from(level: EffortLevel) -> Self {
        Self {
            level,
            extra: Map::new(),
        }
    }
}

/// The fields that every event has. A runner fills in what the event's maker left empty.
///
/// ```
/// use hook_types::{Base, PreToolUse};
/// use serde_json::json;
///
/// let session = Base::new("s-1", "/tmp/s-1.jsonl", "/srv/app");
/// let mut call = PreToolUse::new("Bash", json!({"command": "ls"}));
/// call.base.cwd = "/srv/app/src".into();
/// call.base.fill_from(&session);
/// assert_eq!(call.base.session_id.as_str(), "s-1");
/// assert_eq!(call.base.cwd, "/srv/app/src");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Base {
    /// The session that fired the event.
    pub session_id: SessionId,
    /// The session's transcript, one JSON object a line; it may lag behind.
    pub transcript_path: String,
    /// The agent's working directory; follows `cd`.
    pub cwd: String,
    /// The prompt that led here; absent before the first one.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub prompt_id: Option<PromptId>,
    /// How much the agent may do without asking.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub permission_mode: Option<PermissionMode>,
    /// The subagent that the event happened in; absent in the main agent.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub agent_id: Option<AgentId>,
    /// The kind of agent that the event happened in.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub agent_type: Option<String>,
    /// How hard the model is told to think.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub effort: Option<Effort>,
    /// A directory for the agent's own notes.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub scratchpad_dir: Option<String>,
}

impl Base {
    /// The three facts that every event must have.
    pub fn new(
        session_id: impl Into<SessionId>,
        transcript_path: impl Into<String>,
        cwd: impl Into<String>,
    ) -> Self {
        Self {
            session_id: session_id.into(),
            transcript_path: transcript_path.into(),
            cwd: cwd.into(),
            ..Self::default()
        }
    }

    /// Takes over from `facts` whatever is not set here.
    pub fn fill_from(&mut self, facts: &Self) {
        if self.session_id.is_empty() {
            self.session_id.clone_from(&facts.session_id);
        }
        fill_text(&mut self.transcript_path, &facts.transcript_path);
        fill_text(&mut self.cwd, &facts.cwd);
        fill(&mut self.prompt_id, facts.prompt_id.as_ref());
        fill(&mut self.permission_mode, facts.permission_mode.as_ref());
        fill(&mut self.agent_id, facts.agent_id.as_ref());
        fill(&mut self.agent_type, facts.agent_type.as_ref());
        fill(&mut self.effort, facts.effort.as_ref());
        fill(&mut self.scratchpad_dir, facts.scratchpad_dir.as_ref());
    }

    /// Takes the base's fields out of an event's object. What is missing stays empty: the
    /// runner fills it in.
    pub(crate) fn read(object: &mut Object) -> Result<Self, FieldError> {
        Ok(Self {
            session_id: object.filled("session_id")?,
            transcript_path: object.filled("transcript_path")?,
            cwd: object.filled("cwd")?,
            prompt_id: object.optional("prompt_id")?,
            permission_mode: object.optional("permission_mode")?,
            agent_id: object.optional("agent_id")?,
            agent_type: object.optional("agent_type")?,
            effort: object.optional("effort")?,
            scratchpad_dir: object.optional("scratchpad_dir")?,
        })
    }

    /// Writes the base's fields, save those that the event declares itself.
    pub(crate) fn write<M: SerializeMap>(&self, map: &mut M, own: &[&str]) -> Result<(), M::Error> {
        map.serialize_entry("session_id", &self.session_id)?;
        map.serialize_entry("transcript_path", &self.transcript_path)?;
        map.serialize_entry("cwd", &self.cwd)?;
        let mut entry = Optional { map, own };
        entry.write("prompt_id", self.prompt_id.as_ref())?;
        entry.write("permission_mode", self.permission_mode.as_ref())?;
        entry.write("agent_id", self.agent_id.as_ref())?;
        entry.write("agent_type", self.agent_type.as_ref())?;
        entry.write("effort", self.effort.as_ref())?;
        entry.write("scratchpad_dir", self.scratchpad_dir.as_ref())
    }
}

struct Optional<'a, M> {
    map: &'a mut M,
    own: &'a [&'a str],
}

impl<M: SerializeMap> Optional<'_, M> {
    fn write<T: Serialize>(
        &mut self,
        key: &'static str,
        value: Option<&T>,
    ) -> Result<(), M::Error> {
        match value {
            Some(value) if !self.own.contains(&key) => self.map.serialize_entry(key, value),
            _ => Ok(()),
        }
    }
}

fn fill_text(text: &mut String, fact: &str) {
    if text.is_empty() {
        fact.clone_into(text);
    }
}

fn fill<T: Clone>(slot: &mut Option<T>, fact: Option<&T>) {
    if slot.is_none() {
        *slot = fact.cloned();
    }
}
