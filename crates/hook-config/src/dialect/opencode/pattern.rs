//! Patterns over events: `tool:pre_execute`, `tool:pre_execute:bash`, `tool:*`,
//! `session:start,session:end`, `*`.
//!
//! A part fits an event when it fits its name, or its name with a tool behind it. `*` is every event
//! that OpenCode has.

use std::fmt;

use hook_runner::matcher::Matcher;
use hook_shell::Dialect;
use hook_types::{EventName, nearest};

use super::glob::Glob;
use crate::dialect::{flat, tools};
use crate::entry::Listen;

/// What a pattern amounts to.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The events that it fits, with the tools.
    pub(super) listens: Vec<Listen>,
    /// Its parts that fit nothing.
    pub(super) misses: Vec<Miss>,
}

/// A part of a pattern that fits no event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Miss {
    /// The part.
    pub(super) part: String,
    /// The event of the part's name, where it is about no tool, and the part names one.
    without_tool: Option<&'static str>,
    /// What was probably meant.
    pub(super) meant: Option<String>,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, .. } = self;
        match self.without_tool {
            Some(event) => write!(f, "`{event}` is about no tool, so `{part}` never fits"),
            None => write!(f, "`{part}` fits no event"),
        }
    }
}

/// The tools that a pattern asks for on an event.
enum Tools<'a> {
    All,
    Some(Vec<Glob<'a>>),
}

/// Reads a pattern.
pub(super) fn read(written: &str) -> Read {
    let parts: Vec<&str> = written.split(',').map(str::trim).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let globs: Vec<Glob<'_>> = parts.iter().map(|part| Glob::new(part)).collect();
    let mut found = Read::default();
    let mut used = vec![false; parts.len()];
    for (event, name) in flat::events(Dialect::OpenCode) {
        let mut wanted = Tools::Some(Vec::new());
        for (glob, used) in globs.iter().zip(&mut used) {
            *used |= add(&mut wanted, glob, event, name);
        }
        found.listens.extend(listen(event, &wanted));
    }
    let unused = parts.iter().zip(used).filter(|(_, used)| !used);
    found.misses = unused.map(|(part, _)| miss(part)).collect();
    if parts.is_empty() {
        found.misses.push(miss(written.trim()));
    }
    found
}

/// Adds what one part asks for on one event; whether that is anything.
fn add<'a>(wanted: &mut Tools<'a>, glob: &Glob<'a>, event: EventName, name: &str) -> bool {
    if glob.fits(name) {
        *wanted = Tools::All;
        return true;
    }
    if !event.row().is_about_a_tool_call() {
        return false;
    }
    let rests = glob.behind(&format!("{name}:"));
    let any = !rests.is_empty();
    if rests.iter().any(Glob::is_all) {
        *wanted = Tools::All;
    } else if let Tools::Some(globs) = wanted {
        globs.extend(rests);
    }
    any
}

fn listen(event: EventName, wanted: &Tools<'_>) -> Option<Listen> {
    let globs = match wanted {
        Tools::All => return Some(Listen::all(event)),
        Tools::Some(globs) if globs.is_empty() => return None,
        Tools::Some(globs) => globs,
    };
    let joined = |texts: Vec<String>, by: &str| texts.join(by);
    // A `|` of a name is told from one between names: trust is given to what is shown.
    let texts = globs.iter().map(|glob| glob.text().replace('|', "[|]"));
    let shown = joined(texts.collect(), "|");
    let regex = joined(globs.iter().map(Glob::regex).collect(), "|");
    // A pattern that is too long to be compiled fits: a guard is not lost to its length.
    let matcher = Matcher::regex(&format!("^(?:{regex})$")).unwrap_or_else(|_| Matcher::all());
    let matcher = tools::matcher(Dialect::OpenCode.names(), &shown, matcher);
    Some(Listen::new(event, matcher.shown_as(shown)))
}

