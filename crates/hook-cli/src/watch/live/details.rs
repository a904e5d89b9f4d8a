//! One firing, one hook, the help: in rows. Pure.

use ratatui::text::{Line, Span};

use super::list::{elapsed, spinner};
use super::state::{Live, Page};
use crate::render::Tone;
use crate::tui::text::{cell, right, row as one_row, wrap};
use crate::tui::theme::{CHOSEN, Theme};
use crate::watch::firing::{Firing, Run};
use crate::watch::row;

/// The rows of the page, in full.
pub(super) fn rows(live: &Live, width: usize, now: u64) -> Vec<Line<'static>> {
    let page = Paper {
        rows: Vec::new(),
        width,
        theme: live.theme,
    };
    match (live.page, live.firing()) {
        (Page::List, _) => Vec::new(),
        (Page::Help, _) => help(page),
        (Page::Firing { hook, .. }, Some(firing)) => of_firing(page, live, firing, hook, now),
        (Page::Hook { hook, .. }, Some(firing)) => match firing.runs.get(hook) {
            Some(run) => of_hook(page, firing, run, hook, now),
            None => gone(page),
        },
        (Page::Firing { .. } | Page::Hook { .. }, None) => gone(page),
    }
}

/// Rows that are being written.
struct Paper {
    rows: Vec<Line<'static>>,
    width: usize,
    theme: Theme,
}

impl Paper {
    fn head(&mut self, text: &str) {
        if !self.rows.is_empty() {
            self.rows.push(Line::default());
        }
        let head = self.theme.span(Tone::Strong, one_row(text));
        self.rows.push(Line::from(vec![Span::raw(" "), head]));
    }

    /// A name and a value, in as many rows as it takes.
    fn fact(&mut self, name: &str, tone: Option<Tone>, value: &str) {
        const NAME: usize = 14;
        let room = self.width.saturating_sub(NAME + 4).max(10);
        for (place, part) in wrap(value, room).into_iter().enumerate() {
            let name = if place == 0 { name } else { "" };
            let name = self
                .theme
                .span(Tone::Faint, format!("   {} ", cell(name, NAME)));
            let value = match tone {
                Some(tone) => self.theme.span(tone, part),
                None => Span::raw(part),
            };
            self.rows.push(Line::from(vec![name, value]));
        }
    }

    fn maybe(&mut self, name: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.fact(name, None, value);
        }
    }

    /// A text, wrapped.
    fn text(&mut self, text: &str) {
        for part in wrap(text.trim_end(), self.width.saturating_sub(4)) {
            self.rows.push(Line::from(format!("   {part}")));
        }
    }

    fn faint(&mut self, text: &str) {
        for part in wrap(text, self.width.saturating_sub(4)) {
            let span = self.theme.span(Tone::Faint, format!("   {part}"));
            self.rows.push(Line::from(span));
        }
    }
}

fn gone(mut page: Paper) -> Vec<Line<'static>> {
    page.head("This firing is no longer kept.");
    page.faint("Newer ones have taken its place. Esc leads back to the list.");
    page.rows
}

fn of_firing(
    mut page: Paper,
    live: &Live,
    firing: &Firing,
    chosen: usize,
    now: u64,
) -> Vec<Line<'static>> {
    page.head(&format!("{}  #{}", row::title(firing), firing.number));
    page.fact("session", None, &firing.session);
    page.fact("began", None, &row::since(firing.began, live.model.epoch()));
    let took = firing
        .took()
        .map_or_else(|| elapsed(firing.began, now), row::lasted);
    page.fact("took", None, &took);
    page.fact("verdict", Some(row::tone(firing)), firing.word());
    if let Some(verdict) = &firing.verdict {
        page.maybe("reason", verdict.reason.as_ref());
        page.maybe("stop reason", verdict.stop_reason.as_ref());
        page.maybe("decided by", verdict.decided_by.as_ref());
        page.maybe("because of", verdict.cause.as_ref());
    }
    page.head("Hooks");
    if firing.runs.is_empty() {
        page.faint("The stream does not tell of any.");
    }
    for (place, run) in firing.runs.iter().enumerate() {
        let line = hook_row(run, place, page.width, page.theme, now);
        let style = if place == chosen {
            CHOSEN
        } else {
            ratatui::style::Style::new()
        };
        page.rows.push(line.style(style));
    }
    input(&mut page, firing);
    page.rows
}

