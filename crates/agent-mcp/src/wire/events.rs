//! A stream of events, none of which is longer than a limit.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::BoxStream;

use super::fate::Fate;

/// Why a stream of events is over.
#[derive(Debug, thiserror::Error)]
pub(super) enum Cut {
    /// One is longer than the limit.
    #[error("it sent a message of more than {0} bytes")]
    TooLong(usize),
    /// The connection failed.
    #[error(transparent)]
    Failed(http_client::Error),
}

/// Chunks, as long as no event is too long.
pub(super) struct Bounded {
    chunks: Option<BoxStream<'static, Result<Bytes, http_client::Error>>>,
    measure: Measure,
    fate: Fate,
}

impl Bounded {
    pub(super) fn new(
        chunks: BoxStream<'static, Result<Bytes, http_client::Error>>,
        limit: usize,
        fate: Fate,
    ) -> Self {
        Self {
            chunks: Some(chunks),
            measure: Measure::new(limit),
            fate,
        }
    }
}

impl Stream for Bounded {
    type Item = Result<Bytes, Cut>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(chunks) = &mut self.chunks else {
            return Poll::Ready(None);
        };
        let chunk = std::task::ready!(chunks.as_mut().poll_next(cx));
        let item = match chunk {
            None => return Poll::Ready(None),
            Some(Ok(chunk)) if self.measure.fits(&chunk) => return Poll::Ready(Some(Ok(chunk))),
            Some(Ok(_)) => {
                let cut = Cut::TooLong(self.measure.limit);
                self.fate.seal(cut.to_string());
                cut
            }
            Some(Err(error)) => Cut::Failed(error),
        };
        self.chunks = None;
        Poll::Ready(Some(Err(item)))
    }
}

/// How long the event is that is just coming in.
#[derive(Debug)]
struct Measure {
    limit: usize,
    event: usize,
    line: usize,
}

impl Measure {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            event: 0,
            line: 0,
        }
    }

    /// Takes in a chunk; whether no event is too long so far. An empty line ends one.
    fn fits(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\n' if self.line == 0 => self.event = 0,
                b'\n' => self.line = 0,
                b'\r' => {}
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > self.limit {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_ends_with_an_empty_line_however_it_is_cut_up() {
        let rows: [(&[&str], bool); 6] = [
            (&["data: 1234\n\ndata: 1234\n\n"], true),
            (&["data: ", "1234", "\r", "\n\r\n", "data: 1234"], true),
            (&["data: 12345\n\n"], false),
            (&["data: 12", "345"], false),
            (&["a: 12\nb: 12\n"], true),
            (&["a: 12\nb: 123\n"], false),
        ];
        for (chunks, want) in rows {
            let mut measure = Measure::new(10);
            let fits = chunks.iter().all(|chunk| measure.fits(chunk.as_bytes()));
            assert_eq!(fits, want, "{chunks:?}");
        }
    }
}
