//! What all hooks of a session share: where requests may go, what they may carry, and the connections.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http_client::{Client, Host, Proxies, Url};
use process_tree::Environment;

use crate::address::{self, Exception};
use crate::pattern;

/// Connections are kept for so long: a burst of events shares one, and no server has closed it by
/// then (five seconds is what the impatient ones wait).
const KEEP_IDLE: Duration = Duration::from_secs(2);

/// Where requests may go, and what they may carry. Cheap to clone; clones share connections.
///
/// ```
/// use hook_http::Network;
/// use process_tree::Environment;
///
/// let network = Network::new(Environment::inherited())
///     .urls(["https://hooks.example.org/*", "http://localhost:*"])
///     .variables(["HOOK_TOKEN"])
///     .exceptions(["169.254.10.1".parse()?]);
/// # let _ = network;
/// # Ok::<(), hook_http::BadException>(())
/// ```
///
/// Requests go through the proxies that the environment names (`https_proxy` and its kin), but for
/// those to this machine.
#[derive(Clone)]
pub struct Network(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    environment: Environment,
    urls: Option<Vec<String>>,
    variables: Option<Vec<String>>,
    exceptions: Arc<[Exception]>,
    /// Made with the first request.
    client: OnceLock<Result<Client, String>>,
}

impl Network {
    /// All URLs, and all variables that a hook asks for.
    pub fn new(environment: Environment) -> Self {
        Self(Arc::new(Inner {
            environment,
            urls: None,
            variables: None,
            exceptions: Arc::default(),
            client: OnceLock::new(),
        }))
    }

    /// Only the URLs that one of these patterns admits; with no pattern, none.
    #[must_use]
    pub fn urls<S: Into<String>>(self, patterns: impl IntoIterator<Item = S>) -> Self {
        let patterns = patterns.into_iter().map(Into::into).collect();
        self.changed(|inner| inner.urls = Some(patterns))
    }

    /// Only these variables, of those that a hook asks for.
    #[must_use]
    pub fn variables<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        self.changed(|inner| inner.variables = Some(names))
    }

    /// Addresses that may be reached all the same: link-local ones, and those of metadata services.
    #[must_use]
    pub fn exceptions(self, exceptions: impl IntoIterator<Item = Exception>) -> Self {
        let exceptions = exceptions.into_iter().collect();
        self.changed(|inner| inner.exceptions = exceptions)
    }

    fn changed(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Arc::unwrap_or_clone(self.0);
        change(&mut inner);
        inner.client = OnceLock::new();
        Self(Arc::new(inner))
    }

    /// Why a request may not go there, as far as the URL tells.
    pub(crate) fn refuses(&self, url: &Url) -> Option<String> {
        let patterns = self.0.urls.as_deref();
        if patterns.is_some_and(|all| !all.iter().any(|pattern| pattern::admits(pattern, url))) {
            return Some(format!("`allowedHttpHookUrls` does not admit {url}"));
        }
        let host = url.host();
        address::refused_name(&host, &self.0.exceptions).or_else(|| match host {
            Host::Address(address) => address::judge(address, &self.0.exceptions).err(),
            Host::Name(_) => None,
        })
    }

    /// Whether variables of that name may be sent at all.
    pub(crate) fn admits_variable(&self, name: &str) -> bool {
        let names = self.0.variables.as_deref();
        names.is_none_or(|names| names.iter().any(|known| known == name))
    }

    /// What a variable holds.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.0.environment.get(name)?.to_str().map(str::to_owned)
    }

    /// Sends requests; else says why none can be sent.
    pub(crate) fn client(&self) -> Result<&Client, String> {
        let made = self.0.client.get_or_init(|| {
            let exceptions = Arc::clone(&self.0.exceptions);
            let variables = self.0.environment.iter();
            let variables = variables.filter_map(|(name, value)| name.to_str().zip(value.to_str()));
            let client = Client::builder()
                .keep_idle(KEEP_IDLE)
                .proxies(Proxies::from_variables(variables))
                .guard(move |address| address::judge(address, &exceptions));
            client.build().map_err(|error| error.to_string())
        });
        made.as_ref().map_err(Clone::clone)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("urls", &self.0.urls)
            .field("variables", &self.0.variables)
            .field("exceptions", &self.0.exceptions)
            .finish_non_exhaustive()
    }
}
