//! `PreToolUse`, `PostToolUse`, `PostToolUseFailure` and `PostToolBatch`.

use hook_types::Decision;
use serde_json::Value;

use super::{Halt, Heard};
use crate::permission::HookOpinion;
use crate::said::{Manner, Said};

/// What becomes of a call before permission is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BeforeCall {
    /// Permission is asked for, in the light of what hooks said. A call that they put off is settled there
    /// as well.
    Judge {
        opinion: HookOpinion,
        /// Another input, all of it.
        input: Option<Value>,
        /// To stand next to the result, whatever that is.
        said: Vec<Said>,
    },
    /// It does not run; the model is told why.
    Refuse { reason: Said, said: Vec<Said> },
    /// It does not run, and the agent stops.
    Halt(Halt),
}

pub(crate) fn before_call(heard: &Heard) -> BeforeCall {
    if let Some(halt) = heard.halt() {
        return BeforeCall::Halt(halt);
    }
    let said = heard.context(Manner::Adds);
    let judge = |input, said| BeforeCall::Judge {
        opinion: HookOpinion::of(heard),
        input,
        said,
    };
    match heard.outcome.decision {
        Decision::Deny => BeforeCall::Refuse {
            reason: heard.reason(Manner::Refuses),
            said,
        },
        // Whoever puts a call off says nothing else.
        Decision::Defer => judge(None, Vec::new()),
        Decision::Pass | Decision::Allow | Decision::Ask => {
            judge(heard.outcome.updated_input.clone(), said)
        }
    }
}

/// What becomes of a call's result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AfterCall {
    /// Another result for the model to see.
    pub(crate) output: Option<Value>,
    /// To stand next to the result.
    pub(crate) said: Vec<Said>,
    /// For whoever decides in the user's place.
    pub(crate) note: Option<String>,
    /// The agent stops after this.
    pub(crate) halt: Option<Halt>,
}

/// For a call that succeeded, and for one that failed.
pub(crate) fn after_call(heard: &Heard) -> AfterCall {
    let mut said = Vec::new();
    if heard.outcome.decision == Decision::Deny {
        said.push(heard.reason(Manner::Objects));
    }
    said.extend(heard.context(Manner::Adds));
    AfterCall {
        output: heard.outcome.updated_output.clone(),
        said,
        note: heard.outcome.specific.classifier_context.clone(),
        halt: heard.halt(),
    }
}

/// What follows when all calls of a reply are done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AfterBatch {
    /// The model is asked again, and told this.
    GoOn(Vec<Said>),
    /// The turn ends; the words stay in the conversation.
    EndTurn { reason: Said, said: Vec<Said> },
    /// The agent stops.
    Halt(Halt),
}

pub(crate) fn after_batch(heard: &Heard) -> AfterBatch {
    if let Some(halt) = heard.halt() {
        return AfterBatch::Halt(halt);
    }
    let said = heard.context(Manner::Adds);
    if heard.outcome.is_denied() {
        return AfterBatch::EndTurn {
            reason: heard.reason(Manner::Stops),
            said,
        };
    }
    AfterBatch::GoOn(said)
}

#[cfg(test)]
mod tests {
    use hook_runner::Fired;
    use hook_types::EventName;
    use serde_json::json;

    use super::*;

    #[test]
    fn whoever_puts_a_call_off_does_not_rewrite_it() {
        let mut fired = Fired::nothing(EventName::PreToolUse);
        fired.outcome.decision = Decision::Defer;
        fired.outcome.updated_input = Some(json!({"command": "ls"}));
        let BeforeCall::Judge { opinion, input, .. } = before_call(&Heard(fired)) else {
            panic!("it is judged");
        };
        assert_eq!((opinion.decision, input), (Decision::Defer, None));
    }
}
