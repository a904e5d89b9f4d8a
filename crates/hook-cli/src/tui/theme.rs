//! How things look: the tones of [`crate::render`], as styles of a screen.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

use crate::render::Tone;

/// With colour or without.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    pub(crate) colour: bool,
}

impl Theme {
    /// The style of a tone. Without colour, weight has to do.
    pub(crate) fn style(self, tone: Tone) -> Style {
        let style = Style::new();
        let coloured = |colour| if self.colour { style.fg(colour) } else { style };
        match tone {
            Tone::Good => coloured(Color::Green),
            Tone::Bad => coloured(Color::Red).add_modifier(Modifier::BOLD),
            Tone::Odd => coloured(Color::Yellow),
            Tone::Strong => style.add_modifier(Modifier::BOLD),
            Tone::Faint => style.add_modifier(Modifier::DIM),
        }
    }

    /// A piece of text in a tone.
    pub(crate) fn span(self, tone: Tone, text: impl Into<String>) -> Span<'static> {
        Span::styled(text.into(), self.style(tone))
    }
}

/// The row that is chosen.
pub(crate) const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
