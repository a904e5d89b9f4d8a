//! Questions that servers ask the user, on their way past the hooks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use agent_loop::{ElicitationStep, Host};
use async_trait::async_trait;
use hook_types::{
    Elicitation, ElicitationAction, ElicitationAnswer, ElicitationMode, ElicitationReply,
    ElicitationResult,
};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction as Action};
use serde_json::Value;

/// What a server asks the user.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerQuestion {
    /// The server.
    pub server: String,
    /// What it asks.
    pub message: String,
    /// What the answer must look like, of a form.
    pub schema: Option<Value>,
    /// The address to open, where it asks for that.
    pub url: Option<String>,
    /// The question's id, where it has one.
    pub id: Option<String>,
}

/// Whoever answers servers for the user.
#[async_trait]
pub trait Answerer: Send + Sync + 'static {
    /// The user's answer.
    async fn answer(&self, question: &ServerQuestion) -> ElicitationAnswer;
}

/// Nobody is there: every question is closed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyAnswers;

#[async_trait]
impl Answerer for NobodyAnswers {
    async fn answer(&self, _: &ServerQuestion) -> ElicitationAnswer {
        closed()
    }
}

fn closed() -> ElicitationAnswer {
    ElicitationAnswer {
        action: ElicitationAction::Cancel,
        content: None,
    }
}

/// Where questions go: to the hooks of a session and then to the user, once there is a session.
#[derive(Clone, Default)]
pub(crate) struct Reception(Arc<Mutex<Option<Counter>>>);

#[derive(Clone)]
struct Counter {
    host: Host,
    user: Arc<dyn Answerer>,
}

impl Reception {
    /// From now on these answer.
    pub(crate) fn open(&self, host: Host, user: Arc<dyn Answerer>) {
        *self.counter() = Some(Counter { host, user });
    }

    fn counter(&self) -> std::sync::MutexGuard<'_, Option<Counter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a question. Without a session there is nobody to ask, and it is closed.
    pub(crate) async fn answer(&self, server: &str, asked: ElicitRequestParams) -> ElicitResult {
        let question = question(server, asked);
        let counter = self.counter().clone();
        let answer = match counter {
            Some(counter) => counter.answer(&question).await,
            None => closed(),
        };
        let action = match answer.action {
            ElicitationAction::Accept => Action::Accept,
            ElicitationAction::Decline => Action::Decline,
            ElicitationAction::Cancel => Action::Cancel,
        };
        let content = answer.content.filter(|_| action == Action::Accept);
        let mut result = ElicitResult::new(action);
        result.content = content;
        result
    }
}

impl Counter {
    /// Hooks may answer in the user's place, and have the last word on what the user says.
    async fn answer(&self, question: &ServerQuestion) -> ElicitationAnswer {
        let step = self.host.elicitation(question.event()).await;
        match step {
            Ok(ElicitationStep::Answer(answer)) => return answer,
            Ok(ElicitationStep::AskUser) => {}
            // A hook refused, or the turn was ended; what is not known here is no yes.
            Ok(ElicitationStep::Refuse | _) | Err(_) => {
                return ElicitationAnswer {
                    action: ElicitationAction::Decline,
                    content: None,
                };
            }
        }
        let answer = self.user.answer(question).await;
        let event = question.result(&answer);
        let told = self.host.elicitation_result(event).await;
        told.unwrap_or_else(|_interrupted| closed())
    }
}

impl ServerQuestion {
    fn mode(&self) -> ElicitationMode {
        match self.url {
            Some(_) => ElicitationMode::Url,
            None => ElicitationMode::Form,
        }
    }

    fn event(&self) -> Elicitation {
        let mut event = Elicitation::new(self.server.clone(), self.message.clone());
        event.mode = Some(self.mode());
        event.url.clone_from(&self.url);
        event.elicitation_id.clone_from(&self.id);
        event.requested_schema.clone_from(&self.schema);
        event
    }

    fn result(&self, answer: &ElicitationAnswer) -> ElicitationResult {
        let action = match answer.action {
            ElicitationAction::Accept => ElicitationReply::Accept,
            ElicitationAction::Decline => ElicitationReply::Decline,
            ElicitationAction::Cancel => ElicitationReply::Cancel,
        };
        let mut event = ElicitationResult::new(self.server.clone(), action);
        event.mode = Some(self.mode());
        event.elicitation_id.clone_from(&self.id);
        event.content.clone_from(&answer.content);
        event
    }
}

fn question(server: &str, asked: ElicitRequestParams) -> ServerQuestion {
    // As it came: what the SDK does not know of it is for hooks all the same.
    let written = serde_json::to_value(asked).unwrap_or_default();
    let text = |key: &str| written.get(key).and_then(Value::as_str).map(str::to_owned);
    ServerQuestion {
        server: server.to_owned(),
        message: text("message").unwrap_or_default(),
        schema: written.get("requestedSchema").cloned(),
        url: text("url"),
        id: text("elicitationId"),
    }
}

impl fmt::Debug for Reception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reception")
            .field("open", &self.counter().is_some())
            .finish()
    }
}
