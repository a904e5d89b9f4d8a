//! A key to what it asks for. Pure.

use super::moves::Move;
use super::press::Press;
use crate::terminal::Key;

/// What somebody asks for: what every screen knows, and what is a screen's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action<Own> {
    Quit,
    Interrupt,
    /// Goes through rows.
    Go(Move),
    Open,
    Back,
    Help,
    /// Begins to type a filter.
    Filter,
    /// What this screen alone knows.
    Own(Own),
    /// A key of the line that is typed.
    Type(Key),
    /// The line is complete.
    Typed,
    /// The line is not wanted after all.
    Untyped,
    /// Nothing but to draw anew.
    Redraw,
}

/// What a key asks for while nobody types. What a letter asks for that is not the same everywhere, the
/// screen says.
#[expect(clippy::wildcard_enum_match_arm, reason = "other keys do nothing")]
pub(crate) fn action<Own>(press: &Press, letter: impl FnOnce(char) -> Action<Own>) -> Action<Own> {
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
        Key::Char('/') => Action::Filter,
        Key::Char('?') => Action::Help,
        Key::Char(other) => letter(*other),
        _ => Action::Redraw,
    }
}

/// What a key asks for while somebody types.
pub(crate) fn typed<Own>(press: Press) -> Action<Own> {
    match press {
        Press::Key(Key::Ctrl('c')) => Action::Interrupt,
        Press::Key(Key::Enter) => Action::Typed,
        Press::Key(Key::Escape) => Action::Untyped,
        Press::Key(key) => Action::Type(key),
        Press::PageUp | Press::PageDown | Press::Tab | Press::Resized => Action::Redraw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(press: &Press) -> Action<char> {
        action(press, Action::Own)
    }

    #[test]
    fn a_screen_is_asked_only_for_letters_that_are_not_the_same_everywhere() {
        let key = |letter| Press::Key(Key::Char(letter));
        assert_eq!(asked(&key('q')), Action::Quit);
        assert_eq!(asked(&key('/')), Action::Filter);
        assert_eq!(asked(&key('?')), Action::Help);
        assert_eq!(asked(&key('j')), Action::Go(Move::Down));
        assert_eq!(asked(&key('l')), Action::Own('l'));
        assert_eq!(asked(&Press::Resized), Action::Redraw);
    }

    #[test]
    fn a_letter_is_a_letter_while_somebody_types() {
        let pressed = |key| typed::<char>(Press::Key(key));
        assert_eq!(pressed(Key::Char('q')), Action::Type(Key::Char('q')));
        assert_eq!(pressed(Key::Enter), Action::Typed);
        assert_eq!(pressed(Key::Escape), Action::Untyped);
        assert_eq!(pressed(Key::Ctrl('c')), Action::Interrupt);
    }
}
