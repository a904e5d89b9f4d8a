//! What it costs to find the hooks of a firing among 100,000 of them.
//!
//! Each hook has a matcher of its own. What is measured is a whole firing at a `Runner`, less dropping
//! the event: where the tool is remembered and no hook matches, and where a tool was never seen before, of
//! which every other one has a hook.

use std::hint::black_box;
use std::rc::Rc;

use hook_runner::matcher::{Index, Matcher, MatcherError};
use hook_runner::{Fire, Group, HookSet, Runner, hook_fn};
use hook_types::PreToolUse;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::Failure;
use crate::contest::{Contest, Side, Target, each};
use crate::rows::Entry;
use crate::rows::firing::one_thread;

const MANY: usize = 100_000;
const FEW: usize = 10;
const PAIRS: usize = 2_000;
const FIRINGS: u32 = 200;
/// How many tools that were never seen are asked about in one turn.
const STRANGERS: u32 = 20;
/// As many look-around patterns as one may expect: each is asked by itself.
const LOOK_AROUND: usize = 100;

pub(crate) const ROWS: &[Entry] = &[
    Entry {
        name: "planning-remembered",
        about: "100,000 matchers, a tool that was seen before, beside 10 matchers",
        build: remembered,
    },
    Entry {
        name: "planning-new-exact",
        about: "100,000 exact names, a tool that was never seen",
        build: || never_seen(Form::Exact, MANY),
    },
    Entry {
        name: "planning-new-prefix",
        about: "100,000 globs that are a prefix, a tool that was never seen",
        build: || never_seen(Form::Prefix, MANY),
    },
    Entry {
        name: "planning-new-glob",
        about: "100,000 other globs, a tool that was never seen",
        build: || never_seen(Form::Glob, MANY),
    },
    Entry {
        name: "planning-new-regex",
        about: "100,000 regexes, a tool that was never seen",
        build: || never_seen(Form::Regex, MANY),
    },
    Entry {
        name: "planning-new-mixed",
        about: "100,000 of all forms, a tool that was never seen",
        build: || never_seen(Form::Mixed, MANY),
    },
    Entry {
        name: "planning-look-around",
        about: "100 look-around patterns, which are asked one by one: no target",
        build: || never_seen(Form::LookAround, LOOK_AROUND),
    },
];

fn remembered() -> Result<Contest, Failure> {
    let runtime = one_thread()?;
    let few = Registered::new(Form::Mixed, FEW)?;
    let many = Registered::new(Form::Mixed, MANY)?;
    Ok(Contest::of_times(PAIRS)
        .beside(seen(&runtime, "10 matchers", few))
        .side(seen(&runtime, "100,000 matchers", many).target(Target::Times(3.0))))
}

fn never_seen(form: Form, size: usize) -> Result<Contest, Failure> {
    let runtime = one_thread()?;
    let target = match form {
        Form::LookAround => Target::None,
        Form::Exact | Form::Prefix | Form::Glob | Form::Regex | Form::Mixed => {
            Target::AtMost(25_000.0)
        }
    };
    let few = Registered::new(form, FEW)?;
    let many = Registered::new(form, size)?;
    Ok(Contest::of_times(PAIRS)
        .beside(strangers(&runtime, "10 matchers", few))
        .side(strangers(&runtime, &format!("{size} matchers"), many).target(target)))
}

fn seen(runtime: &Rc<Runtime>, name: &str, registered: Registered) -> Side {
    let runtime = Rc::clone(runtime);
    let event = PreToolUse::new(NOBODY_S, json!({}));
    Side::new(name, move || {
        let events = || vec![event.clone(); FIRINGS as usize];
        fired(&runtime, &registered.runner, FIRINGS, events)
    })
}

fn strangers(runtime: &Rc<Runtime>, name: &str, registered: Registered) -> Side {
    let runtime = Rc::clone(runtime);
    let mut subjects = registered.subjects();
    Side::new(name, move || {
        let tools: Vec<String> = subjects.by_ref().take(STRANGERS as usize).collect();
        let event = |tool: &String| PreToolUse::new(tool.as_str(), json!({}));
        let events = || tools.iter().map(event).collect();
        fired(&runtime, &registered.runner, STRANGERS, events)
    })
}

/// What one of `count` firings takes beside dropping its event.
fn fired(
    runtime: &Runtime,
    runner: &Runner,
    count: u32,
    events: impl Fn() -> Vec<PreToolUse>,
) -> f64 {
    let (unfired, events) = (events(), events());
    let dropped = each(count, || {
        for event in unfired {
            drop(black_box(event));
        }
    });
    let fired = each(count, || {
        runtime.block_on(async {
            for event in events {
                drop(black_box(runner.fire(event).await));
            }
        });
    });
    fired - dropped
}

// ===== what is registered =====

/// A tool that no matcher is about.
const NOBODY_S: &str = "mcp__nobody__asks";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
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
    /// `^(?!Read)[A-Z][a-z]+_7_`.
    LookAround,
}

impl Form {
    fn matcher(self, number: usize) -> Result<Matcher, MatcherError> {
        match self.of(number) {
            Self::Prefix => Matcher::pattern(&format!("mcp__server_{number}__*")),
            Self::Glob => Matcher::pattern(&format!("mcp__*_{number}__*")),
            Self::Regex => Matcher::regex(&format!("^(Read|Edit)_{number}_[a-z]+$")),
            Self::LookAround => Matcher::regex(&format!("^(?!Read)[A-Z][a-z]+_{number}_")),
            Self::Exact | Self::Mixed => Matcher::pattern(&format!("Tool_{number}")),
        }
    }

    /// A tool that only the matcher of that number is about.
    fn name(self, number: usize, turn: usize) -> String {
        match self.of(number) {
            Self::Prefix | Self::Glob => format!("mcp__server_{number}__ask{turn}"),
            Self::Regex | Self::LookAround => format!("Edit_{number}_file{}", letters(turn)),
            // There is no other tool of an exact name.
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

/// A number in letters, so that a tool's name is a new one and still matches.
fn letters(number: usize) -> String {
    let letter =
        |digit: char| char::from(b'a' + u8::try_from(digit.to_digit(10).unwrap_or(0)).unwrap_or(0));
    number.to_string().chars().map(letter).collect()
}

pub(crate) struct Registered {
    form: Form,
    size: usize,
    pub(crate) index: Index,
    runner: Runner,
}

impl Registered {
    pub(crate) fn new(form: Form, size: usize) -> Result<Self, Failure> {
        let matchers: Result<Vec<Matcher>, MatcherError> =
            (0..size).map(|number| form.matcher(number)).collect();
        let matchers = matchers?;
        let group = matchers.iter().fold(Group::sequential(), |group, matcher| {
            group.hook(hook_fn(|_: PreToolUse| ()).matching(matcher.clone()))
        });
        let hooks = HookSet::builder().group(group).build()?;
        Ok(Self {
            form,
            size,
            index: Index::new(&matchers),
            runner: Runner::new(hooks),
        })
    }

    /// Tools by turns, each a new one: one that a matcher is about, and one that none is about.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = String> + use<> {
        let (form, size) = (self.form, self.size);
        (0..).map(move |turn: usize| {
            if turn.is_multiple_of(2) {
                form.name((turn * 7919) % size, turn)
            } else {
                format!("mcp__nobody__asks_{turn}")
            }
        })
    }
}
