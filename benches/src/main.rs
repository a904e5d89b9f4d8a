//! What everything costs, beside the least that it could cost; and whether that is within its target.
//!
//! ```console
//! $ cargo run --release -p hookline-benches                  # every row; exit code 1 where one misses
//! $ cargo run --release -p hookline-benches -- --list
//! $ cargo run --release -p hookline-benches -- --only firing-nothing --only firing-closure
//! $ cargo run --release -p hookline-benches -- --quick       # a twentieth of the pairs: only to see
//! $ cargo run --release -p hookline-benches -- counts        # instructions, beside those on record
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `contest.rs` | what is measured: a baseline and those that are compared to it |
//! | `measure.rs` | how: in turn, in shuffled order, round by round |
//! | `stats.rs` | what is made of it: a median and where it lies with a certainty of 95 % |
//! | `table.rs` | what is printed, and whether the targets are met |
//! | `floor.rs` | the least that starting a process costs |
//! | `stage.rs` | what rows about processes share |
//! | `rows/` | the rows, a file a family |
//! | `counts/` | instructions in place of time, for what needs no process |

mod contest;
mod counts;
#[cfg(target_os = "linux")]
mod floor;
mod measure;
mod options;
mod rows;
#[cfg(target_os = "linux")]
mod stage;
mod stats;
mod table;

use std::process::ExitCode;

use crate::options::{Command, Options};
use crate::table::Table;

/// Why a row cannot be measured here.
type Failure = Box<dyn std::error::Error>;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is there to print"
)]
fn main() -> ExitCode {
    let command = match Options::parse(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(problem) => {
            eprintln!("{problem}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match command {
        Command::List => {
            for entry in rows::ALL.iter().copied().flatten() {
                println!("{:<28} {}", entry.name, entry.about);
            }
            ExitCode::SUCCESS
        }
        Command::Count { renew } => counts::compare(renew, &mut |text| println!("{text}")),
        Command::Counted(work) => counts::run(&work),
        Command::Resident(what) => match rows::memory::resident(&what) {
            Ok(bytes) => {
                println!("{bytes}");
                ExitCode::SUCCESS
            }
            Err(failure) => {
                eprintln!("{failure}");
                ExitCode::FAILURE
            }
        },
        Command::Run(options) => run(&options, &mut |text| println!("{text}")),
    }
}

/// Measures what was asked for. A row that cannot be measured has missed its target.
fn run(options: &Options, print: &mut dyn FnMut(&str)) -> ExitCode {
    let mut table = Table::default();
    print(table::HEAD);
    for entry in rows::ALL.iter().copied().flatten() {
        if !options.wants(entry.name) {
            continue;
        }
        match (entry.build)() {
            Ok(contest) => {
                let results = measure::measure(contest, options.share());
                print(&table.rows(entry.name, &results));
            }
            Err(failure) => print(&table.unmeasured(entry.name, &failure.to_string())),
        }
    }
    print(&table.verdict());
    if table.is_met() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
