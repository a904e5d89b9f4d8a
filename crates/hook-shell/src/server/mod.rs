//! A hook that is one long-lived process, so that an interpreter pays its start-up once.
//!
//! One JSON object a line, both ways:
//!
//! ```text
//! to the server    {"id":7,"input":{"hook_event_name":"PreToolUse",…}}
//! from the server  {"id":7,"output":{"decision":"block","reason":"no"}}
//!                  {"id":8}                     no opinion
//!                  {"id":9,"error":"…"}         a failure
//! ```
//!
//! The dialect is Hookline's own, whose input is Claude's, and there is no other here: the others tell
//! in the environment, and a process has only one. The id comes first. Requests overlap; answers come in
//! any order, and of two answers to one request the first counts. Otherwise the contract is that of
//! a command which exits with 0: `output` is what it would print, an object or text.
//!
//! ```text
//! request ─▶ Desk: who waits, what is still to be sent ─▶ one task a life ─▶ the process
//!    ▲ reply                                                 │ lines
//!    └───────────────────────────────────────────────────────┘
//! ```
//!
//! Nobody waits for a lock, a start or a pause for longer than their own deadline: a request is put
//! on the desk of the current life, and that life's task does the rest.

mod answer;
mod desk;
mod hook;
mod life;
mod request;
mod said;

use std::time::Duration;

pub use hook::ServerHook;
pub(crate) use hook::{Server, end};
#[cfg(feature = "fuzz")]
pub(crate) use said::said;

/// How far apart the starts of a server are that dies without an answer, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A server that lived this long died of something else than its start.
const SETTLED: Duration = Duration::from_secs(10);
/// How long a server that has never answered may take to get ready before its silence counts.
const READY: Duration = Duration::from_secs(30);
/// How long a server has to end once its stdin is closed, and again once it was asked to.
const GRACE: Duration = Duration::from_secs(1);
/// How much of its stderr is kept, in bytes.
const STDERR: usize = 64 * 1024;
/// How much a server may print that answers nothing while nobody waits, in bytes.
const IDLE_NOISE: usize = 1024 * 1024;
/// What a line of it counts at least, in bytes: the shortest costs as much to read.
const LEAST_NOISE: usize = 64;
/// How much of that a server may print before its end and still be given grace.
const CALM: usize = 64 * 1024;
/// How many lines of it are told in the log.
const TOLD_NOISE: usize = 8;
