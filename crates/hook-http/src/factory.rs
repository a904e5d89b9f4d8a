//! From the entry of a file to a hook.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hook_config::{Action, Entry, Factory, HttpRules, Setting};
use hook_runner::Handler;
use hook_shell::Dialect;
use process_tree::Environment;
use serde_json::{Map, Value};

use crate::address::Exception;
use crate::hook::HttpHook;
use crate::network::Network;

/// Makes the `http` entries of files into hooks. Those of one load share their connections.
///
/// ```
/// use hook_config::{Factories, Options, Places, load};
/// use hook_http::HttpHooks;
/// use hook_shell::Host;
///
/// let factories = Factories::new().with("http", HttpHooks::new());
/// let options = Options::new(Host::new()).factories(factories);
/// assert!(load(&Places::none(), &options).hooks.is_empty());
/// ```
#[derive(Default)]
pub struct HttpHooks {
    /// The last network, and what it was made of.
    last: Mutex<Option<Known>>,
}

struct Known {
    rules: HttpRules,
    environment: Environment,
    network: Network,
}

impl HttpHooks {
    /// A factory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The network of a setting: the last one, if nothing has changed.
    fn network(&self, setting: &Setting<'_>) -> Result<Network, String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let environment = setting.host.environment();
        let is_same = |known: &&Known| {
            known.rules == *setting.http && known.environment.iter().eq(environment.iter())
        };
        if let Some(known) = last.as_ref().filter(is_same) {
            return Ok(known.network.clone());
        }
        let network = network(setting.http, environment)?;
        *last = Some(Known {
            rules: setting.http.clone(),
            environment: environment.clone(),
            network: network.clone(),
        });
        Ok(network)
    }
}

fn network(rules: &HttpRules, environment: &Environment) -> Result<Network, String> {
    let exceptions: Result<Vec<Exception>, _> =
        rules.addresses.iter().map(|text| text.parse()).collect();
    let exceptions =
        exceptions.map_err(|error| format!("in `allowedHttpHookAddresses`: {error}"))?;
    let mut network = Network::new(environment.clone()).exceptions(exceptions);
    if let Some(urls) = &rules.urls {
        network = network.urls(urls);
    }
    if let Some(variables) = &rules.variables {
        network = network.variables(variables);
    }
    Ok(network)
}

impl Factory for HttpHooks {
    fn make(&self, entry: &Entry, setting: &Setting<'_>) -> Result<Arc<dyn Handler>, String> {
        let Action::Other { fields, .. } = &entry.action else {
            return Err("the entry is of another type".to_owned());
        };
        let hook = made(fields).map_err(|error| error.to_string())?;
        let dialect = match entry.dialect {
            Dialect::Hookline => Dialect::Hookline,
            // The event is told in the words of the contract, and answered in them.
            Dialect::Claude | Dialect::Opta | Dialect::OpenCode | _ => Dialect::Claude,
        };
        Ok(Arc::new(
            hook.network(&self.network(setting)?).dialect(dialect),
        ))
    }
}

/// The hook that the fields of an entry describe. Their types were looked at when the file was read.
fn made(fields: &Map<String, Value>) -> Result<HttpHook, crate::hook::BadHook> {
    let url = fields
        .get("url")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut hook = HttpHook::new(url)?;
    let headers = fields.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        hook = hook.header(name, &value)?;
    }
    let allowed = fields.get("allowedEnvVars").and_then(Value::as_array);
    let allowed = allowed.into_iter().flatten().filter_map(Value::as_str);
    Ok(hook.allow_variables(allowed))
}

impl fmt::Debug for HttpHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpHooks")
    }
}
