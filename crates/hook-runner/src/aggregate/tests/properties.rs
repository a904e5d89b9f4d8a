//! What holds for every firing.

use std::collections::BTreeSet;

use hook_types::{Attempt, Decision, EventName, ExitTwo, OnFailure, Outcome, Status};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::firing::{Firing, Given, deny, ended};
use super::generate::{copy, ended_in, failure, firing, grown, hook, silence, with};
use crate::aggregate::About;
use crate::aggregate::opinion::merge_one;
use crate::group::Mode;
use crate::merge::{Beside, Merge};
use crate::policy::OnConflict;
use crate::schedule::GroupRun;

fn config() -> Config {
    Config {
        cases: 512,
        failure_persistence: None,
        ..Config::default()
    }
}

/// What each hook of a firing amounts to, in order.
fn opinions(firing: &Firing) -> Vec<Merge> {
    let attempts = attempts(firing);
    attempts
        .map(|attempt| merge_one(About::of(&firing.event), attempt, firing.interactive))
        .collect()
}

pub(super) fn attempts(firing: &Firing) -> impl Iterator<Item = &Attempt> {
    firing.groups.iter().flat_map(|group| &group.attempts)
}

/// From the first to the last.
fn forwards(opinions: &[Merge], how: Beside) -> Merge {
    let opinions = opinions.iter().cloned();
    opinions.fold(Merge::default(), |earlier, later| earlier.then(later, how))
}

/// From the last to the first.
fn backwards(opinions: &[Merge], how: Beside) -> Merge {
    let opinions = opinions.iter().rev().cloned();
    opinions.fold(Merge::default(), |later, earlier| earlier.then(later, how))
}

/// What the firing comes to with this hook alone.
fn alone(firing: &Firing, attempt: &Attempt) -> Outcome {
    let mut alone = copy(firing);
    alone.groups = vec![GroupRun {
        mode: Mode::Parallel,
        attempts: vec![attempt.clone()],
    }];
    alone.outcome()
}

/// Everything that the agent acts on.
fn acted_on(mut outcome: Outcome) -> Outcome {
    outcome.diagnostics.clear();
    outcome
}

/// Everything that the user would be told when the agent stops.
pub(super) fn last_words(outcome: &Outcome) -> Vec<String> {
    let stop = outcome.stop.iter();
    stop.flat_map(|stop| {
        let others = stop.others.iter().map(|note| note.text.clone());
        stop.reason.clone().into_iter().chain(others)
    })
    .collect()
}

pub(super) fn lines(text: Option<&String>) -> BTreeSet<String> {
    let lines = text.iter().flat_map(|text| text.lines());
    lines.map(str::to_owned).collect()
}

