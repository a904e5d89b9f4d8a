//! What all commands of one host process share: its environment, and a list of what they left behind.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use process_tree::{Environment, Registry, Watchdog};

use crate::environment;
use crate::server::{self, Server};

/// What the commands of one session share. Cheap to clone; clones are the same.
///
/// Give all hooks of a session one: closing any of them closes the host, and a host that several
/// sessions share ends for all of them.
#[derive(Clone)]
pub struct Host {
    pub(crate) environment: Environment,
    /// The program that every shell command is handed to.
    pub(crate) shell_prefix: Option<String>,
    pub(crate) registry: Registry,
    servers: Arc<Servers>,
}

/// The servers that were started, and whoever ends them now.
#[derive(Default)]
struct Servers {
    known: Mutex<Vec<Weak<Mutex<Server>>>>,
    closing: tokio::sync::Mutex<()>,
}

impl Host {
    /// The environment of this process as it is now. Hosts that find the same environment share it: every
    /// command that was given no host has one of its own.
    pub fn new() -> Self {
        static LAST: Mutex<Option<Found>> = Mutex::new(None);
        let environment = Environment::inherited();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some(found) if found.environment == environment => found.clone().into_host(),
            _ => last.insert(Found::new(environment)).clone().into_host(),
        }
    }

    /// An environment of your own. Commands inherit it but for telemetry (`OTEL_*`), for what another
    /// session was told, and, where it sets `CLAUDE_CODE_SUBPROCESS_ENV_SCRUB`, for credentials. Where
    /// it sets `CLAUDE_CODE_SHELL_PREFIX`, that program is handed every shell command.
    ///
    /// ```
    /// use hook_shell::Host;
    /// use process_tree::Environment;
    ///
    /// let environment: Environment = [("PATH", "/usr/bin:/bin"), ("TOKEN", "x")].into_iter().collect();
    /// let host = Host::with_environment(environment.without("TOKEN"));
    /// # let _ = host;
    /// ```
    pub fn with_environment(environment: Environment) -> Self {
        Found::new(environment).into_host()
    }

    /// What commands inherit: what hooks of other kinds may read, too.
    ///
    /// ```
    /// use hook_shell::Host;
    /// use process_tree::Environment;
    ///
    /// let environment: Environment = [("TOKEN", "x"), ("OTEL_TOKEN", "y")].into_iter().collect();
    /// let host = Host::with_environment(environment);
    /// assert_eq!(host.environment().get("TOKEN"), Some("x".as_ref()));
    /// assert_eq!(host.environment().get("OTEL_TOKEN"), None);
    /// ```
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Has a small process watch this one: when it dies, even by KILL, the commands die too.
    #[must_use]
    pub fn watched(self, watchdog: Watchdog) -> Self {
        Self {
            registry: Registry::watched(watchdog),
            ..self
        }
    }

    /// Ends servers with their grace, then kills what commands have left running.
    pub async fn close(&self) {
        // Whoever comes second waits: servers that have their grace must not be killed meanwhile.
        let _closing = self.servers.closing.lock().await;
        server::end(self.servers.take()).await;
        self.registry.close().await;
    }

    /// Remembers a server that is started.
    pub(crate) fn has_started(&self, server: &Arc<Mutex<Server>>) {
        let known = &self.servers.known;
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let server = Arc::downgrade(server);
        known.retain(|other| other.strong_count() > 0 && !other.ptr_eq(&server));
        known.push(server);
    }
}

/// An environment, and what a host makes of it.
#[derive(Clone)]
struct Found {
    environment: Environment,
    inherited: Environment,
    shell_prefix: Option<String>,
}

impl Found {
    fn new(environment: Environment) -> Self {
        Self {
            inherited: environment::inherited(&environment),
            shell_prefix: environment::shell_prefix(&environment),
            environment,
        }
    }

    fn into_host(self) -> Host {
        Host {
            environment: self.inherited,
            shell_prefix: self.shell_prefix,
            registry: Registry::new(),
            servers: Arc::default(),
        }
    }
}

impl Servers {
    fn take(&self) -> Vec<Arc<Mutex<Server>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .drain(..)
            .filter_map(|server| server.upgrade())
            .collect()
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("environment", &self.environment)
            .field("shell_prefix", &self.shell_prefix)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_one_environment_share_it_and_nothing_else() {
        let (one, other) = (Host::new(), Host::new());
        assert!(std::ptr::eq(
            one.environment().iter().next().unwrap().0,
            other.environment().iter().next().unwrap().0,
        ));
        assert!(!Arc::ptr_eq(&one.servers, &other.servers));
    }
}
