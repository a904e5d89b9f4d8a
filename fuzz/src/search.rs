//! The loop: change an input, check it, keep what showed something new.

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::{Duration, Instant};

use crate::mutate::mutate;
use crate::random::Random;
use crate::targets::Target;

/// How many inputs that showed something new are remembered.
const MOST_REMEMBERED: usize = 20_000;

/// How long a failure is made smaller.
const SHRINKING: Duration = Duration::from_secs(10);

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// How many inputs were checked.
    pub inputs: u64,
    /// How many kinds of them there were.
    pub kinds: usize,
    /// The first that broke a promise, made small.
    pub failure: Option<Failure>,
}

/// An input that broke a promise.
#[derive(Debug)]
pub struct Failure {
    /// The input.
    pub input: Vec<u8>,
    /// What the check said.
    pub message: String,
}

/// Checks inputs until one of them breaks a promise, as long as `goes_on` says so; it is told how many
/// there were. `before` sees each input before it is checked, so that one which ends the process is
/// known.
pub fn search(
    target: &Target,
    seed: u64,
    mut goes_on: impl FnMut(u64) -> bool,
    mut before: impl FnMut(&[u8]),
) -> Found {
    let mut random = Random::new(seed);
    let mut pool = (target.seeds)();
    let mut fresh = pool.clone();
    let mut kinds = HashSet::new();
    let mut inputs = 0;
    while goes_on(inputs) {
        let input = fresh.pop().unwrap_or_else(|| {
            let old = random.choose(&pool).cloned().unwrap_or_default();
            mutate(&mut random, &old, &pool, target.words)
        });
        inputs += 1;
        before(&input);
        match check(target, &input) {
            Ok(trace) if kinds.insert(trace) && pool.len() < MOST_REMEMBERED => pool.push(input),
            Ok(_) => {}
            Err(message) => {
                let failure = Some(shrink(target, Failure { input, message }, &mut before));
                let kinds = kinds.len();
                return Found {
                    inputs,
                    kinds,
                    failure,
                };
            }
        }
    }
    Found {
        inputs,
        kinds: kinds.len(),
        failure: None,
    }
}

thread_local! {
    /// What a check on this thread said when it panicked; none outside of checks.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Has panics of checks noted instead of printed; others are printed as ever.
fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let noted = SAID.with_borrow_mut(|said| {
                said.as_mut()
                    .map(|said| *said = panic.to_string())
                    .is_some()
            });
            if !noted {
                before(panic);
            }
        }));
    });
}

/// Checks one input: what the code did, or which promise it broke.
pub fn check(target: &Target, input: &[u8]) -> Result<u64, String> {
    note_panics();
    SAID.set(Some(String::new()));
    let checked = panic::catch_unwind(AssertUnwindSafe(|| (target.check)(input)));
    let said = SAID.take().unwrap_or_default();
    checked.map(|trace| trace.finish()).map_err(|_| said)
}

/// Leaves out whatever the failure does not need.
fn shrink(target: &Target, mut failure: Failure, before: &mut impl FnMut(&[u8])) -> Failure {
    let start = Instant::now();
    let mut size = failure.input.len() / 2;
    while size > 0 && start.elapsed() < SHRINKING {
        let mut at = 0;
        while at < failure.input.len() && start.elapsed() < SHRINKING {
            let mut shorter = failure.input.clone();
            shorter.drain(at..shorter.len().min(at + size));
            before(&shorter);
            match check(target, &shorter) {
                Ok(_) => at += size,
                Err(message) => {
                    failure = Failure {
                        input: shorter,
                        message,
                    };
                }
            }
        }
        size /= 2;
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;

    fn wants_no_bang(input: &[u8]) -> Trace {
        assert!(!input.windows(2).any(|two| two == b"a!"), "there it is");
        let mut trace = Trace::default();
        trace.count(input.split(|byte| *byte == b'a').count());
        trace
    }

    const PLAIN: Target = Target {
        name: "plain",
        about: "a promise that can be broken",
        words: &["a", "b"],
        seeds: || vec![b"ab".to_vec()],
        check: wants_no_bang,
    };

    #[test]
    fn a_broken_promise_is_found_and_made_small() {
        let found = search(&PLAIN, 1, |inputs| inputs < 1_000_000, |_| {});
        let failure = found.failure.expect("a failure");
        assert_eq!(failure.input, b"a!");
        assert!(
            failure.message.contains("there it is"),
            "{}",
            failure.message
        );
        assert!(found.kinds > 1);
    }

    #[test]
    fn a_check_that_holds_is_told_apart_from_one_that_does_not() {
        assert!(check(&PLAIN, b"a").is_ok());
        assert!(check(&PLAIN, b"xa!x").is_err());
    }
}
