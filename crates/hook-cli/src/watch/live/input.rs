//! What letters ask for while firings are watched. Pure.

use std::convert::Infallible;

use crate::tui::keys;

/// What somebody asks for: nothing that other screens do not know.
pub(crate) type Action = keys::Action<Infallible>;

/// What a letter asks for.
pub(crate) fn letter(letter: char) -> Action {
    match letter {
        'l' => Action::Open,
        'h' => Action::Back,
        _ => Action::Redraw,
    }
}