/// What was probably meant by a part that fits nothing.
fn miss(part: &str) -> Miss {
    const CATEGORIES: [&str; 5] = ["tool:*", "llm:*", "session:*", "permission:*", "user:*"];
    let names = || flat::events(Dialect::OpenCode).map(|(_, name)| name);
    // The name, without a tool behind it.
    let (name, tool) = match part.match_indices(':').nth(1) {
        Some((at, _)) => part.split_at(at),
        None => (part, ""),
    };
    let without_tool = names().find(|known| *known == name);
    let theirs = flat::of_any_dialect(name).and_then(|event| Dialect::OpenCode.event_name(event));
    let meant = theirs.or_else(|| nearest(name, names().chain(CATEGORIES)));
    Miss {
        part: part.to_owned(),
        without_tool,
        meant: meant.map(|meant| {
            let tool = if without_tool.is_some() { "" } else { tool };
            format!("{meant}{tool}")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pattern fits an event of ours, with a tool.
    fn fits(pattern: &str, event: EventName, tool: &str) -> bool {
        let listens = read(pattern).listens;
        let of_event = listens.iter().find(|listen| listen.event == event);
        of_event.is_some_and(|listen| listen.matcher.matches(tool).is_match())
    }

    #[test]
    fn the_five_forms_fit_as_the_seeds_examples_say() {
        use EventName::{PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop};
        let cases = [
            ("tool:pre_execute", PreToolUse, "Bash", true),
            ("tool:*", PreToolUse, "Bash", true),
            ("tool:*", PostToolUse, "Bash", true),
            ("tool:pre_execute:bash", PreToolUse, "Bash", true),
            ("tool:pre_execute:Bash", PreToolUse, "Bash", true),
            ("tool:pre_execute:bash", PreToolUse, "bash", true),
            ("*", PreToolUse, "Bash", true),
            ("*", SessionStart, "", true),
            ("tool:post_execute", PreToolUse, "Bash", false),
            ("tool:pre_execute:read", PreToolUse, "Bash", false),
            ("llm:*", PreToolUse, "Bash", false),
            ("session:start,session:end", SessionStart, "", true),
            (" session:start , session:end ", SessionEnd, "", true),
            ("tool:*:bash", PostToolUse, "Bash", true),
            ("tool:*:bash", PostToolUse, "Read", false),
            (
                "tool:pre_execute:mcp__*",
                PreToolUse,
                "mcp__disk__read",
                true,
            ),
            ("tool:pre_execute:[rw]*", PreToolUse, "Write", true),
            ("tool:pre_execute:[!b]*", PreToolUse, "Bash", false),
            ("tool:pre_execute:*", PreToolUse, "Anything", true),
            ("tool:*,tool:pre_execute:bash", PreToolUse, "Read", true),
            ("*", Stop, "", false),
        ];
        for (pattern, event, tool, expected) in cases {
            assert_eq!(
                fits(pattern, event, tool),
                expected,
                "{pattern} {event} {tool}"
            );
        }
    }

    #[test]
    fn an_event_is_listened_to_once_whatever_a_list_repeats() {
        let read = read("tool:pre_execute:bash,tool:pre_execute:write,tool:pre_execute:b*");
        assert_eq!(read.listens.len(), 1);
        assert_eq!(read.listens[0].pattern(), "bash|write|b*");
    }

    #[test]
    fn a_part_that_fits_nothing_is_told_with_what_was_meant() {
        let cases = [
            ("tool:pre_exec:bash", Some("tool:pre_execute:bash")),
            ("tool:preexecute:bash", Some("tool:pre_execute:bash")),
            ("sesion:start", Some("session:start")),
            ("tools:*", Some("tool:*")),
            ("PreToolUse", Some("tool:pre_execute")),
            ("tool.pre", Some("tool:pre_execute")),
            ("session:start:bash", Some("session:start")),
            ("whatever", None),
        ];
        for (pattern, meant) in cases {
            let misses = read(pattern).misses;
            assert_eq!(misses[0].meant.as_deref(), meant, "{pattern}");
        }
        assert_eq!(read("session:start,whatever").listens.len(), 1);
        assert_eq!(read(" , ").misses.len(), 1);
    }
}
