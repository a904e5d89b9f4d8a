//! The wire form of answers: reading it, and writing it.
//!
//! Reading is lenient where the contract is, and says what it ignored. What it never does is lose
//! a refusal:
//!
//! * An answer with a flaw (a wrong type, a wrong value, another event's shape) is not taken as
//!   it stands, but what restricts is: a refusal, a wish to ask or defer, an order to stop.
//! * On guards, a complete object that starts a line and refuses counts whatever stands around
//!   it, and whatever strict JSON thinks of it. Nothing else in such output counts.
//! * Of two equal keys the stronger decision counts.
//! * Output that was cut and starts with `{` blocks on a guard: nobody knows what it said.
//!
//! | file | holds |
//! |---|---|
//! | `detect.rs` | what an output is, as a whole |
//! | `keys.rs`, `read.rs` | an answer's keys, read by the book |
//! | `scan.rs`, `denial.rs` | refusals, read whatever the book says |
//! | `write.rs` | the other direction |

mod denial;
mod detect;
pub(crate) mod keys;
mod read;
mod reading;
pub(crate) mod scan;
mod terminal;
mod write;

pub use reading::{Extent, Form, Problem, Reading, read, read_value};
pub use write::{write, write_async};
