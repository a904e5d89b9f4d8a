//! Counts what a server says, so that no server can say without end.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use tokio_util::sync::DropGuard;

use super::fate::Fate;
use crate::limits::Limits;

/// What a message counts that answers nothing, in bytes: the shortest costs as much to read.
const LEAST_WEIGHT: usize = 256;

/// A transport whose other end cannot say without end, and whose end is known.
pub(crate) struct Gauged<T> {
    inner: T,
    gauge: Arc<Mutex<Gauge>>,
    fate: Fate,
    _over: DropGuard,
}

impl<T> Gauged<T> {
    pub(crate) fn new(inner: T, limits: Limits, fate: &Fate) -> Self {
        Self {
            inner,
            gauge: Arc::new(Mutex::new(Gauge::new(limits))),
            fate: fate.clone(),
            _over: fate.guard(),
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Gauged<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = lock(&self.gauge).sends(&message);
        let gauge = Arc::clone(&self.gauge);
        let sent = self.inner.send(message);
        async move {
            let sent = sent.await;
            // A question is open until its answer is out: a server may ask, and never read.
            if let Some(id) = answered {
                lock(&gauge).questions.remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let message = self.inner.receive().await?;
        let heard = lock(&self.gauge).hears(&message);
        match heard {
            Ok(()) => Some(message),
            Err(why) => {
                self.fate.seal(why);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

fn lock(gauge: &Mutex<Gauge>) -> MutexGuard<'_, Gauge> {
    gauge.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is open on both sides, and what came that answers nothing.
#[derive(Debug)]
struct Gauge {
    limits: Limits,
    /// What we wait for.
    calls: HashSet<RequestId>,
    /// What the server waits for.
    questions: HashSet<RequestId>,
    noise: usize,
}

impl Gauge {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            calls: HashSet::new(),
            questions: HashSet::new(),
            noise: 0,
        }
    }

    /// Takes note of a message; the question that it answers, if it does.
    fn sends(&mut self, message: &ClientJsonRpcMessage) -> Option<RequestId> {
        match message {
            JsonRpcMessage::Request(request) => {
                self.calls.insert(request.id.clone());
                None
            }
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(given_up) =
                    &notification.notification
                    && let Some(id) = &given_up.params.request_id
                {
                    self.calls.remove(id);
                }
                None
            }
        }
    }

    fn hears(&mut self, message: &ServerJsonRpcMessage) -> Result<(), String> {
        let answers = match message {
            JsonRpcMessage::Response(response) => self.calls.remove(&response.id),
            JsonRpcMessage::Error(error) => {
                let id = error.id.as_ref();
                id.is_some_and(|id| self.calls.remove(id))
            }
            JsonRpcMessage::Request(request) => return self.asks(&request.id),
            JsonRpcMessage::Notification(_) => false,
        };
        if answers {
            self.noise = 0;
            return Ok(());
        }
        self.noise = self.noise.saturating_add(LEAST_WEIGHT);
        if self.noise > self.limits.noise {
            return Err("it says things without end that answer nothing".to_owned());
        }
        Ok(())
    }

    fn asks(&mut self, id: &RequestId) -> Result<(), String> {
        self.questions.insert(id.clone());
        if self.questions.len() > self.limits.questions {
            let most = self.limits.questions;
            return Err(format!("it asks more than {most} questions at once"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn heard(message: Value) -> ServerJsonRpcMessage {
        serde_json::from_value(message).unwrap()
    }

    fn sent(message: Value) -> ClientJsonRpcMessage {
        serde_json::from_value(message).unwrap()
    }

    fn gauge(noise: usize, questions: usize) -> Gauge {
        Gauge::new(Limits {
            noise,
            questions,
            ..Limits::default()
        })
    }

    #[test]
    fn notifications_and_answers_to_nothing_are_noise_until_something_is_answered() {
        let mut gauge = gauge(LEAST_WEIGHT * 2, 9);
        let notice = heard(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        let pong = heard(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        let ping = sent(json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
        assert!(gauge.hears(&notice).is_ok() && gauge.hears(&pong).is_ok());
        gauge.sends(&ping);
        assert!(gauge.hears(&pong).is_ok());
        assert!(gauge.hears(&notice).is_ok() && gauge.hears(&notice).is_ok());
        assert!(gauge.hears(&pong).is_err(), "it was answered already");
    }

    #[test]
    fn questions_count_until_they_are_answered() {
        let mut gauge = gauge(9999, 2);
        let question = |id: u32| heard(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        let answer = sent(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        assert!(gauge.hears(&question(1)).is_ok() && gauge.hears(&question(2)).is_ok());
        let answered = gauge.sends(&answer).unwrap();
        gauge.questions.remove(&answered);
        assert!(gauge.hears(&question(3)).is_ok());
        let why = gauge.hears(&question(4)).unwrap_err();
        assert!(why.contains("more than 2 questions"), "{why}");
    }

    #[test]
    fn a_call_that_is_given_up_is_waited_for_no_more() {
        let mut gauge = gauge(9999, 2);
        gauge.sends(&sent(json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})));
        gauge.sends(&sent(
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                 "params": {"requestId": 7}}),
        ));
        assert!(gauge.calls.is_empty());
    }
}
