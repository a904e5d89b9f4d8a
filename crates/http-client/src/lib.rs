//! One HTTP client for whatever speaks to the network.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use http_client::{Client, Request, Url};
//!
//! let client = Client::builder().build()?;
//! let request = Request::post(Url::parse("https://example.org/hooks")?)
//!     .header("content-type", "application/json")?
//!     .body(r#"{"hook_event_name": "Stop"}"#);
//! let mut response = client.send(request).await?;
//! let body = response.read_up_to(1 << 20).await;
//! println!("{} {}", response.status(), body.text());
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//! Request -> guard (literal addresses) -> names looked up -> guard (what they mean) -> connection
//!         -> Response: status, headers -> chunk by chunk, or the body up to a limit
//! ```
//!
//! What holds for every request:
//!
//! - No redirect is followed: whoever asks sees the `3xx` and decides. No cookie is kept, nothing is
//!   decompressed, nothing is sent twice.
//! - The addresses that a [guard](ClientBuilder::guard) saw are those that are connected to. A name
//!   cannot mean one thing when it is looked at and another when it is used.
//! - Any status is an answer. An [`Error`] means that there is none, and says of which
//!   [kind](ErrorKind) the trouble is.
//! - A body is kept up to a limit that the reader names. What came before a connection broke is kept
//!   with the error.
//! - Heads of more than a hundred headers or some 400 KiB are refused while they are read.
//! - Dropping the future or the response closes the connection.
//! - HTTP/1.1 alone. TLS trusts the system's certificates, and those of Mozilla where a system has
//!   none; they are read when the first `https` request is made.
//!
//! Proxies come from a value ([`Proxies`]), not from the process's environment.

mod client; // what is shared by requests
mod error; // why there is no answer
mod guard; // addresses that are not connected to
mod proxies; // who stands between
mod request; // what is asked
mod response; // what is answered
mod tls; // whom to believe
mod url; // where

pub use client::{Client, ClientBuilder};
pub use error::{BadHeader, Error, ErrorKind};
pub use proxies::Proxies;
pub use request::{Method, Request};
pub use response::{Body, Chunk, End, Response};
pub use url::{BadUrl, Host, Url};
