//! Which escape sequences a hook may send to the terminal.

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';

/// Whether a text holds nothing but titles, notifications and bells: the operating system
/// commands 0, 1, 2, 9, 99 and 777, ended by BEL or ST, and BEL by itself.
pub(super) fn is_harmless(sequence: &str) -> bool {
    let mut rest = sequence;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            BEL => &rest[1..],
            ESC => match command(&rest[1..]) {
                Some(after) => after,
                None => return false,
            },
            _ => return false,
        };
    }
    !sequence.is_empty()
}

/// What follows one operating system command.
fn command(text: &str) -> Option<&str> {
    let body = text.strip_prefix(']')?;
    let end = body.find([BEL, ESC])?;
    let (content, rest) = body.split_at(end);
    let number = content.split(';').next()?;
    if !matches!(number, "0" | "1" | "2" | "9" | "99" | "777") || content.contains(char::is_control)
    {
        return None;
    }
    rest.strip_prefix(BEL)
        .or_else(|| rest.strip_prefix("\u{1b}\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_notifications_and_bells_pass() {
        for sequence in [
            "\u{7}",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]9;done\u{1b}\\",
            "\u{1b}]777;notify;a;b\u{7}\u{7}",
        ] {
            assert!(is_harmless(sequence), "{sequence:?}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for sequence in [
            "",
            "text",
            "\u{1b}[2J",
            "\u{1b}]52;c;aGk=\u{7}",
            "\u{1b}]0;open",
            "\u{1b}]0;x\u{7}rm",
            "\u{1b}]0;a\nb\u{7}",
        ] {
            assert!(!is_harmless(sequence), "{sequence:?}");
        }
    }
}
