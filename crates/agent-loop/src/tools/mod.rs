//! The tools that come with the agent, and the check of a tool's input.
//!
//! Names and inputs are those that published hooks are written for; `docs/tools.md` has the whole of them.

mod bash; // Bash
mod change; // changing a file that the agent knows
mod edit; // Edit
mod excerpt; // some lines of a text
mod file; // files, whole and bounded
mod glob; // Glob
mod grep; // Grep
mod patch; // what changed, as hunks
mod paths; // paths as hooks see them
mod read; // Read
mod read_files; // which files the agent has seen, and how they were
mod replace; // a text in a text
pub(crate) mod schema; // does an input fit a tool's schema?
mod standard; // all of them
mod store; // whole or not at all
mod tasks; // TaskCreate, TaskUpdate
mod walk; // files below a directory
mod work; // what every tool needs
mod write; // Write

pub use bash::Bash;
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use read::Read;
pub use read_files::ReadFiles;
pub use schema::InvalidInput;
pub use tasks::{TaskCreate, TaskUpdate};
pub use write::Write;
