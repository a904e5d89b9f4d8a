//! Events to pieces of a reply, within limits of time and size.

use std::sync::Arc;

use agent_loop::{LARGEST_REPLY, ModelError, ModelEvent, ReplyStream, Trouble};
use async_trait::async_trait;
use http_client::{Error, ErrorKind, Response};
use tokio::time::{Instant, timeout_at};

use crate::pieces::Pieces;
use crate::service::Service;
use crate::sse::{Event, Events};

/// How much may come over the wire for one reply: around every few letters of it stands an event.
const WIRE: usize = 16 * LARGEST_REPLY;

/// Makes pieces of a reply of a service's events: pure.
pub(crate) trait Reading: Send {
    /// Takes an event.
    fn take(&mut self, event: &Event, pieces: &mut Pieces) -> Result<Progress, ModelError>;

    /// Nothing more comes. It is an error where the reply is not complete.
    fn end(&mut self, pieces: &mut Pieces) -> Result<(), ModelError>;
}

/// How far a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More comes.
    More,
    /// It is complete.
    Complete,
}

/// The reply ended in the middle.
pub(crate) fn cut(why: &str) -> ModelError {
    let message = format!("the reply ended in the middle: {why}");
    ModelError::of(Trouble::StreamCut, message).transient()
}

/// A reply on its way. The connection is closed when it is dropped, or complete.
pub(crate) struct Streaming<R> {
    service: Arc<Service>,
    /// The connection; none when nothing more is read.
    response: Option<Response>,
    events: Events,
    reading: R,
    pieces: Pieces,
    /// What went wrong; told when everything before it has been handed over.
    error: Option<ModelError>,
    end: Instant,
    room: usize,
}

impl<R: Reading> Streaming<R> {
    pub(crate) fn new(
        service: Arc<Service>,
        (response, end): (Response, Instant),
        reading: R,
    ) -> Self {
        Self {
            service,
            response: Some(response),
            events: Events::up_to(LARGEST_REPLY),
            reading,
            pieces: Pieces::up_to(LARGEST_REPLY),
            error: None,
            end,
            room: WIRE,
        }
    }

    /// Reads on until there is a piece, or an end.
    async fn read(&mut self) {
        let Some(response) = &mut self.response else {
            return;
        };
        let silence = self.service.patience.silence;
        let until = self.end.min(Instant::now() + silence);
        let progress = match timeout_at(until, response.chunk()).await {
            Ok(Ok(Some(chunk))) => self.take(&chunk),
            Ok(Ok(None)) => {
                let end = self.reading.end(&mut self.pieces);
                end.map(|()| Progress::Complete)
            }
            Ok(Err(error)) => Err(broken(&error)),
            Err(_) if until == self.end => {
                let whole = self.service.patience.whole;
                let message = format!("the reply was not complete within {whole:?}");
                Err(ModelError::of(Trouble::TimedOut, message))
            }
            Err(_) => {
                let message = format!("nothing more of the reply came within {silence:?}");
                Err(ModelError::of(Trouble::TimedOut, message))
            }
        };
        match progress {
            Ok(Progress::More) => {}
            Ok(Progress::Complete) => self.response = None,
            Err(error) => {
                self.response = None;
                self.error = Some(self.service.place(error));
            }
        }
    }

    fn take(&mut self, chunk: &[u8]) -> Result<Progress, ModelError> {
        self.room = self.room.checked_sub(chunk.len()).ok_or_else(too_large)?;
        let events = self.events.feed(chunk).map_err(|_| too_large())?;
        for event in events {
            if self.reading.take(&event, &mut self.pieces)? == Progress::Complete {
                return Ok(Progress::Complete);
            }
        }
        Ok(Progress::More)
    }
}

fn too_large() -> ModelError {
    let message = format!("the reply is larger than {LARGEST_REPLY} bytes");
    ModelError::of(Trouble::ReplyTooLarge, message)
}

fn broken(error: &Error) -> ModelError {
    match error.kind() {
        ErrorKind::ReadTimeout => ModelError::of(Trouble::TimedOut, error.to_string()),
        ErrorKind::Setup
        | ErrorKind::Refused
        | ErrorKind::UnknownHost
        | ErrorKind::Unreachable
        | ErrorKind::ConnectTimeout
        | ErrorKind::Broken
        | _ => cut(error.detail()),
    }
}

#[async_trait]
impl<R: Reading> ReplyStream for Streaming<R> {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(piece) = self.pieces.next() {
                return Some(Ok(piece));
            }
            if let Some(error) = self.error.take() {
                return Some(Err(error));
            }
            self.response.as_ref()?;
            self.read().await;
        }
    }
}
