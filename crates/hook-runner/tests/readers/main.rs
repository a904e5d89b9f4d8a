//! The event stream, from the reader's end: what comes, in which order, and what a slow reader
//! misses.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod listening; // who listens, from when to when
mod order; // what comes in which order
mod said; // what the messages say
mod sinks; // called in line
mod slow; // what a slow reader misses
mod spans; // every run is a span of `tracing`
mod stage; // what the tests share
