//! What the machine can do to us: no descriptors, no processes, no room on the disk, a home that cannot
//! be written to, a clock that jumps, an end without warning.
//!
//! Each test runs in a process of its own, as a user whom limits and modes bind, and first shows that
//! the fault is there. What is asked of the code is the same everywhere: an error that has a type, no
//! panic, nothing lost, nothing half written.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

mod clock;
mod descriptors;
mod full_disk;
mod killed;
mod processes;
mod read_only_home;
mod replaced_settings;
mod scene;
mod user;
