//! `cargo run --profile fuzz -p fuzz -- [--seconds N] [--seed N] [TARGET…]`: fuzzes the targets, one after
//! the other, and keeps the first input of each that breaks a promise.
//!
//! Each search runs in a process of its own with a limit on its memory, so that an input which ends
//! that process, or never ends, is known too: it is in a file before it is checked.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::unix::process::parent_id;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use fuzz::{TARGETS, Target, corpus, search};
use rustix::process::{Resource, Rlimit, setrlimit};

/// An input that takes longer breaks a promise: everything here reads in linear time.
const TOO_LONG: Duration = Duration::from_secs(6);

/// How much memory a search may have, in bytes.
const MEMORY: u64 = 4 << 30;

/// What a search that found something ends with; any other failure is a crash.
const FOUND: u8 = 3;

const USAGE: &str = "usage: fuzz [--seconds N] [--seed N] [TARGET...]";

#[derive(Debug)]
struct Asked {
    seconds: u64,
    seed: u64,
    targets: Vec<&'static Target>,
    /// Whether this process is the one that searches.
    worker: bool,
}

fn main() -> ExitCode {
    let asked = match Asked::read(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(problem) => {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            return say(&format!(
                "{problem}\n{USAGE}\ntargets: {}",
                names.join(", ")
            ))
            .map_or(ExitCode::FAILURE, |()| ExitCode::from(2));
        }
    };
    let run = if asked.worker { work } else { supervise };
    run(&asked).unwrap_or_else(|error| {
        let _ = say(&format!("fuzz: {error}"));
        ExitCode::FAILURE
    })
}

fn say(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

impl Asked {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let mut asked = Self {
            seconds: 60,
            seed: since_1970.map_or(1, |time| time.as_secs()),
            targets: Vec::new(),
            worker: false,
        };
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let number = arguments.next().and_then(|number| number.parse().ok());
                number.ok_or_else(|| format!("{argument} needs a number"))
            };
            match argument.as_str() {
                "--seconds" => asked.seconds = number()?,
                "--seed" => asked.seed = number()?,
                "--worker" => asked.worker = true,
                name => {
                    let target = TARGETS.iter().find(|target| target.name == name);
                    asked
                        .targets
                        .push(target.ok_or_else(|| format!("there is no target `{name}`"))?);
                }
            }
        }
        if asked.targets.is_empty() {
            asked.targets = TARGETS.iter().collect();
        }
        Ok(asked)
    }
}

/// Where a search keeps the input that it checks just now; `supervisor` is the process that started it.
fn current(target: &Target, supervisor: u32) -> PathBuf {
    std::env::temp_dir().join(format!("hookline-fuzz-{}-{supervisor}", target.name))
}

/// Runs each search in a process of its own.
fn supervise(asked: &Asked) -> io::Result<ExitCode> {
    let mut ending = ExitCode::SUCCESS;
    for target in &asked.targets {
        let (seconds, seed) = (asked.seconds.to_string(), asked.seed.to_string());
        let status = Command::new(std::env::current_exe()?)
            .args([
                "--worker",
                "--seconds",
                &seconds,
                "--seed",
                &seed,
                target.name,
            ])
            .status()?;
        let input = current(target, std::process::id());
        if !status.success() {
            ending = ExitCode::FAILURE;
        }
        if !status.success() && status.code() != Some(i32::from(FOUND)) {
            let kept = corpus::keep(target.name, &fs::read(&input)?)?;
            say(&format!(
                "{}: ended with {status}; kept as {}",
                target.name,
                kept.display()
            ))?;
        }
        fs::remove_file(&input).or_else(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                Ok(())
            } else {
                Err(error)
            }
        })?;
    }
    Ok(ending)
}

/// Searches; whatever ends this process is seen by the one that started it.
fn work(asked: &Asked) -> io::Result<ExitCode> {
    let target = asked.targets.first().copied().unwrap_or(&TARGETS[0]);
    let limit = Rlimit {
        current: Some(MEMORY),
        maximum: Some(MEMORY),
    };
    setrlimit(Resource::As, limit)?;
    let mut file = File::create(current(target, parent_id()))?;
    let start = Instant::now();
    watch_for_hangs(start);
    let time = Duration::from_secs(asked.seconds);
    let found = search::search(
        target,
        asked.seed,
        |_| start.elapsed() < time,
        |input| {
            BEGAN.store(millis(start), Ordering::Relaxed);
            let _ = remember(&mut file, input);
        },
    );
    BEGAN.store(u64::MAX, Ordering::Relaxed);
    say(&format!(
        "{}: {} inputs of {} kinds in {} s, seed {}",
        target.name,
        found.inputs,
        found.kinds,
        start.elapsed().as_secs(),
        asked.seed
    ))?;
    let Some(failure) = found.failure else {
        return Ok(ExitCode::SUCCESS);
    };
    let kept = corpus::keep(target.name, &failure.input)?;
    say(&format!("{}\nkept as {}", failure.message, kept.display()))?;
    Ok(ExitCode::from(FOUND))
}

fn remember(file: &mut File, input: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(input)?;
    file.set_len(input.len() as u64)
}

/// When the current input was begun, in milliseconds since the start.
static BEGAN: AtomicU64 = AtomicU64::new(u64::MAX);

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Ends the process when an input takes too long.
fn watch_for_hangs(start: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let waited = millis(start).saturating_sub(BEGAN.load(Ordering::Relaxed));
            if u128::from(waited) > TOO_LONG.as_millis() {
                let _ = say("an input takes too long");
                std::process::abort();
            }
        }
    });
}
