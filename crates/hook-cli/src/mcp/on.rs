//! The servers there are.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{Host, Toolbox};
use agent_mcp::{
    Answerer, Found, Limits, McpFiles, McpServers, McpToolFactory, NobodyAnswers, ServerQuestion,
    ServerStatus,
};
use async_trait::async_trait;
use hook_config::trust::{ContentTrust, Review};
use hook_config::{Action, Diagnostic, Factories, Report, discover};
use hook_runner::Runner;
use hook_types::{ElicitationAnswer, HookEvent};
use process_tree::Environment;
use serde_json::{Value, json};

use super::{Search, explicit};
use crate::agent::Display;
use crate::failure::Failure;

/// The servers of a project and of its user. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Mcp {
    servers: McpServers,
    found: Arc<Found>,
    trust: ContentTrust,
}

impl Mcp {
    /// Looks for servers. None is started.
    pub(crate) fn find(search: Search<'_>) -> Result<Self, Failure> {
        let mut files = McpFiles::new(search.places);
        for named in search.named {
            files = files.named(explicit(named)?);
        }
        // Which plugins are on stands in the files of hooks.
        for file in discover(search.places) {
            if let Some(plugin) = file.origin.plugin {
                files = files.plugin(plugin);
            }
        }
        let world = search.world;
        let variable = |name: &str| {
            let value = world.variables.get(OsStr::new(name))?;
            value.to_str().map(str::to_owned)
        };
        let found = Found::read(&files, &search.trust, variable);
        let environment: Environment = world.variables.clone().into_iter().collect();
        let mut servers = McpServers::builder()
            .servers(found.configs())
            .limits(Limits::from_environment(variable))
            .environment(environment)
            .directory(search.root);
        if let Some(watchdog) = search.watchdog {
            servers = servers.watched(watchdog);
        }
        Ok(Self {
            servers: servers.build(),
            found: Arc::new(found),
            trust: search.trust,
        })
    }

    /// With hooks that call these servers.
    pub(crate) fn factories(&self, factories: Factories) -> Factories {
        factories.with("mcp_tool", McpToolFactory::new(&self.servers))
    }

    /// What is wrong with the files of servers.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.found.diagnostics.clone()
    }

    /// The servers that need an approval.
    pub(crate) fn reviews(&self) -> Vec<Review> {
        self.found.reviews(&self.trust)
    }

    /// With the servers' tools.
    pub(crate) fn toolbox(&self, toolbox: Toolbox) -> Toolbox {
        if self.servers.is_empty() {
            return toolbox;
        }
        toolbox.with_source(Arc::new(self.servers.clone()))
    }

    /// The servers, as the published stream has them.
    pub(crate) fn for_programs(&self) -> Value {
        let reports = self.servers.reports();
        let row = |report: &agent_mcp::ServerReport| json!({"name": report.name, "status": report.status.word()});
        reports.iter().map(row).collect()
    }

    /// Starts all servers, and waits for them; not longer than that, if it is said.
    pub(crate) async fn connect(&self, longest: Option<Duration>) {
        self.servers.start();
        let settled = self.servers.settled();
        match longest {
            Some(longest) => {
                let _ = tokio::time::timeout(longest, settled).await;
            }
            None => settled.await,
        }
    }

    /// Starts the servers that the hooks of an event call, and waits for them.
    pub(crate) async fn connect_for(&self, runner: &Runner, report: &Report, event: &HookEvent) {
        let explained = runner.explain(event);
        let runs = explained.iter().filter(|hook| hook.skipped.is_none());
        let ids: Vec<_> = runs.map(|hook| &hook.hook.id).collect();
        for hook in &report.hooks {
            let entry = hook
                .entry
                .as_ref()
                .filter(|_| hook.ids.iter().any(|id| ids.contains(&id)));
            if let Some(Action::Other { kind, fields, .. }) = entry.map(|entry| &entry.action)
                && kind == "mcp_tool"
                && let Some(server) = fields.get("server").and_then(Value::as_str)
            {
                self.servers.start_one(server);
            }
        }
        self.servers.settled().await;
    }

    /// Says which servers there are, and what is the matter with those that are not.
    pub(crate) fn tell(&self, display: &Display) {
        let reports = self.servers.reports();
        let fine = |status: &ServerStatus| {
            matches!(
                status,
                ServerStatus::Connected { .. } | ServerStatus::Connecting
            )
        };
        let (here, not): (Vec<_>, Vec<_>) = reports.iter().partition(|report| fine(&report.status));
        if !here.is_empty() {
            let here = here
                .iter()
                .map(|report| format!("{} ({})", report.name, report.status));
            display.note(format!(
                "MCP servers: {}",
                here.collect::<Vec<_>>().join(", ")
            ));
        }
        for report in not {
            display.note(format!("MCP server {}: {}", report.name, report.status));
        }
    }

    /// Has the hooks of a session answer what servers ask; nobody else can yet, and the user is told.
    pub(crate) fn answer(&self, host: Host, display: &Display) {
        let told = Told(display.clone());
        self.servers.answered_by(host, Arc::new(told));
    }

    /// Ends all servers, in order.
    pub(crate) async fn close(&self) {
        self.servers.close().await;
    }
}

/// Tells the user what a server asked, and closes the question.
struct Told(Display);

#[async_trait]
impl Answerer for Told {
    async fn answer(&self, question: &ServerQuestion) -> ElicitationAnswer {
        self.0.note(format!(
            "MCP server {} asks: {} (closed: only hooks can answer it here)",
            question.server, question.message
        ));
        NobodyAnswers.answer(question).await
    }
}
