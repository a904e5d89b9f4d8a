//! Every rule of `docs/merging.md`: as rows, each of which is a test, and as properties of firings
//! that are made up.

mod decisions;
mod failures;
mod fields;
mod firing;
mod generate;
mod keeping_going;
mod occurrence;
mod order;
mod properties;
mod rewrites;
mod stops;
mod texts;
