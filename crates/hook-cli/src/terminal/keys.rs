//! Bytes of a terminal to keys.

/// A key, or what was pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    Enter,
    Backspace,
    Delete,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    Escape,
    /// Ctrl and a letter.
    Ctrl(char),
    Paste(String),
}

const ESCAPE: u8 = 0x1b;
const PASTE_ENDS: &[u8] = b"\x1b[201~";
/// More than anybody pastes into a prompt; it bounds what is kept of a paste that never ends.
const LARGEST_PASTE: usize = 1024 * 1024;

/// Makes keys of bytes that come in pieces.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    rest: Vec<u8>,
    pasting: bool,
}

/// What stands at the start of the bytes.
enum Found {
    /// A key, or nothing that we know, and how many bytes it took.
    Key(Option<Key>, usize),
    PasteBegins(usize),
    /// More bytes are needed to tell.
    Incomplete,
}

impl Decoder {
    /// The keys in some more bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.rest.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while !self.rest.is_empty() {
            if self.pasting {
                let Some(pasted) = self.pasted() else { break };
                keys.push(pasted);
                continue;
            }
            match first(&self.rest) {
                Found::Incomplete => break,
                Found::PasteBegins(count) => {
                    self.rest.drain(..count);
                    self.pasting = true;
                }
                Found::Key(key, count) => {
                    self.rest.drain(..count);
                    keys.extend(key);
                }
            }
        }
        keys
    }

    /// What was pasted, once all of it is here.
    fn pasted(&mut self) -> Option<Key> {
        let ends = self
            .rest
            .windows(PASTE_ENDS.len())
            .position(|window| window == PASTE_ENDS);
        let (length, taken) = match ends {
            Some(place) => (place, place + PASTE_ENDS.len()),
            None if self.rest.len() > LARGEST_PASTE => (LARGEST_PASTE, self.rest.len()),
            None => return None,
        };
        let text = String::from_utf8_lossy(&self.rest[..length]).replace(['\r'], "\n");
        self.rest.drain(..taken);
        self.pasting = false;
        Some(Key::Paste(text))
    }
}

fn first(bytes: &[u8]) -> Found {
    match bytes[0] {
        ESCAPE => escape(bytes),
        b'\r' | b'\n' => Found::Key(Some(Key::Enter), 1),
        0x7f | 0x08 => Found::Key(Some(Key::Backspace), 1),
        0 => Found::Key(None, 1),
        control @ 1..0x20 => Found::Key(Some(Key::Ctrl(char::from(control + b'`'))), 1),
        _ => character(bytes),
    }
}

fn character(bytes: &[u8]) -> Found {
    let start = &bytes[..bytes.len().min(4)];
    let (valid, error) = match std::str::from_utf8(start) {
        Ok(text) => (text, None),
        Err(error) => {
            let valid = std::str::from_utf8(&start[..error.valid_up_to()]);
            (valid.unwrap_or_default(), Some(error))
        }
    };
    match (valid.chars().next(), error) {
        (Some(c), _) => Found::Key(Some(Key::Char(c)), c.len_utf8()),
        (None, Some(error)) if error.error_len().is_none() => Found::Incomplete,
        (None, _) => Found::Key(None, 1),
    }
}

fn escape(bytes: &[u8]) -> Found {
    if matches!(bytes.get(1), Some(b'[' | b'O')) {
        return sequence(bytes);
    }
    // A terminal sends a sequence in one piece: alone, it is the key.
    Found::Key(Some(Key::Escape), 1)
}

/// `ESC [ 3 ~`, `ESC O H` and their kin: parameters, then one byte that ends it.
fn sequence(bytes: &[u8]) -> Found {
    let parameters = &bytes[2..];
    let Some(length) = parameters
        .iter()
        .position(|byte| (0x40..0x7f).contains(byte))
    else {
        let endless = parameters.len() > 32;
        return if endless {
            Found::Key(None, bytes.len())
        } else {
            Found::Incomplete
        };
    };
    let count = length + 3;
    let key = match (&parameters[..length], parameters[length]) {
        (b"200", b'~') => return Found::PasteBegins(count),
        (_, b'A') => Some(Key::Up),
        (_, b'B') => Some(Key::Down),
        (_, b'C') => Some(Key::Right),
        (_, b'D') => Some(Key::Left),
        (_, b'H') | (b"1" | b"7", b'~') => Some(Key::Home),
        (_, b'F') | (b"4" | b"8", b'~') => Some(Key::End),
        (b"3", b'~') => Some(Key::Delete),
        _ => None,
    };
    Found::Key(key, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(pieces: &[&[u8]]) -> Vec<Key> {
        let mut decoder = Decoder::default();
        pieces
            .iter()
            .flat_map(|piece| decoder.feed(piece))
            .collect()
    }

    #[test]
    fn bytes_are_the_keys_that_terminals_send_for_them() {
        let table: &[(&[u8], &[Key])] = &[
            (b"a", &[Key::Char('a')]),
            ("é日".as_bytes(), &[Key::Char('é'), Key::Char('日')]),
            (b"\n\r", &[Key::Enter, Key::Enter]),
            (b"\x7f\x08", &[Key::Backspace, Key::Backspace]),
            (b"\x04\x15", &[Key::Ctrl('d'), Key::Ctrl('u')]),
            (b"\x1b[D\x1bOC", &[Key::Left, Key::Right]),
            (b"\x1b[3~\x1b[1~\x1b[F", &[Key::Delete, Key::Home, Key::End]),
            (b"\x1b", &[Key::Escape]),
            (b"\x1b[1;5C\x1b[99~x", &[Key::Right, Key::Char('x')]),
            (b"\xff\0b", &[Key::Char('b')]),
        ];
        for (bytes, expected) in table {
            assert_eq!(keys(&[bytes]), *expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_character_that_comes_in_two_pieces_is_one() {
        assert_eq!(keys(&[b"\xc3", b"\xa9"]), [Key::Char('é')]);
        assert_eq!(keys(&[b"\x1b[", b"A"]), [Key::Up]);
    }

    #[test]
    fn what_is_pasted_comes_as_one_and_submits_nothing() {
        let pasted = keys(&[b"\x1b[200~two\rli", b"nes\x1b[A\x1b[201~", b"x"]);
        assert_eq!(
            pasted,
            [Key::Paste("two\nlines\x1b[A".into()), Key::Char('x')]
        );
    }
}
