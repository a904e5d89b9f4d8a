//! The hook.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_shell::Dialect;
use hook_types::wire::Extent;
use hook_types::{HookKind, Reply, Status};
use http_client::{BadHeader, BadUrl, Request, Url};
use process_tree::Environment;
use serde_json::json;

use crate::answer::{self, Fault, Response};
use crate::ask::{Ask, Ended, Seen};
use crate::network::Network;
use crate::template::Template;

/// How much of a body is read, unless told otherwise: as much as is kept of what a command prints.
const BODY_LIMIT: usize = 1024 * 1024;

/// Headers that belong to the connection, not to what is said over it.
const OURS: [&str; 8] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A hook that is asked over HTTP. What is shown of it holds no value of a header.
///
/// ```
/// use std::time::Duration;
/// use hook_http::HttpHook;
///
/// let hook = HttpHook::new("https://hooks.example.org/stop")?
///     .header("Authorization", "Bearer ${HOOK_TOKEN}")?
///     .allow_variables(["HOOK_TOKEN"])
///     .timeout(Duration::from_secs(5));
/// # let _ = hook;
/// # Ok::<(), hook_http::BadHook>(())
/// ```
#[derive(Clone, Debug)]
pub struct HttpHook {
    url: Url,
    headers: Vec<Header>,
    allowed: Vec<String>,
    network: Network,
    dialect: Dialect,
    timeout: Option<Duration>,
    body_limit: usize,
}

#[derive(Clone)]
struct Header {
    name: String,
    /// As it is written.
    value: String,
    template: Template,
}

/// Why a hook cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHook {
    /// It cannot be asked there.
    #[error(transparent)]
    Url(#[from] BadUrl),
    /// It cannot be asked with that header.
    #[error(transparent)]
    Header(#[from] BadHeader),
    /// The header is not the hook's to set.
    #[error("the header `{0}` belongs to the connection; take it away")]
    OurHeader(String),
}

impl HttpHook {
    /// A hook at a URL. It may go everywhere a [`Network`] without rules goes, and reads the variables
    /// of this process.
    pub fn new(url: &str) -> Result<Self, BadHook> {
        Ok(Self {
            url: Url::parse(url)?,
            headers: Vec::new(),
            allowed: Vec::new(),
            network: Network::new(Environment::inherited()),
            dialect: Dialect::Claude,
            timeout: None,
            body_limit: BODY_LIMIT,
        })
    }

    /// Sends a header. `$NAME` and `${NAME}` stand for variables that are
    /// [allowed](Self::allow_variables); for others, nothing.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHook> {
        if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            return Err(BadHook::OurHeader(name.to_owned()));
        }
        // Tried on a request, so that what cannot be sent is said now.
        Request::post(self.url.clone()).header(name, value)?;
        self.headers.push(Header {
            name: name.to_owned(),
            value: value.to_owned(),
            template: Template::read(value),
        });
        Ok(self)
    }

    /// Variables that headers may hold.
    #[must_use]
    pub fn allow_variables<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.allowed.extend(names.into_iter().map(Into::into));
        self
    }

    /// Where it may go, what it may carry, and what holds its variables.
    #[must_use]
    pub fn network(mut self, network: &Network) -> Self {
        self.network = network.clone();
        self
    }

    /// Whose rules its answers are written for.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// How much of a response is read, in bytes.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Whether a variable is filled in.
    fn admits(&self, name: &str) -> bool {
        self.allowed.iter().any(|known| known == name) && self.network.admits_variable(name)
    }

    fn ask(&self, input: Arc<Input>) -> Ask<'_> {
        let known = |name: &str| self.network.variable(name).filter(|_| self.admits(name));
        let filled = |header: &'_ Header| header.template.fill(known);
        let headers = self.headers.iter();
        Ask {
            network: &self.network,
            url: &self.url,
            headers: headers
                .map(|header| (header.name.as_str(), filled(header)))
                .collect(),
            input,
            body_limit: self.body_limit,
        }
    }

    /// Reads what came, however it ended; nothing came where there is no head.
    fn reply(&self, input: &Input, seen: &Seen, came: Came) -> Reply {
        let Some(head) = &seen.head else {
            return Reply::with_status(came.status());
        };
        let body = String::from_utf8_lossy(&seen.body);
        let (extent, fault) = came.parts();
        let response = Response {
            status: head.status,
            encoding: head.encoding.as_deref(),
            body: &body,
            extent,
            fault,
        };
        let mut reply = answer::reply(self.dialect, input.event(), &response);
        reply.evidence.facts.clone_from(&head.facts);
        reply
    }
}

/// How the asking ended.
enum Came {
    Response(Ended),
    Nothing(Status),
    TooLate(Duration),
}

impl Came {
    fn status(self) -> Status {
        match self {
            Self::Nothing(status) => status,
            Self::TooLate(limit) => Status::TimedOut { limit },
            Self::Response(ended) => Status::Failed(ended.fault.unwrap_or_default()),
        }
    }

    fn parts(self) -> (Extent, Option<Fault>) {
        match self {
            Self::Response(Ended { extent, fault }) => (extent, fault.map(Fault::Failed)),
            Self::TooLate(limit) => (Extent::Whole, Some(Fault::TimedOut(limit))),
            Self::Nothing(status) => (Extent::Whole, Some(Fault::Failed(status.to_string()))),
        }
    }
}

#[async_trait]
impl Handler for HttpHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let mut seen = Seen::default();
        let asked = context
            .in_time(self.ask(Arc::clone(&input)).ask(&mut seen))
            .await;
        let came = match asked {
            Some(Ok(ended)) => Came::Response(ended),
            Some(Err(status)) => Came::Nothing(status),
            None => Came::TooLate(context.limit()),
        };
        self.reply(&input, &seen, came)
    }

    fn describe(&self) -> Description {
        let kind = HookKind::Other("http".to_owned());
        let mut description = Description::new(kind, format!("POST {}", self.url));
        let details = &mut description.details;
        let mut add = |name: &str, told: Vec<&str>| {
            if !told.is_empty() {
                details.push((name.to_owned(), told.join(" ")));
            }
        };
        add(
            "headers",
            self.headers
                .iter()
                .map(|header| header.name.as_str())
                .collect(),
        );
        let variables = self
            .headers
            .iter()
            .flat_map(|header| header.template.variables());
        let (filled, empty): (Vec<&str>, Vec<&str>) = variables.partition(|name| self.admits(name));
        add("variables", filled);
        add("variables that stay empty", empty);
        if let Some(why) = self.network.refuses(&self.url) {
            details.push(("refused".to_owned(), why));
        }
        description
    }

    fn identity(&self) -> Option<String> {
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|header| (&header.name, &header.value))
            .collect();
        let parts = json!(["http", self.url.as_str(), headers, self.allowed]);
        Some(format!("{:?} {parts}", self.dialect))
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout
    }
}

impl std::fmt::Debug for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
