//! From one dialect to another: every hook with every field, and a remark for whatever the target
//! cannot express. Pure.
//!
//! | file | holds |
//! |---|---|
//! | `file.rs` | a whole file |
//! | `plan.rs` | what a file says, in one form for all targets |
//! | `patterns.rs`, `globs.rs` | matchers from one syntax to another |
//! | `events.rs` | which events a format has, and whether contracts are the same |
//! | `nested.rs` | Claude settings and our own files |
//! | `flat.rs`, `element.rs`, `order.rs` | Opta's and OpenCode's |
//! | `wrap.rs`, `adapter.rs`, `words.rs` | commands behind `hookline adapt` |
//! | `remark.rs` | what became of what cannot be expressed |

mod adapter;
mod element;
mod events;
mod file;
mod flat;
mod globs;
mod nested;
mod order;
mod patterns;
mod plan;
mod remark;
mod words;
mod wrap;

pub use adapter::{Adapter, Rewrites};
pub use file::{Converted, convert, convert_as, convert_only};
pub use remark::{Became, Remark};
