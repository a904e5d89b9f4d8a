//! A key to what it asks for. Pure.

use crate::terminal::Key;
use crate::tui::press::Press;

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Quit,
    Interrupt,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
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
    let key = match press {
        Press::PageUp => return Action::PageUp,
        Press::PageDown => return Action::PageDown,
        Press::Tab => return Action::Down,
        Press::Resized => return Action::Redraw,
        Press::Key(key) => key,
    };
    match key {
        Key::Ctrl('c') => Action::Interrupt,
        Key::Char('q') => Action::Quit,
        Key::Up | Key::Char('k') | Key::Ctrl('p') => Action::Up,
        Key::Down | Key::Char('j') | Key::Ctrl('n') => Action::Down,
        Key::Ctrl('b' | 'u') => Action::PageUp,
        Key::Char(' ') | Key::Ctrl('f' | 'd') => Action::PageDown,
        Key::Home | Key::Char('g') => Action::First,
        Key::End | Key::Char('G') => Action::Last,
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
