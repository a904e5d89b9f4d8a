//! What may be started: variables replaced, trust judged, one server a name.

use std::collections::HashSet;
use std::sync::Arc;

use hook_config::trust::{ContentTrust, Review, Why};
use hook_config::{
    Action, Code, CommandAction, Diagnostic, Entry, Origin, Place, Run, Subject, Trust, TrustState,
};
use hook_runner::{Admission, Gate};
use hook_shell::Dialect;
use hook_types::McpSource;
use serde_json::{Map, Value};

use super::entry::{self, Written};
use super::files::{McpFiles, Shelf};
use crate::name::{plain, plugin_server_name};
use crate::server::{Reach, ServerConfig};

/// The servers of some files, and what is wrong with those files.
///
/// ```
/// use agent_mcp::{Found, McpFiles};
/// use hook_config::{Explicit, Places, TrustEverything};
///
/// let text = r#"{"mcpServers": {"memory": {"command": "${RUNNER:-npx}", "args": ["-y", "memory"]},
///                               "broken": {"comand": "x"}}}"#;
/// let files = McpFiles::new(&Places::none()).named(Explicit::Text(text.to_owned()));
/// let found = Found::read(&files, &TrustEverything, |_| None);
/// assert_eq!(found.configs()[0].summary(), "npx -y memory");
/// assert_eq!(
///     found.diagnostics[0].to_string(),
///     "--mcp-config:2:41: error[missing-key]: the server `broken` has no `command`"
/// );
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The servers, in the order in which they count. Of one name there may be several.
    pub servers: Vec<FoundServer>,
    /// What is wrong with the files.
    pub diagnostics: Vec<Diagnostic>,
}

/// A server of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FoundServer {
    /// The server.
    pub config: ServerConfig,
    /// Where it stands.
    pub place: Place,
    /// Whether somebody has approved it.
    pub trust: TrustState,
    /// Why.
    pub why: Why,
    /// What trust is asked about.
    case: Case,
}

/// What trust is asked about, kept.
#[derive(Clone, Debug)]
struct Case {
    origin: Origin,
    content: Value,
    entry: Entry,
}

impl Case {
    fn subject<'a>(&'a self, place: &'a Place) -> Subject<'a> {
        Subject {
            origin: &self.origin,
            place,
            content: &self.content,
            listens: &[],
            entry: Some(&self.entry),
        }
    }
}

impl Found {
    /// Reads the files. The judge must know of nothing but servers, since it is told of all of them.
    pub fn read(
        files: &McpFiles,
        trust: &dyn Trust,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let (shelves, diagnostics) = files.read();
        let mut found = Self {
            servers: Vec::new(),
            diagnostics,
        };
        let mut all = Vec::new();
        for shelf in &shelves {
            let members = shelf.servers.as_object().unwrap_or_default();
            for member in members {
                let (written, problems) = entry::read(&shelf.document, member);
                found.diagnostics.extend(problems);
                all.extend(written.map(|written| (shelf, written)));
            }
        }
        let contents: Vec<Value> = all.iter().map(|(_, written)| written.content()).collect();
        trust.survey(&contents);
        let root = files.places().project.clone();
        for (shelf, written) in all {
            let root = root.as_ref().map(|root| root.display().to_string());
            let server = server(shelf, &written, trust, |name| {
                of_files(name, root.as_deref(), shelf).or_else(|| variable(name))
            });
            match server {
                Ok(server) => found.servers.extend(server),
                Err(problem) => found.diagnostics.push(*problem),
            }
        }
        found
    }

    /// The servers to start, one a name: the first that may run, else the first. One that may not never
    /// takes the place of one that may.
    pub fn configs(&self) -> Vec<ServerConfig> {
        let mut names: HashSet<String> = HashSet::new();
        let (run, wait): (Vec<_>, Vec<_>) =
            self.servers.iter().partition(|server| server.trust.runs());
        let in_order = run.into_iter().chain(wait);
        let first = in_order.filter(|server| names.insert(plain(&server.config.name)));
        first.map(|server| server.config.clone()).collect()
    }

