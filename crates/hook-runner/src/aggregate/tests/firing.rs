//! A firing, written down the way one would tell it.

use std::sync::LazyLock;

use hook_types::{
    Attempt, Decision, EventName, HookEvent, HookInfo, HookKind, OnFailure, Order, Outcome, Reply,
    Status, SyncOutput,
};
use serde_json::{Map, Value};

use crate::aggregate::{About, aggregate};
use crate::group::Mode;
use crate::policy::{OnConflict, Policy};
use crate::schedule::GroupRun;

/// A row is a test: hooks that answered, what is looked at in the outcome, and what it must be.
macro_rules! rows {
    ($($name:ident: $firing:expr, |$outcome:ident| $seen:expr => $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            let $outcome = &$firing.outcome();
            assert_eq!($seen, $expected, "{:#?}", $outcome);
        }
    )*};
}

pub(super) use rows;

/// An event, and what its hooks came to.
#[derive(Debug)]
pub(super) struct Firing {
    pub(super) event: HookEvent,
    pub(super) groups: Vec<GroupRun>,
    pub(super) policy: Policy,
    pub(super) interactive: bool,
}

/// A hook in a firing, before it has a name.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) reply: Reply,
    pub(super) on_failure: OnFailure,
    pub(super) kind: HookKind,
}

/// The samples of every event.
static SAMPLES: LazyLock<Map<String, Value>> = LazyLock::new(|| {
    let text = include_str!("../../../../hook-types/samples/inputs.json");
    serde_json::from_str(text).unwrap()
});

/// The samples of an event: minimal and full.
pub(super) fn samples(event: EventName) -> [HookEvent; 2] {
    ["minimal", "full"].map(|kind| HookEvent::parse(SAMPLES[event.as_str()][kind].clone()).unwrap())
}

/// A firing of an event where nobody can be asked, and no hook has run yet.
pub(super) fn on(event: EventName) -> Firing {
    let [minimal, _] = samples(event);
    of(minimal)
}

pub(super) fn of(event: impl Into<HookEvent>) -> Firing {
    Firing {
        event: event.into(),
        groups: Vec::new(),
        policy: Policy::default(),
        interactive: false,
    }
}

impl Firing {
    /// Hooks that ran at once. Hooks are called `a`, `b`, `c`, … in order.
    pub(super) fn at_once<const N: usize>(self, hooks: [Given; N]) -> Self {
        self.group(Mode::Parallel, hooks)
    }

    /// Hooks that ran one after the other.
    pub(super) fn in_turn<const N: usize>(self, hooks: [Given; N]) -> Self {
        self.group(Mode::Sequential, hooks)
    }

    fn group<const N: usize>(mut self, mode: Mode, hooks: [Given; N]) -> Self {
        let before: usize = self.groups.iter().map(|group| group.attempts.len()).sum();
        let names = ('a'..='z').skip(before).map(String::from);
        let group = u32::try_from(self.groups.len()).unwrap();
        let attempts = names.zip(hooks).zip(0..).map(|((name, hook), index)| {
            let mut attempt = hook.named(&name, self.event.name());
            attempt.order = Order {
                layer: 0,
                group,
                index,
            };
            attempt
        });
        let attempts = attempts.collect();
        self.groups.push(GroupRun { mode, attempts });
        self
    }

    /// Somebody can be asked.
    pub(super) fn interactive(mut self) -> Self {
        self.interactive = true;
        self
    }

    /// The user is asked about conflicts.
    pub(super) fn asking_about_conflicts(mut self) -> Self {
        self.policy.on_conflict = OnConflict::Ask;
        self
    }

    pub(super) fn outcome(&self) -> Outcome {
        let about = About::of(&self.event);
        aggregate(about, &self.groups, &self.policy, self.interactive)
            .unwrap_or(Outcome::none(about.name))
    }
}

/// A hook that ended like that, with nothing said.
pub(super) fn ended(status: Status) -> Given {
    Given {
        reply: Reply::with_status(status),
        on_failure: OnFailure::Continue,
        kind: HookKind::Command,
    }
}

/// A hook that answered.
pub(super) fn says(answer: impl FnOnce(&mut SyncOutput)) -> Given {
    ended(Status::Answered).saying(answer)
}

pub(super) fn no_opinion() -> Given {
    ended(Status::NoOpinion)
}

pub(super) fn decides(decision: Decision, reason: &str) -> Given {
    says(|output| {
        output.decision = decision;
        output.reason = Some(reason.to_owned());
    })
}

pub(super) fn deny(reason: &str) -> Given {
    decides(Decision::Deny, reason)
}

pub(super) fn defer(reason: &str) -> Given {
    decides(Decision::Defer, reason)
}

pub(super) fn ask(reason: &str) -> Given {
    decides(Decision::Ask, reason)
}

pub(super) fn allow(reason: &str) -> Given {
    decides(Decision::Allow, reason)
}

/// A hook that gives the tool another input.
pub(super) fn rewrites(input: impl Into<Value>) -> Given {
    let input = input.into();
    says(|output| output.updated_input = Some(input))
}

impl Given {
    /// Adds to what the hook said.
    pub(super) fn saying(mut self, answer: impl FnOnce(&mut SyncOutput)) -> Self {
        answer(&mut self.reply.output);
        self
    }

    /// Its failure blocks.
    pub(super) fn or_block(mut self) -> Self {
        self.on_failure = OnFailure::Block;
        self
    }

    /// It is a closure.
    pub(super) fn in_rust(mut self) -> Self {
        self.kind = HookKind::Function;
        self
    }

    pub(super) fn named(self, name: &str, event: EventName) -> Attempt {
        let hook = HookInfo::new(name, self.kind);
        let mut attempt = Attempt::new(event, event.as_str(), hook, self.reply);
        attempt.on_failure = self.on_failure;
        attempt
    }
}

/// What was odd, and about which hook.
pub(super) fn oddities(outcome: &Outcome) -> Vec<(&str, &str)> {
    let findings = outcome.diagnostics.iter();
    findings
        .map(|finding| {
            let hook = finding.hook.as_ref().map_or("", |hook| hook.as_str());
            (hook, finding.diagnostic.code.as_str())
        })
        .collect()
}

/// Who decided, and by what.
pub(super) fn decider(outcome: &Outcome) -> Option<(&str, &str)> {
    let decider = outcome.decided_by.as_ref()?;
    Some((decider.hook.as_str(), decider.cause.as_str()))
}

/// Notes as pairs.
pub(super) fn said(notes: &[hook_types::outcome::Note]) -> Vec<(&str, &str)> {
    let notes = notes.iter();
    notes
        .map(|note| (note.hook.as_str(), note.text.as_str()))
        .collect()
}
