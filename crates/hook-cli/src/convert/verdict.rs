//! What two firings are compared by.

use hook_config::Rewrites;
use hook_runner::Fired;
use hook_types::{Decision, Outcome, Status};
use serde_json::{Value, json};

/// Where two verdicts differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) field: &'static str,
    pub(crate) source: Value,
    pub(crate) result: Value,
}

/// A part of an outcome, and how to take it out.
type Field = (&'static str, fn(&Outcome) -> Value);

/// Where two outcomes of one event differ. After a refusal nothing else of it is compared: who is told
/// what beside it depends on the order.
pub(crate) fn differences(
    source: &Outcome,
    result: &Outcome,
    rewrites: Rewrites,
) -> Vec<Difference> {
    let rewritten = source.updated_input.is_some() || source.updated_output.is_some();
    let refused = |outcome: &Outcome| outcome.decision == Decision::Deny;
    if rewrites == Rewrites::Blocked && rewritten && refused(result) {
        return Vec::new(); // as it was asked for
    }
    let mut fields: Vec<Field> = vec![
        ("decision", |outcome| json!(outcome.decision_word())),
        ("continue", |outcome| json!(outcome.stop.is_none())),
    ];
    if !(refused(source) && refused(result)) {
        fields.extend::<[Field; 5]>([
            ("updatedInput", |outcome| json!(outcome.updated_input)),
            ("updatedToolOutput", |outcome| json!(outcome.updated_output)),
            ("additionalContext", |outcome| {
                texts(&outcome.additional_context)
            }),
            ("systemMessage", |outcome| texts(&outcome.system_messages)),
            ("keeps going", |outcome| json!(outcome.keeps_going())),
        ]);
    }
    let differs = fields.into_iter().filter_map(|(field, of)| {
        let (source, result) = (of(source), of(result));
        (source != result).then_some(Difference {
            field,
            source,
            result,
        })
    });
    differs.collect()
}

fn texts(notes: &[hook_types::outcome::Note]) -> Value {
    notes.iter().map(|note| note.text.trim()).collect()
}

/// How a hook failed, where nothing was seen of what it does: it could not be started, or ran longer
/// than it may here.
pub(crate) fn unseen(fired: &Fired) -> Option<String> {
    let mut attempts = fired.attempts.iter();
    let not_found = |code: Option<i32>| matches!(code, Some(126 | 127));
    let unseen = attempts.find(|attempt| {
        let reply = &attempt.reply;
        matches!(reply.status, Status::LaunchFailed(_)) || not_found(reply.evidence.exit_code)
    });
    unseen.map(|attempt| attempt.reply.status.to_string())
}

#[cfg(test)]
mod tests {
    use hook_types::EventName;

    use super::*;

    fn outcome(change: impl FnOnce(&mut Outcome)) -> Outcome {
        let mut outcome = Outcome::none(EventName::PreToolUse);
        change(&mut outcome);
        outcome
    }

    #[test]
    fn a_lost_deny_a_lost_rewrite_and_lost_context_are_differences() {
        let pass = outcome(|_| {});
        let deny = outcome(|outcome| outcome.decision = Decision::Deny);
        let rewrite = outcome(|outcome| outcome.updated_input = Some(json!({"command": "ls"})));
        let context = outcome(|outcome| {
            outcome.additional_context = vec![hook_types::outcome::Note {
                hook: "a".into(),
                text: "mind the gap".to_owned(),
            }];
        });
        for (source, field) in [
            (&deny, "decision"),
            (&rewrite, "updatedInput"),
            (&context, "additionalContext"),
        ] {
            let found = differences(source, &pass, Rewrites::Answered);
            assert_eq!(found.len(), 1, "{field}");
            assert_eq!(found[0].field, field);
            assert!(differences(source, source, Rewrites::Answered).is_empty());
        }
    }

    #[test]
    fn who_spoke_and_what_was_said_beside_a_refusal_does_not_matter() {
        let note = |hook: &str| hook_types::outcome::Note {
            hook: hook.into(),
            text: "x".to_owned(),
        };
        let of = |hook: &str| outcome(|outcome| outcome.additional_context = vec![note(hook)]);
        assert!(differences(&of("a"), &of("b"), Rewrites::Answered).is_empty());
        let deny = |context: bool| {
            outcome(|outcome| {
                outcome.decision = Decision::Deny;
                outcome.additional_context = if context { vec![note("a")] } else { Vec::new() };
            })
        };
        assert!(differences(&deny(true), &deny(false), Rewrites::Answered).is_empty());
    }
}
