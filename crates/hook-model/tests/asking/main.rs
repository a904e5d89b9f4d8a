//! Hooks that ask a model, through the real runner and the real agent; the model is a script.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod consequences; // every row of the contract's table
mod failures; // what is no answer
mod files; // entries
mod in_the_loop; // what the agent does
mod questions; // what the model is asked
mod support;
mod verifier; // hooks of type `agent`
