//! Instructions in place of time: a change of two per cent shows on a noisy machine too.
//!
//! `valgrind --tool=callgrind` runs this program once for each piece of work and counts only inside one
//! function. What is on record is in `counts.txt`, with the compiler that it was counted with.

mod record;
mod work;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use crate::Failure;
use record::Record;
use work::{ALL, TIMES, counted};

/// By how much a count may grow before that is a regression.
const TOLERANCE: f64 = 0.02;
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.txt");

/// Does one piece of work: once to warm up, and once for the counter.
pub(crate) fn run(name: &str) -> ExitCode {
    let Some(Ok(mut job)) = ALL
        .iter()
        .find(|work| work.name == name)
        .map(|work| (work.make)())
    else {
        return ExitCode::from(2);
    };
    for _ in 0..TIMES {
        job()();
    }
    for _ in 0..TIMES {
        counted(job());
    }
    ExitCode::SUCCESS
}

/// Counts everything and compares it to what is on record, or puts it there.
pub(crate) fn compare(renew: bool, print: &mut dyn FnMut(&str)) -> ExitCode {
    match try_compare(renew, print) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            print(&failure.to_string());
            ExitCode::from(2)
        }
    }
}

fn try_compare(renew: bool, print: &mut dyn FnMut(&str)) -> Result<bool, Failure> {
    is_there()?;
    let old = if renew {
        Record::default()
    } else {
        Record::read(RECORD)?
    };
    let mut new = Record::new(compiler()?);
    if !renew && old.compiler != new.compiler {
        print(&format!(
            "on record is what {} made; this is {}, which may count otherwise by itself",
            old.compiler, new.compiler
        ));
    }
    print("| what | instructions each | on record | change | |\n|---|---|---|---|---|");
    let mut all_well = true;
    for work in ALL {
        let count = count(work.name)?;
        new.add(work.name, count);
        let line = record::line(work.name, count, old.get(work.name), TOLERANCE);
        all_well &= renew || line.is_well;
        print(&line.text);
    }
    if renew {
        new.write(RECORD)?;
        print(&format!("\nput on record in {RECORD}"));
    } else if all_well {
        print("\nnothing takes more than it did");
    } else {
        print(
            "\nwhat takes more on purpose, or was never counted, goes on record with `counts --renew`",
        );
    }
    Ok(all_well)
}

#[expect(
    clippy::disallowed_methods,
    reason = "neither leaves anybody behind who could hold its pipes"
)]
fn said_by(command: &mut Command) -> std::io::Result<std::process::Output> {
    command.stdin(Stdio::null()).output()
}

fn is_there() -> Result<(), Failure> {
    match said_by(Command::new("valgrind").arg("--version")) {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(
            "`valgrind` is needed to count instructions, and is not there; it is in the package \
                  `valgrind` of every distribution (`apt install valgrind`, `dnf install valgrind`)"
                .into(),
        ),
    }
}

fn compiler() -> Result<String, Failure> {
    let output = said_by(Command::new("rustc").arg("--version"))?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// How many instructions one time takes.
fn count(name: &str) -> Result<u64, Failure> {
    let program = std::env::current_exe()?;
    let report = std::env::temp_dir().join(format!("hookline-counts-{}", std::process::id()));
    let output = said_by(
        Command::new("valgrind")
            .args(["--tool=callgrind", "--toggle-collect=*counts*work*counted*"])
            .arg(format!("--callgrind-out-file={}", report.display()))
            .arg(program)
            .args(["counted", name]),
    )?;
    let counted = instructions(&report);
    let _ = std::fs::remove_file(&report);
    match counted {
        Ok(counted) if output.status.success() && counted > 0 => Ok(counted / u64::from(TIMES)),
        _ => Err(format!(
            "`{name}` could not be counted: {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into()),
    }
}

fn instructions(report: &Path) -> Result<u64, Failure> {
    let report = std::fs::read_to_string(report)?;
    let total = report.lines().find_map(|line| {
        let total = line
            .strip_prefix("totals:")
            .or(line.strip_prefix("summary:"))?;
        total.trim().parse().ok()
    });
    total.ok_or_else(|| "the report has no total".into())
}
