//! What the code did with an input, in a number.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A short account of what the code did with an input. Two inputs with the same account are taken
/// for the same kind of input.
#[derive(Clone, Debug, Default)]
pub struct Trace(DefaultHasher);

impl Trace {
    /// Notes something that the code did.
    pub fn saw(&mut self, what: impl Hash) {
        what.hash(&mut self.0);
    }

    /// Notes something that has no hash and can be shown.
    pub fn shown(&mut self, what: impl Debug) {
        format!("{what:?}").hash(&mut self.0);
    }

    /// Notes how many there were: one more of many makes no difference.
    pub fn count(&mut self, how_many: usize) {
        how_many.min(4).hash(&mut self.0);
    }

    /// The account.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}
