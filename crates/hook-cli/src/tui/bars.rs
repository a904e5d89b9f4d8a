//! The rows at the top and at the bottom, and the part of a text that a window shows.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

use super::text::cell;
use super::theme::Theme;
use crate::render::Tone;

/// A screen in parts: a title, what it is about, something to say, and the keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) title: Rect,
    pub(crate) body: Rect,
    pub(crate) status: Rect,
    pub(crate) keys: Rect,
}

/// How many rows are not the body's.
const AROUND: u16 = 3;

impl Parts {
    pub(crate) fn of(area: Rect) -> Self {
        let row = |y: u16| {
            Rect::new(area.x, area.y + y.min(area.height), area.width, 1).intersection(area)
        };
        let body = area.height.saturating_sub(AROUND);
        Self {
            title: row(0),
            body: Rect::new(area.x, area.y + 1, area.width, body).intersection(area),
            status: row(body + 1),
            keys: row(body + 2),
        }
    }
}

/// A row with something at its left and something at its right, which has precedence.
pub(crate) fn two_sides(left: &str, right: &str, style: Style, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let right = format!(
        " {} ",
        cell(right, right.width().min(width.saturating_sub(2)))
    );
    let left = cell(left, width.saturating_sub(right.width()));
    Line::styled(format!("{left}{right}"), style).render(area, buffer);
}

/// The keys that do something here.
pub(crate) fn keys(words: &str, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let text = cell(&format!(" {words}"), usize::from(area.width));
    Line::styled(text, theme.style(Tone::Faint)).render(area, buffer);
}

/// A row at the top; what is below it.
pub(crate) fn head(row: Line<'static>, area: Rect, buffer: &mut Buffer) -> Rect {
    row.render(
        Rect::new(area.x, area.y, area.width, 1).intersection(area),
        buffer,
    );
    Rect::new(
        area.x,
        area.y + 1,
        area.width,
        area.height.saturating_sub(1),
    )
}

/// The rows of a text from `top` on.
pub(crate) fn window(rows: Vec<Line<'static>>, top: usize, area: Rect, buffer: &mut Buffer) {
    let shown = rows.into_iter().skip(top).take(usize::from(area.height));
    for (row, y) in shown.zip(area.y..) {
        row.render(Rect::new(area.x, y, area.width, 1), buffer);
    }
}

/// The first row that is shown, so that there is no empty space below where there is text above.
pub(crate) fn clamp(top: usize, rows: usize, height: usize) -> usize {
    top.min(rows.saturating_sub(height))
}

/// The first row that is shown, so that one row is among those that are.
pub(crate) fn keep_in_sight(top: usize, row: usize, height: usize) -> usize {
    if row < top {
        row
    } else if row >= top + height {
        row + 1 - height.max(1)
    } else {
        top
    }
}
