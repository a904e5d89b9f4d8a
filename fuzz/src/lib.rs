//! Throws made-up inputs at everything that reads what others wrote.
//!
//! ```text
//! corpus and seeds ─► mutate: a few changes to one of them ─► a target's check ─► what it saw
//!        ▲                                                       │ a broken promise: a panic
//!        └── an input that showed something new is kept ─────────┘
//! ```
//!
//! A target checks promises, not only that nothing panics: a refusal that strict JSON sees is never
//! lost, what is printed is read back as the same, an entry is never dropped in silence. It returns a
//! [`Trace`] of what the code did; an input with a new trace is worth changing further. That takes
//! the place of a compiler's coverage, so that a stable toolchain is enough.
//!
//! | file | holds |
//! |---|---|
//! | `targets/` | one reader a file, with what is promised of it |
//! | `mutate.rs`, `random.rs` | new inputs out of old ones |
//! | `search.rs` | the loop, and how a failure is made small |
//! | `corpus.rs` | the inputs that failed once, in `corpus/` |

pub mod corpus;
pub mod mutate;
pub mod random;
pub mod search;
pub mod targets;
pub mod trace;

pub use targets::{TARGETS, Target};
pub use trace::Trace;
