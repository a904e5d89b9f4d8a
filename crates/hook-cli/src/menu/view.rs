//! The state, drawn. Pure.

use hook_config::TEMPLATES;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::items::Item;
use super::state::{Menu, Page, Typing};
use crate::render::Tone;
use crate::tui::bars::{Parts, clamp, head, keep_in_sight, keys, two_sides, window};
use crate::tui::text::{cell, row};
use crate::tui::theme::{CHOSEN, Theme};

const EVENT: usize = 19;
const STATE: usize = 9;
const LAYER: usize = 8;
/// Blanks between the columns, and the mark.
const BETWEEN: usize = 7;

/// Draws everything.
pub(crate) fn draw(menu: &Menu, area: Rect, buffer: &mut Buffer) {
    let parts = Parts::of(area);
    let bar = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
    let title = format!(" hookline hooks  {}", menu.project);
    two_sides(&title, &right(menu), bar, parts.title, buffer);
    match &menu.page {
        Page::List => draw_list(menu, parts.body, buffer),
        Page::Templates => draw_templates(menu, parts.body, buffer),
        Page::Text { title, .. } | Page::Confirm { title, .. } => {
            draw_text(menu, title, parts.body, buffer);
        }
    }
    draw_status(menu, parts.status, buffer);
    keys(words(menu), menu.theme, parts.keys, buffer);
}

fn right(menu: &Menu) -> String {
    match (&menu.event, menu.items.len()) {
        (Some(event), _) => format!("at {event}"),
        (None, 1) => "1 hook".to_owned(),
        (None, count) => format!("{count} hooks"),
    }
}

/// How wide the columns are that take what is left: the matcher, and what it does.
fn rest(width: usize) -> (usize, usize) {
    let left = width.saturating_sub(EVENT + STATE + LAYER + BETWEEN);
    let matcher = (left / 3).clamp(8.min(left), 30);
    (matcher, left.saturating_sub(matcher))
}

fn heads(width: usize, theme: Theme) -> Line<'static> {
    let (matcher, what) = rest(width);
    let text = format!(
        "   {} {} {} {} {}",
        cell("event", EVENT),
        cell("matcher", matcher),
        cell("state", STATE),
        cell("layer", LAYER),
        cell("what it does", what),
    );
    Line::from(theme.span(Tone::Faint, text))
}

fn of_item(item: &Item, width: usize, theme: Theme) -> Line<'static> {
    let (matcher, what) = rest(width);
    let (tone, word, about) = match &item.why {
        None => {
            let about = item.row.description.as_ref().unwrap_or(&item.row.runs);
            (item.state.tone(), item.state.word(), about)
        }
        Some((true, why)) => (Tone::Good, "runs", why),
        Some((false, why)) => (Tone::Faint, "does not", why),
    };
    let mark = match tone {
        Tone::Good => "✓",
        Tone::Bad => "✗",
        Tone::Odd => "!",
        Tone::Strong | Tone::Faint => "·",
    };
    Line::from(vec![
        theme.span(tone, format!(" {mark} ")),
        Span::raw(format!("{} ", cell(item.row.event.as_str(), EVENT))),
        Span::raw(format!("{} ", cell(&item.row.matcher, matcher))),
        theme.span(tone, format!("{} ", cell(word, STATE))),
        theme.span(Tone::Faint, format!("{} ", cell(&item.row.layer, LAYER))),
        Span::raw(cell(about.trim_start(), what)),
    ])
}

fn draw_list(menu: &Menu, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let shown = menu.shown();
    let rows = shown
        .iter()
        .map(|place| of_item(&menu.items[*place], width, menu.theme));
    let chosen = menu.chosen.min(shown.len().saturating_sub(1));
    let nothing = if menu.items.is_empty() {
        "no hooks yet; `a` adds some from a template"
    } else {
        "no hook fits the filter; Esc takes it away"
    };
    draw_rows(
        heads(width, menu.theme),
        rows.collect(),
        chosen,
        nothing,
        menu.theme,
        area,
        buffer,
    );
}

