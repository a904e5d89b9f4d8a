//! A server as it is described.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hook_runner::Gate;
use hook_types::McpSource;

/// A server: what it is called, how it is reached, and who configured it.
///
/// ```
/// use agent_mcp::ServerConfig;
///
/// let memory = ServerConfig::command("memory", "npx").args(["-y", "@modelcontextprotocol/server-memory"]);
/// let search = ServerConfig::http("search", "https://mcp.example.com/mcp").header("X-Team", "tools");
/// assert_eq!((memory.name.as_str(), search.name.as_str()), ("memory", "search"));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Its name; of a plugin's server `plugin:<plugin>:<server>`.
    pub name: String,
    /// Who configured it. Hooks are told.
    pub source: McpSource,
    /// How it is reached.
    pub reach: Reach,
    /// Who is asked before each start; none: it may always start.
    pub(crate) gate: Option<Arc<dyn Gate>>,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// A program that is started, and spoken to over its stdin and stdout.
    Command {
        /// The program, by path or by name.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that are set for it, beyond what it inherits.
        env: Vec<(String, String)>,
        /// Where it runs; none: in the project's root.
        cwd: Option<PathBuf>,
    },
    /// An address that is spoken to over HTTP (streamable HTTP).
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, String)>,
    },
}

impl ServerConfig {
    /// A program that is started.
    pub fn command(name: impl Into<String>, command: impl Into<String>) -> Self {
        let reach = Reach::Command {
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: None,
        };
        Self::new(name, reach)
    }

    /// An address that is spoken to over HTTP.
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        let reach = Reach::Http {
            url: url.into(),
            headers: Vec::new(),
        };
        Self::new(name, reach)
    }

    /// A server that the embedding program configures.
    pub fn new(name: impl Into<String>, reach: Reach) -> Self {
        Self {
            name: name.into(),
            source: McpSource::Sdk,
            reach,
            gate: None,
        }
    }

    /// More arguments, of a program.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        if let Reach::Command { args, .. } = &mut self.reach {
            args.extend(more.into_iter().map(Into::into));
        }
        self
    }

    /// One more variable, of a program.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Reach::Command { env, .. } = &mut self.reach {
            env.push((name.into(), value.into()));
        }
        self
    }

    /// One more header, of an address.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Reach::Http { headers, .. } = &mut self.reach {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// Says who configured it.
    #[must_use]
    pub fn from_source(mut self, source: McpSource) -> Self {
        self.source = source;
        self
    }

    /// Has somebody asked before each start.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// What is started or spoken to, in a line. Values of variables and headers are not in it.
    pub fn summary(&self) -> String {
        match &self.reach {
            Reach::Command { command, args, .. } => {
                let words = std::iter::once(command).chain(args);
                words.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            Reach::Http { url, .. } => url.clone(),
        }
    }
}

/// Without values that may be secret.
impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |pairs: &[(String, String)]| -> Vec<String> {
            pairs.iter().map(|(name, _)| name.clone()).collect()
        };
        match self {
            Self::Command {
                command,
                args,
                env,
                cwd,
            } => f
                .debug_struct("Command")
                .field("command", command)
                .field("args", args)
                .field("env", &names(env))
                .field("cwd", cwd)
                .finish(),
            Self::Http { url, headers } => f
                .debug_struct("Http")
                .field("url", url)
                .field("headers", &names(headers))
                .finish(),
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerConfig")
            .field("name", &self.name)
            .field("source", &self.source)
            .field("reach", &self.reach)
            .field("gated", &self.gate.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_may_be_secret_are_not_shown() {
        let program = ServerConfig::command("a", "x").env("TOKEN", "s3cret");
        let address = ServerConfig::http("b", "http://x").header("Authorization", "s3cret");
        let shown = format!(
            "{program:?} {address:?} {} {}",
            program.summary(),
            address.summary()
        );
        assert!(
            shown.contains("TOKEN") && shown.contains("Authorization"),
            "{shown}"
        );
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
