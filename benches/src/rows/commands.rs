//! What a command costs, with all guarantees on, beside the bare system call.

use crate::Failure;
use crate::contest::{Contest, Target};
use crate::floor::Floor;
use crate::rows::Entry;
use crate::stage::{Job, Stage, Threads, floor, ours, std_process, tokio_process};

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: "command-true",
        about: "`sh -c true` with 1 KiB of stdin, beside bare posix_spawn with three pipes",
        build: || one(&Job::new(c"true", 1 << 10, 0), 2_000, TARGET),
    },
    Entry {
        name: "command-deny",
        about: "the same with a JSON refusal on stdout",
        build: || one(&Job::new(DENY, 1 << 10, PRINTED), 500, Target::None),
    },
    Entry {
        name: "command-cat",
        about: "64 KiB through `cat`",
        build: || one(&Job::new(c"cat", 64 << 10, 64 << 10), 500, Target::None),
    },
    Entry {
        name: "command-8",
        about: "8 times `true` at once, beside the floor in 8 threads",
        build: || many(8, 400),
    },
    Entry {
        name: "command-64",
        about: "64 times `true` at once, beside the floor in 64 threads",
        build: || many(64, 60),
    },
    Entry {
        name: "command-large",
        about: "16 MiB in and out through `cat`, beside bare posix_spawn with its best pipes",
        build: large,
    },
];

const TARGET: Target = Target::Times(1.05);
const AT_ONCE: Target = Target::Times(1.1);
/// Nine tenths of the speed.
const LARGE: Target = Target::Times(1.0 / 0.9);

pub(crate) const DENY: &std::ffi::CStr = c"echo '{\"decision\":\"block\",\"reason\":\"no\"}'";
pub(crate) const PRINTED: usize = DENY.count_bytes() - "echo ''".len() + 1;

fn one(job: &Job, pairs: usize, target: Target) -> Result<Contest, Failure> {
    let stage = Stage::new()?;
    let (single, several) = (Threads::One, Threads::Many);
    Ok(Contest::of_times(pairs)
        .beside(floor("posix_spawn", Floor::new(), job, 1))
        .side(floor(
            "posix_spawn, its own session",
            Floor::new().in_a_session(),
            job,
            1,
        ))
        .side(std_process("std::process", job, 1))
        .side(tokio_process(
            &stage,
            "tokio::process, one thread",
            job,
            single,
            1,
        ))
        .side(tokio_process(
            &stage,
            "tokio::process, threads",
            job,
            several,
            1,
        ))
        .side(ours(&stage, "process-tree, one thread", job, single, 1).target(target))
        .side(ours(&stage, "process-tree, threads", job, several, 1).target(target)))
}

fn many(at_once: usize, pairs: usize) -> Result<Contest, Failure> {
    let (stage, job) = (Stage::new()?, Job::new(c"true", 1 << 10, 0));
    let several = Threads::Many;
    Ok(Contest::of_times(pairs)
        .beside(floor("posix_spawn", Floor::new(), &job, at_once))
        .side(floor(
            "posix_spawn, own sessions",
            Floor::new().in_a_session(),
            &job,
            at_once,
        ))
        .side(std_process("std::process", &job, at_once))
        .side(tokio_process(
            &stage,
            "tokio::process, threads",
            &job,
            several,
            at_once,
        ))
        .side(ours(&stage, "process-tree, threads", &job, several, at_once).target(AT_ONCE)))
}

fn large() -> Result<Contest, Failure> {
    let (stage, job) = (Stage::new()?, Job::new(c"cat", 16 << 20, 16 << 20));
    let small = floor("posix_spawn, pipes as they are", Floor::new(), &job, 1);
    let session = Floor::new().with_pipes(1 << 20).in_a_session();
    Ok(Contest::of_times(200)
        .beside(floor(
            "posix_spawn, pipes of 1 MiB",
            Floor::new().with_pipes(1 << 20),
            &job,
            1,
        ))
        .side(small)
        .side(floor(
            "posix_spawn, pipes of 1 MiB, its own session",
            session,
            &job,
            1,
        ))
        .side(tokio_process(
            &stage,
            "tokio::process, threads",
            &job,
            Threads::Many,
            1,
        ))
        .side(ours(&stage, "process-tree, one thread", &job, Threads::One, 1).target(LARGE))
        .side(ours(&stage, "process-tree, threads", &job, Threads::Many, 1).target(LARGE)))
}
