//! What letters ask for in the menu. Pure.

use crate::tui::keys;

/// What somebody asks for.
pub(crate) type Action = keys::Action<Order>;

/// What only the menu knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Switches the hook off or on.
    Switch,
    Trust,
    Try,
    Add,
    /// Into the user's file, of a template.
    ForUser,
    /// Chooses an event.
    Event,
    Reload,
    Yes,
    No,
}

/// What a letter asks for.
pub(crate) fn letter(letter: char) -> Action {
    Action::Own(match letter {
        'd' => Order::Switch,
        't' => Order::Trust,
        'r' => Order::Try,
        'a' => Order::Add,
        'u' => Order::ForUser,
        'e' => Order::Event,
        'l' => Order::Reload,
        'y' => Order::Yes,
        'n' => Order::No,
        _ => return Action::Redraw,
    })
}
