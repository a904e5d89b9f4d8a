//! Nobody, everybody, a closure.

use std::fmt;

use async_trait::async_trait;

use super::approver::{Approval, Approver, Question};

/// Nobody is there to be asked. The model is told just that, and not that the user refused.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

#[async_trait]
impl Approver for Nobody {
    fn is_present(&self) -> bool {
        false
    }

    async fn ask(&self, question: &Question) -> Approval {
        Approval::deny(nobody_can_answer(question))
    }
}

/// What the model is told where nobody can be asked.
pub(super) fn nobody_can_answer(question: &Question) -> String {
    format!(
        "{} was not run: it needs permission, and nobody is there who could give it ({}). No user has \
         rejected it. Go on without it, or do it in another way",
        question.tool_name, question.reason
    )
}

/// Says yes to everything. For tests, and for agents that cannot do harm.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllowAll;

#[async_trait]
impl Approver for AllowAll {
    async fn ask(&self, _: &Question) -> Approval {
        Approval::allow()
    }
}

/// Asks a closure: see [`approver_fn`].
#[derive(Clone, Copy)]
pub struct ApproverFn<F>(F);

/// Asks a closure.
///
/// ```
/// use agent_loop::permission::{Approval, Question, approver_fn};
///
/// let careful = approver_fn(|question: Question| async move {
///     if question.tool_name == "Bash" { Approval::deny("no commands today") } else { Approval::allow() }
/// });
/// # fn takes(_: impl agent_loop::Approver) {}
/// # takes(careful);
/// ```
pub fn approver_fn<F, A>(ask: F) -> ApproverFn<F>
where
    F: Fn(Question) -> A + Send + Sync + 'static,
    A: Future<Output = Approval> + Send,
{
    ApproverFn(ask)
}

#[async_trait]
impl<F, A> Approver for ApproverFn<F>
where
    F: Fn(Question) -> A + Send + Sync + 'static,
    A: Future<Output = Approval> + Send,
{
    async fn ask(&self, question: &Question) -> Approval {
        (self.0)(question.clone()).await
    }
}

impl<F> fmt::Debug for ApproverFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApproverFn").finish_non_exhaustive()
    }
}
