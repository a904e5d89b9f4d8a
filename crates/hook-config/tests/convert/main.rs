//! From one dialect to another: what can be expressed survives there and back, and what cannot is said.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod adapters; // commands behind the adapter
mod generate; // files within a dialect
mod limits; // what cannot be expressed, row by row
mod meaning; // what a file amounts to, however it is written
mod round_trips; // there and back
