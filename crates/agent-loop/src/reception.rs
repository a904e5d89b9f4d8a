//! Around whoever answers for the user: watchers are told of the question, and the user is notified of
//! one that stays unanswered.

use std::sync::Arc;

use async_trait::async_trait;
use hook_types::{InterruptedDuring, Notification, NotificationType};

use crate::apply::host::notification;
use crate::event::AgentEventKind;
use crate::firing::Firing;
use crate::pending::Pending;
use crate::permission::{Approval, Approver, Question};
use crate::shared::Shared;

/// Stands between the loop and the approver.
pub(crate) struct Reception {
    shared: Arc<Shared>,
    firing: Firing,
    pending: Pending,
}

impl Reception {
    pub(crate) fn new(shared: &Arc<Shared>, firing: &Firing, pending: &Pending) -> Self {
        Self {
            shared: Arc::clone(shared),
            firing: firing.clone(),
            pending: pending.clone(),
        }
    }

    /// Notifies the user once a question has been waiting.
    async fn notify(&self, question: &Question) {
        tokio::time::sleep(self.shared.parts.limits.notify_after).await;
        let message = format!("{} needs your permission", question.tool_name);
        let event = Notification::new(message, NotificationType::PermissionPrompt);
        if let Ok(heard) = self.firing.hear(event).await {
            self.pending.add(notification(&heard));
        }
    }
}

#[async_trait]
impl Approver for Reception {
    fn is_present(&self) -> bool {
        self.shared.parts.approver.is_present()
    }

    async fn ask(&self, question: &Question) -> Approval {
        let question = &Question {
            notes: self.shared.take_notes(),
            ..question.clone()
        };
        let _asking = self
            .firing
            .enter(InterruptedDuring::Permission, Some(&question.tool_name));
        self.firing
            .tell(AgentEventKind::PermissionAsked(Box::new(question.clone())));
        let mut answer = std::pin::pin!(self.shared.parts.approver.ask(question));
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = self.notify(question) => {}
        }
        answer.await
    }
}
