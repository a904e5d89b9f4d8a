//! What is answered.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

use crate::error::Error;

/// What is answered: a status and headers, then a body that is read as it comes.
pub struct Response(reqwest::Response);

/// A piece of a body, as it came.
#[derive(Clone, PartialEq, Eq)]
pub struct Chunk(Bytes);

/// What was kept of a body.
#[derive(Debug)]
pub struct Body {
    /// The bytes, no more than the limit.
    pub bytes: Vec<u8>,
    /// How it ended.
    pub end: End,
}

/// How the reading of a body ended.
#[derive(Debug)]
pub enum End {
    /// It is all there.
    Complete,
    /// There was more than the limit.
    Cut,
    /// The connection failed before the end.
    Failed(Error),
}

impl Response {
    pub(crate) fn new(response: reqwest::Response) -> Self {
        Self(response)
    }

    /// The status: `200` and the like.
    pub fn status(&self) -> u16 {
        self.0.status().as_u16()
    }

    /// Whether the status is one of the two hundreds.
    pub fn is_success(&self) -> bool {
        self.0.status().is_success()
    }

    /// The first header of that name, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }

    /// All headers, names in lower case.
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let headers = self.0.headers().iter();
        headers.map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
    }

    /// How long the body is, if the headers say so.
    pub fn content_length(&self) -> Option<u64> {
        self.0.content_length()
    }

    /// The next piece of the body; none at its end. Cancelling this loses nothing.
    pub async fn chunk(&mut self) -> Result<Option<Chunk>, Error> {
        Ok(self.0.chunk().await?.map(Chunk))
    }

    /// The body as far as a limit. What is beyond is not read.
    pub async fn read_up_to(&mut self, limit: usize) -> Body {
        let mut bytes = Vec::new();
        let end = self.read_into(&mut bytes, limit).await;
        Body { bytes, end }
    }

    /// As [`read_up_to`](Self::read_up_to), into a buffer that outlives a cancelled read: what came
    /// until then is in it.
    pub async fn read_into(&mut self, bytes: &mut Vec<u8>, limit: usize) -> End {
        loop {
            let chunk = match self.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return End::Complete,
                Err(error) => return End::Failed(error),
            };
            let room = limit.saturating_sub(bytes.len());
            if let Some((fits, _)) = chunk.split_at_checked(room).filter(|_| chunk.len() > room) {
                bytes.extend_from_slice(fits);
                return End::Cut;
            }
            bytes.extend_from_slice(&chunk);
        }
    }
}

impl Body {
    /// The bytes as text; what is not UTF-8 is replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Whether it is all there.
    pub fn is_complete(&self) -> bool {
        matches!(self.end, End::Complete)
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunk({} bytes)", self.len())
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status())
            .field("content_length", &self.content_length())
            .finish_non_exhaustive()
    }
}
