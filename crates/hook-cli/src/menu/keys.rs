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
    /// Switches the hook off or on.
    Switch,
    Trust,
    Try,
    Add,
    /// Into the user's file, of a template.
    ForUser,
    Filter,
    /// Chooses an event.
    Event,
    Reload,
    Yes,
    No,
    Type(Key),
    Typed,
    Untyped,
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
        Key::Enter | Key::Right => Action::Open,
        Key::Escape | Key::Left | Key::Backspace => Action::Back,
        Key::Char(letter) => of_letter(*letter),
        _ => Action::Redraw,
    }
}

fn of_letter(letter: char) -> Action {
    match letter {
        'd' => Action::Switch,
        't' => Action::Trust,
        'r' => Action::Try,
        'a' => Action::Add,
        'u' => Action::ForUser,
        'e' => Action::Event,
        'l' => Action::Reload,
        'y' => Action::Yes,
        'n' => Action::No,
        '/' => Action::Filter,
        '?' => Action::Help,
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
