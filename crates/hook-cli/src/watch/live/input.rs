//! A key to what it asks for. Pure.

use crate::terminal::Key;
use crate::tui::moves::Move;
use crate::tui::press::Press;

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Quit,
    Interrupt,
    /// Goes through rows.
    Go(Move),
    Open,
    Back,
    Help,
    /// Begins to type a filter.
    Filter,
    /// A key of the line that is typed.
    Type(Key),
    /// The line is complete.
    Typed,
    /// The line is not wanted after all.
    Untyped,
    /// Nothing but to draw anew.
    Redraw,
}

/// What a key asks for while nobody types.
#[expect(clippy::wildcard_enum_match_arm, reason = "other keys do nothing")]
pub(crate) fn action(press: &Press) -> Action {
    if let Some(way) = Move::of(press) {
        return Action::Go(way);
    }
    let Press::Key(key) = press else {
        return Action::Redraw;
    };
    match key {
        Key::Ctrl('c') => Action::Interrupt,
        Key::Char('q') => Action::Quit,
        Key::Enter | Key::Right | Key::Char('l') => Action::Open,
        Key::Escape | Key::Left | Key::Backspace | Key::Char('h') => Action::Back,
        Key::Char('/') => Action::Filter,
        Key::Char('?') => Action::Help,
        _ => Action::Redraw,
    }
}

/// What a key asks for while somebody types.
pub(crate) fn typed(press: Press) -> Action {
    match press {
        Press::Key(Key::Ctrl('c')) => Action::Interrupt,
        Press::Key(Key::Enter) => Action::Typed,
        Press::Key(Key::Escape) => Action::Untyped,
        Press::Key(key) => Action::Type(key),
        Press::PageUp | Press::PageDown | Press::Tab | Press::Resized => Action::Redraw,
    }
}
