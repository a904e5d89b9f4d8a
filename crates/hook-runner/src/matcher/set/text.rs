//! Which of very many texts occur in another one.
//!
//! The first three bytes of a place say which lengths of texts may begin there; only those are looked
//! up. So a search takes a step for each byte, and a lookup for each text that all but occurs, however
//! many there are.

use std::collections::HashMap;

/// Every text has as many bytes at least.
pub(super) const SHORTEST: usize = 3;
/// Of longer texts the beginning counts: a length is a bit.
const LONGEST: usize = 63;
/// How many beginnings are told apart, for few texts and for many.
const FEW_BEGINNINGS: usize = 1 << 9;
const BEGINNINGS: usize = 1 << 13;

/// Texts, each with those who want to know of it.
#[derive(Default)]
pub(super) struct Texts {
    owners: HashMap<Box<[u8]>, Vec<usize>>,
    /// The lengths of the texts that begin so, a bit each; empty where there are no texts.
    lengths: Vec<u64>,
}

impl Texts {
    /// Adds a text of [`SHORTEST`] bytes or more.
    pub(super) fn add(&mut self, text: &[u8], owners: &[usize]) {
        let text = &text[..text.len().min(LONGEST)];
        if text.len() >= SHORTEST {
            self.owners
                .entry(text.into())
                .or_default()
                .extend_from_slice(owners);
        }
    }

    /// Call once, after the last text. A few texts need no large table.
    pub(super) fn finish(&mut self) {
        let few = self.owners.len() <= FEW_BEGINNINGS / 8;
        let beginnings = if few { FEW_BEGINNINGS } else { BEGINNINGS };
        if !self.owners.is_empty() {
            self.lengths = vec![0; beginnings];
        }
        for text in self.owners.keys() {
            if let Some(beginning) = beginning(text, beginnings) {
                self.lengths[beginning] |= 1 << text.len();
            }
        }
    }

    /// Tells of every text that occurs in `subject`, as often as it does.
    pub(super) fn search(&self, subject: &[u8], mut tell: impl FnMut(&[usize])) {
        if self.lengths.is_empty() {
            return;
        }
        for start in 0..subject.len() {
            let rest = &subject[start..];
            let Some(beginning) = beginning(rest, self.lengths.len()) else {
                return;
            };
            let mut lengths = self.lengths[beginning];
            while lengths != 0 {
                let text = rest.get(..lengths.trailing_zeros() as usize);
                if let Some(owners) = text.and_then(|text| self.owners.get(text)) {
                    tell(owners);
                }
                lengths &= lengths - 1;
            }
        }
    }
}

/// The place of a text's first bytes among so many beginnings, a power of two.
fn beginning(text: &[u8], beginnings: usize) -> Option<usize> {
    let [a, b, c] = *text.first_chunk::<SHORTEST>()?;
    let number = u32::from_le_bytes([a, b, c, 0]);
    // Multiplying spreads what differs over the upper bits.
    let spread = number.wrapping_mul(0x9E37_79B1) >> (u32::BITS - beginnings.ilog2());
    usize::try_from(spread).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(texts: &[String], subject: &str) -> Vec<usize> {
        let mut index = Texts::default();
        for (place, text) in texts.iter().enumerate() {
            index.add(text.as_bytes(), &[place]);
        }
        index.finish();
        let mut found = Vec::new();
        index.search(subject.as_bytes(), |owners| found.extend(owners));
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn texts_are_found_at_the_beginning_in_the_middle_and_at_the_end() {
        let texts = ["mcp__", "disk", "read", "write"].map(String::from);
        assert_eq!(found(&texts, "mcp__disk__read"), [0, 1, 2]);
        assert_eq!(found(&texts, ""), [0; 0]);
        assert_eq!(found(&[], "mcp__disk__read"), [0; 0]);
    }

    #[test]
    fn the_beginning_of_a_long_text_is_enough_to_ask_its_owner() {
        let long = "x".repeat(LONGEST + 9);
        assert_eq!(found(std::slice::from_ref(&long), &long), [0]);
        assert_eq!(found(&[long], &"x".repeat(LONGEST)), [0]);
    }

    proptest! {
        #[test]
        fn exactly_the_texts_that_occur_are_found(
            texts in prop::collection::vec("[abü]{3,6}", 0..120),
            subject in "[abü]{0,20}",
        ) {
            let occurs = |place: &usize| subject.contains(&texts[*place]);
            let expected: Vec<usize> = (0..texts.len()).filter(occurs).collect();
            prop_assert_eq!(found(&texts, &subject), expected);
        }
    }
}
