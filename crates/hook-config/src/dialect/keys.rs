//! Keys that stand twice, that nobody knows, or that are slips of others.

use std::collections::HashMap;

use hook_types::nearest;

use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Document, Member};
use crate::source::Span;

/// Where each key stands last: that one counts.
pub(super) fn last_places(members: &[Member]) -> HashMap<&str, Span> {
    let members = members.iter();
    let places = members.map(|member| (member.key.as_str(), member.key_span));
    places.collect()
}

pub(super) fn stands_twice(key: &str) -> Diagnostic {
    let message = format!("`{}` stands twice; the last one counts", shortened(key));
    Diagnostic::new(Code::DuplicateKey, message)
}

/// Whether a key is a slip of one that is missing; one message says both.
pub(super) fn is_the_missing(
    member: &Member,
    missing: &[(&'static str, usize)],
    document: &Document,
    problems: &mut [Diagnostic],
) -> bool {
    let meant = nearest(&member.key, missing.iter().map(|(key, _)| *key));
    let Some((key, problem)) = missing.iter().find(|(key, _)| Some(*key) == meant) else {
        return false;
    };
    let told = problems
        .get_mut(*problem)
        .filter(|problem| problem.suggestion.is_none());
    if let Some(problem) = told {
        problem.place = Some(document.place(member.key_span));
        problem.suggestion = Some(format!("\"{key}\""));
        // It is there already, but for the slip.
        problem.help.clear();
        return true;
    }
    false
}

/// A key as a message shows it.
fn shortened(key: &str) -> String {
    match key.char_indices().nth(60) {
        None => key.to_owned(),
        Some((end, _)) => format!("{}…", &key[..end]),
    }
}

/// Says that no such key is known, and which one was probably meant.
pub(super) fn unknown_key(key: &str, known: &[&'static str]) -> Diagnostic {
    let problem = Diagnostic::new(
        Code::UnknownKey,
        format!("no key is called `{}` here", shortened(key)),
    );
    match nearest(key, known.iter().copied()) {
        Some(near) => problem.suggest(format!("\"{near}\"")),
        None => problem.help(format!("the keys here are {}", list(known))),
    }
}

fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
