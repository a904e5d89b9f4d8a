//! The event stream: what every hook did, for anyone who listens.
//!
//! `hook_started`, `hook_progress` and `hook_response` have the fields of the published SDK's
//! types; `hook_verdict` is ours. Messages are written and read by anyone, and never read back by
//! the engine.

use serde::{Deserialize, Serialize};

use crate::attempt::Attempt;
use crate::event::EventName;
use crate::id::{HookId, MessageId, RunId, SessionId, ToolUseId};
use crate::open_enum::open_enum;
use crate::outcome::{Cause, Outcome};
use crate::status::Status;

open_enum! {
    /// How a hook's run ended, in the stream's three words.
    RunOutcome {
        /// It ran: it answered, had no opinion, or blocked.
        Success = "success",
        /// It failed.
        Error = "error",
        /// It took too long, or was cancelled.
        Cancelled = "cancelled",
    }
}

impl RunOutcome {
    /// The stream's word for a status; nothing for a hook that was not run or is still running.
    pub fn of(status: &Status) -> Option<Self> {
        match status {
            Status::Answered | Status::NoOpinion | Status::Blocked { .. } => Some(Self::Success),
            Status::TimedOut { .. } | Status::Cancelled => Some(Self::Cancelled),
            Status::LaunchFailed(_)
            | Status::Crashed { .. }
            | Status::Failed(_)
            | Status::BadOutput(_) => Some(Self::Error),
            Status::Background | Status::Skipped(_) => None,
        }
    }
}

/// Every message is of the type `system`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    #[default]
    System,
}

/// Which run of a hook a message is about. One `hook_id` ties its messages together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    r#type: Type,
    /// The message.
    pub uuid: MessageId,
    /// The session.
    pub session_id: SessionId,
    /// The run of the hook.
    pub hook_id: RunId,
    /// The event and its subject: `PreToolUse:Bash`.
    pub hook_name: String,
    /// The event.
    pub hook_event: String,
    /// The hook as it is registered, for readers in the same process. Not on the wire: the published types
    /// have no such field.
    #[serde(skip)]
    pub registered: Option<HookId>,
}

impl Envelope {
    /// Which hook a message is about.
    pub fn new(
        uuid: impl Into<MessageId>,
        session_id: impl Into<SessionId>,
        hook_id: impl Into<RunId>,
        hook_name: impl Into<String>,
        hook_event: EventName,
    ) -> Self {
        Self {
            r#type: Type::System,
            uuid: uuid.into(),
            session_id: session_id.into(),
            hook_id: hook_id.into(),
            hook_name: hook_name.into(),
            hook_event: hook_event.as_str().to_owned(),
            registered: None,
        }
    }

    /// Says which registered hook it is.
    #[must_use]
    pub fn of(mut self, hook: HookId) -> Self {
        self.registered = Some(hook);
        self
    }
}

/// A hook has started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookStarted {
    /// Which hook.
    #[serde(flatten)]
    pub hook: Envelope,
}

/// A hook has printed something and still runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookProgress {
    /// Which hook.
    #[serde(flatten)]
    pub hook: Envelope,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// Both.
    pub output: String,
}

/// A hook is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookResponse {
    /// Which hook.
    #[serde(flatten)]
    pub hook: Envelope,
    /// What it printed, in both ways.
    pub output: String,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// Its exit code, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What else is known of the run, by name, for readers in the same process. Not on the wire, as above.
    #[serde(skip)]
    pub facts: Vec<(String, String)>,
}

/// What a firing amounted to, and who decided. Ours: the published types have no such message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookVerdict {
    r#type: Type,
    /// The message.
    pub uuid: MessageId,
    /// The session.
    pub session_id: SessionId,
    /// The event.
    pub hook_event: String,
    /// The event and its subject.
    pub hook_name: String,
    /// `deny`, `defer`, `ask`, `allow`, `block`, or nothing.
    pub decision: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The hook that decided.
    pub decided_by: Option<HookId>,
    /// Why that hook's word counts.
    pub cause: Option<Cause>,
    /// Whether the agent may go on.
    pub r#continue: bool,
    /// What the user is told where it may not.
    pub stop_reason: Option<String>,
    /// How many hooks ran.
    pub hooks: usize,
    /// Which runs of which hooks it was made of, in the order in which they were merged. Only what was
    /// announced: nobody can tell of a run that began before anybody listened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<VerdictRun>,
    /// The tool call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<ToolUseId>,
}

