//! Where every event fires in this agent, and what each part of an answer does there. `docs/events.md` is
//! this table; a test holds it against what the engine honours.

use hook_types::{Effect, EventName, Field};

/// One event in this agent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EventGuide {
    /// The event.
    pub event: EventName,
    /// Where it fires.
    pub fires: &'static str,
    /// What each part of an answer does.
    pub answers: &'static [(Part, &'static str)],
}

/// One part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// A refusal, an objection, a wish to go on: whatever a block is for the event.
    Block,
    /// A field.
    Field(Field),
}

impl Part {
    /// The parts that the engine honours for an event, the block first.
    pub fn honoured(event: EventName) -> Vec<Self> {
        let row = event.row();
        let block = (row.effect != Effect::Ignore).then_some(Self::Block);
        let fields = row.honours.iter().map(Self::Field);
        block.into_iter().chain(fields).collect()
    }

    /// The part in a word.
    pub fn word(self, event: EventName) -> &'static str {
        match self {
            Self::Block => event.row().block_word(),
            Self::Field(Field::Allow) => "allow",
            Self::Field(Field::Ask) => "ask",
            Self::Field(Field::Defer) => "defer",
            Self::Field(field) => field.key(),
        }
    }
}

macro_rules! guide {
    ($( $event:ident: $fires:literal { $( $part:ident $(.$field:ident)? : $does:literal ),* $(,)? } )*) => {
        &[$( EventGuide {
            event: EventName::$event,
            fires: $fires,
            answers: &[$( (guide!(@ $part $(.$field)?), $does) ),*],
        } ),*]
    };
    (@ block) => { Part::Block };
    (@ field.$field:ident) => { Part::Field(Field::$field) };
}

