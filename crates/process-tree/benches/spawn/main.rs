//! What a run costs beside the bare system calls, as ratios to that floor.
//!
//! All variants take turns in one run, so that a busy machine hurts them alike. Each turn is
//! compared to the floor's turn of the same round; what is printed is the median of these ratios,
//! with its interval of 95 %. `ROUNDS=2000` changes how many rounds a single small command gets
//! (larger ones get fewer), `ONLY=true` picks one command, `AT_ONCE=1,8` how many at once.
#![expect(
    clippy::disallowed_methods,
    reason = "a bench is told what to measure by its environment"
)]
#![expect(clippy::print_stdout, reason = "a benchmark is there to print")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ratios and ranks are small"
)]

mod floor;

use std::{
    ffi::CStr,
    io::{Read, Write},
    process::{ChildStdin, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use floor::Floor;
use process_tree::{Command, Control, Environment, Limits};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    runtime::Runtime,
};

#[derive(Clone)]
struct Job {
    name: &'static str,
    script: &'static CStr,
    input: Arc<[u8]>,
    output: usize,
}

/// Everything the variants keep between runs.
struct Bench {
    floor: Floor,
    environment: Environment,
    one: Runtime,
    many: Runtime,
}

type Variant = fn(&Bench, &Job, usize) -> Duration;

const VARIANTS: [(&str, Variant); 6] = [
    ("floor", Bench::floor),
    ("std::process", Bench::std),
    ("tokio, 1 thread", Bench::tokio_one),
    ("tokio, threads", Bench::tokio_many),
    ("process-tree, 1 thread", Bench::ours_one),
    ("process-tree, threads", Bench::ours_many),
];

impl Bench {
    fn floor(&self, job: &Job, at_once: usize) -> Duration {
        in_threads(at_once, || {
            assert_eq!(self.floor.run(job.script, &job.input).len(), job.output);
        })
    }

    #[expect(clippy::unused_self, reason = "every variant has the same shape")]
    fn std(&self, job: &Job, at_once: usize) -> Duration {
        in_threads(at_once, || {
            let mut child = std::process::Command::new("/bin/sh")
                .arg("-c")
                .arg(job.script.to_str().unwrap())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let stdin = child.stdin.take().unwrap();
            let output = thread::scope(|scope| {
                // As one writes it by hand: a thread only where a pipe could fill up.
                let feed = |mut stdin: ChildStdin| drop(stdin.write_all(&job.input));
                let feeder = if job.input.len() > 4 << 10 {
                    Some(scope.spawn(move || feed(stdin)))
                } else {
                    feed(stdin);
                    None
                };
                let mut output = Vec::new();
                child
                    .stdout
                    .take()
                    .unwrap()
                    .read_to_end(&mut output)
                    .unwrap();
                if let Some(feeder) = feeder {
                    feeder.join().unwrap();
                }
                output
            });
            child.wait().unwrap();
            assert_eq!(output.len(), job.output);
        })
    }

    fn tokio_one(&self, job: &Job, at_once: usize) -> Duration {
        in_tasks(&self.one, at_once, job, |job| async move {
            tokio_process(&job).await;
        })
    }

    fn tokio_many(&self, job: &Job, at_once: usize) -> Duration {
        in_tasks(&self.many, at_once, job, |job| async move {
            tokio_process(&job).await;
        })
    }

    fn ours_one(&self, job: &Job, at_once: usize) -> Duration {
        let command = self.command(job);
        in_tasks(
            &self.one,
            at_once,
            &(command, job.output),
            |job| async move { ours(&job).await },
        )
    }

    fn ours_many(&self, job: &Job, at_once: usize) -> Duration {
        let command = self.command(job);
        in_tasks(
            &self.many,
            at_once,
            &(command, job.output),
            |job| async move {
                ours(&job).await;
            },
        )
    }

    fn command(&self, job: &Job) -> Command {
        Command::shell(job.script.to_str().unwrap())
            .environment(self.environment.clone())
            .stdin(Arc::clone(&job.input))
            .limits(Limits {
                stdout: 64 << 20,
                ..Limits::default()
            })
    }
}

async fn ours((command, output): &(Command, usize)) {
    let done = command.run(&Control::new()).await;
    assert!(done.ending.is_success(), "{:?}", done.ending);
    assert_eq!(done.stdout.text.len(), *output);
}

async fn tokio_process(job: &Job) {
    let mut child = tokio::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(job.script.to_str().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout, mut stderr) = (
        child.stdin.take().unwrap(),
        child.stdout.take().unwrap(),
        child.stderr.take().unwrap(),
    );
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let feed = async move {
        let _ = stdin.write_all(&job.input).await;
    };
    let all = async {
        tokio::join!(
            feed,
            stdout.read_to_end(&mut output),
            stderr.read_to_end(&mut errors),
            child.wait()
        )
    };
    tokio::time::timeout(Duration::from_mins(1), all)
        .await
        .unwrap()
        .3
        .unwrap();
    assert_eq!(output.len(), job.output);
}

/// The same work `at_once` times, a thread each.
fn in_threads(at_once: usize, work: impl Fn() + Sync) -> Duration {
    let clock = Instant::now();
    if at_once == 1 {
        work();
        return clock.elapsed();
    }
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(&work);
        }
    });
    clock.elapsed()
}

