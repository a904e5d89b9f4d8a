//! From what a model said, and how it ended, to a reply. Pure.

use hook_types::wire::Extent;
use hook_types::{Code, Diagnostic, EventName, Reply, Status, SyncOutput};

use crate::consequence::{OnBlock, consequence, impossible, may_be_impossible};
use crate::verdict::{Reading, Verdict, read};

/// What a refusal says that says nothing.
const NO_REASON: &str = "it is not ok, and the model that was asked gave no reason";

/// Which words of an answer count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// All, `impossible` among them where the event knows it.
    All,
    /// All but `impossible`.
    NoImpossible,
}

/// How the hook is asked: what its refusal does to the turn, and which words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manner {
    pub(crate) on_block: OnBlock,
    pub(crate) words: Words,
}

/// The reply of a hook whose model has said all it had to say.
pub(crate) fn finished(event: EventName, manner: Manner, said: &str, extent: Extent) -> Reply {
    let Reading {
        verdict,
        diagnostics,
    } = read(event, said, extent);
    let (mut reply, odd) = match verdict {
        Verdict::Ok => (Reply::no_opinion(), Vec::new()),
        Verdict::Unreadable(why) => (Reply::with_status(Status::BadOutput(why)), Vec::new()),
        Verdict::NotOk {
            reason,
            impossible: gives_up,
        } => {
            let (reason, mut odd) = with_reason(reason);
            let heeded = gives_up && manner.words == Words::All && may_be_impossible(event);
            if gives_up && !heeded {
                odd.push(unheeded_impossible(event, manner.words));
            }
            let output = if heeded {
                impossible(event, &reason)
            } else {
                consequence(event, manner.on_block).output(reason)
            };
            (Reply::answer(output), odd)
        }
    };
    reply.diagnostics = diagnostics;
    reply.diagnostics.extend(odd);
    reply
}

/// The reply of a hook whose model did not get to its end: on a guard a refusal counts that can be read,
/// and nothing else.
pub(crate) fn unfinished(event: EventName, status: Status, said: &str) -> Reply {
    let mut reply = Reply::with_status(status);
    if !event.row().guard {
        return reply;
    }
    if let Verdict::NotOk { reason, .. } = read(event, said, Extent::Whole).verdict {
        let (reason, odd) = with_reason(reason);
        reply.output = SyncOutput::deny(reason).into();
        reply.diagnostics = odd;
    }
    reply
}

/// The reply of a hook on an event that does not heed it.
pub(crate) fn unheeded(event: EventName, kind: &str) -> Reply {
    let mut reply = Reply::no_opinion();
    let message = format!(
        "{event} does not heed hooks of type `{kind}`, so no model was asked; use a command there"
    );
    reply.diagnostics = vec![Diagnostic::new(Code::NotHonoured, message)];
    reply
}

fn with_reason(reason: Option<String>) -> (String, Vec<Diagnostic>) {
    if let Some(reason) = reason {
        return (reason, Vec::new());
    }
    let odd = Diagnostic::new(Code::MissingReason, "`ok` is false without a `reason`");
    (NO_REASON.to_owned(), vec![odd.at("reason")])
}

fn unheeded_impossible(event: EventName, words: Words) -> Diagnostic {
    let message = match words {
        Words::All => format!("{event} knows no `impossible`; Stop and SubagentStop do"),
        Words::NoImpossible => "a hook of type `agent` knows no `impossible`".to_owned(),
    };
    Diagnostic::new(Code::NotHonoured, message).at("impossible")
}
