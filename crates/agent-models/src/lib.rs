//! Models over HTTP: Anthropic's, OpenAI's, and any server that speaks like one of them.

mod catalogue; // what is known of models: windows and prices

pub use catalogue::{CATALOGUE, Known, PRICES_READ_ON, known};