/// Failures that are more than no opinion, whatever the hook was told.
fn is_a_block_by_itself(event: EventName, hook: &Given) -> bool {
    let row = event.row();
    let late = matches!(hook.reply.status, Status::TimedOut { .. });
    row.exit_two == ExitTwo::BlocksLikeAnyFailure || (row.timeout_blocks && late)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn merging_is_associative(firing in firing(), chained in any::<bool>()) {
        let how = if chained { Beside::Chained } else { Beside::Concurrent };
        let opinions = opinions(&firing);
        let whole = forwards(&opinions, how);
        prop_assert_eq!(&backwards(&opinions, how), &whole);
        for cut in 0..=opinions.len() {
            let (earlier, later) = opinions.split_at(cut);
            let halves = forwards(earlier, how).then(backwards(later, how), how);
            prop_assert_eq!(&halves, &whole, "cut at {}", cut);
        }
    }

    #[test]
    fn it_does_not_matter_how_hooks_at_once_are_grouped(mut firing in firing()) {
        for group in &mut firing.groups {
            group.mode = Mode::Parallel;
        }
        let grouped = firing.outcome();
        let attempts = attempts(&firing).cloned().collect();
        firing.groups = vec![GroupRun { mode: Mode::Parallel, attempts }];
        prop_assert_eq!(firing.outcome(), grouped);
    }

    #[test]
    fn the_decision_is_the_strongest_of_all(mut firing in firing()) {
        firing.policy.on_conflict = OnConflict::LastWins;
        let decisions = attempts(&firing).map(|attempt| alone(&firing, attempt).decision);
        let strongest = decisions.max().unwrap_or_default();
        prop_assert_eq!(firing.outcome().decision, strongest);
    }

    #[test]
    fn whoever_is_named_made_the_decision(firing in firing()) {
        let outcome = firing.outcome();
        if let Some(decider) = &outcome.decided_by {
            let first = attempts(&firing)
                .find(|attempt| alone(&firing, attempt).decision == outcome.decision);
            prop_assert_eq!(first.map(|attempt| &attempt.hook.id), Some(&decider.hook));
        }
        prop_assert!(outcome.decision != Decision::Deny || outcome.decided_by.is_some());
    }

    #[test]
    fn reasons_come_from_whoever_made_the_decision(mut firing in firing()) {
        firing.policy.on_conflict = OnConflict::LastWins;
        let outcome = firing.outcome();
        let reasons = attempts(&firing)
            .map(|attempt| alone(&firing, attempt))
            .filter(|alone| alone.decision == outcome.decision)
            .filter_map(|alone| alone.reason);
        let reasons: Vec<String> = reasons.collect();
        prop_assert_eq!(outcome.reason.unwrap_or_default(), reasons.join("\n"));
    }

    #[test]
    fn a_deny_is_never_lost_by_adding_a_hook((firing, hook, group, place) in grown(hook)) {
        let before = firing.outcome();
        let after = with(&firing, &hook, group, place).outcome();
        prop_assert!(after.decision >= before.decision);
        if before.decision == Decision::Deny {
            prop_assert!(lines(after.reason.as_ref()).is_superset(&lines(before.reason.as_ref())));
        }
    }

    #[test]
    fn a_deny_counts_wherever_it_is_added((firing, hook, group, place) in grown(|_| Just(deny("no")))) {
        let after = with(&firing, &hook, group, place).outcome();
        let row = firing.event.name().row();
        let exempt = row.exempt.is_some() && row.exempt == firing.event.subject().text();
        prop_assert_eq!(after.decision == Decision::Deny, !exempt);
    }

    #[test]
    fn an_order_to_stop_is_never_lost_by_adding_a_hook((firing, hook, group, place) in grown(hook)) {
        let before = firing.outcome();
        let after = with(&firing, &hook, group, place).outcome();
        prop_assert!(after.stop.is_some() || before.stop.is_none());
        let words = last_words(&after);
        for word in last_words(&before) {
            prop_assert!(words.contains(&word), "{} is not among {:?}", word, words);
        }
    }

    #[test]
    fn a_hook_with_no_opinion_changes_nothing(
        (firing, hook, group, place) in grown(|_| silence().prop_map(ended)),
        spelt_out in any::<bool>(),
    ) {
        let hook = hook.saying(|output| output.proceed = spelt_out.then_some(true));
        prop_assert_eq!(with(&firing, &hook, group, place).outcome(), firing.outcome());
    }

    #[test]
    fn a_hook_that_was_cancelled_changes_nothing_but_that_this_is_said(
        (firing, hook, group, place) in grown(|_| Just(ended(Status::Cancelled))),
    ) {
        let before = firing.outcome();
        let after = with(&firing, &hook, group, place).outcome();
        prop_assert_eq!(after.diagnostics.len(), before.diagnostics.len() + 1);
        prop_assert_eq!(acted_on(after), acted_on(before));
    }

    #[test]
    fn a_failure_that_goes_on_changes_nothing_but_what_is_reported(
        (firing, mut hook, group, place) in grown(|event| ended_in(event, failure())),
    ) {
        let event = firing.event.name();
        hook.on_failure = OnFailure::Continue;
        if hook.reply.output.decision == Decision::Deny {
            hook.reply.output.decision = Decision::Allow;
        }
        let before = acted_on(firing.outcome());
        let after = acted_on(with(&firing, &hook, group, place).outcome());
        if is_a_block_by_itself(event, &hook) {
            prop_assert_eq!(after.decision, Decision::Deny);
        } else {
            prop_assert_eq!(after, before);
        }
    }

    #[test]
    fn a_failure_that_blocks_blocks_a_guard(
        (firing, mut hook, group, place) in grown(|event| ended_in(event, failure())),
    ) {
        hook.on_failure = OnFailure::Block;
        let row = firing.event.name().row();
        let exempt = row.exempt.is_some() && row.exempt == firing.event.subject().text();
        let before = firing.outcome().decision;
        let after = with(&firing, &hook, group, place).outcome().decision;
        let blocks = row.guard && !exempt || is_a_block_by_itself(row.name, &hook);
        prop_assert_eq!(after, if blocks { Decision::Deny } else { before });
    }

    #[test]
    fn nothing_is_merged_that_the_event_does_not_honour(firing in firing()) {
        let outcome = firing.outcome();
        let row = outcome.event.row();
        let written = serde_json::to_value(&outcome.specific).unwrap();
        for field in hook_types::Field::ALL.iter().filter(|field| !row.honours(**field)) {
            prop_assert!(written.get(field.key()).is_none(), "{}", field.key());
        }
        prop_assert!(outcome.stop.is_none() || row.honours(hook_types::Field::Continue));
        let input = row.honours(hook_types::Field::UpdatedInput);
        prop_assert!(outcome.updated_input.is_none() || input);
    }

    #[test]
    fn every_outcome_can_be_written_down(firing in firing()) {
        prop_assert!(serde_json::to_string(&firing.outcome()).is_ok());
    }
}
