//! Every kind of work, one, eight and 64 times at once, from a small host and from one of a gigabyte.
//!
//! The rows of `commands.rs` are the corner of this table that has targets; what they have is not
//! measured here again.

use std::ffi::CStr;
use std::rc::Rc;

use crate::Failure;
use crate::contest::{Contest, Side};
use crate::floor::Floor;
use crate::rows::Entry;
use crate::rows::commands::{DENY, PRINTED};
use crate::stage::{Job, Stage, Threads, floor, ours, std_process, tokio_process};

/// A cell: its name, the work, how many at once, the size of the host beyond itself, and the pairs.
macro_rules! cell {
    ($name:literal, $work:expr, $at_once:literal, $host:expr, $pairs:literal) => {
        Entry {
            name: $name,
            about: concat!("at once: ", $at_once, ", pairs: ", $pairs),
            build: || cell($work, $at_once, $host, $pairs),
        }
    };
}

pub(crate) const ROWS: &[Entry] = &[
    cell!("matrix-deny-8", REFUSAL, 8, SMALL, 200),
    cell!("matrix-deny-64", REFUSAL, 64, SMALL, 30),
    cell!("matrix-cat-8", CAT, 8, SMALL, 100),
    cell!("matrix-cat-64", CAT, 64, SMALL, 20),
    cell!("matrix-large-8", LARGE, 8, SMALL, 20),
    cell!("matrix-large-64", LARGE, 64, SMALL, 6),
    cell!("matrix-true-1-gigabyte", TRUE, 1, GIGABYTE, 500),
    cell!("matrix-true-8-gigabyte", TRUE, 8, GIGABYTE, 200),
    cell!("matrix-true-64-gigabyte", TRUE, 64, GIGABYTE, 30),
    cell!("matrix-deny-1-gigabyte", REFUSAL, 1, GIGABYTE, 500),
    cell!("matrix-deny-8-gigabyte", REFUSAL, 8, GIGABYTE, 200),
    cell!("matrix-deny-64-gigabyte", REFUSAL, 64, GIGABYTE, 30),
    cell!("matrix-cat-1-gigabyte", CAT, 1, GIGABYTE, 300),
    cell!("matrix-cat-8-gigabyte", CAT, 8, GIGABYTE, 100),
    cell!("matrix-cat-64-gigabyte", CAT, 64, GIGABYTE, 20),
    cell!("matrix-large-1-gigabyte", LARGE, 1, GIGABYTE, 50),
    cell!("matrix-large-8-gigabyte", LARGE, 8, GIGABYTE, 20),
    cell!("matrix-large-64-gigabyte", LARGE, 64, GIGABYTE, 6),
];

/// A script, how much it is fed, and how much it prints.
type Work = (&'static CStr, usize, usize);

const TRUE: Work = (c"true", 1 << 10, 0);
const REFUSAL: Work = (DENY, 1 << 10, PRINTED);
const CAT: Work = (c"cat", 64 << 10, 64 << 10);
const LARGE: Work = (c"cat", 16 << 20, 16 << 20);

const SMALL: usize = 0;
const GIGABYTE: usize = 1 << 30;

fn cell(work: Work, at_once: usize, host: usize, pairs: usize) -> Result<Contest, Failure> {
    let (script, input, output) = work;
    let (stage, job) = (Stage::new()?, Job::new(script, input, output));
    let ballast = Rc::new(vec![1_u8; host]);
    let heavy = |side: Side| {
        let (ballast, mut sample) = (Rc::clone(&ballast), side.sample);
        Side::new(side.name, move || {
            std::hint::black_box(&ballast);
            sample()
        })
    };
    let many = Threads::Many;
    Ok(Contest::of_times(pairs)
        .beside(heavy(floor("posix_spawn", Floor::new(), &job, at_once)))
        .side(heavy(std_process("std::process", &job, at_once)))
        .side(heavy(tokio_process(
            &stage,
            "tokio::process, threads",
            &job,
            many,
            at_once,
        )))
        .side(heavy(ours(
            &stage,
            "process-tree, threads",
            &job,
            many,
            at_once,
        ))))
}
