//! The properties say nothing if what they are about never comes up in the firings that are made up.

use std::collections::{BTreeMap, BTreeSet};

use hook_types::EventName;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::firing::Firing;
use super::generate::firing;
use super::properties::{attempts, last_words, lines};

/// What a made-up firing shows, by name.
fn shown(firing: &Firing) -> BTreeSet<String> {
    let outcome = firing.outcome();
    let mut shown = BTreeSet::from([
        format!("event {}", outcome.event),
        format!("decision {}", outcome.decision),
    ]);
    shown.extend(attempts(firing).map(|attempt| format!("status {}", attempt.reply.status.word())));
    shown.extend(
        outcome
            .diagnostics
            .iter()
            .map(|finding| format!("code {}", finding.diagnostic.code)),
    );
    shown.extend(
        outcome
            .decided_by
            .iter()
            .map(|decider| format!("cause {}", decider.cause)),
    );
    shown.extend(
        firing
            .groups
            .iter()
            .map(|group| format!("mode {:?}", group.mode)),
    );
    let written = serde_json::to_value(&outcome.specific).unwrap();
    shown.extend(
        written
            .as_object()
            .unwrap()
            .keys()
            .map(|key| format!("field {key}")),
    );
    let seen = [
        ("stop", outcome.stop.is_some()),
        ("several words", last_words(&outcome).len() > 1),
        ("several reasons", lines(outcome.reason.as_ref()).len() > 1),
        ("input", outcome.updated_input.is_some()),
        ("output", outcome.updated_output.is_some()),
        ("quiet", outcome.suppress_output),
        ("context", outcome.additional_context.len() > 1),
        ("messages", outcome.system_messages.len() > 1),
        ("keeps going", outcome.keeps_going()),
        ("no hooks", attempts(firing).next().is_none()),
    ];
    shown.extend(
        seen.iter()
            .filter(|(_, is)| *is)
            .map(|(name, _)| (*name).to_owned()),
    );
    shown
}

#[test]
fn made_up_firings_show_everything_that_the_rules_are_about() {
    let mut runner = TestRunner::deterministic();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let firings = firing();
    for _ in 0..6_000 {
        let firing = firings.new_tree(&mut runner).unwrap().current();
        for name in shown(&firing) {
            *counts.entry(name).or_default() += 1;
        }
    }
    let fields = [
        "updatedPermissions",
        "interrupt",
        "retry",
        "action",
        "content",
        "worktreePath",
        "displayContent",
        "watchPaths",
        "sessionTitle",
        "initialUserMessage",
        "reloadSkills",
        "suppressOriginalPrompt",
        "classifierContext",
        "exports",
        "llmRequest",
        "llmResponse",
        "toolConfig",
    ];
    let statuses = [
        "answered",
        "no_opinion",
        "blocked",
        "launch_failed",
        "crashed",
        "failed",
        "bad_output",
        "timed_out",
        "cancelled",
        "background",
        "skipped",
    ];
    let codes = [
        "conflict",
        "defer_impossible",
        "not_mcp",
        "not_honoured",
        "no_effect",
        "noise",
    ];
    let often = [
        "decision no opinion",
        "decision allow",
        "decision ask",
        "decision defer",
        "decision deny",
        "cause answer",
        "cause exit_code",
        "cause failure_policy",
        "mode Sequential",
        "mode Parallel",
        "stop",
        "several words",
        "several reasons",
        "input",
        "output",
        "quiet",
        "context",
        "messages",
        "keeps going",
        "no hooks",
    ];
    let wanted = often
        .iter()
        .map(ToString::to_string)
        .chain(EventName::ALL.iter().map(|event| format!("event {event}")))
        .chain(fields.iter().map(|field| format!("field {field}")))
        .chain(statuses.iter().map(|status| format!("status {status}")))
        .chain(codes.iter().map(|code| format!("code {code}")));
    let rare: Vec<String> = wanted
        .filter(|name| counts.get(name).copied().unwrap_or(0) < 20)
        .collect();
    assert!(rare.is_empty(), "too rare: {rare:?} in {counts:#?}");
}
