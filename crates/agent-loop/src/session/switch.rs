//! Another model in the middle of a session.

use std::sync::Arc;

use hook_types::{Number, PostModelSwitch, PreModelSwitch, SwitchSource, ToolUseId};
use serde_json::json;

use super::Session;
use crate::apply::model::{SwitchStep, switch, switched};
use crate::event::AgentEventKind;
use crate::firing::Interrupted;
use crate::model::Model;
use crate::permission::{Approval, Approver, Question};
use crate::reception::Reception;
use crate::shared::lock;

/// Another model is not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model stays as it is: {0}")]
pub struct SwitchRefused(String);

impl From<Interrupted> for SwitchRefused {
    fn from(interrupted: Interrupted) -> Self {
        Self(interrupted.to_string())
    }
}

impl Session {
    /// Uses another model from now on, if hooks let it. `requested` is what the user typed.
    pub async fn switch_model(
        &mut self,
        model: Arc<dyn Model>,
        source: SwitchSource,
        requested: Option<&str>,
    ) -> Result<(), SwitchRefused> {
        let until = self.interrupt.next_turn();
        self.thread.firing = self.thread.firing.until(until);
        let from = self.thread.model.name().to_owned();
        let to = model.name().to_owned();
        let requested = requested.map(str::to_owned);
        let tokens = Number::from(self.thread.size());
        let event = PreModelSwitch::new(from.clone(), to.clone(), source.clone())
            .requested_model(requested.clone())
            .context_tokens(tokens.clone());
        match switch(&self.thread.firing.hear(event).await?) {
            SwitchStep::Switch => {}
            SwitchStep::Refuse { reason } => return Err(SwitchRefused(reason)),
            SwitchStep::Ask { reason } => self.ask_to_switch(&from, &to, reason).await?,
        }
        self.thread.model = Arc::clone(&model);
        *lock(&self.shared.model) = model;
        self.shared
            .hooks
            .session_changed(&mut |session| session.model = Some(to.clone()));
        self.thread.firing.tell(AgentEventKind::ModelSwitched {
            from: from.clone(),
            to: to.clone(),
        });
        let event = PostModelSwitch::new(from, to, source)
            .requested_model(requested)
            .context_tokens(tokens);
        // The model is in use by now, whoever interrupts the hooks that are told.
        let heard = self.thread.firing.hear(event).await;
        let said = heard.map(|heard| switched(&heard)).unwrap_or_default();
        // Only what was said of the last switch counts.
        self.thread
            .pending
            .forget(hook_types::EventName::PostModelSwitch);
        self.thread.pending.add(said);
        Ok(())
    }

    /// Asks the user; where nobody can be asked, that is a no.
    async fn ask_to_switch(
        &self,
        from: &str,
        to: &str,
        reason: String,
    ) -> Result<(), SwitchRefused> {
        let thread = &self.thread;
        let reception = Reception::new(&self.shared, &thread.firing, &thread.pending);
        if !reception.is_present() {
            return Err(SwitchRefused(reason));
        }
        let question = Question {
            notes: Vec::new(),
            tool_name: "ModelSwitch".to_owned(),
            tool_input: json!({"from_model": from, "to_model": to}),
            tool_use_id: ToolUseId::default(),
            agent_id: None,
            reason,
            suggestions: Vec::new(),
            mcp_server: None,
        };
        let answer = tokio::select! {
            biased;
            () = thread.firing.cancellation().cancelled() => return Err(Interrupted.into()),
            answer = reception.ask(&question) => answer,
        };
        match answer {
            Approval::Allow { .. } => Ok(()),
            Approval::Deny { message, .. } => Err(SwitchRefused(
                message.unwrap_or_else(|| "the user refused".to_owned()),
            )),
        }
    }
}
