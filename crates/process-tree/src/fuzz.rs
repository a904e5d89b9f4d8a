//! What is inside, for the fuzzer: no process, just bytes.

use crate::line_reader::{Line, Splitter};

/// The lines of an output that comes in these reads, each line of at most `limit` bytes.
pub fn lines(limit: usize, reads: &[&[u8]]) -> Vec<Line> {
    let mut splitter = Splitter::new(limit);
    let mut found = Vec::new();
    for read in reads {
        splitter.chunk().extend_from_slice(read);
        found.extend(std::iter::from_fn(|| splitter.next()));
    }
    found.extend(splitter.rest());
    found
}
