//! One connection, from its start to its end.

use std::path::PathBuf;
use std::sync::Arc;

use process_tree::{Environment, Registry};
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService, serve_client};
use rmcp::transport::IntoTransport;
use tokio::sync::Notify;

use super::client::Client;
use super::listing::{ToolInfo, list};
use super::request::{NoAnswer, chain};
use crate::elicit::Reception;
use crate::limits::Limits;
use crate::server::{Reach, ServerConfig};
use crate::wire::{Fate, Gauged, Launch, Pump, http};

/// What all servers of a session share.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) limits: Limits,
    pub(crate) environment: Environment,
    pub(crate) registry: Registry,
    /// Where programs run that say nothing else.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) reception: Reception,
}

/// A connection that can be used.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) peer: Peer<RoleClient>,
    pub(super) fate: Fate,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    NeedsAuth(String),
    Other(String),
}

/// A connection and what holds it.
pub(super) struct Held {
    pub(super) life: Arc<Life>,
    pub(super) tools: Vec<ToolInfo>,
    pub(super) tools_changed: Arc<Notify>,
    running: RunningService<RoleClient, Client>,
    pump: Option<Pump>,
}

impl Held {
    /// Connects within the time that a start may take. Nothing is left of a start that failed.
    pub(super) async fn connect(
        config: &ServerConfig,
        around: &Surroundings,
    ) -> Result<Self, Failure> {
        let fate = Fate::default();
        match &config.reach {
            Reach::Command {
                command,
                args,
                env,
                cwd,
            } => {
                let launch = Launch {
                    command,
                    args,
                    env,
                    cwd: cwd.clone().or_else(|| around.directory.clone()),
                    environment: &around.environment,
                    registry: &around.registry,
                };
                let started = Pump::start(launch, around.limits, &fate).await;
                let (pump, pipe) = started.map_err(Failure::Other)?;
                let transport = Gauged::new(pipe, around.limits, &fate);
                Self::greet(config, around, transport, fate, Some(pump)).await
            }
            Reach::Http { url, headers } => {
                let transport = http(url, headers, around, &fate).map_err(Failure::Other)?;
                let transport = Gauged::new(transport, around.limits, &fate);
                Self::greet(config, around, transport, fate, None).await
            }
        }
    }

    /// Says hello, and asks for the tools.
    async fn greet<T, E, A>(
        config: &ServerConfig,
        around: &Surroundings,
        transport: T,
        fate: Fate,
        pump: Option<Pump>,
    ) -> Result<Self, Failure>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let tools_changed = Arc::new(Notify::new());
        let client = Client {
            server: config.name.clone(),
            reception: around.reception.clone(),
            tools_changed: Arc::clone(&tools_changed),
        };
        let hello = async {
            let running = serve_client(client, transport).await;
            let running = running.map_err(|error| refusal(&error, &fate))?;
            let has_tools = running
                .peer()
                .peer_info()
                .is_none_or(|server| server.capabilities.tools.is_some());
            let tools = if has_tools {
                let tools = list(running.peer(), &around.limits).await;
                tools.map_err(|why| no_list(why, &fate))?
            } else {
                Vec::new()
            };
            Ok((running, tools))
        };
        let limit = around.limits.start;
        let greeted = tokio::time::timeout(limit, hello).await;
        let greeted = greeted.unwrap_or_else(|_| {
            let why = format!("it was not ready within {limit:?}; MCP_TIMEOUT sets the limit");
            Err(Failure::Other(why))
        });
        match greeted {
            Ok((running, tools)) => Ok(Self {
                life: Arc::new(Life {
                    peer: running.peer().clone(),
                    fate,
                }),
                tools,
                tools_changed,
                running,
                pump,
            }),
            Err(why) => {
                if let Some(pump) = pump {
                    pump.end().await;
                }
                Err(why)
            }
        }
    }

    /// Ends the connection, in order; a process and all that it started are gone then.
    pub(super) async fn end(mut self, around: &Surroundings) {
        self.life.fate.seal("it was ended");
        let grace = around.limits.grace;
        match self.pump {
            // Its stdin first: the SDK needs nothing from it any more.
            Some(pump) => {
                pump.end().await;
                let _ = self.running.close_with_timeout(grace).await;
            }
            None => {
                let _ = self.running.close_with_timeout(grace).await;
            }
        }
    }
}

/// Why a server could not be greeted. What ended the process says more than that it is gone.
fn refusal(error: &ClientInitializeError, fate: &Fate) -> Failure {
    if error.is_authorization_required() {
        return Failure::NeedsAuth(
            "the server wants a sign-in; set its header `Authorization`".to_owned(),
        );
    }
    let known = fate.known().map(str::to_owned);
    Failure::Other(known.unwrap_or_else(|| chain(error)))
}

fn no_list(why: NoAnswer, fate: &Fate) -> Failure {
    Failure::Other(match why {
        NoAnswer::Over => fate.why(),
        NoAnswer::Unsent(why) => why,
        NoAnswer::Refused(why) => format!("it does not list its tools: {why}"),
    })
}
