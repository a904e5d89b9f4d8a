//! All servers of a session.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_loop::{Host, Tool, ToolSource};
use hook_types::McpSource;
use process_tree::{Environment, Registry, Watchdog};
use serde_json::{Map, Value};

use crate::elicit::{Answerer, Reception};
use crate::error::CallError;
use crate::limits::Limits;
use crate::link::{Link, Patience, ServerStatus, Surroundings};
use crate::name::plain;
use crate::result::CallResult;
use crate::server::ServerConfig;
use crate::tool::McpTool;

/// All servers of a session, and their tools. Clones are the same; when the last one is dropped, every
/// server is ended at once, and [`close`](Self::close) ends them in order.
///
/// ```
/// use std::sync::Arc;
/// use agent_loop::{Agent, Toolbox};
/// use agent_mcp::{McpServers, ServerConfig};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let servers = McpServers::builder()
///     .server(ServerConfig::command("missing", "/no/such/program"))
///     .build();
/// servers.start();
/// servers.settled().await;
/// assert_eq!(servers.reports()[0].status.word(), "failed");
///
/// let agent = Agent::builder().tools(Toolbox::standard().with_source(Arc::new(servers.clone())));
/// servers.close().await;
/// # }
/// ```
#[derive(Clone)]
pub struct McpServers(Arc<Set>);

struct Set {
    links: Vec<Arc<Link>>,
    version: Arc<AtomicU64>,
    registry: Registry,
    reception: Reception,
}

/// A server, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerReport {
    /// Its name.
    pub name: String,
    /// Who configured it.
    pub source: McpSource,
    /// What is started or spoken to.
    pub summary: String,
    /// What is known of it.
    pub status: ServerStatus,
}

/// Puts servers together.
#[derive(Debug, Default)]
#[must_use = "a builder does nothing until it is built"]
pub struct McpServersBuilder {
    servers: Vec<ServerConfig>,
    limits: Limits,
    environment: Option<Environment>,
    directory: Option<PathBuf>,
    watchdog: Option<Watchdog>,
}

impl McpServersBuilder {
    /// One more server. Of two whose tools would have the same names the first counts.
    pub fn server(mut self, server: ServerConfig) -> Self {
        self.servers.push(server);
        self
    }

    /// More servers.
    pub fn servers(mut self, servers: impl IntoIterator<Item = ServerConfig>) -> Self {
        self.servers.extend(servers);
        self
    }

    /// How long servers may take, and how much they may say.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What programs inherit; without it, the environment of this process.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// The project's root: where programs run that say nothing else, and what they are told in
    /// `CLAUDE_PROJECT_DIR`.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Has programs end with this process, even when it is killed.
    pub fn watched(mut self, watchdog: Watchdog) -> Self {
        self.watchdog = Some(watchdog);
        self
    }

    /// The servers. None is started yet.
    pub fn build(self) -> McpServers {
        let mut environment = self.environment.unwrap_or_else(Environment::inherited);
        if let Some(directory) = &self.directory {
            environment = environment.with("CLAUDE_PROJECT_DIR", directory);
        }
        let registry = self.watchdog.map_or_else(Registry::new, Registry::watched);
        let around = Surroundings {
            limits: self.limits,
            environment,
            registry: registry.clone(),
            directory: self.directory,
            reception: Reception::default(),
        };
        let version = Arc::new(AtomicU64::new(0));
        let mut names: HashMap<String, String> = HashMap::new();
        let link = |config: ServerConfig| {
            let first = names.get(&plain(&config.name));
            let clash =
                first.map(|first| format!("its tools would have the names of those of `{first}`"));
            names
                .entry(plain(&config.name))
                .or_insert_with(|| config.name.clone());
            Link::new(config, around.clone(), Arc::clone(&version), clash)
        };
        let links = self.servers.into_iter().map(link).collect();
        McpServers(Arc::new(Set {
            links,
            version,
            registry,
            reception: around.reception.clone(),
        }))
    }
}

impl McpServers {
    /// Puts servers together.
    pub fn builder() -> McpServersBuilder {
        McpServersBuilder::default()
    }

    /// No servers.
    pub fn none() -> Self {
        Self::builder().build()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.links.is_empty()
    }

    /// Starts all servers, and waits for none.
    pub fn start(&self) {
        self.0.links.iter().for_each(Link::start);
    }

    /// Starts one server, unless it runs. A name that is not known is nothing.
    pub fn start_one(&self, name: &str) {
        if let Ok(link) = self.link(name) {
            link.start();
        }
    }

    /// Waits until no server is being started any more. Each start has a limit, so this has one.
    pub async fn settled(&self) {
        for link in &self.0.links {
            link.settled().await;
        }
    }

    /// What is known of each server, in the order in which they were configured.
    pub fn reports(&self) -> Vec<ServerReport> {
        let report = |link: &Arc<Link>| ServerReport {
            name: link.config.name.clone(),
            source: link.config.source.clone(),
            summary: link.config.summary(),
            status: link.status(),
        };
        self.0.links.iter().map(report).collect()
    }

    /// Has the hooks of a session, and then somebody, answer what servers ask the user. Until then
    /// their questions are closed.
    pub fn answered_by(&self, host: Host, user: Arc<dyn Answerer>) {
        self.0.reception.open(host, user);
    }

    /// Calls a tool by the name that its server has for it. A server that is not connected is started
    /// and waited for, within the time that a call may take.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, CallError> {
        let link = self.link(server)?;
        link.call(tool, arguments, Patience::Waits).await
    }

    /// The same, but a server that is not connected is an error at once. It is started all the same, for
    /// whoever comes next.
    pub async fn call_if_connected(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, CallError> {
        let link = self.link(server)?;
        link.call(tool, arguments, Patience::None).await
    }

    fn link(&self, name: &str) -> Result<&Arc<Link>, CallError> {
        let found = self.0.links.iter().find(|link| link.config.name == name);
        found.ok_or_else(|| CallError::NoSuchServer {
            server: name.to_owned(),
            known: self.names(),
        })
    }

    fn names(&self) -> Vec<String> {
        let names = self.0.links.iter().map(|link| link.config.name.clone());
        names.collect()
    }

    /// Ends all servers: their stdin is closed, then TERM, then KILL. Nothing of them is left then.
    pub async fn close(&self) {
        let ends = self.0.links.iter().map(|link| link.close());
        futures_util::future::join_all(ends).await;
        self.0.registry.close().await;
    }
}

impl ToolSource for McpServers {
    fn version(&self) -> u64 {
        self.0.version.load(Ordering::Acquire)
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for link in &self.0.links {
            for info in link.tools().iter() {
                tools.push(Arc::new(McpTool::new(link, info)));
            }
        }
        tools
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        for link in &self.links {
            link.abort();
        }
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
