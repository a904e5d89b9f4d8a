//! What it costs to find the hooks of a firing among 10, 1,000 and 100,000 of them.
//!
//! | figure | what is measured |
//! |---|---|
//! | each in turn | every matcher asked about a subject, which nobody does: for scale |
//! | never seen | [`Index::search`] for a subject that it has not been asked about before |
//! | remembered, none matches | a whole firing at a `Runner` whose set remembers that no hook matches |
//! | remembered, one matches | the same where one closure matches and runs: it answers nothing |
//! | one hook in all | the last, at a set that has no other hook |
//!
//! Subjects and events are built before the clock starts.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Duration;

use hook_runner::matcher::{Index, Matcher, MatcherError};
use hook_runner::{Fire, Group, HookSet, Runner, hook_fn};
use hook_types::PreToolUse;
use serde_json::json;
use tokio::runtime::Runtime;

use support::{Figure, Variant, measure, time};

mod support;

const SIZES: [usize; 3] = [10, 1_000, 100_000];
const LOOKUPS: u32 = 200;
const ROUNDS: usize = 25;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let lone = Registered::new(Form::Exact, 1)?;
    print_head();
    for form in [
        Form::Exact,
        Form::Prefix,
        Form::Glob,
        Form::Regex,
        Form::Mixed,
    ] {
        for size in SIZES {
            let registered = Registered::new(form, size)?;
            let variants = vec![
                registered.each_in_turn(),
                registered.never_seen(),
                registered.remembered(&runtime, NOBODY_S),
                registered.remembered(&runtime, &form.name(size / 2)),
                lone.remembered(&runtime, &Form::Exact.name(0)),
            ];
            print_row(&registered, &measure(variants, ROUNDS));
        }
    }
    Ok(())
}

fn print_head() {
    println!(
        "| matchers | registered | built, ms | each in turn, ns | never seen, ns | × faster than \
         each in turn | remembered, none matches, ns | remembered, one matches, ns | × one hook in \
         all |\n|---|---|---|---|---|---|---|---|---|"
    );
}

/// The figures come in the order of the variants.
fn print_row(registered: &Registered, figures: &[Figure]) {
    let [in_turn, never_seen, none, one, lone] =
        std::array::from_fn(|place| figures.get(place).map_or(f64::NAN, |figure| figure.median));
    println!(
        "| {:?} | {} | {} | {in_turn:.0} | {never_seen:.0} | {:.1} | {none:.0} | {one:.0} | {:.2} |",
        registered.form,
        registered.matchers.len(),
        registered.built.as_millis(),
        in_turn / never_seen,
        one / lone
    );
}

// ===== what is registered =====

/// A tool that no matcher is about.
const NOBODY_S: &str = "mcp__nobody__asks";

#[derive(Clone, Copy, Debug)]
enum Form {
    /// `Tool_7`.
    Exact,
    /// `mcp__server_7__*`.
    Prefix,
    /// `mcp__*_7__*`.
    Glob,
    /// `^(Read|Edit)_7_[a-z]+$`.
    Regex,
    /// A quarter of each.
    Mixed,
}

impl Form {
    fn matcher(self, number: usize) -> Result<Matcher, MatcherError> {
        match self.of(number) {
            Self::Prefix => Matcher::pattern(&format!("mcp__server_{number}__*")),
            Self::Glob => Matcher::pattern(&format!("mcp__*_{number}__*")),
            Self::Regex => Matcher::regex(&format!("^(Read|Edit)_{number}_[a-z]+$")),
            Self::Exact | Self::Mixed => Matcher::pattern(&format!("Tool_{number}")),
        }
    }

    /// A tool that only the matcher of that number is about.
    fn name(self, number: usize) -> String {
        match self.of(number) {
            Self::Prefix | Self::Glob => format!("mcp__server_{number}__ask"),
            Self::Regex => format!("Edit_{number}_file"),
            Self::Exact | Self::Mixed => format!("Tool_{number}"),
        }
    }

    fn of(self, number: usize) -> Self {
        match (self, number % 4) {
            (Self::Mixed, 0) => Self::Exact,
            (Self::Mixed, 1) => Self::Prefix,
            (Self::Mixed, 2) => Self::Glob,
            (Self::Mixed, _) => Self::Regex,
            (form, _) => form,
        }
    }
}

struct Registered {
    form: Form,
    matchers: Vec<Matcher>,
    index: Index,
    runner: Runner,
    /// How long the set took to compile, patterns included.
    built: Duration,
}

impl Registered {
    fn new(form: Form, size: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let mut matchers = Vec::new();
        let mut runner = None;
        let mut failure = None;
        let built = time(|| match compile(form, size) {
            Ok((patterns, compiled)) => (matchers, runner) = (patterns, Some(compiled)),
            Err(error) => failure = Some(error),
        });
        match (runner, failure) {
            (Some(runner), None) => Ok(Self {
                form,
                index: Index::new(&matchers),
                matchers,
                runner,
                built,
            }),
            (_, failure) => Err(failure.unwrap_or_else(|| "nothing was built".into())),
        }
    }

    fn each_in_turn(&self) -> Variant<'_> {
        let asked =
            u32::try_from(100_000 / self.matchers.len().max(1)).map_or(1, |n| n.clamp(1, LOOKUPS));
        let mut subjects = self.subjects();
        Variant::new("each in turn", asked, move || {
            let subjects: Vec<String> = subjects.by_ref().take(asked as usize).collect();
            time(|| {
                for subject in &subjects {
                    let found = self
                        .matchers
                        .iter()
                        .filter(|matcher| matcher.matches(subject).is_match());
                    black_box(found.count());
                }
            })
        })
    }

    fn never_seen(&self) -> Variant<'_> {
        let mut subjects = self.subjects();
        Variant::new("never seen", LOOKUPS, move || {
            let subjects: Vec<String> = subjects.by_ref().take(LOOKUPS as usize).collect();
            time(|| {
                for subject in &subjects {
                    black_box(self.index.search(subject));
                }
            })
        })
    }

    fn remembered<'a>(&'a self, runtime: &'a Runtime, subject: &str) -> Variant<'a> {
        let event = PreToolUse::new(subject, json!({}));
        Variant::new("remembered", LOOKUPS, move || {
            let events: Vec<PreToolUse> = (0..LOOKUPS).map(|_| event.clone()).collect();
            time(|| {
                runtime.block_on(async {
                    for event in events {
                        drop(black_box(self.runner.fire(event).await));
                    }
                });
            })
        })
    }

    /// Tools by turns: one that a matcher is about, and one that none is about.
    fn subjects(&self) -> impl Iterator<Item = String> + use<> {
        let (form, size) = (self.form, self.matchers.len());
        (0..).map(move |turn: usize| {
            if turn.is_multiple_of(2) {
                form.name((turn * 7919) % size)
            } else {
                format!("mcp__nobody__asks_{turn}")
            }
        })
    }
}

fn compile(form: Form, size: usize) -> Result<(Vec<Matcher>, Runner), Box<dyn std::error::Error>> {
    let matchers: Result<Vec<Matcher>, MatcherError> =
        (0..size).map(|number| form.matcher(number)).collect();
    let matchers = matchers?;
    let group = matchers.iter().fold(Group::sequential(), |group, matcher| {
        group.hook(hook_fn(|_: PreToolUse| ()).matching(matcher.clone()))
    });
    let hooks = HookSet::builder().group(group).build()?;
    Ok((matchers, Runner::new(hooks)))
}
