//! Between the SDK and a server: processes and addresses, in bounds.
//!
//! ```text
//! rmcp ─► Gauged: counts what is open, what is noise ─► Pipe ─► pump, a task ─► the process
//!                                                   └► Http ─► the address
//! ```
//!
//! Whatever goes wrong is written down once, as the connection's [`Fate`], and everybody who waits is
//! told that.

mod events;
mod fate;
mod gauge;
mod http;
mod pipe;
mod pump;

pub(crate) use fate::Fate;
pub(crate) use gauge::Gauged;
pub(crate) use http::http;
pub(crate) use pump::{Launch, Pump};