/// Every event, in the engine's order.
pub static EVENTS: &[EventGuide] = guide! {
    PreToolUse: "A tool is known, its input fits the schema, and nobody has been asked for permission yet" {
        block: "The tool does not run; the model gets the reason as the call's error",
        field.Allow: "Nobody is asked; a deny or ask rule is stronger",
        field.Ask: "Somebody is asked, whatever the mode and the rules allow; where nobody can be, the call is refused",
        field.Defer: "The turn ends with the call open, if it is the only one and nobody can be asked; else somebody is asked",
        field.UpdatedInput: "The tool runs with this input, once it fits the schema and the rules have judged it",
        field.AdditionalContext: "Stands next to the call's result, also when the tool fails or is refused",
        field.Continue: "The tool does not run, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    PostToolUse: "A tool has run, and what it asked for has been done" {
        block: "The model gets the reason next to the result, which it still sees",
        field.AdditionalContext: "Stands next to the result",
        field.UpdatedToolOutput: "The model sees this result, if the tool can have such a one; else a warning",
        field.ClassifierContext: "Whoever is asked for permission next gets it as a note",
        field.Continue: "The turn ends after this call; the calls behind it do not run",
        field.SystemMessage: "The user is told",
    }
    PostToolUseFailure: "A tool was started and failed; not when it was refused or interrupted" {
        block: "The model gets the reason next to the error",
        field.AdditionalContext: "Stands next to the error",
        field.Continue: "The turn ends after this call; the calls behind it do not run",
        field.SystemMessage: "The user is told",
    }
    PostToolBatch: "All calls of one reply are over, before the model is asked again" {
        block: "The turn ends; the reason stays in the conversation",
        field.AdditionalContext: "Stands behind all results",
        field.Continue: "The turn ends",
        field.SystemMessage: "The user is told",
    }
    Notification: "A question has been waiting for an answer (`Limits::notify_after`); or the host says so" {
        field.AdditionalContext: "Goes to the model with the next request",
    }
    UserPromptSubmit: "A prompt comes in, from the user, a hook that wakes the agent, or `SessionStart`" {
        block: "The model never sees the prompt; the user gets the reason",
        field.AdditionalContext: "Stands behind the prompt",
        field.SessionTitle: "The session gets the title",
        field.SuppressOriginalPrompt: "The message about a refused prompt does not repeat it",
        field.Continue: "The turn ends; the model never sees the prompt",
        field.SystemMessage: "The user is told",
    }
    UserPromptExpansion: "The host is about to expand a command" {
        block: "The host is told not to, and why",
        field.AdditionalContext: "Goes to the model with the next request",
        field.SuppressOriginalPrompt: "The message about a refused command does not repeat it",
        field.Continue: "The host is told to stop, and why",
        field.SystemMessage: "The user is told",
    }
    SessionStart: "A session starts, is resumed or cleared, or its conversation was summarised" {
        field.AdditionalContext: "Stands in the system prompt of every request from now on, once",
        field.InitialUserMessage: "Is said in a turn of its own before the first prompt",
        field.SessionTitle: "The session gets the title",
        field.WatchPaths: "The host is told to watch these files",
        field.ReloadSkills: "The host is told to read the skills again",
        field.Continue: "No turn of this session runs",
        field.SystemMessage: "The user is told",
    }
    SessionEnd: "A session ends, on every way out; or its conversation is cleared" {}
    Stop: "The model is done: its reply has no tool calls" {
        block: "The model is asked again, with the reason; 8 times in a row without a tool call, then it stops",
        field.AdditionalContext: "As a block, with the context for a reason",
        field.Continue: "The agent stops, whatever other hooks want",
        field.SystemMessage: "The user is told; from a closure that says to go on, the model instead, once",
    }
    StopFailure: "The model's service failed, in place of `Stop`" {}
    SubagentStart: "A subagent is about to get its task" {
        field.AdditionalContext: "Stands in the subagent's system prompt",
        field.Continue: "The subagent does not run; the call fails with the reason",
        field.SystemMessage: "The user is told",
    }
    SubagentStop: "A subagent is done" {
        block: "The subagent's model is asked again, with the reason; the same limit as for `Stop`",
        field.AdditionalContext: "As a block, with the context for a reason",
        field.Continue: "The subagent stops, whatever other hooks want; its parent goes on",
        field.SystemMessage: "The user is told",
    }
    PreCompact: "The conversation has grown beyond its limit, or the host wants it summarised" {
        block: "It is not summarised, and not asked about again until it has grown by a tenth",
    }
    PostCompact: "The summary has taken the conversation's place" {}
    PreModelSwitch: "The host wants another model" {
        block: "The model stays; the host gets the reason",
        field.Allow: "It is used without further questions",
        field.Ask: "Somebody is asked; where nobody can be, the model stays",
        field.Continue: "The model stays; the host gets the reason",
        field.SystemMessage: "The user is told",
    }
    PostModelSwitch: "Another model is in use" {
        field.AdditionalContext: "Goes to the new model with its first request; only the last switch counts",
    }
    PermissionRequest: "Somebody is about to be asked, or a call that cannot ask is about to be refused" {
        block: "The tool does not run; the model gets the reason",
        field.Allow: "The tool runs; nobody is asked",
        field.UpdatedInput: "The tool runs with this input, once it fits the schema and the rules have judged it",
        field.UpdatedPermissions: "The rules and the mode change for the rest of the session",
        field.Interrupt: "With a refusal: the turn ends",
        field.Continue: "The tool does not run, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    PermissionDenied: "A call was refused by a rule, by the mode, or because nobody can be asked" {
        field.Retry: "The model is told that it may try again",
        field.Continue: "The turn ends",
        field.SystemMessage: "The user is told",
    }
    Setup: "The host asks for it when it starts a session, before `SessionStart`" {}
    TeammateIdle: "The host's teammate has nothing left to do" {
        block: "The teammate goes on, and is told the reason",
        field.Continue: "The teammate stops for good",
        field.SystemMessage: "The user is told",
    }
    TaskCreated: "`TaskCreate` has made a task, before it is on the list" {
        block: "The task is not on the list; the call fails with the reason",
        field.SystemMessage: "The user is told",
    }
    TaskCompleted: "`TaskUpdate` calls a task completed, before the list says so; or the host's teammate ends a turn with one in progress" {
        block: "The task stays as it was; the call fails with the reason, or the teammate goes on",
        field.Continue: "The teammate stops for good; ignored where a tool made the change",
        field.SystemMessage: "The user is told",
    }
    Elicitation: "An MCP server asks the user something; the host says so" {
        block: "The question is refused",
        field.Action: "The question is answered in the user's place",
    }
    ElicitationResult: "The user has answered an MCP server; the host says so" {
        block: "The server is told that the user declined",
        field.Action: "The server gets this answer instead",
    }
    ConfigChange: "A file of settings changed; the host says so" {
        block: "The change does not take effect; settings of a policy always do",
    }
    WorktreeCreate: "The host needs a worktree" {
        block: "There is none, and the host gets the reason; so does any failure",
        field.WorktreePath: "The worktree is there",
    }
    WorktreeRemove: "The host no longer needs a worktree that a hook made" {
        block: "The removal has failed",
    }
    InstructionsLoaded: "A file of instructions was read, at the start and after a summary" {}
    CwdChanged: "A command of the main agent has changed the working directory" {
        field.WatchPaths: "The host is told to watch these files, in place of others",
        field.SystemMessage: "The user is told",
    }
    FileChanged: "A watched file changed; the host says so" {
        field.WatchPaths: "The host is told to watch these files, in place of others",
        field.SystemMessage: "The user is told",
    }
    DirectoryAdded: "The agent may work in one more directory; the host says so" {
        field.SystemMessage: "Goes to the model with the next request, where the user added the directory",
    }
    MessageDisplay: "The host is about to show text of the model's" {
        field.DisplayContent: "Is shown instead; the conversation keeps the original",
    }
    Error: "A request failed (also one that is sent again), a tool panicked, a summary or a file of instructions could not be had; or the host says so" {
        field.SystemMessage: "The user is told",
    }
    PreModelRequest: "A request is complete, also one for a summary, before it is sent" {
        block: "It is not sent, and the turn ends; the reason stays in the conversation",
        field.LlmRequest: "This is sent instead; what it leaves out stays. One that cannot be read is not sent",
        field.LlmResponse: "This is the reply; the model is not asked",
        field.AdditionalContext: "Stands at the end of the request, and stays in the conversation",
        field.Continue: "It is not sent, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    PostModelResponse: "A reply is complete, before it joins the conversation" {
        field.LlmResponse: "This is the reply",
        field.Continue: "The reply is kept, its tool calls do not run, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    ModelStreamStart: "The first piece of a reply has arrived" {
        field.SystemMessage: "The user is told",
    }
    ModelStreamEnd: "The last piece of a reply has arrived" {
        field.SystemMessage: "The user is told",
    }
    PreToolSelection: "A request is about to tell the model of its tools, before `PreModelRequest`" {
        block: "The model is not asked, and the turn ends; the reason stays in the conversation",
        field.ToolConfig: "The model is told of these tools only, and no other one runs; `NONE`: of none",
        field.Continue: "The model is not asked, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    SessionMessage: "A message has joined the conversation, after it is in the transcript" {
        field.SystemMessage: "The user is told",
    }
    PermissionCheck: "The rules are about to judge a call, after `PreToolUse`" {
        block: "The tool does not run; the model gets the reason",
        field.Ask: "Somebody is asked, whatever the mode and the rules allow",
        field.Continue: "The tool does not run, and the turn ends",
        field.SystemMessage: "The user is told",
    }
    PermissionGranted: "A call was let through, before it runs" {
        field.SystemMessage: "The user is told",
    }
    UserInterrupt: "The turn was interrupted, and everything in it has ended" {
        field.SystemMessage: "The user is told",
    }
};

