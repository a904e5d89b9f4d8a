//! A server on this machine that answers every request as it was told, and keeps what it received.
#![allow(dead_code, reason = "every suite takes what it needs of this file")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// What one request is answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    status: String,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
    chunked: bool,
}

#[derive(Clone, Debug)]
enum Step {
    /// The head, if it was not sent.
    Head,
    Send(String),
    Wait(Duration),
    /// The same, until nobody reads any more.
    Forever(String),
    /// Nothing, until nobody reads any more.
    Hang,
    /// The end that HTTP has for a body.
    End,
}

impl Answer {
    /// A stream of these events, whole.
    pub(crate) fn stream<S: AsRef<str>>(events: impl IntoIterator<Item = S>) -> Self {
        Self::begin().send(events).then(Step::End)
    }

    /// A stream that begins, and goes on as it is told. Without an end it is cut.
    pub(crate) fn begin() -> Self {
        let answer = Self {
            status: "200 OK".into(),
            chunked: true,
            ..Self::default()
        };
        answer
            .header("content-type", "text/event-stream; charset=utf-8")
            .then(Step::Head)
    }

    /// An error.
    pub(crate) fn error(status: &str, body: &Value) -> Self {
        let answer = Self {
            status: status.into(),
            ..Self::default()
        };
        let answer = answer
            .header("content-type", "application/json")
            .then(Step::Head);
        answer.then(Step::Send(body.to_string()))
    }

    /// The connection is closed before anything is answered.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    pub(crate) fn send<S: AsRef<str>>(mut self, pieces: impl IntoIterator<Item = S>) -> Self {
        let pieces = pieces
            .into_iter()
            .map(|piece| Step::Send(piece.as_ref().to_owned()));
        self.steps.extend(pieces);
        self
    }

    pub(crate) fn forever(self, piece: &str) -> Self {
        self.then(Step::Forever(piece.to_owned()))
    }

    pub(crate) fn hang(self) -> Self {
        self.then(Step::Hang)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The answer begins later.
    pub(crate) fn after(mut self, time: Duration) -> Self {
        self.steps.insert(0, Step::Wait(time));
        self
    }

    /// The body ends where the connection ends.
    pub(crate) fn unframed(mut self) -> Self {
        self.chunked = false;
        self
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    fn head(&self) -> String {
        let framing = self
            .chunked
            .then_some(("transfer-encoding".to_owned(), "chunked".to_owned()));
        let headers = self.headers.iter().chain(&framing);
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let headers = headers.concat();
        format!(
            "HTTP/1.1 {}\r\nconnection: close\r\n{headers}\r\n",
            self.status
        )
    }

    fn framed(&self, piece: &str) -> String {
        if self.chunked {
            format!("{:x}\r\n{piece}\r\n", piece.len())
        } else {
            piece.to_owned()
        }
    }
}

/// The server. It ends with the test.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) address: String,
    received: Arc<Mutex<Vec<Received>>>,
    /// How many connections the other side has closed while they were in use.
    closed: Arc<watch::Sender<usize>>,
}

impl Server {
    /// Answers one request after another; whoever asks once more is not answered.
    pub(crate) async fn answering(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            received: Arc::default(),
            closed: Arc::new(watch::Sender::new(0)),
        };
        let mut answers = answers.into_iter().collect::<Vec<_>>().into_iter();
        let serving = server.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let answer = answers.next().unwrap_or_else(Answer::nothing);
                tokio::spawn(serving.clone().serve(stream, answer));
            }
        });
        server
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until the other side has closed a connection in the middle of an answer.
    pub(crate) async fn closed(&self) {
        let mut closed = self.closed.subscribe();
        closed.wait_for(|count| *count > 0).await.unwrap();
    }

    async fn serve(self, mut stream: TcpStream, answer: Answer) {
        let Some(received) = read_request(&mut stream).await else {
            return;
        };
        self.received.lock().unwrap().push(received);
        if play(&mut stream, &answer).await.is_none() {
            self.closed.send_modify(|count| *count += 1);
        }
        let _ = stream.shutdown().await;
    }
}

/// Plays an answer; nothing if the other side went away.
async fn play(stream: &mut TcpStream, answer: &Answer) -> Option<()> {
    for step in &answer.steps {
        let text = match step {
            Step::Head => answer.head(),
            Step::Send(piece) => answer.framed(piece),
            Step::End if answer.chunked => "0\r\n\r\n".to_owned(),
            Step::End => continue,
            Step::Wait(time) => {
                tokio::time::sleep(*time).await;
                continue;
            }
            Step::Forever(piece) => loop {
                stream
                    .write_all(answer.framed(piece).as_bytes())
                    .await
                    .ok()?;
            },
            Step::Hang => {
                let mut byte = [0];
                let _ = stream.read(&mut byte).await;
                return None;
            }
        };
        stream.write_all(text.as_bytes()).await.ok()?;
        stream.flush().await.ok()?;
    }
    Some(())
}

async fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            break String::from_utf8(bytes.drain(..end + 4).collect()).unwrap();
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut lines = head.trim_end().lines();
    let line = lines.next()?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    while bytes.len() < length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = serde_json::from_slice(&bytes).unwrap();
    Some(Received {
        line,
        headers,
        body,
    })
}
