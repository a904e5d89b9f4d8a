//! What hooks said of a call.

use hook_runner::Fired;
use hook_types::{Attempt, Decision, Outcome};
use serde_json::Value;

/// What hooks have said of a call: `PreToolUse`, and `PermissionCheck` where it was stronger.
///
/// ```
/// use agent_loop::permission::{HookOpinion, Rewrite};
/// use hook_runner::{Fire, HookSet, Runner};
/// use hook_types::{Decision, Event, PreToolUse};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let hooks = HookSet::builder()
///     .on("Bash", |_: PreToolUse| PreToolUse::allow().rewriting(json!({"command": "ls"})))
///     .build()?;
/// let fired = Runner::new(hooks).fire(PreToolUse::new("Bash", json!({"command": "rm"}))).await;
/// let opinion = HookOpinion::of(&fired.into_fired());
/// assert_eq!((opinion.decision, opinion.rewrite), (Decision::Allow, Rewrite::WithAllow));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOpinion {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
    /// Whether the input that is judged is still the one that the decision was about.
    pub rewrite: Rewrite,
}

/// Whether hooks rewrote the input, and what their allow is worth then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rewrite {
    /// It is as it was.
    #[default]
    None,
    /// The hook that rewrote it allowed it along with that: the allow is for the new input.
    WithAllow,
    /// Whoever allowed it, if anybody did, was not the one who rewrote it: nobody allowed the new input.
    Apart,
}

impl HookOpinion {
    /// A decision about the input as it is.
    pub fn new(decision: Decision, reason: Option<&str>) -> Self {
        Self {
            decision,
            reason: reason.map(str::to_owned),
            rewrite: Rewrite::None,
        }
    }

    /// What the hooks of a firing said.
    pub fn of(fired: &Fired) -> Self {
        let outcome = &fired.outcome;
        Self {
            decision: outcome.decision,
            reason: outcome.reason.clone(),
            rewrite: match &outcome.updated_input {
                None => Rewrite::None,
                Some(input) if allowed_together(&fired.attempts, input) => Rewrite::WithAllow,
                Some(_) => Rewrite::Apart,
            },
        }
    }

    /// Joined by what `PermissionCheck` hooks said: they can make it stricter, and nothing else.
    #[must_use]
    pub(super) fn and_check(mut self, check: &Outcome) -> Self {
        if check.decision < Decision::Ask || check.decision < self.decision {
            return self;
        }
        let also = (check.decision == self.decision).then(|| self.reason.take());
        let reasons = [also.flatten(), check.reason.clone()];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        self.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
        self.decision = check.decision;
        self
    }

    /// Whether a hook allowed the input that is judged.
    pub(super) fn allows(&self) -> bool {
        self.decision == Decision::Allow && self.rewrite != Rewrite::Apart
    }

    /// Whether a hook wants somebody asked; a call that cannot be put off is asked about.
    pub(super) fn asks(&self) -> bool {
        matches!(self.decision, Decision::Ask | Decision::Defer)
    }
}

fn allowed_together(attempts: &[Attempt], input: &Value) -> bool {
    attempts.iter().any(|attempt| {
        let output = &attempt.reply.output;
        attempt.success()
            && output.decision == Decision::Allow
            && output.updated_input.as_ref() == Some(input)
    })
}
