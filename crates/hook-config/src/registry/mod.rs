//! A list of hooks that can be changed: what Opta and OpenCode files hold.
//!
//! | file | holds |
//! |---|---|
//! | `definition.rs` | one hook, as it is written |
//! | `list.rs` | many, and what can be done with them |
//! | `files.rs` | from and to files |

mod definition;
mod files;
mod list;

pub use definition::Definition;
pub use files::ListFile;
pub use list::HookList;
