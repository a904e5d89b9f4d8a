//! What would be approved, and how it differs from what was.

use std::path::Path;

use hook_config::TrustState;
use hook_config::trust::{Change, DiffLine, Review};
use serde_json::{Value, json};

use super::look::{Add, Look, Tone, indent};
use crate::safe::{clean, clean_line};

/// How many lines of a new file or a difference are shown.
const LINES: usize = 60;

/// A hook that wants to be approved, for people.
pub(crate) fn review(review: &Review, root: &Path, look: Look) -> String {
    let case = review.case();
    let tone = match review.state() {
        TrustState::Managed | TrustState::Trusted => Tone::Good,
        TrustState::Changed => Tone::Bad,
        TrustState::Untrusted => Tone::Odd,
    };
    let mut text = format!(
        "{} {}  {}\n",
        look.mark(tone),
        look.paint(Tone::Strong, &place(review, root)),
        look.paint(
            tone,
            &format!("{}: {}", review.state().as_str(), review.why().as_str())
        ),
    );
    if let Some(server) = case.content().get("mcp_server").and_then(Value::as_str) {
        text.add(format!("    as the MCP server {}\n", clean_line(server)));
    }
    if !case.listens().is_empty() {
        text.add(format!(
            "    on {}\n",
            clean_line(&case.listens().join(", "))
        ));
    }
    text += &indent(&clean(case.summary()), "    $ ");
    for detail in case.details() {
        text += &indent(&clean(&detail), "      ");
    }
    for change in review.changes() {
        text += &changed(&change, look);
    }
    if review.approved().is_none() {
        for file in &review.fingerprint().files {
            text.add(format!(
                "    runs the file {}\n",
                clean_line(&file.path.display().to_string())
            ));
        }
    }
    for what in &review.fingerprint().opaque {
        let line = format!("    not covered by an approval: {what}");
        text.add(format!("{}\n", look.paint(Tone::Odd, &clean_line(&line))));
    }
    text
}

fn place(review: &Review, root: &Path) -> String {
    let file = review.case().file();
    let shown = file.strip_prefix(root).unwrap_or(file);
    clean_line(&format!("{}:{}", shown.display(), review.case().line())).into_owned()
}

fn changed(change: &Change, look: Look) -> String {
    match change {
        Change::Entry { before, after } => {
            let text = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
            let lines = hook_config::trust::diff(&text(before), &text(after));
            format!("    the entry has changed\n{}", difference(&lines, look))
        }
        Change::Added { path, text } => {
            let head = format!("    names a new file {}\n", clean_line(path));
            let lines: Vec<DiffLine> = text
                .iter()
                .flat_map(|text| text.lines())
                .map(|line| DiffLine::Added(line.to_owned()))
                .collect();
            head + &difference(&lines, look)
        }
        Change::Removed { path } => {
            format!("    {} is gone, or no longer named\n", clean_line(path))
        }
        Change::Retargeted {
            path,
            before,
            after,
        } => format!(
            "    {} leads to {} and no longer to {}\n",
            clean_line(path),
            clean_line(after),
            clean_line(before)
        ),
        Change::Edited { path, lines } => {
            let lines = lines.as_deref().unwrap_or_default();
            format!(
                "    {} has changed\n{}",
                clean_line(path),
                difference(lines, look)
            )
        }
        _ => "    something else has changed\n".to_owned(),
    }
}

/// How one text differs from another.
#[cfg(feature = "tui")]
pub(crate) fn changed_lines(before: &str, after: &str, look: Look) -> String {
    difference(&hook_config::trust::diff(before, after), look)
}

/// The lines that differ, with a little of what is around them.
pub(super) fn difference(lines: &[DiffLine], look: Look) -> String {
    let differs = |line: &DiffLine| !matches!(line, DiffLine::Kept(_));
    let near = |at: usize| {
        let from = at.saturating_sub(2);
        lines.iter().skip(from).take(at - from + 3).any(differs)
    };
    let mut text = String::new();
    let around = lines.iter().enumerate().filter(|(at, _)| near(*at));
    for (shown, (at, line)) in around.enumerate() {
        if shown == LINES {
            let rest = lines[at..].iter().filter(|line| differs(line)).count();
            text.add(format!("      and {rest} lines more\n"));
            break;
        }
        let (tone, sign, line) = match line {
            DiffLine::Kept(line) => (Tone::Faint, ' ', line),
            DiffLine::Removed(line) => (Tone::Bad, '-', line),
            DiffLine::Added(line) => (Tone::Good, '+', line),
        };
        text.add(format!(
            "      {}\n",
            look.paint(tone, &format!("{sign} {}", clean(line)))
        ));
    }
    text
}

/// The same, for programs.
pub(crate) fn review_json(review: &Review, root: &Path) -> Value {
    let files = review
        .fingerprint()
        .files
        .iter()
        .map(|file| file.path.clone());
    let opaque = review.fingerprint().opaque.iter();
    json!({
        "place": place(review, root),
        "state": review.state().as_str(),
        "why": review.why().as_str(),
        "listens": review.case().listens(),
        "runs": review.case().summary(),
        "files": files.collect::<Vec<_>>(),
        "opaque": opaque.map(ToString::to_string).collect::<Vec<_>>(),
        "changes": review.changes().len(),
    })
}