    /// Those that wait for an approval.
    pub fn waiting(&self) -> impl Iterator<Item = &FoundServer> {
        self.servers.iter().filter(|server| !server.trust.runs())
    }

    /// Reviews those that need an approval, whether they have it or not.
    pub fn reviews(&self, trust: &ContentTrust) -> Vec<Review> {
        let contents: Vec<Value> = self
            .servers
            .iter()
            .map(|server| server.case.content.clone())
            .collect();
        trust.survey(&contents);
        let needs =
            |server: &&FoundServer| !matches!(server.why, Why::Policy | Why::Own | Why::Named);
        let servers = self.servers.iter().filter(needs);
        servers
            .map(|server| trust.review(&server.case.subject(&server.place)))
            .collect()
    }
}

/// A server that may be started, or waits for an approval; nothing where it is switched off.
fn server(
    shelf: &Shelf,
    written: &Written,
    trust: &dyn Trust,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<FoundServer>, Box<Diagnostic>> {
    if written.disabled {
        return Ok(None);
    }
    let problem =
        |code, message: String| Box::new(Diagnostic::new(code, message).at(written.place.clone()));
    let name = match &shelf.origin.plugin {
        Some(plugin) => plugin_server_name(&plugin.id, &written.name),
        None if written.name.starts_with("plugin:") => {
            let message = "a name that starts with `plugin:` is a plugin's".to_owned();
            return Err(problem(Code::WrongValue, message));
        }
        None => written.name.clone(),
    };
    let reach = written.expanded(variable).map_err(|unset| {
        let message = format!("the server `{name}` is not started: {unset}");
        let default = format!("write ${{{}:-…}} to give it one", unset.0);
        Box::new(problem(Code::WrongValue, message).help(default))
    })?;
    let case = Case {
        origin: shelf.origin.clone(),
        content: written.content(),
        entry: as_entry(written),
    };
    let judgement = trust.judge(&case.subject(&written.place));
    let mut config = ServerConfig::new(name, reach).from_source(shelf.source.clone());
    match judgement.gate {
        Some(gate) => config = config.gate(gate),
        None if judgement.state.runs() => {}
        None => config = config.gate(Arc::new(Shut(judgement.state.admission()))),
    }
    Ok(Some(FoundServer {
        config,
        place: written.place.clone(),
        trust: judgement.state,
        why: judgement.why,
        case,
    }))
}

/// A gate that never opens.
struct Shut(Admission);

impl Gate for Shut {
    fn admit(&self) -> Admission {
        self.0
    }
}

/// The variables that the place of a file says more of than the environment.
fn of_files(name: &str, root: Option<&str>, shelf: &Shelf) -> Option<String> {
    match name {
        "CLAUDE_PROJECT_DIR" => root.map(str::to_owned),
        "CLAUDE_PLUGIN_ROOT" if shelf.source == McpSource::Plugin => {
            let plugin = shelf.origin.plugin.as_ref()?;
            Some(plugin.plugin.root.clone())
        }
        "CLAUDE_PLUGIN_DATA" if shelf.source == McpSource::Plugin => {
            shelf.origin.plugin.as_ref()?.plugin.data.clone()
        }
        _ => None,
    }
}

/// A server as an approval covers it: the files that its words name are looked at too.
fn as_entry(written: &Written) -> Entry {
    let action = match &written.reach {
        Reach::Command {
            command,
            args,
            env,
            cwd,
        } => Action::Command(CommandAction {
            run: Run::Exec {
                program: command.clone(),
                args: args.clone(),
            },
            shell: None,
            env: env.clone(),
            cwd: Some(cwd.clone().unwrap_or_else(|| ".".into())),
        }),
        Reach::Http { url, .. } => {
            let mut fields = Map::new();
            fields.insert("url".to_owned(), Value::String(url.clone()));
            Action::Other {
                kind: "mcp_server".to_owned(),
                kind_place: written.place.clone(),
                fields,
            }
        }
    };
    Entry::new(Vec::new(), action, Dialect::Claude, written.place.clone())
}
