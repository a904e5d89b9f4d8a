//! What all commands of one host process share: its environment, and a list of what they left behind.

use process_tree::{Environment, Registry, Watchdog};

use crate::environment::ONLY_SOMETIMES;

/// What the commands of one session share. Cheap to clone; clones are the same.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) environment: Environment,
    pub(crate) registry: Registry,
}

impl Host {
    /// The environment of this process as it is now.
    pub fn new() -> Self {
        Self::with_environment(Environment::inherited())
    }

    /// An environment of your own.
    pub fn with_environment(environment: Environment) -> Self {
        let known = |name: &&str| environment.get(name).is_some();
        let stale: Vec<&str> = ONLY_SOMETIMES.into_iter().filter(known).collect();
        let without = |environment: Environment, name| environment.without(name);
        Self {
            environment: stale.into_iter().fold(environment, without),
            registry: Registry::new(),
        }
    }

    /// Has a small process watch this one: when it dies, even by KILL, the commands die too.
    #[must_use]
    pub fn watched(self, watchdog: Watchdog) -> Self {
        Self {
            registry: Registry::watched(watchdog),
            ..self
        }
    }

    /// Kills what commands have left running.
    pub async fn close(&self) {
        self.registry.close().await;
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}
