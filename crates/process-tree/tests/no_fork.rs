//! A large host is not copied.
//!
//! After a fork every page of the host is shared with the child and write-protected, so the next
//! write to each costs a fault. Counting those faults needs no clock. Alone in its file, for
//! faults are counted for the whole process.
#![cfg(target_os = "linux")] // looks into /proc
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::{os::unix::process::CommandExt, process::Stdio};

use process_tree::{Command, Control};

mod support;

const BALLAST: usize = 256 << 20;
const PAGE: usize = 4096;

/// Faults so far that needed no disk.
fn faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(7).unwrap().parse().unwrap()
}

/// Faults it costs to write to every page of the ballast.
fn cost_of_writing(ballast: &mut [u8]) -> u64 {
    let before = faults();
    for byte in ballast.iter_mut().step_by(PAGE) {
        *byte = byte.wrapping_add(1);
    }
    std::hint::black_box(ballast);
    faults() - before
}

#[test]
fn a_large_host_is_not_forked() {
    let mut ballast = vec![1_u8; BALLAST];
    cost_of_writing(&mut ballast);
    let quiet = cost_of_writing(&mut ballast);

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let done = runtime.block_on(Command::shell("true").run(&Control::new()));
    assert!(done.ending.is_success());
    let ours = cost_of_writing(&mut ballast);

    // Asked for a user, the standard library forks: the method does see a fork.
    let user = own_user();
    let mut forked = std::process::Command::new("/bin/true");
    forked.uid(user).stdin(Stdio::null());
    assert!(forked.status().unwrap().success());
    let fork = cost_of_writing(&mut ballast);

    // With huge pages there are 128 faults instead of 65,536.
    assert!(
        fork >= (BALLAST >> 21) as u64,
        "a fork cost only {fork} faults"
    );
    assert!(
        ours <= quiet + fork / 10,
        "{ours} faults after a run, {fork} after a fork"
    );
}

fn own_user() -> u32 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").unwrap().uid()
}
