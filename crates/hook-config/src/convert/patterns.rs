//! Matchers from one syntax to another. Pure.
//!
//! A matcher of a tool event is tested against a tool's name, which differs between dialects: `Bash` is
//! `run_command` and `bash`. A translation is right when it fits the same tools, so each candidate is
//! read by the rules of its format and tried on many names; where none is right, there is none.

use hook_runner::matcher::Matcher;
use hook_shell::Dialect;
use hook_types::EventName;
use serde_json::json;

use super::globs;
use crate::dialect::{Format, parse};
use crate::entry::Listen;
use crate::lint::known_tools;
use crate::read::read;

/// A matcher as Claude settings and our own files have it; `None` is all.
pub(super) type Claude = Option<String>;

/// A matcher of any format, in the syntax of Claude settings. `None` within is all; without, nothing
/// says the same.
pub(super) fn to_claude(format: Format, listen: &Listen) -> Option<Claude> {
    if listen.matcher.is_all() {
        return Some(None);
    }
    let written = listen.matcher.to_string();
    let candidates = match format {
        Format::Claude | Format::Hookline => return Some(Some(written)),
        Format::Opta => of_regex(Dialect::Opta, listen, &written, &written),
        Format::OpenCode => {
            let regex = globs::regex(&written)?;
            let mut candidates: Vec<String> = globs::names(&written, Dialect::OpenCode.names())
                .into_iter()
                .collect();
            candidates.extend(of_regex(Dialect::OpenCode, listen, &written, &regex));
            candidates
        }
    };
    let fits = |text: &String| {
        let read = Matcher::claude(text);
        read.is_ok_and(|read| is_same(&listen.matcher, &read, &[&written, text]))
    };
    candidates.into_iter().find(fits).map(Some)
}

/// Candidates for a regular expression over the names of a dialect.
fn of_regex(dialect: Dialect, listen: &Listen, written: &str, regex: &str) -> Vec<String> {
    let mut ours: Vec<&str> = dialect.names().pairs().map(|(ours, _)| ours).collect();
    ours.dedup();
    let found = ours
        .iter()
        .filter(|name| listen.matcher.matches(name).is_match());
    let found: Vec<&str> = found.copied().collect();
    let list = names_of(written).map(|names| {
        let mut ours: Vec<&str> = names
            .iter()
            .map(|name| dialect.names().ours(name))
            .collect();
        ours.dedup();
        ours.join("|")
    });
    list.into_iter()
        .chain(composed(&ours, &found, regex))
        .collect()
}

/// `^(?:a|b)$`: a list of names that a regular expression spells out.
fn names_of(regex: &str) -> Option<Vec<&str>> {
    let names = regex.strip_prefix("^(?:")?.strip_suffix(")$")?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_name_char);
    let names: Vec<&str> = names.split('|').collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// A regular expression, extended by names that it must find, and without names that it must not: the
/// simplest first.
fn composed(special: &[&str], found: &[&str], regex: &str) -> Vec<String> {
    let others: Vec<&str> = special
        .iter()
        .filter(|name| !found.contains(name))
        .copied()
        .collect();
    let forced = if regex.chars().all(|c| is_name_char(c) || "|, ".contains(c)) {
        format!("(?:{regex})")
    } else {
        regex.to_owned()
    };
    let without = format!("^(?!(?:{})$).*?(?:{regex})", others.join("|"));
    let with = |core: &str| format!("^(?:{})$|{core}", found.join("|"));
    let mut candidates = vec![forced.clone()];
    if !found.is_empty() {
        candidates.push(with(regex));
    }
    candidates.push(without.clone());
    if !found.is_empty() {
        candidates.push(with(&without));
    }
    candidates
}

/// How often a regular expression may have been composed: a matcher that has been through two files.
const DEPTH: usize = 3;

/// The regular expressions that one may have been made of by [`composed`], the innermost first.
fn cores(regex: &str) -> Vec<&str> {
    let mut layers = vec![vec![regex]];
    for _ in 0..DEPTH {
        let inner = layers
            .last()
            .into_iter()
            .flatten()
            .flat_map(|regex| inner(regex));
        let inner: Vec<&str> = inner.collect();
        layers.push(inner);
    }
    layers.into_iter().rev().flatten().collect()
}

/// What one composition may have been made of.
fn inner(regex: &str) -> Vec<&str> {
    let with = regex
        .strip_prefix("^(?:")
        .and_then(|rest| rest.split_once(")$|"));
    let without = regex
        .strip_prefix("^(?!(?:")
        .and_then(|rest| rest.split_once(")$).*?(?:"));
    let without = without.and_then(|(_, core)| core.strip_suffix(')'));
    let forced = regex
        .strip_prefix("(?:")
        .and_then(|core| core.strip_suffix(')'));
    [with.map(|(_, core)| core), without, forced]
        .into_iter()
        .flatten()
        .collect()
}

