//! Runs a command, feeds it, collects its output, and ends everything it started.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use std::time::Duration;
//! use process_tree::{Command, Control, Ending, Force, Limits};
//!
//! let limits = Limits { timeout: Duration::from_millis(200), ..Limits::default() };
//! let slow = Command::shell("echo working; sleep 600 & sleep 600").limits(limits);
//! let done = slow.run(&Control::new()).await;
//!
//! assert_eq!(done.ending, Ending::TimedOut { by: Force::Term });
//! assert_eq!(done.stdout.text(), "working\n"); // and neither `sleep` is running any more
//! # }
//! ```
//!
//! ```text
//! Command -> quick? -> start, on a thread, with its first moments -> live, if it lasts -> Finished
//!              \-----> start, here -----------------------------/     |
//!                                          deadline, cancel, drop: TERM, grace, KILL
//! ```
//!
//! What holds for every run:
//!
//! - One deadline covers starting, writing, reading and waiting.
//! - The answer is there when the command itself exits, whoever still holds its pipes.
//! - Output beyond the limits is read and counted but not kept.
//! - After a timeout, a cancellation or a dropped future nothing of the tree survives: its group,
//!   its session, descendants, and whatever carries its [`MARKER`] are stopped and killed in
//!   rounds until nothing is left, before the command's number can go to another process.
//! - The host is never forked.
//!
//! Out of reach: a process that took the marker out of its environment, left the session *and*
//! outlived the parents by which it could be found; one that runs as another user; one that the
//! kernel does not let die, which is left to a background thread. On macOS, descendants that left
//! the group.
#![cfg_attr(not(unix), allow(dead_code, reason = "nothing runs there yet"))]

mod command; // what to run
mod control; // cancelling, progress
mod ending; // how it ended
mod environment; // variables as a value
mod launch_error; // why it did not start
mod leftovers; // what it left running
mod marker; // how members of a tree are found again
mod os; // what differs between systems
mod watchdog; // for a host that is killed

#[cfg(unix)]
mod ahead; // a shell that waits for its command
#[cfg(unix)]
mod collect; // reads one output
#[cfg(unix)]
mod deadline; // when commands must be over
#[cfg(unix)]
mod descend; // who started whom
#[cfg(unix)]
mod elf; // which loader a program asks for
#[cfg(unix)]
mod exit; // the moment a command ends
#[cfg(unix)]
mod feed; // writes stdin
#[cfg(all(unix, feature = "fuzz"))]
pub mod fuzz;
#[cfg(unix)]
mod kill; // who belongs to a tree, and its end
#[cfg(unix)]
mod line_reader; // cuts a stream into lines
#[cfg(unix)]
mod lines; // servers that speak in lines
#[cfg(unix)]
mod live; // a command that lasts
#[cfg(unix)]
mod lookup; // a program by name
#[cfg(unix)]
mod parting; // after a normal exit
#[cfg(unix)]
mod pipes; // the three pipes together
#[cfg(unix)]
mod pool; // threads that may block
#[cfg(unix)]
mod quick; // which starts need no other thread
#[cfg(unix)]
mod run; // one command from start to answer
#[cfg(unix)]
mod shelf; // shells that wait, and for how long
#[cfg(unix)]
mod shift; // the first moments of a run
#[cfg(unix)]
mod start; // from description to process
#[cfg(unix)]
mod stderr_tail; // the end of a server's stderr
#[cfg(unix)]
mod sweep; // the thread that hunts trees down
#[cfg(unix)]
mod unsafe_calls; // starting, registration: the one unsafe module

pub use command::{Command, Input, Limits};
pub use control::{Control, Progress};
pub use ending::{Captured, Ending, Finished, Force, Timing};
pub use environment::Environment;
pub use launch_error::{LaunchError, LaunchErrorKind};
pub use leftovers::{Leftovers, Registry};
#[cfg(unix)]
pub use lines::{Line, Lines};
pub use marker::MARKER;
#[cfg(not(unix))]
pub use os::{Line, Lines};
pub use watchdog::Watchdog;
