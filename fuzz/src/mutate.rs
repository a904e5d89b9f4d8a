//! New inputs out of old ones.

use crate::random::Random;

/// No input is longer, in bytes: what the readers promise for more has tests of its own.
const LONGEST: usize = 16 * 1024;

/// Bytes at which readers turn.
const SIGNS: &[u8] = b"{}[]()<>:,;\"'`\\/*?|&$#@!~=+-._ \t\r\n\0%09aZ\x1b\x7f\xc3\xa9\xff";

/// A few changes to one input; sometimes none of the old one is left.
pub fn mutate(random: &mut Random, old: &[u8], others: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut new = old.to_vec();
    for _ in 0..=random.below(6) {
        change(random, &mut new, others, words);
    }
    new.truncate(LONGEST);
    new
}

fn change(random: &mut Random, input: &mut Vec<u8>, others: &[Vec<u8>], words: &[&str]) {
    let at = random.below(input.len() + 1);
    match random.below(11) {
        0 => flip(random, input),
        1 => replace(random, input),
        2 => insert(input, at, &[sign(random)]),
        3..=5 => {
            let word = random.choose(words).copied().unwrap_or_default();
            insert(input, at, word.as_bytes());
        }
        6 => drop(input.drain(part(random, input.len(), at))),
        7 => {
            let again = input[part(random, input.len(), at)].to_vec();
            insert(input, at, &again);
        }
        8 => {
            let again = input[part(random, input.len().min(at + 8), at)].to_vec();
            let times = 1 << random.below(8);
            insert(input, at, &again.repeat(times));
        }
        9 => input.truncate(at),
        _ => splice(random, input, at, others),
    }
}

fn flip(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn replace(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte = sign(random);
    }
}

fn sign(random: &mut Random) -> u8 {
    random.choose(SIGNS).copied().unwrap_or_default()
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    input.splice(at..at, bytes.iter().copied());
}

/// Some bytes from `at` on.
fn part(random: &mut Random, length: usize, at: usize) -> std::ops::Range<usize> {
    let at = at.min(length);
    at..at + random.below(length - at + 1)
}

/// The rest of another input in place of the rest of this one.
fn splice(random: &mut Random, input: &mut Vec<u8>, at: usize, others: &[Vec<u8>]) {
    if let Some(other) = random.choose(others) {
        let from = random.below(other.len() + 1);
        input.truncate(at);
        input.extend_from_slice(&other[from..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_inputs_again_and_no_input_grows_without_end() {
        let make = || {
            let mut random = Random::new(7);
            let mut input = b"{\"a\":1}".to_vec();
            let others = vec![b"xyz".repeat(9000)];
            let mut all = Vec::new();
            for _ in 0..500 {
                input = mutate(&mut random, &input, &others, &["word"]);
                assert!(input.len() <= LONGEST);
                all.push(input.clone());
            }
            all
        };
        let first = make();
        assert_eq!(first, make());
        assert!(first.iter().any(|input| input.len() > 1000));
    }
}
