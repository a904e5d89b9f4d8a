//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with counts of what is in use. It counts once a program has it:
///
/// ```standalone_crate
/// use test_support::{Counting, live};
///
/// #[global_allocator]
/// static COUNTING: Counting = Counting;
///
/// let before = live();
/// let ballast = vec![0_u8; 1000];
/// assert_eq!(live() - before, ballast.len());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counting;

#[expect(
    unsafe_code,
    reason = "a counting allocator cannot be written without it; tests only"
)]
// SAFETY: everything is handed on to the system's allocator as it came. Memory that grows, and memory
// that starts as zeroes, comes by way of `alloc` too.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more, and no test either.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

/// The bytes that are in use now.
pub fn live() -> usize {
    LIVE.load(Ordering::Relaxed)
}

/// The most bytes that were in use at once since [`watch_most`].
pub fn most_live() -> usize {
    MOST.load(Ordering::Relaxed)
}

/// Forgets what was the most so far; what is in use now, as a start.
pub fn watch_most() -> usize {
    let now = live();
    MOST.store(now, Ordering::Relaxed);
    now
}

/// How often this thread has allocated so far.
pub fn allocations() -> usize {
    ALLOCATIONS.get()
}