fn draw_templates(menu: &Menu, area: Rect, buffer: &mut Buffer) {
    const NAME: usize = 24;
    let width = usize::from(area.width);
    let about = width.saturating_sub(NAME + 13);
    let line = |name: &str, format: &str, text: &str| {
        format!(
            "   {} {} {}",
            cell(name, NAME),
            cell(format, 8),
            cell(text, about)
        )
    };
    let head = Line::from(
        menu.theme
            .span(Tone::Faint, line("template", "format", "what it does")),
    );
    let rows = TEMPLATES.iter().map(|template| {
        Line::from(line(
            template.name,
            template.format.as_str(),
            template.description,
        ))
    });
    draw_rows(
        head,
        rows.collect(),
        menu.template,
        "",
        menu.theme,
        area,
        buffer,
    );
}

/// A head and rows below it, one of which is chosen and in sight.
fn draw_rows(
    top: Line<'static>,
    mut rows: Vec<Line<'static>>,
    chosen: usize,
    nothing: &str,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let area = head(top, area, buffer);
    let height = usize::from(area.height);
    if rows.is_empty() {
        rows.push(Line::default());
        rows.push(Line::from(theme.span(Tone::Faint, format!("   {nothing}"))));
    } else if let Some(row) = rows.get_mut(chosen) {
        *row = std::mem::take(row).patch_style(CHOSEN);
    }
    let top = clamp(chosen.saturating_sub(height / 2), rows.len(), height);
    window(rows, keep_in_sight(top, chosen, height), area, buffer);
}

fn draw_text(menu: &Menu, title: &str, area: Rect, buffer: &mut Buffer) {
    let top = Line::from(menu.theme.span(Tone::Strong, format!(" {}", row(title))));
    let area = head(top, area, buffer);
    let rows = menu.rows();
    let top = clamp(menu.top, rows.len(), usize::from(area.height));
    let rows = rows.into_iter().map(|text| styled(&text, menu.theme));
    window(rows.collect(), top, area, buffer);
}

/// Lines of a difference, and marks, have the colour of what they say.
fn styled(text: &str, theme: Theme) -> Line<'static> {
    let start = text.trim_start().chars().next();
    let tone = match start {
        Some('+' | '✓') => Some(Tone::Good),
        Some('✗' | '-') => Some(Tone::Bad),
        Some('!') => Some(Tone::Odd),
        Some(_) | None => None,
    };
    let text = format!(" {text}");
    match tone {
        Some(tone) => Line::from(theme.span(tone, text)),
        None => Line::from(text),
    }
}

/// What is typed, or what was done, or where the chosen hook stands.
fn draw_status(menu: &Menu, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    if let Some((what, editor)) = &menu.typing {
        let ask = match what {
            Typing::Filter => " /",
            Typing::Event => " event and tool: ",
        };
        let (text, column) = editor.window(width.saturating_sub(ask.len() + 1));
        let line = cell(&format!("{ask}{text}"), width);
        Line::styled(line, menu.theme.style(Tone::Strong)).render(area, buffer);
        let column = u16::try_from(column + ask.len()).unwrap_or_default();
        let cursor = Rect::new(area.x + column, area.y, 1, 1).intersection(area);
        return buffer.set_style(cursor, CHOSEN);
    }
    let text = match (&menu.page, menu.chosen()) {
        _ if !menu.note.is_empty() => menu.note.clone(),
        (Page::List, Some(hook)) => place(&menu.items[hook], &menu.project),
        _ => String::new(),
    };
    Line::from(cell(&format!(" {text}"), width)).render(area, buffer);
}

/// Where a hook stands, from the project's root where it is in it, and what keeps it from running.
fn place(item: &Item, project: &str) -> String {
    let file = item
        .row
        .file
        .strip_prefix(project)
        .unwrap_or(&item.row.file);
    let file = if file == item.row.file {
        file
    } else {
        file.trim_start_matches('/')
    };
    let at = format!("{file}:{}", item.row.line);
    match &item.row.off {
        Some(why) => format!("{why}  ({at})"),
        None => at,
    }
}

fn words(menu: &Menu) -> &'static str {
    match &menu.page {
        _ if menu.typing.is_some() => "Enter takes it  Esc leaves it",
        Page::List => {
            "Enter more  d on/off  t trust  r try  a add  e event  / filter  ? help  q quit"
        }
        Page::Templates => "Enter into the project  u into your own file  Esc back  q quit",
        Page::Text { .. } => "↑↓ scroll  d on/off  t trust  r try  Esc back  q quit",
        Page::Confirm { .. } => "y yes, do it  n no  ↑↓ scroll",
    }
}
