//! Models against servers on this machine that speak the real formats.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod faults; // what goes wrong on the way
mod limits; // what does not end
mod requests; // what the service receives
mod retries; // what is asked again
mod server; // the other side
mod stage; // an agent, and what its hooks heard
mod wire; // the two formats
