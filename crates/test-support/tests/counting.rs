//! The allocator that other tests rely on counts what it should.
//!
//! Alone in its file, for it counts what belongs to the whole process.

use test_support::{Counting, allocations, live, most_live, watch_most};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn what_is_allocated_is_counted_while_it_is_there_and_as_the_most_that_there_was() {
    const MUCH: usize = 64 * 1024 * 1024;
    let (before, times) = (watch_most(), allocations());
    let mut ballast = Vec::<u8>::with_capacity(MUCH / 2);
    ballast.reserve_exact(MUCH);
    assert_eq!(allocations() - times, 2, "what grows is allocated anew");
    // The thread that runs the tests holds far less than this.
    let about = |bytes: usize| (MUCH - MUCH / 8..MUCH * 2).contains(&bytes);
    assert!(about(live() - before), "{}", live() - before);
    drop(ballast);
    assert!(live() < before + MUCH / 8, "{}", live());
    assert!(about(most_live() - before), "{}", most_live() - before);
}
