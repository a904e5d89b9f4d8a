//! One server, kept in service: started when it is needed, again when it died, ended when it is closed.
//!
//! ```text
//! call ─► Link: which life? ─► Up: the peer answers, or the life's fate is sealed
//!            │ none, or dead
//!            └► a task: pause, gate, start, list of tools ─► Up ─► until it is over ─► Down, and why
//! ```
//!
//! Nobody waits for a start or a pause longer than their own deadline.

mod calling; // those who call it
mod client; // what servers can ask of us
mod life; // one connection, from its start to its end
mod listing; // the tools that a server has
mod request; // one request, and who gives it up
mod status; // what is known of a server
mod supervise; // the task that keeps it in service

pub(crate) use calling::Patience;
pub(crate) use life::Surroundings;
pub(crate) use listing::ToolInfo;
pub use status::ServerStatus;
pub(crate) use supervise::Link;
