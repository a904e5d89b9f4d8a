//! Firings, a row each. Pure.

use ratatui::text::{Line, Span};

use crate::render::Tone;
use crate::terminal::FRAMES;
use crate::tui::text::{cell, right};
use crate::tui::theme::Theme;
use crate::watch::firing::Firing;
use crate::watch::row;

const TIME: usize = 8;
const EVENT: usize = 19;
const HOOKS: usize = 5;
const TOOK: usize = 8;
const VERDICT: usize = 7;
/// Blanks between the columns, and the mark.
const BETWEEN: usize = 9;

/// How wide the two columns are that take what is left: the subject, and what matters most.
fn rest(width: usize) -> (usize, usize) {
    let left = width.saturating_sub(TIME + EVENT + HOOKS + TOOK + VERDICT + BETWEEN);
    let subject = (left * 2 / 5).clamp(8.min(left), 30);
    (subject, left.saturating_sub(subject))
}

/// The heads of the columns.
pub(super) fn heads(width: usize, theme: Theme) -> Line<'static> {
    let (subject, gist) = rest(width);
    let text = [
        "  ".to_owned(),
        right("time", TIME),
        "  ".to_owned(),
        cell("event", EVENT),
        " ".to_owned(),
        cell("subject", subject),
        right("hooks", HOOKS),
        " ".to_owned(),
        right("took", TOOK),
        "  ".to_owned(),
        cell("verdict", VERDICT),
        " ".to_owned(),
        cell("why", gist),
    ];
    Line::from(theme.span(Tone::Faint, text.concat()))
}

/// A firing's row.
pub(super) fn row(
    firing: &Firing,
    epoch: Option<u64>,
    width: usize,
    theme: Theme,
    now: u64,
) -> Line<'static> {
    let (subject, gist) = rest(width);
    let tone = row::tone(firing);
    let faint = |text: String| theme.span(Tone::Faint, text);
    Line::from(vec![
        theme.span(tone, format!("{} ", mark(firing, now))),
        faint(right(&time(firing, epoch), TIME)),
        Span::raw(format!("  {} ", cell(&firing.event, EVENT))),
        Span::raw(cell(&firing.subject, subject)),
        faint(right(&firing.runs.len().to_string(), HOOKS)),
        Span::raw(format!(" {}  ", right(&took(firing, now), TOOK))),
        theme.span(tone, cell(firing.word(), VERDICT)),
        Span::raw(format!(" {}", cell(row::gist(firing).trim_start(), gist))),
    ])
}

/// Minutes and seconds since the first message.
fn time(firing: &Firing, epoch: Option<u64>) -> String {
    let Some((at, epoch)) = firing.began.zip(epoch) else {
        return String::new();
    };
    let tenths = at.saturating_sub(epoch) / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

fn mark(firing: &Firing, now: u64) -> &'static str {
    if firing.is_running() {
        return spinner(now);
    }
    match row::tone(firing) {
        Tone::Bad => "✗",
        Tone::Odd => "!",
        Tone::Good => "✓",
        Tone::Strong | Tone::Faint => "·",
    }
}

/// What turns while something runs.
pub(super) fn spinner(now: u64) -> &'static str {
    let frame = usize::try_from(now / 100).unwrap_or_default();
    FRAMES[frame % FRAMES.len()]
}

/// How long it took, or has taken so far.
fn took(firing: &Firing, now: u64) -> String {
    match firing.took() {
        Some(took) => row::lasted(took),
        None if firing.word() != "running" => String::new(),
        None => elapsed(firing.began, now),
    }
}

/// More than this, and nobody waits any more: its end was not told.
const LONG_AGO: u64 = 3_600_000;

/// How long something has taken so far.
pub(super) fn elapsed(began: Option<u64>, now: u64) -> String {
    match began.and_then(|began| now.checked_sub(began)) {
        Some(millis) if millis < LONG_AGO => row::lasted(millis / 100 * 100_000),
        Some(_) => "no end".to_owned(),
        None => String::new(),
    }
}