/// A matcher of Claude settings as Opta has it; none where nothing says the same.
pub(super) fn to_opta(event: EventName, claude: &str) -> Option<String> {
    let matcher = Matcher::claude(claude).ok()?;
    let names = Dialect::Opta.names();
    let pairs: Vec<(&str, &str)> = names.pairs().collect();
    let theirs: Vec<&str> = pairs.iter().map(|(_, theirs)| *theirs).collect();
    let found = pairs
        .iter()
        .filter(|(ours, _)| matcher.matches(ours).is_match());
    let found: Vec<&str> = found.map(|(_, theirs)| *theirs).collect();
    let mut candidates: Vec<String> = cores(claude).into_iter().map(str::to_owned).collect();
    if let Some(listed) = list(claude) {
        let theirs = |ours: &&str| {
            let mut all = names.all_theirs(ours);
            if all.len() > 1 {
                all.pop(); // our own name
            }
            all.join("|")
        };
        let listed: Vec<String> = listed.iter().map(theirs).collect();
        candidates = vec![format!("^(?:{})$", listed.join("|"))];
    } else {
        candidates.extend(composed(&theirs, &found, claude));
    }
    let name = Dialect::Opta.event_name(event)?;
    let fits = |text: &String| {
        let file = json!({"hooks": [{"event": name, "command": "x", "matcher": text}]});
        let read = matcher_of(Format::Opta, event, &file.to_string());
        read.is_some_and(|read| is_same(&matcher, &read, &[claude, text]))
    };
    candidates.into_iter().find(fits)
}

/// A matcher of Claude settings as the tools of OpenCode's patterns; none where nothing says the same.
pub(super) fn to_opencode(event: EventName, claude: &str) -> Option<Vec<String>> {
    let matcher = Matcher::claude(claude).ok()?;
    let names = Dialect::OpenCode.names();
    let of_list = |list: Vec<&str>| -> Vec<String> {
        list.into_iter()
            .map(|name| names.theirs(name).to_owned())
            .collect()
    };
    let mut candidates: Vec<Vec<String>> = list(claude).map(of_list).into_iter().collect();
    if candidates.is_empty() {
        let globs = cores(claude).into_iter().filter_map(globs::of_regex);
        candidates = globs.collect();
        let theirs = |globs: &Vec<String>| {
            globs
                .iter()
                .map(|glob| names.theirs(glob).to_owned())
                .collect()
        };
        let named: Vec<Vec<String>> = candidates.iter().map(theirs).collect();
        candidates.splice(0..0, named);
    }
    let name = Dialect::OpenCode.event_name(event)?;
    let fits = |globs: &Vec<String>| {
        let parts: Vec<String> = globs.iter().map(|glob| format!("{name}:{glob}")).collect();
        let file = json!({"hooks": [{"event": parts.join(","), "command": "x"}]});
        let read = matcher_of(Format::OpenCode, event, &file.to_string());
        read.is_some_and(|read| is_same(&matcher, &read, &[claude, &globs.join(" ")]))
    };
    candidates.into_iter().find(fits)
}

/// The names of a list, as Claude settings have it.
fn list(claude: &str) -> Option<Vec<&str>> {
    let is_list = claude.chars().all(|c| is_name_char(c) || "|, ".contains(c));
    let names = claude
        .split(['|', ','])
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let names: Vec<&str> = names.collect();
    (is_list && !names.is_empty()).then_some(names)
}

/// What a file's only hook listens to on an event, by the rules of its format.
fn matcher_of(format: Format, event: EventName, text: &str) -> Option<Matcher> {
    let parsed = parse(&read("converted", text.as_bytes()).ok()?, format);
    let listens = parsed.entries().next()?.listens.iter();
    let mut listens = listens.filter(|listen| listen.event == event);
    listens.next().map(|listen| listen.matcher.clone())
}

/// Whether two matchers fit the same tools, of those that are known and those that look like something
/// that is written in them. Tools that dialects call otherwise go by our names.
fn is_same(one: &Matcher, other: &Matcher, written: &[&str]) -> bool {
    let words = written
        .iter()
        .flat_map(|text| text.split(|c| !is_name_char(c)));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let near = words.iter().flat_map(|word| {
        [
            (*word).to_owned(),
            format!("{word}x"),
            format!("x{word}"),
            format!("mcp__disk__{word}"),
            format!("{word}__x"),
        ]
    });
    let dialects = [Dialect::Opta, Dialect::OpenCode];
    let is_theirs = |name: &str| {
        let mut dialects = dialects.iter();
        dialects.any(|dialect| dialect.names().pairs().any(|(_, theirs)| theirs == name))
    };
    let known = known_tools().iter().map(|name| (*name).to_owned());
    let more = [
        "mcp__memory__create_entities",
        "Task",
        "KillShell",
        "x",
        "B",
        "zz9",
    ];
    let mut names = known.chain(near).chain(more.map(str::to_owned));
    names.all(|name| {
        is_theirs(&name) || one.matches(&name).is_match() == other.matches(&name).is_match()
    })
}

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