/// One run that a verdict was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictRun {
    /// The run, as its own messages name it.
    pub hook_id: RunId,
    /// The hook, as it is registered.
    pub hook: HookId,
    /// How it ended, in the word of its status; `background` where it goes on.
    pub status: String,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What was ignored of its answer, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<String>,
}

impl VerdictRun {
    /// What became of a run.
    pub fn new(hook_id: impl Into<RunId>, attempt: &Attempt) -> Self {
        let diagnostics = attempt.reply.diagnostics.iter();
        Self {
            hook_id: hook_id.into(),
            hook: attempt.hook.id.clone(),
            status: attempt.reply.status.word().to_owned(),
            duration_us: u64::try_from(attempt.duration.as_micros()).unwrap_or(u64::MAX),
            diagnostics: diagnostics.map(ToString::to_string).collect(),
        }
    }
}

impl HookVerdict {
    /// The verdict that an outcome is.
    pub fn new(
        uuid: impl Into<MessageId>,
        session_id: impl Into<SessionId>,
        hook_name: impl Into<String>,
        outcome: &Outcome,
        hooks: usize,
    ) -> Self {
        let decider = outcome.decided_by.as_ref();
        let stop = outcome.stop.as_ref();
        Self {
            r#type: Type::System,
            uuid: uuid.into(),
            session_id: session_id.into(),
            hook_event: outcome.event.as_str().to_owned(),
            hook_name: hook_name.into(),
            decision: outcome.decision_word().map(str::to_owned),
            reason: outcome.reason.clone(),
            decided_by: decider.map(|decider| decider.hook.clone()),
            cause: decider.map(|decider| decider.cause.clone()),
            r#continue: stop.is_none(),
            stop_reason: stop.and_then(|stop| stop.reason.clone()),
            hooks,
            runs: Vec::new(),
            tool_use_id: None,
        }
    }

    /// Says which runs it was made of.
    #[must_use]
    pub fn of_runs(mut self, runs: Vec<VerdictRun>) -> Self {
        self.runs = runs;
        self
    }

    /// Says which tool call it is about.
    #[must_use]
    pub fn about(mut self, call: Option<ToolUseId>) -> Self {
        self.tool_use_id = call;
        self
    }
}

/// One message of the stream.
///
/// ```
/// use hook_types::EventName;
/// use hook_types::message::{Envelope, HookStarted, Message};
/// use serde_json::json;
///
/// let hook = Envelope::new("m-1", "s-1", "h-1", "PreToolUse:Bash", EventName::PreToolUse).of("guard".into());
/// assert_eq!(
///     serde_json::to_value(Message::Started(HookStarted { hook }))?,
///     json!({"type": "system", "subtype": "hook_started", "uuid": "m-1", "session_id": "s-1",
///            "hook_id": "h-1", "hook_name": "PreToolUse:Bash", "hook_event": "PreToolUse"}),
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "subtype")]
#[non_exhaustive]
pub enum Message {
    /// A hook has started.
    #[serde(rename = "hook_started")]
    Started(HookStarted),
    /// A hook has printed something and still runs.
    #[serde(rename = "hook_progress")]
    Progress(HookProgress),
    /// A hook is done.
    #[serde(rename = "hook_response")]
    Response(HookResponse),
    /// What a firing amounted to.
    #[serde(rename = "hook_verdict")]
    Verdict(HookVerdict),
}

impl Message {
    /// The event that the message is about, where this version knows it.
    pub fn event(&self) -> Option<EventName> {
        let name = match self {
            Self::Started(HookStarted { hook })
            | Self::Progress(HookProgress { hook, .. })
            | Self::Response(HookResponse { hook, .. }) => &hook.hook_event,
            Self::Verdict(verdict) => &verdict.hook_event,
        };
        name.parse().ok()
    }
}