/// The same work `at_once` times, a task each.
fn in_tasks<T, F>(
    runtime: &Runtime,
    at_once: usize,
    input: &T,
    work: impl Fn(T) -> F + Copy + Send + 'static,
) -> Duration
where
    T: Clone + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let work = move |input: T| async move {
        let clock = Instant::now();
        work(input).await;
        clock.elapsed()
    };
    let input = input.clone();
    let one = at_once == 1;
    let all = async move {
        let clock = Instant::now();
        if one {
            return work(input).await;
        }
        let tasks: Vec<_> = (0..at_once)
            .map(|_| tokio::spawn(work(input.clone())))
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        clock.elapsed()
    };
    runtime.block_on(async { tokio::spawn(all).await.unwrap() })
}

/// Random enough to shuffle a handful.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

/// What one variant took in every round.
type Times = Vec<Duration>;

/// Every variant has its turn in each of so many rounds.
fn measure(bench: &Bench, job: &Job, at_once: usize, rounds: usize) -> Vec<Times> {
    let mut times = vec![Vec::with_capacity(rounds); VARIANTS.len()];
    let mut dice = Dice(1);
    for round in 0..=rounds {
        // Shuffled, for what ran before leaves its traces: threads that still look for work.
        for which in dice.shuffled(VARIANTS.len()) {
            let took = VARIANTS[which].1(bench, job, at_once);
            // The first round only warms up.
            if round > 0 {
                times[which].push(took);
            }
        }
    }
    times
}

/// The median, and between which values it lies with a certainty of 95 %: a fact about ranks that
/// holds whatever the noise looks like.
struct Median {
    low: f64,
    middle: f64,
    high: f64,
}

impl Median {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut all: Vec<f64> = values.collect();
        all.sort_unstable_by(f64::total_cmp);
        let last = all.len() - 1;
        let reach = (0.98 * (all.len() as f64).sqrt()).ceil() as usize;
        Self {
            low: all[(all.len() / 2).saturating_sub(reach)],
            middle: all[all.len() / 2],
            high: all[(all.len() / 2 + reach).min(last)],
        }
    }
}

/// One table row for each variant: how it compares to the floor's turn of the same round.
fn report(bench: &Bench, parent: &str, job: &Job, at_once: usize, rounds: usize) {
    let times = measure(bench, job, at_once, rounds);
    let floor = &times[0];
    let alone = Median::of(floor.iter().map(Duration::as_secs_f64)).middle * 1e6;
    println!(
        "\n{parent} parent, `{}`, {at_once} at once, {rounds} rounds: floor {:.0} µs each",
        job.name,
        alone / at_once as f64
    );
    for ((name, _), times) in VARIANTS.iter().zip(&times).skip(1) {
        let pairs = || floor.iter().zip(times);
        let ratio = Median::of(pairs().map(|(floor, own)| own.as_secs_f64() / floor.as_secs_f64()));
        let extra = pairs().map(|(floor, own)| own.as_secs_f64() - floor.as_secs_f64());
        let extra = Median::of(extra).middle * 1e6 / at_once as f64;
        println!(
            "  {name:<24} {:>6.3}  ({:.3} to {:.3})  {extra:>+9.1} µs each",
            ratio.middle, ratio.low, ratio.high
        );
    }
}

fn jobs() -> Vec<Job> {
    let payload = |size: usize| -> Arc<[u8]> { vec![b'x'; size].into() };
    let cat = |name, size| Job {
        name,
        script: c"cat",
        input: payload(size),
        output: size,
    };
    vec![
        Job {
            name: "true",
            script: c"true",
            input: payload(1 << 10),
            output: 0,
        },
        Job {
            name: "a JSON deny",
            script: DENY,
            input: payload(1 << 10),
            output: DENY.count_bytes() - "echo ''".len() + 1,
        },
        cat("cat, 64 KiB", 64 << 10),
        cat("cat, 16 MiB", 16 << 20),
    ]
}

const DENY: &CStr = c"echo '{\"decision\":\"block\",\"reason\":\"no\"}'";

fn main() {
    let setting = |name: &str| std::env::var(name).ok();
    let rounds = setting("ROUNDS").and_then(|value| value.parse().ok());
    let (only, counts) = (setting("ONLY"), setting("AT_ONCE"));
    let bench = Bench {
        floor: Floor::new(),
        environment: Environment::inherited(),
        one: tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap(),
        many: tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap(),
    };
    let is_wanted = |job: &Job| only.as_deref().is_none_or(|only| job.name == only);
    let is_counted = |at_once: &usize| {
        let counts = counts.as_deref();
        counts.is_none_or(|counts| counts.split(',').any(|text| text.parse() == Ok(*at_once)))
    };
    for parent in ["small", "1 GiB"] {
        let ballast = vec![1_u8; if parent == "small" { 0 } else { 1 << 30 }];
        for job in jobs().into_iter().filter(is_wanted) {
            for at_once in [1, 8, 64].into_iter().filter(is_counted) {
                let share = (job.input.len() >> 18).max(1) * at_once;
                let rounds = (rounds.unwrap_or(400) / share).max(7);
                report(&bench, parent, &job, at_once, rounds);
            }
        }
        std::hint::black_box(ballast);
    }
}
