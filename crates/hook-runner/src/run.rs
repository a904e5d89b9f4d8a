//! One run of one hook: what is needed to tell what became of it, now or later.

use std::sync::Arc;
use std::time::Duration;

use hook_types::{
    AgentId, Attempt, Code, Decision, Diagnostic, EventName, OnFailure, Reply, Status,
};

use crate::background::{Background, LateAnswer};
use crate::hook::Wait;
use crate::input::Input;
use crate::messages::{Overheard, Progress};
use crate::plan::PlannedHook;

/// One run of one hook. Whoever holds on to it keeps nobody from ending the session.
pub(crate) struct Run {
    pub(crate) event: EventName,
    /// The subagent that the event happened in.
    pub(crate) agent_id: Option<AgentId>,
    /// The event; none where the hook has it to itself.
    pub(crate) input: Option<Arc<Input>>,
    pub(crate) name: Arc<str>,
    pub(crate) planned: PlannedHook,
    /// Set where somebody listens.
    pub(crate) overheard: Option<Overheard>,
    pub(crate) background: Arc<Background>,
}

impl Run {
    /// Where to say what the hook does, while it runs and somebody listens.
    pub(crate) fn progress(&self) -> Option<Progress> {
        self.overheard.as_ref().and_then(Overheard::progress)
    }

    /// What became of a hook whose firing is over.
    pub(crate) fn ended_late(
        &self,
        reply: Reply,
        duration: Duration,
        progress: Option<&Progress>,
    ) -> LateAnswer {
        let Self {
            event,
            name,
            planned,
            ..
        } = self;
        let wakes = planned.hook.hook.wait == Wait::Rewake && reply.evidence.exit_code == Some(2);
        LateAnswer {
            attempt: planned.ended(*event, name, reply, duration, progress),
            agent_id: self.agent_id.clone(),
            wakes,
        }
    }
}

impl PlannedHook {
    /// What became of the hook: told to whoever listens, and its turn given back if it failed.
    pub(crate) fn ended(
        &self,
        event: EventName,
        name: &Arc<str>,
        reply: Reply,
        duration: Duration,
        progress: Option<&Progress>,
    ) -> Attempt {
        let info = Arc::clone(&self.hook.info);
        let mut attempt = Attempt::new(event, Arc::clone(name), info, reply);
        attempt.order = self.hook.order;
        attempt.duration = duration;
        attempt.on_failure = self.on_failure;
        if let Some(progress) = progress {
            progress.ended(&attempt);
        }
        if attempt.reply.status != Status::Background {
            self.settle_turn(&attempt);
        }
        if self.changed {
            attempt.on_failure = OnFailure::Block;
        }
        if self.limit_hit {
            attempt.reply.diagnostics.push(Diagnostic::new(
                Code::MatcherLimit,
                format!(
                    "the matcher `{}` took too many steps; it counts as a match",
                    self.hook.hook.matcher
                ),
            ));
        }
        attempt
    }

    /// A hook that runs once has had its turn when it succeeds; a refusal is none, whether it is
    /// an exit code or an answer.
    fn settle_turn(&self, attempt: &Attempt) {
        let done = attempt.success() && attempt.reply.output.decision != Decision::Deny;
        match &self.turn {
            Some(turn) if done => turn.keep(),
            Some(turn) => turn.give_back(),
            None => {}
        }
    }
}
