//! The tools that come with the agent, and the check of a tool's input.

pub(crate) mod schema; // does an input fit a tool's schema?

pub use schema::InvalidInput;
