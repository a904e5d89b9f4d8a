//! Somebody else's text on a terminal: what a terminal would obey is shown and not sent. The one place
//! that knows which characters those are.
//!
//! | function | for |
//! |---|---|
//! | [`clean`] | a text whose lines each get a margin of ours |
//! | [`clean_line`], [`path()`] | a name, a word: it stays on the line that it is on |
//! | [`json`] | JSON that somebody may print: the same value, in plain characters |
//! | [`gate`] | everything, on its way out: our own colours pass, and nothing else does |

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

const ESC: char = '\u{1b}';

/// Text without anything that a terminal would obey. Lines and tabs stay.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    shown(text, |c| c == '\n' || c == '\t')
}

/// The same, on one line.
pub(crate) fn clean_line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// A path, on one line.
pub(crate) fn path(path: &Path) -> String {
    clean_line(&path.to_string_lossy()).into_owned()
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let harmless = |c: char| stays(c) || !is_obeyed(c);
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            _ if harmless(c) => shown.push(c),
            '\n' | '\t' => shown.extend(c.escape_default()),
            _ => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

/// JSON with what a terminal would obey written as `\u….`: the same value to whoever parses it.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| c == '\n' || !is_obeyed(c);
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmless(c) {
            plain.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(plain, "\\u{unit:04x}");
        }
    }
    Cow::Owned(plain)
}

/// The last gate before the terminal, for what nobody thought of: colours as we paint them pass, and
/// everything else is cleaned.
pub(crate) fn gate(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| c == '\n' || c == '\t' || !is_obeyed(c);
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut passed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESC) {
        let (before, from) = rest.split_at(at);
        passed.push_str(&clean(before));
        let colour = colour(from).unwrap_or_default();
        if colour.is_empty() {
            passed.extend(ESC.escape_unicode());
        }
        passed.push_str(colour);
        rest = &from[colour.len().max(1)..];
    }
    passed.push_str(&clean(rest));
    Cow::Owned(passed)
}

/// The colour that a text begins with.
fn colour(text: &str) -> Option<&str> {
    let body = text.strip_prefix("\u{1b}[")?;
    let end = body.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    let (numbers, rest) = body.split_at(end);
    let one_of_256 = |number: &str| number.parse::<u8>().is_ok();
    let painted =
        numbers.strip_prefix("38;5;").is_some_and(one_of_256) || numbers.split(';').all(is_paint);
    (rest.starts_with('m') && painted).then(|| &text[..=text.len() - rest.len()])
}

/// Colours and weights. What hides text, or makes it blink, is none of ours.
fn is_paint(number: &str) -> bool {
    matches!(
        number.parse(),
        Ok(0..=4 | 7 | 22..=24 | 27 | 30..=37 | 39 | 90..=97)
    )
}

/// Whether a terminal would do something else with it than show it: controls, and what nobody sees or
/// what turns the text around it.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A title, a clipboard, a link, a screen that is wiped, C1 controls, overwriting, and what nobody sees.
    const HOSTILE: [&str; 12] = [
        "\u{1b}]0;owned\u{7}",
        "\u{1b}]52;c;aGk=\u{1b}\\",
        "\u{1b}]8;;http://evil.test\u{1b}\\here\u{1b}]8;;\u{1b}\\",
        "\u{1b}[2J\u{1b}[H",
        "\u{9b}2J",
        "\u{9d}0;owned\u{9c}",
        "safe\rrm -rf /",
        "rm\u{8}\u{8}ls",
        "\u{202e}txt.exe\u{202c}",
        "\u{2066}a\u{2069}",
        "hid\u{200b}den\u{e0041}",
        "\u{7f}\u{0}",
    ];

    /// What must not leave, in other words than the code's own: a slip in its table is no excuse.
    fn is_sent(c: char) -> bool {
        let control = c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c);
        control || matches!(c, '\u{200b}' | '\u{2028}' | '\u{202a}'..='\u{202e}')
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_not_sent() {
        for hostile in HOSTILE {
            for shown in [clean(hostile), clean_line(hostile), gate(hostile)] {
                assert!(!shown.chars().any(is_obeyed), "{shown:?}");
                assert!(shown.contains("\\u{"), "{shown:?}");
            }
        }
        let shown = clean("\u{1b}]0;owned\u{7} safe\ttext\n");
        assert_eq!(shown, "\\u{1b}]0;owned\\u{7} safe\ttext\n");
    }

    #[test]
    fn a_name_cannot_begin_a_line() {
        assert_eq!(clean_line("a\n\tb"), "a\\n\\tb");
        assert_eq!(clean_line("plain é 日本"), "plain é 日本");
    }

    #[test]
    fn our_colours_pass_the_gate_and_nothing_that_hides_text_does() {
        let ours = "\u{1b}[1m\u{1b}[31mx\u{1b}[0m \u{1b}[38;5;9my\u{1b}[0m\n";
        assert_eq!(gate(ours), ours);
        for theirs in [
            "8m",
            "1;8m",
            "5m",
            "38;5;9;8m",
            "38;2;0;0;0m",
            "31",
            "?25l",
            "2J",
        ] {
            let hidden = format!("{ESC}[{theirs}");
            assert!(!gate(&hidden).contains(ESC), "{hidden:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_only_colours_leave(text in "[\u{0}-\u{9f}\u{200b}-\u{202e}\u{1b}\\[;0-9m]{0,60}") {
            let passed = gate(&text);
            for part in passed.split(ESC).skip(1) {
                prop_assert!(colour(&format!("{ESC}{part}")).is_some(), "{passed:?}");
            }
            let mut left = passed.chars().filter(|c| !matches!(*c, ESC | '\n' | '\t'));
            prop_assert!(!left.any(is_sent), "{passed:?}");
        }

        #[test]
        fn json_means_the_same_and_is_plain(text in "\\PC*[\u{0}-\u{9f}\u{200b}-\u{202e}\u{e0041}]{0,20}") {
            let value = serde_json::json!({&text: [&text]});
            let written = serde_json::to_string_pretty(&value).unwrap();
            let plain = json(&written);
            prop_assert!(!plain.chars().any(|c| c != '\n' && is_sent(c)), "{plain:?}");
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&plain).unwrap(), value);
        }
    }
}
