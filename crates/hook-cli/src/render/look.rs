//! Colours, symbols, widths: how text looks.

use std::time::Duration;

use anstyle::{AnsiColor, Style};

use crate::output::Output;
use crate::safe::clean;

/// What a piece of text is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Things take their course.
    Good,
    /// Something was refused.
    Bad,
    /// Something is odd.
    Odd,
    /// What matters most in a line.
    Strong,
    /// What matters least.
    Faint,
}

/// How text looks: for a terminal, or for a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// Whether there are symbols beyond ASCII.
    symbols: bool,
    /// Whether there is colour.
    colour: bool,
    /// How many columns there are.
    pub(crate) width: usize,
}

impl Look {
    /// How the output looks.
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            symbols: output.live,
            colour: output.has_colour(),
            width: output.width,
        }
    }

    /// How text looks on a screen of its own, which gives it its colours.
    #[cfg(feature = "tui")]
    pub(crate) fn of_screen(width: usize) -> Self {
        Self {
            symbols: true,
            colour: false,
            width,
        }
    }

    /// How what is said beside the output looks: it may have colour only where both may.
    pub(crate) fn of_notes(output: &Output) -> Self {
        Self {
            colour: true, // the stream removes what the reader cannot show
            ..Self::of(output)
        }
    }

    /// The same, in the width that the terminal has now.
    pub(crate) fn now(self) -> Self {
        let size = terminal_size::terminal_size();
        let width = size.map_or(self.width, |(width, _)| usize::from(width.0));
        Self { width, ..self }
    }

    /// Whether there are symbols beyond ASCII.
    pub(crate) fn has_symbols(self) -> bool {
        self.symbols
    }

    /// Text in a tone.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let style = match tone {
            Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Tone::Bad => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            Tone::Odd => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Strong => Style::new().bold(),
            Tone::Faint => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    /// A mark at the start of a line.
    pub(crate) fn mark(self, tone: Tone) -> String {
        let (symbol, plain) = match tone {
            Tone::Good => ("✓", "+"),
            Tone::Bad => ("✗", "x"),
            Tone::Odd => ("!", "!"),
            Tone::Strong => ("▸", ">"),
            Tone::Faint => ("·", "-"),
        };
        self.paint(tone, if self.symbols { symbol } else { plain })
    }
}

/// Text that grows by pieces.
pub(crate) trait Add {
    /// Adds a piece.
    fn add(&mut self, piece: impl AsRef<str>);
}

impl Add for String {
    fn add(&mut self, piece: impl AsRef<str>) {
        self.push_str(piece.as_ref());
    }
}

/// The first line, cleaned, in at most `width` characters.
pub(crate) fn first_line(text: &str, width: usize) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let more = line.len() < text.len();
    let mut line = shorten(&clean(line), width);
    if more && !line.ends_with('…') {
        line.push_str(" …");
    }
    line
}

/// Text in at most `width` characters.
pub(crate) fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Every line behind `margin`.
pub(crate) fn indent(text: &str, margin: &str) -> String {
    let lines = text.lines().map(|line| format!("{margin}{line}\n"));
    lines.collect()
}

/// Somebody's text, cleaned, with every line but the first behind `margin`: none of them can pass for one
/// of ours.
pub(crate) fn behind(text: &str, margin: &str) -> String {
    clean(text).trim_end().replace('\n', &format!("\n{margin}"))
}

/// A time as people say it.
pub(crate) fn took(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 0.01 => format!("{:.1} ms", seconds * 1000.0),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1000.0),
        _ if seconds < 10.0 && time.subsec_millis() != 0 => format!("{seconds:.1} s"),
        _ if seconds < 120.0 => format!("{seconds:.0} s"),
        _ => format!("{:.0} min", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_somebody_else_starts_where_ours_do() {
        assert_eq!(
            behind("one\ntwo\r\nthree\n", "  "),
            "one\n  two\\u{d}\n  three"
        );
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(first_line("one\ntwo", 20), "one …");
        assert_eq!(first_line("abcdefghij", 5), "abcd…");
        assert_eq!(first_line("abcde", 5), "abcde");
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let said = |millis| took(Duration::from_millis(millis));
        assert_eq!(
            [
                said(2),
                said(250),
                said(1500),
                said(3000),
                said(60_000),
                said(600_000)
            ],
            ["2.0 ms", "250 ms", "1.5 s", "3 s", "60 s", "10 min"]
        );
    }
}