fn hook_row(run: &Run, place: usize, width: usize, theme: Theme, now: u64) -> Line<'static> {
    const WORD: usize = 13;
    const TOOK: usize = 9;
    let rest = width.saturating_sub(WORD + TOOK + 8);
    let name = (rest / 2).clamp(10.min(rest), 60);
    let tone = row::tone_of_run(run);
    let took = match run.took {
        Some(took) => row::lasted(took),
        None => elapsed(run.began, now),
    };
    let mark = if run.outcome.is_none() {
        spinner(now)
    } else {
        "▸"
    };
    let said = if run.stderr.trim().is_empty() {
        &run.stdout
    } else {
        &run.stderr
    };
    Line::from(vec![
        Span::raw(format!(" {mark} ")),
        Span::raw(cell(&run.name(place), name)),
        Span::raw(" "),
        theme.span(tone, cell(&run.word().replace('_', " "), WORD)),
        Span::raw(format!("{}  ", right(&took, TOOK))),
        theme.span(
            Tone::Faint,
            cell(said.trim_start(), rest.saturating_sub(name)),
        ),
    ])
}

fn input(page: &mut Paper, firing: &Firing) {
    page.head("Input");
    match &firing.input {
        Some(input) => page.text(input),
        None => page
            .faint("The stream does not tell what these hooks were asked; of tool calls it does."),
    }
}

fn of_hook(
    mut page: Paper,
    firing: &Firing,
    run: &Run,
    place: usize,
    now: u64,
) -> Vec<Line<'static>> {
    page.head(&format!("{}  {}", run.name(place), row::title(firing)));
    let word = run.word().replace('_', " ");
    page.fact("status", Some(row::tone_of_run(run)), &word);
    if let Some(code) = run.exit_code {
        page.fact("exit code", None, &code.to_string());
    }
    let took = run
        .took
        .map_or_else(|| elapsed(run.began, now), row::lasted);
    page.fact("took", None, &took);
    page.fact("run", None, &run.id);
    if !run.diagnostics.is_empty() {
        page.head("Ignored");
        for odd in &run.diagnostics {
            page.fact("", Some(Tone::Odd), odd);
        }
    }
    match answer(&run.stdout) {
        Some(answer) => {
            page.head("Answer");
            page.text(&answer);
        }
        None => output(&mut page, "stdout", &run.stdout),
    }
    output(&mut page, "stderr", &run.stderr);
    input(&mut page, firing);
    page.rows
}

/// What it answered, if what it printed is a JSON object.
fn answer(stdout: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(stdout).ok()?;
    value
        .is_object()
        .then(|| serde_json::to_string_pretty(&value).ok())
        .flatten()
}

fn output(page: &mut Paper, name: &str, text: &str) {
    page.head(name);
    if text.trim().is_empty() {
        page.faint("nothing");
    } else {
        page.text(text);
    }
}

fn help(mut page: Paper) -> Vec<Line<'static>> {
    page.head("Keys");
    for (keys, what) in [
        ("↑ ↓, j k", "the row above or below; of a firing, its hooks"),
        ("PgUp PgDn", "a page"),
        ("Home End, g G", "the first; the newest, and stay with it"),
        ("Enter, →", "more: of a firing, then of a hook"),
        ("Esc, ←", "back; in the list, without a filter"),
        ("/", "a filter"),
        ("q, Ctrl-C", "leave"),
    ] {
        page.fact(keys, None, what);
    }
    page.head("Filter");
    page.faint("Words with blanks between; all must fit, small or capital.");
    for (word, what) in [
        (
            "event:pre",
            "the event and its subject, such as PreToolUse:Bash",
        ),
        ("hook:guard", "the name of a hook"),
        (
            "verdict:deny",
            "deny, block, ask, defer, allow, stop, none; running, failed",
        ),
        ("text:sudo", "reasons, inputs, and what hooks printed"),
        ("sudo", "any of these"),
        ("!allow", "must not be there"),
    ] {
        page.fact(word, None, what);
    }
    page.rows
}
