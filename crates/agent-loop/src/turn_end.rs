//! How a turn ends before its model is done: the service fails, a hook stops it, somebody interrupts it.

use hook_types::{
    CompactTrigger, Error, ErrorType, InterruptedDuring, MessageRole, StopFailure, UserInterrupt,
};

use crate::apply::Halt;
use crate::batch::BatchEnd;
use crate::compaction::Compaction;
use crate::conversation::{Block, Role};
use crate::firing::Interrupted;
use crate::model_error::{ModelError, Trouble};
use crate::result::Ending;
use crate::shared::lock;
use crate::thread::{Draft, Thread};
use crate::turn::Phase;

impl Thread {
    /// The service failed: `Stop` is not fired, `StopFailure` is.
    pub(crate) async fn service_failed(&mut self, error: ModelError) -> Result<Phase, Interrupted> {
        self.tell_of_error(&error, error.kind.as_str()).await?;
        self.gave_up(error).await
    }

    async fn tell_of_error(&self, error: &ModelError, details: &str) -> Result<(), Interrupted> {
        let event = Error::new(ErrorType::Model, error.message.clone()).error_details(details);
        self.firing.hear(event).await.map(drop)
    }

    async fn gave_up(&mut self, error: ModelError) -> Result<Phase, Interrupted> {
        if self.subagent.is_none() {
            let event = StopFailure::new(error.kind.clone())
                .error_details(error.message.clone())
                .last_assistant_message(error.to_string());
            self.firing.hear(event).await?;
        }
        Ok(Phase::Over(Ending::Failed(error)))
    }

    /// Whether the conversation does not fit, and something of it can be summarised. Once a turn.
    pub(crate) fn may_make_room(&self, error: &ModelError) -> bool {
        error.trouble == Some(Trouble::ContextTooLong) && !self.made_room && self.messages.len() > 1
    }

    /// Summarises a conversation that the service finds too long, and asks once more. Where that cannot be,
    /// the service has failed.
    pub(crate) async fn make_room(&mut self, error: ModelError) -> Result<Phase, Interrupted> {
        self.made_room = true;
        let details = format!("{}; the conversation is summarised", error.kind);
        self.tell_of_error(&error, &details).await?;
        // In a box, as it is rare: it would make every turn larger.
        match Box::pin(self.compact(CompactTrigger::Auto, None)).await? {
            (Compaction::Done { .. }, None) => Ok(Phase::Ask),
            (Compaction::Done { .. }, Some(halt)) => Ok(Phase::Over(self.halted(&halt))),
            (
                Compaction::Refused(_)
                | Compaction::Failed(_)
                | Compaction::Nothing
                | Compaction::Interrupted,
                _,
            ) => self.gave_up(error).await,
        }
    }

    /// A hook stopped the agent: its reason stays in the conversation. In a subagent it stops everybody,
    /// unless it was about that subagent's own end.
    pub(crate) fn halted(&mut self, halt: &Halt) -> Ending {
        let reason = halt.said().text;
        let own = halt.event == hook_types::EventName::SubagentStop;
        if self.subagent.is_some() && !own {
            self.shared.end_turn(BatchEnd::Halt(halt.clone()));
        }
        self.pending.add([halt.said()]);
        Ending::Halted(reason)
    }

    pub(crate) fn permission_refused(&self, message: String) -> Ending {
        if self.subagent.is_some() {
            self.shared
                .end_turn(BatchEnd::PermissionRefused(message.clone()));
        }
        Ending::PermissionRefused(message)
    }

    /// The turn was interrupted: what has arrived is kept, every call gets a result, and hooks are told,
    /// until the user interrupts that too.
    pub(crate) async fn interrupted(&mut self) -> Ending {
        let (during, tool) = self.firing.interrupted();
        if let Some(interrupt) = &self.interrupt {
            self.firing = self.firing.until(interrupt.next_turn());
        }
        let _ = self.wind_up(during, tool).await;
        Ending::Interrupted
    }

    async fn wind_up(
        &mut self,
        during: InterruptedDuring,
        tool: Option<String>,
    ) -> Result<(), Interrupted> {
        let partial = std::mem::take(&mut *lock(&self.partial));
        let text = Some(partial).filter(|text| !text.is_empty() && self.open.is_empty());
        let text = text.map(Block::text).into_iter().collect();
        // It stays, also where the user ends the hooks that are told of the interruption.
        let told = self.put(Draft::new(MessageRole::Assistant, Role::Assistant, text));
        if self.interrupt.is_some() {
            let mut event = UserInterrupt::new(during);
            event.tool_name = tool;
            self.firing.hear(event).await?;
        }
        self.tell_of(told).await?;
        self.answer_open_calls("The user interrupted this call. It may have run.")
            .await?;
        let note = vec![Block::text("[The user interrupted the turn.]")];
        self.append(Draft::new(MessageRole::System, Role::User, note))
            .await
    }
}
