//! Finds a refusal in an answer, however it is spelt.

use std::collections::HashMap;

use super::scan::{Fact, Member, Place};
use crate::decision::Decision;
use crate::diagnostic::{Code, Diagnostic};
use crate::event::{EventName, EventRow, Field, Spelling};
use crate::nearest::{fold, is_slip_of};
use crate::output::SyncOutput;
use crate::text::clip;

/// How much of a key is shown, in characters.
const LONGEST_KEY: usize = 80;

/// A refusal that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Denial {
    pub(super) reason: Option<String>,
    /// Whether it is spelt as the contract has it.
    pub(super) by_the_book: bool,
    place: Place,
    key: String,
}

/// The refusal among an answer's members, if the event can be refused at all.
///
/// Everywhere, the spellings of the contract count. On guards every spelling counts that a reader
/// would take for a refusal: in the wrong place, in another case, with a slip in the key.
pub(super) fn find(event: EventName, members: &[Member]) -> Option<Denial> {
    let row = event.row();
    if row.spelling == Spelling::Unspoken {
        return None;
    }
    members
        .iter()
        .filter_map(|member| spelling(row, member).map(|by_the_book| (member, by_the_book)))
        .max_by_key(|(_, by_the_book)| *by_the_book)
        .map(|(member, by_the_book)| Denial {
            reason: reason(members, member.place),
            by_the_book,
            place: member.place,
            key: member.key.clone(),
        })
}

/// To a server's question, `decline` and `cancel` are refusals where the answer does not count as
/// it stands.
pub(super) fn declined(event: EventName, members: &[Member]) -> Option<Denial> {
    let declines = |member: &&Member| {
        matches!(&member.fact, Fact::Text(value) if is_declined(value))
            && is_slip_of(&member.key, "action")
    };
    let asked = event.row().guard && event.row().honours(Field::Action);
    let member = members.iter().filter(|_| asked).find(declines)?;
    Some(Denial {
        reason: reason(members, member.place),
        by_the_book: false,
        place: member.place,
        key: member.key.clone(),
    })
}

/// Whether a member is a refusal (some), and by the book (true).
fn spelling(row: &EventRow, member: &Member) -> Option<bool> {
    let Fact::Text(value) = &member.fact else {
        return None;
    };
    let key = member.key.as_str();
    let by_the_book = match member.place {
        Place::Top => key == "decision" && value == "block" && row.spelling != Spelling::Behavior,
        Place::Specific => {
            key == "permissionDecision"
                && value == "deny"
                && row.spelling == Spelling::PermissionDecision
        }
        Place::Decision => {
            key == "behavior" && value == "deny" && row.spelling == Spelling::Behavior
        }
    };
    if by_the_book {
        return Some(true);
    }
    let odd = if row.guard {
        is_refusal(value) && is_decision_key(key)
    } else {
        member.place == Place::Top && key == "decision" && is_refusal(value)
    };
    odd.then_some(false)
}

/// Whether a key is one that a decision stands in, a slip forgiven.
fn is_decision_key(key: &str) -> bool {
    ["decision", "permissionDecision", "behavior", "permission"]
        .into_iter()
        .any(|decision| is_slip_of(key, decision))
}

fn is_refusal(value: &str) -> bool {
    matches!(
        fold(value.trim()).as_str(),
        "deny" | "denied" | "block" | "blocked"
    )
}

fn is_declined(value: &str) -> bool {
    is_refusal(value)
        || matches!(
            fold(value.trim()).as_str(),
            "decline" | "declined" | "cancel" | "canceled" | "cancelled"
        )
}

/// The decision of an answer in which keys stand twice, beside a refusal: the strongest of all
/// that were said, and whether each of them is a decision at all.
pub(super) fn strongest(event: EventName, members: &[Member]) -> (Decision, bool) {
    let row = event.row();
    let said = members.iter().filter(|member| {
        row.spelling == Spelling::PermissionDecision
            && member.place == Place::Specific
            && member.key == "permissionDecision"
    });
    said.fold((Decision::Pass, true), |(strongest, valid), member| {
        let decision = match &member.fact {
            Fact::Text(word) => row.permission_word(word),
            Fact::Bool(_) | Fact::Other => None,
        };
        (
            strongest.max(decision.unwrap_or_default()),
            valid && decision.is_some(),
        )
    })
}

/// The reason that belongs to a decision at `place`, else any reason there is.
fn reason(members: &[Member], place: Place) -> Option<String> {
    let near = reason_at(members, place);
    near.or_else(|| {
        [Place::Specific, Place::Decision, Place::Top]
            .into_iter()
            .find_map(|place| reason_at(members, place))
    })
}

fn reason_at(members: &[Member], place: Place) -> Option<String> {
    let keys: &[&str] = match place {
        Place::Top => &["reason", "permissiondecisionreason"],
        Place::Specific => &["permissiondecisionreason", "reason"],
        Place::Decision => &["message", "reason"],
    };
    keys.iter().find_map(|key| {
        members.iter().find_map(|member| match &member.fact {
            Fact::Text(text) if member.place == place && fold(&member.key) == **key => {
                (!text.trim().is_empty()).then(|| text.clone())
            }
            Fact::Text(_) | Fact::Bool(_) | Fact::Other => None,
        })
    })
}

impl Denial {
    /// The refusal, and nothing else.
    pub(super) fn into_output(self) -> SyncOutput {
        SyncOutput {
            decision: Decision::Deny,
            reason: self.reason,
            ..SyncOutput::default()
        }
    }

    /// Says how the refusal should have been spelt.
    pub(super) fn diagnostic(&self, event: EventName) -> Option<Diagnostic> {
        if self.by_the_book {
            return None;
        }
        let right = match event.row().spelling {
            Spelling::PermissionDecision => "hookSpecificOutput.permissionDecision: \"deny\"",
            Spelling::Behavior => "hookSpecificOutput.decision: {\"behavior\": \"deny\"}",
            Spelling::Decision | Spelling::Unspoken => "decision: \"block\"",
        };
        let path = path(self.place, &self.key);
        let message = format!("`{path}` is taken for a refusal, but {event} spells it otherwise");
        Some(
            Diagnostic::new(Code::OddDeny, message)
                .at(path)
                .suggest(right),
        )
    }
}

/// Whether the agent is told to stop, however often it is told to go on.
pub(super) fn stops(event: EventName, members: &[Member]) -> bool {
    event.row().honours(Field::Continue)
        && members.iter().any(|member| {
            member.place == Place::Top
                && member.key == "continue"
                && member.fact == Fact::Bool(false)
        })
}

/// A key with the place it stands in.
pub(super) fn path(place: Place, key: &str) -> String {
    let key = clip(key, LONGEST_KEY);
    match place {
        Place::Top => key,
        Place::Specific => format!("hookSpecificOutput.{key}"),
        Place::Decision => format!("decision.{key}"),
    }
}

/// The keys that stand more than once.
pub(super) fn duplicates(members: &[Member]) -> Vec<Diagnostic> {
    let mut seen: HashMap<(Place, &str), usize> = HashMap::new();
    let mut found = Vec::new();
    for member in members {
        let times = seen.entry((member.place, member.key.as_str())).or_default();
        *times += 1;
        if *times == 2 {
            let path = path(member.place, &member.key);
            let message = format!("`{path}` stands more than once; the stronger decision counts");
            found.push(Diagnostic::new(Code::DuplicateKey, message).at(path));
        }
    }
    found
}