/// The table as `docs/events.md` has it.
pub fn markdown() -> String {
    let head = "| event | fires when | part of an answer | what it does |\n|---|---|---|---|\n";
    let rows = EVENTS.iter().flat_map(rows);
    std::iter::once(head.to_owned()).chain(rows).collect()
}

/// An event's rows: one for each part, the event's name in the first.
fn rows(guide: &EventGuide) -> Vec<String> {
    let EventGuide { event, fires, .. } = guide;
    if guide.answers.is_empty() {
        return vec![format!("| `{event}` | {fires} | | |\n")];
    }
    let row = |(place, (part, does)): (usize, &(Part, &str))| {
        let part = part.word(*event);
        match place {
            0 => format!("| `{event}` | {fires} | `{part}` | {does} |\n"),
            _ => format!("| | | `{part}` | {does} |\n"),
        }
    };
    guide.answers.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_stands_in_the_table_with_everything_that_it_honours() {
        let events: Vec<EventName> = EVENTS.iter().map(|guide| guide.event).collect();
        assert_eq!(events, EventName::ALL);
        for guide in EVENTS {
            let mut parts: Vec<Part> = guide.answers.iter().map(|(part, _)| *part).collect();
            let mut honoured = Part::honoured(guide.event);
            parts.sort_unstable();
            honoured.sort_unstable();
            assert_eq!(parts, honoured, "{}", guide.event);
        }
    }
}
