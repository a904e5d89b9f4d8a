//! Those who call a server, and how long they wait for it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, PingRequest};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::life::Life;
use super::request::{NoAnswer, ask};
use super::status::ServerStatus;
use super::supervise::{Link, Phase, State};
use crate::error::CallError;
use crate::result::CallResult;

/// How long a server that let a call run out of time may take to say that it is there.
const PULSE: Duration = Duration::from_secs(5);
/// How long the reason of an end is waited for.
const REASON: Duration = Duration::from_secs(5);

/// Whether whoever calls waits for a server that is not connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As long as the call may take.
    Waits,
    /// Not at all.
    None,
}

/// What stands between a call and a connection.
enum Next {
    Use(Arc<Life>),
    Start,
    Wait,
    GiveUp(ServerStatus),
}

impl Link {
    /// A connection to use. Whoever has patience starts the server where that is needed, once.
    async fn life(self: &Arc<Self>, patience: Patience) -> Result<Arc<Life>, CallError> {
        let mut started = false;
        loop {
            let next = self.until(|state| match next(state, started) {
                Next::Wait if patience == Patience::Waits => None,
                next @ (Next::Use(_) | Next::Start | Next::Wait | Next::GiveUp(_)) => Some(next),
            });
            match next.await {
                Next::Use(life) => return Ok(life),
                Next::GiveUp(status) => return Err(self.unusable(&status)),
                Next::Wait => return Err(self.unusable(&ServerStatus::Connecting)),
                Next::Start => {
                    let status = self.status();
                    started = true;
                    self.start();
                    if patience == Patience::None {
                        return Err(self.unusable(&status));
                    }
                }
            }
        }
    }

    fn unusable(&self, status: &ServerStatus) -> CallError {
        let server = self.config.name.clone();
        match status {
            ServerStatus::NotAllowed(why) => CallError::NotAllowed {
                server,
                why: why.clone(),
            },
            ServerStatus::Failed(why) => CallError::NotConnected {
                server,
                why: why.clone(),
            },
            ServerStatus::Idle
            | ServerStatus::Connecting
            | ServerStatus::Connected { .. }
            | ServerStatus::NeedsAuth(_)
            | ServerStatus::Closed => CallError::NotConnected {
                server,
                why: status.to_string(),
            },
        }
    }

    /// Calls a tool.
    pub(crate) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        patience: Patience,
    ) -> Result<CallResult, CallError> {
        let limit = self.around.limits.call;
        let work = async {
            let life = self.life(patience).await?;
            self.ask(&life, tool, arguments).await
        };
        if let Ok(done) = timeout(limit, work).await {
            return done;
        }
        self.feel_pulse();
        let server = self.config.name.clone();
        Err(CallError::TimedOut { server, limit })
    }

    async fn ask(
        &self,
        life: &Life,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, CallError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let answer = tokio::select! {
            biased;
            answer = ask(&life.peer, request) => answer,
            () = life.fate.sealed() => Err(NoAnswer::Over),
        };
        let server = || self.config.name.clone();
        let refused = |why: String| CallError::Refused {
            server: server(),
            why,
        };
        match answer {
            Ok(answer) if answer["resultType"] == "input_required" => Err(refused(
                "it wants input in a way that is not known here".to_owned(),
            )),
            Ok(answer) => Ok(CallResult::read(answer, self.around.limits.output)),
            Err(NoAnswer::Refused(why)) => Err(refused(why)),
            Err(NoAnswer::Unsent(why)) => {
                life.fate.seal(why);
                Err(self.died(life).await)
            }
            Err(NoAnswer::Over) => Err(self.died(life).await),
        }
    }

    async fn died(&self, life: &Life) -> CallError {
        // The SDK may hear of the end before anybody knows why.
        let _ = timeout(REASON, life.fate.sealed()).await;
        CallError::Died {
            server: self.config.name.clone(),
            why: life.fate.why(),
        }
    }

    /// A server that let a call run out of time, and does not even say that it is there, is ended.
    fn feel_pulse(&self) {
        let life = match &self.state().phase {
            Phase::Up(life) => Arc::clone(life),
            Phase::Idle | Phase::Connecting | Phase::Down(_) | Phase::Closed => return,
        };
        tokio::spawn(async move {
            let ping = ask(
                &life.peer,
                ClientRequest::PingRequest(PingRequest::default()),
            );
            if timeout(PULSE, ping).await.is_err() {
                life.fate.seal("it answered nothing any more");
            }
        });
    }
}

fn next(state: &State, started: bool) -> Next {
    match &state.phase {
        Phase::Up(life) if !life.fate.is_sealed() => Next::Use(Arc::clone(life)),
        // It ends just now.
        Phase::Up(_) | Phase::Connecting => Next::Wait,
        Phase::Down(status) if started => Next::GiveUp(status.clone()),
        Phase::Idle | Phase::Down(_) => Next::Start,
        Phase::Closed => Next::GiveUp(ServerStatus::Closed),
    }
}
