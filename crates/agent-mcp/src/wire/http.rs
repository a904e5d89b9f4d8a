//! Streamable HTTP over our own client: no redirects, nothing kept beyond a limit.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{BoxStream, unfold};
use http::{HeaderName, HeaderValue};
use http_client::{Client, End, Method, Proxies, Request, Response, Url};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpClientTransportConfig,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::events::Bounded;
use super::fate::Fate;
use crate::link::Surroundings;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
/// What the protocol sets itself.
const RESERVED: [&str; 5] = [
    "accept",
    "content-type",
    "last-event-id",
    "mcp-protocol-version",
    SESSION,
];

type Trouble = StreamableHttpError<http_client::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Speaks with an address.
pub(crate) fn http(
    url: &str,
    headers: &[(String, String)],
    around: &Surroundings,
    fate: &Fate,
) -> Result<StreamableHttpClientTransport<Backend>, String> {
    let address = Url::parse(url).map_err(|why| why.to_string())?;
    let variables = around.environment.iter();
    let variables = variables.filter_map(|(name, value)| name.to_str().zip(value.to_str()));
    let client = Client::builder().proxies(Proxies::from_variables(variables));
    let client = client.build().map_err(|why| why.to_string())?;
    let free = |(name, _): &&(String, String)| {
        !RESERVED.iter().any(|held| held.eq_ignore_ascii_case(name))
    };
    let headers: Vec<(String, String)> = headers.iter().filter(free).cloned().collect();
    let mut probe = Request::get(address.clone());
    for (name, value) in &headers {
        probe = probe.header(name, value).map_err(|why| why.to_string())?;
    }
    let backend = Backend {
        client,
        address,
        headers: headers.into(),
        limit: around.limits.message,
        fate: fate.clone(),
    };
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(around.limits.message);
    Ok(StreamableHttpClientTransport::with_client(backend, config))
}

/// Our client, as the SDK uses it.
#[derive(Clone)]
pub(crate) struct Backend {
    client: Client,
    address: Url,
    /// Of every request, as they are configured.
    headers: Arc<[(String, String)]>,
    limit: usize,
    fate: Fate,
}

impl Backend {
    fn request(
        &self,
        method: Method,
        session: Option<&str>,
        more: &Headers,
    ) -> Result<Request, Trouble> {
        let mut request = Request::new(method, self.address.clone());
        let own = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let told = more
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let session = session.map(|session| (SESSION, session));
        for (name, value) in own.chain(told).chain(session) {
            request = request.header(name, value).map_err(odd)?;
        }
        Ok(request)
    }

    async fn send(&self, request: Request) -> Result<Response, Trouble> {
        let response = self.client.send(request).await;
        let response = response.map_err(StreamableHttpError::Client)?;
        match response.status() {
            401 => {
                let challenge = response.header("www-authenticate").unwrap_or("status 401");
                let why = AuthRequiredError::new(challenge.to_owned());
                Err(StreamableHttpError::AuthRequired(why))
            }
            status @ 300..=399 => {
                let to = response.header("location").unwrap_or("nowhere");
                Err(odd(format!(
                    "it answers with a redirect ({status}) to {to}, which is not followed"
                )))
            }
            _ => Ok(response),
        }
    }

    /// A body that is not too long.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Trouble> {
        let body = response.read_up_to(self.limit).await;
        match body.end {
            End::Complete => Ok(body.bytes),
            End::Cut => Err(odd(format!(
                "it sent a message of more than {} bytes",
                self.limit
            ))),
            End::Failed(error) => Err(StreamableHttpError::Client(error)),
        }
    }

    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let chunks = unfold(Some(response), |response| async {
            let mut response = response?;
            match response.chunk().await {
                Ok(Some(chunk)) => Some((Ok(Bytes::copy_from_slice(&chunk)), Some(response))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        let bounded = Bounded::new(chunks.boxed(), self.limit, self.fate.clone());
        SseStream::from_bytes_stream(bounded).boxed()
    }
}

impl StreamableHttpClient for Backend {
    type Error = http_client::Error;

    async fn post_message(
        &self,
        _: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Trouble> {
        let wants_answer = matches!(message, JsonRpcMessage::Request(_));
        let body = serde_json::to_vec(&message)?;
        let request = self
            .request(Method::Post, session.as_deref(), &headers)?
            .header("accept", &format!("{EVENTS}, {JSON}"))
            .and_then(|request| request.header("content-type", JSON))
            .map_err(odd)?
            .body(body);
        let response = self.send(request).await?;
        let status = response.status();
        if matches!(status, 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == 404 && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let id = response.header(SESSION).map(str::to_owned);
        let kind = response
            .header("content-type")
            .unwrap_or_default()
            .to_owned();
        if response.is_success() && kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), id));
        }
        let success = response.is_success();
        let body = self.body(response).await?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(message) if kind.starts_with(JSON) => {
                Ok(StreamableHttpPostResponse::Json(message, id))
            }
            _ if success && !wants_answer => Ok(StreamableHttpPostResponse::Accepted),
            _ => Err(odd(unreadable(status, &kind, &body))),
        }
    }

    async fn delete_session(
        &self,
        _: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Trouble> {
        let request = self.request(Method::Delete, Some(&*session), &headers)?;
        self.send(request).await.map(drop)
    }

    async fn get_stream(
        &self,
        _: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Trouble> {
        let mut request = self
            .request(Method::Get, session.as_deref(), &headers)?
            .header("accept", EVENTS)
            .map_err(odd)?;
        if let Some(last) = last_event {
            request = request.header("last-event-id", &last).map_err(odd)?;
        }
        let response = self.send(request).await?;
        let kind = response.header("content-type").unwrap_or_default();
        match response.status() {
            200 if kind.starts_with(EVENTS) => Ok(self.events(response)),
            405 => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status => Err(odd(format!("it answers a stream with status {status}"))),
        }
    }
}

fn odd(why: impl std::fmt::Display) -> Trouble {
    StreamableHttpError::UnexpectedServerResponse(Cow::Owned(why.to_string()))
}

fn unreadable(status: u16, kind: &str, body: &[u8]) -> String {
    let start: String = String::from_utf8_lossy(body).chars().take(200).collect();
    let start = start.trim();
    match (start.is_empty(), kind.is_empty()) {
        (true, _) => format!("it answers with status {status} and nothing else"),
        (false, true) => format!("it answers with status {status} and no message: {start}"),
        (false, false) => {
            format!("it answers with status {status} and no message, but {kind}: {start}")
        }
    }
}
