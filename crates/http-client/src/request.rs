//! What is asked.

use std::fmt;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::error::BadHeader;
use crate::url::Url;

/// What to do with what is at the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    Get,
    /// `POST`
    Post,
    /// `PUT`
    Put,
    /// `DELETE`
    Delete,
}

impl Method {
    fn inner(self) -> reqwest::Method {
        match self {
            Self::Get => reqwest::Method::GET,
            Self::Post => reqwest::Method::POST,
            Self::Put => reqwest::Method::PUT,
            Self::Delete => reqwest::Method::DELETE,
        }
    }
}

/// What is asked. What is shown of it holds no value of a header.
#[derive(Clone)]
pub struct Request {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Bytes>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: Method, url: Url) -> Self {
        let headers = HeaderMap::new();
        let body = None;
        Self {
            method,
            url,
            headers,
            body,
        }
    }

    /// Asks for what is there.
    pub fn get(url: Url) -> Self {
        Self::new(Method::Get, url)
    }

    /// Sends something there.
    pub fn post(url: Url) -> Self {
        Self::new(Method::Post, url)
    }

    /// Sets a header, in the place of one of that name.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, BadHeader> {
        let bad_name = |_| BadHeader::Name {
            name: name.to_owned(),
        };
        let bad_value = |_| BadHeader::Value {
            name: name.to_owned(),
        };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(bad_name)?;
        let mut value = HeaderValue::from_bytes(value.as_bytes()).map_err(bad_value)?;
        value.set_sensitive(true);
        self.headers.insert(key, value);
        Ok(self)
    }

    /// What is sent; its bytes are not copied.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use http_client::{Request, Url};
    ///
    /// let shared: Arc<[u8]> = Arc::from(*b"sent to many");
    /// let url = Url::parse("http://127.0.0.1:4000").unwrap();
    /// let requests: Vec<Request> = (0..3).map(|_| Request::post(url.clone()).body(shared.clone())).collect();
    /// assert_eq!(Arc::strong_count(&shared), 1 + requests.len());
    /// ```
    #[must_use]
    pub fn body(mut self, bytes: impl AsRef<[u8]> + Send + 'static) -> Self {
        self.body = Some(Bytes::from_owner(bytes));
        self
    }

    /// Where it goes.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// A name and a password in the URL become a header, unless there is one.
    pub(crate) fn built_by(self, client: &reqwest::Client) -> reqwest::RequestBuilder {
        let request = client.request(self.method.inner(), self.url.inner());
        let request = request.headers(self.headers);
        match self.body {
            Some(body) => request.body(body),
            None => request,
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body", &self.body.as_ref().map(Bytes::len))
            .finish()
    }
}
