//! Every template, written into a project and tried for real: the event that it is for is fired at the
//! file, with a case that it is for and one that it is not for.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod bench;
mod hookline;
mod install;
mod opencode;
mod opta;
mod reader;
#[path = "../scene/mod.rs"]
mod scene;
