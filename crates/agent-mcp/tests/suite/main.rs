//! Real servers: `tests/server/server.py`, a process a test, well-behaved or not.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod agent;
mod config;
mod hook;
mod hostile;
mod http;
mod service;
mod support;
