//! The state, drawn. Pure: nothing but the state, the time and a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Widget;

use super::state::{Live, Page, Stream};
use super::{details, list};
use crate::render::Tone;
use crate::tui::bars::{Parts, clamp, head, keep_in_sight, keys, two_sides, window};
use crate::tui::text::cell;
use crate::tui::theme::CHOSEN;
use crate::watch::plain::summary;

/// Draws everything. `now` is in milliseconds since 1970.
pub(crate) fn draw(live: &Live, now: u64, area: Rect, buffer: &mut Buffer) {
    let parts = Parts::of(area);
    let title = format!(" hookline watch  {}", live.name);
    let bar = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    two_sides(&title, &status(live, now), bar, parts.title, buffer);
    match live.page {
        Page::List => draw_list(live, now, parts.body, buffer),
        Page::Firing { .. } | Page::Hook { .. } | Page::Help => {
            let rows = details::rows(live, usize::from(area.width), now);
            let top = clamp(live.top, rows.len(), usize::from(parts.body.height));
            window(rows, top, parts.body, buffer);
        }
    }
    draw_status(live, parts.status, buffer);
    keys(words(live), live.theme, parts.keys, buffer);
}

/// How it stands with the stream.
fn status(live: &Live, now: u64) -> String {
    let stream = match live.stream {
        Stream::Waiting => "waiting for the file",
        Stream::Reading => "reading",
        Stream::Following => "following",
        Stream::Ended => "end reached",
    };
    match live.model.running() {
        0 => stream.to_owned(),
        running => format!("{} {running} running, {stream}", list::spinner(now)),
    }
}

fn draw_list(live: &Live, now: u64, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let area = head(list::heads(width, live.theme), area, buffer);
    let height = usize::from(area.height);
    let (shown, chosen) = live.shown();
    if shown.is_empty() {
        return draw_nothing(live, area, buffer);
    }
    let top = if live.is_at_newest() {
        shown.len().saturating_sub(height)
    } else {
        // The chosen row stays in the middle where there is room.
        clamp(chosen.saturating_sub(height / 2), shown.len(), height)
    };
    let top = keep_in_sight(top, chosen, height);
    for (place, y) in (top..shown.len()).take(height).zip(area.y..) {
        let Some(firing) = live.model.firing(shown[place]) else {
            continue;
        };
        let mut row = list::row(firing, live.model.epoch(), width, live.theme, now);
        if place == chosen {
            row = row.patch_style(CHOSEN);
        }
        row.render(Rect::new(area.x, y, area.width, 1), buffer);
    }
}

fn draw_nothing(live: &Live, area: Rect, buffer: &mut Buffer) {
    let words = match live.stream {
        _ if live.is_filtered() => "no firing fits the filter; Esc takes it away",
        Stream::Waiting => "the file is not there yet",
        Stream::Reading | Stream::Following => "no hook has run yet",
        Stream::Ended => "no hook has run; was the stream written with --include-hook-events?",
    };
    let text = cell(&format!("  {words}"), usize::from(area.width));
    let row = Rect::new(area.x, area.y + 1, area.width, 1).intersection(area);
    Line::styled(text, live.theme.style(Tone::Faint)).render(row, buffer);
}

/// The filter while it is typed; else what was counted.
fn draw_status(live: &Live, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    if let Some(editor) = &live.typing {
        let (text, column) = editor.window(width.saturating_sub(3));
        Line::styled(
            cell(&format!(" /{text}"), width),
            live.theme.style(Tone::Strong),
        )
        .render(area, buffer);
        let column = u16::try_from(column + 2).unwrap_or_default();
        let cursor = Rect::new(area.x + column, area.y, 1, 1).intersection(area);
        buffer.set_style(cursor, CHOSEN);
        return;
    }
    let (shown, _) = live.shown();
    let counts = summary(live.model.counts());
    let text = if live.is_filtered() {
        format!(" /{}  {} fit  {counts}", live.filter_text, shown.len())
    } else {
        format!(" {counts}")
    };
    Line::from(cell(&text, width)).render(area, buffer);
}

fn words(live: &Live) -> &'static str {
    match live.page {
        _ if live.typing.is_some() => {
            "event: hook: verdict: text:   Enter keeps it  Esc takes it away"
        }
        Page::List => "↑↓ choose  Enter details  / filter  G newest  ? help  q quit",
        Page::Firing { .. } => "↑↓ hook  Enter its output  PgUp PgDn scroll  Esc back  q quit",
        Page::Hook { .. } | Page::Help => "↑↓ PgUp PgDn scroll  Esc back  q quit",
    }
}
