//! What is shared by requests: connections, certificates, proxies, the guard.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use tokio::sync::OnceCell;

use crate::error::Error;
use crate::guard::Guard;
use crate::proxies::Proxies;
use crate::request::Request;
use crate::response::Response;
use crate::tls;
use crate::url::Url;

/// Sends requests. A clone shares everything.
#[derive(Clone, Debug)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    plain: reqwest::Client,
    /// Made for the first `https` request, because certificates are read for it.
    secure: OnceCell<reqwest::Client>,
    builder: ClientBuilder,
}

impl Client {
    /// A client with settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Sends a request and waits for the head of the answer. Dropping the future gives it up.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        if let Some(guard) = &self.0.builder.guard {
            guard.literal(request.url())?;
        }
        let client = self.of(request.url()).await?;
        let response = request.built_by(client).send().await?;
        Ok(Response::new(response))
    }

    async fn of(&self, url: &Url) -> Result<&reqwest::Client, Error> {
        if url.scheme() == "http" {
            return Ok(&self.0.plain);
        }
        let builder = self.0.builder.clone();
        let made = || async {
            let made = tokio::task::spawn_blocking(move || builder.make(tls::system()?)).await;
            made.map_err(Error::setup)?
        };
        self.0.secure.get_or_try_init(made).await
    }
}

/// The settings of a [`Client`].
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    user_agent: String,
    connect_timeout: Duration,
    read_timeout: Option<Duration>,
    keep_idle: Duration,
    proxies: Proxies,
    guard: Option<Guard>,
}

impl Default for ClientBuilder {
    /// No proxies, no guard; ten seconds to connect.
    fn default() -> Self {
        Self {
            user_agent: concat!("hookline/", env!("CARGO_PKG_VERSION")).to_owned(),
            connect_timeout: Duration::from_secs(10),
            read_timeout: None,
            keep_idle: Duration::from_secs(30),
            proxies: Proxies::none(),
            guard: None,
        }
    }
}

impl ClientBuilder {
    /// What the client calls itself; `hookline` and the version unless told otherwise.
    #[must_use]
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// How long looking up a name, connecting and agreeing on keys may take together.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// How long the other side may say nothing: before the head of its answer, and within the body.
    /// Without it there is no limit but the caller's own.
    #[must_use]
    pub fn read_timeout(mut self, limit: Duration) -> Self {
        self.read_timeout = Some(limit);
        self
    }

    /// How long a connection that nobody uses is kept for the next request; zero: not at all.
    ///
    /// A server may close it in the very moment in which the next request is sent, and that request
    /// fails: stay below the time that servers keep theirs (five seconds is common).
    #[must_use]
    pub fn keep_idle(mut self, time: Duration) -> Self {
        self.keep_idle = time;
        self
    }

    /// The proxies that requests go through.
    #[must_use]
    pub fn proxies(mut self, proxies: Proxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Refuses addresses: asked for an address that stands in a URL, and for every address that a name
    /// means, of which none may be refused. Exactly these are connected to.
    ///
    /// Where a proxy stands between, it looks names up itself: the guard then sees the addresses of
    /// the proxy, and those that stand in URLs.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use http_client::{Client, ErrorKind, Request, Url};
    ///
    /// let strict = |address: std::net::IpAddr| match address.is_loopback() {
    ///     true => Err("this machine is not to be asked".to_owned()),
    ///     false => Ok(()),
    /// };
    /// let client = Client::builder().guard(strict).build()?;
    /// let refused = client.send(Request::get(Url::parse("http://localhost:9/")?)).await;
    /// assert_eq!(refused.unwrap_err().kind(), ErrorKind::Refused);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn guard(
        mut self,
        judge: impl Fn(IpAddr) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.guard = Some(Guard::new(judge));
        self
    }

    /// The client. Reads no file and opens no connection.
    pub fn build(self) -> Result<Client, Error> {
        let plain = self.make(tls::nobody()?)?;
        let secure = OnceCell::new();
        Ok(Client(Arc::new(Inner {
            plain,
            secure,
            builder: self,
        })))
    }

    fn make(&self, tls: rustls::ClientConfig) -> Result<reqwest::Client, Error> {
        let idle = if self.keep_idle.is_zero() {
            0
        } else {
            IDLE_CONNECTIONS
        };
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .http1_only()
            .user_agent(&self.user_agent)
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(self.keep_idle)
            .pool_max_idle_per_host(idle);
        if let Some(limit) = self.read_timeout {
            builder = builder.read_timeout(limit);
        }
        if let Some(guard) = &self.guard {
            builder = builder.dns_resolver(guard.clone());
        }
        Ok(self.proxies.apply(builder)?.build()?)
    }
}

/// How many connections to one host are kept for the next request.
const IDLE_CONNECTIONS: usize = 8;
