//! What failed once is checked for good, and so is what every search starts from.

use std::time::{Duration, Instant};

use fuzz::{TARGETS, Target, corpus, search};

/// An input that takes longer hangs; the searches themselves allow a tenth of it.
const TOO_LONG: Duration = Duration::from_mins(1);

fn holds(target: &Target, name: &str, input: &[u8]) {
    let start = Instant::now();
    if let Err(message) = search::check(target, input) {
        panic!("{}: {name}: {message}", target.name);
    }
    assert!(start.elapsed() < TOO_LONG, "{}: {name} hangs", target.name);
}

#[test]
fn inputs_that_failed_once_fail_no_more() {
    for target in TARGETS {
        let inputs = corpus::inputs(target.name).expect("the corpus can be read");
        assert!(!inputs.is_empty(), "{} has no corpus", target.name);
        for (name, input) in inputs {
            holds(target, &name, &input);
        }
    }
}

#[test]
fn what_a_search_starts_from_holds_and_a_little_beyond() {
    for target in TARGETS {
        for seed in (target.seeds)() {
            holds(target, "a seed", &seed);
        }
        let found = search::search(target, 1, |inputs| inputs < 500, |_| {});
        let failure = found.failure.as_ref().map(|failure| &failure.message);
        assert_eq!(failure, None, "{}", target.name);
        assert!(found.kinds > 10, "{}: {found:?}", target.name);
    }
}
