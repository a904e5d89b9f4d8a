//! Keys that go through rows, and where they lead. Pure.

use super::press::Press;
use crate::terminal::Key;

/// A way through rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Move {
    /// What a key asks for, if it asks for one.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other keys ask for something else"
    )]
    pub(crate) fn of(press: &Press) -> Option<Self> {
        let key = match press {
            Press::PageUp => return Some(Self::PageUp),
            Press::PageDown => return Some(Self::PageDown),
            Press::Tab => return Some(Self::Down),
            Press::Resized => return None,
            Press::Key(key) => key,
        };
        Some(match key {
            Key::Up | Key::Char('k') | Key::Ctrl('p') => Self::Up,
            Key::Down | Key::Char('j') | Key::Ctrl('n') => Self::Down,
            Key::Ctrl('b' | 'u') => Self::PageUp,
            Key::Char(' ') | Key::Ctrl('f' | 'd') => Self::PageDown,
            Key::Home | Key::Char('g') => Self::First,
            Key::End | Key::Char('G') => Self::Last,
            _ => return None,
        })
    }

    /// Where it leads from a place among `count`, with `page` rows in sight.
    pub(crate) fn from(self, place: usize, page: usize, count: usize) -> usize {
        let last = count.saturating_sub(1);
        match self {
            Self::Up => place.saturating_sub(1),
            Self::Down => place + 1,
            Self::PageUp => place.saturating_sub(page),
            Self::PageDown => place + page,
            Self::First => 0,
            Self::Last => last,
        }
        .min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_leads_beyond_the_first_or_the_last_row() {
        for (way, from, to) in [
            (Move::Up, 0, 0),
            (Move::Up, 5, 4),
            (Move::Down, 5, 6),
            (Move::Down, 9, 9),
            (Move::PageUp, 5, 1),
            (Move::PageUp, 3, 0),
            (Move::PageDown, 5, 9),
            (Move::PageDown, 8, 9),
            (Move::First, 5, 0),
            (Move::Last, 5, 9),
        ] {
            assert_eq!(way.from(from, 4, 10), to, "{way:?} from {from}");
            assert_eq!(way.from(0, 4, 0), 0, "{way:?} among none");
        }
    }
}
