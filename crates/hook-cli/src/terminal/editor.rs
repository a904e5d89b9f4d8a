//! One line of text, edited, with what was said before.

use unicode_width::UnicodeWidthChar;

use super::keys::Key;

/// How many lines are remembered.
const REMEMBERED: usize = 500;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// The line may look otherwise now.
    Edited,
    /// It is complete.
    Line(String),
    /// There is nothing more to say.
    End,
}

/// A line that is being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Editor {
    text: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// Which line of the past is shown; none: the new one.
    past: Option<usize>,
    /// The new line, while one of the past is shown.
    draft: Vec<char>,
}

impl Editor {
    /// Whether nothing is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What is written.
    #[cfg(feature = "tui")]
    pub(crate) fn text(&self) -> String {
        self.text.iter().collect()
    }

    /// Throws the line away.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.cursor = 0;
        self.past = None;
    }

    /// Takes a key.
    pub(crate) fn press(&mut self, key: Key) -> Pressed {
        match key {
            Key::Enter => return self.submit(),
            Key::Ctrl('d') if self.text.is_empty() => return Pressed::End,
            Key::Char(c) => self.insert([c]),
            Key::Paste(text) => self.insert(text.trim_end_matches('\n').chars()),
            Key::Up | Key::Ctrl('p') => self.older(),
            Key::Down | Key::Ctrl('n') => self.newer(),
            Key::Left | Key::Right | Key::Home | Key::End | Key::Ctrl('a' | 'b' | 'e' | 'f') => {
                self.go(&key);
            }
            Key::Backspace | Key::Delete | Key::Escape | Key::Ctrl(_) => self.remove(&key),
        }
        Pressed::Edited
    }

    fn insert(&mut self, characters: impl IntoIterator<Item = char>) {
        let before = self.text.len();
        self.text.splice(self.cursor..self.cursor, characters);
        self.cursor += self.text.len() - before;
    }

    fn submit(&mut self) -> Pressed {
        let line: String = self.text.iter().collect();
        self.clear();
        if line.trim().is_empty() {
            return Pressed::Edited;
        }
        if self.history.last() != Some(&line) {
            self.history.push(line.clone());
        }
        if self.history.len() > REMEMBERED {
            self.history.remove(0);
        }
        Pressed::Line(line)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "who calls knows the keys")]
    fn go(&mut self, key: &Key) {
        self.cursor = match key {
            Key::Left | Key::Ctrl('b') => self.cursor.saturating_sub(1),
            Key::Right | Key::Ctrl('f') => (self.cursor + 1).min(self.text.len()),
            Key::Home | Key::Ctrl('a') => 0,
            _ => self.text.len(),
        };
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other keys do nothing")]
    fn remove(&mut self, key: &Key) {
        let gone = match key {
            Key::Backspace | Key::Ctrl('h') => self.cursor.saturating_sub(1)..self.cursor,
            Key::Delete | Key::Ctrl('d') => self.cursor..(self.cursor + 1).min(self.text.len()),
            Key::Ctrl('u') => 0..self.cursor,
            Key::Ctrl('k') => self.cursor..self.text.len(),
            Key::Ctrl('w') => self.word_before()..self.cursor,
            _ => return,
        };
        self.cursor = gone.start;
        self.text.drain(gone);
    }

    fn word_before(&self) -> usize {
        let before = &self.text[..self.cursor];
        let word_ends = before.iter().rposition(|c| !c.is_whitespace());
        let word = word_ends.map_or(0, |end| end + 1);
        let blank = before[..word].iter().rposition(|c| c.is_whitespace());
        blank.map_or(0, |blank| blank + 1)
    }

    fn older(&mut self) {
        let place = self.past.unwrap_or(self.history.len());
        if place > 0 {
            self.show_past(place - 1);
        }
    }

    fn newer(&mut self) {
        match self.past {
            Some(place) if place + 1 < self.history.len() => self.show_past(place + 1),
            Some(_) => {
                self.past = None;
                self.text = std::mem::take(&mut self.draft);
                self.cursor = self.text.len();
            }
            None => {}
        }
    }

    fn show_past(&mut self, place: usize) {
        if self.past.is_none() {
            self.draft = std::mem::take(&mut self.text);
        }
        self.past = Some(place);
        self.text = self.history[place].chars().collect();
        self.cursor = self.text.len();
    }

    /// The part of the line around the cursor that fits into `width` columns, and the cursor's column.
    pub(crate) fn window(&self, width: usize) -> (String, usize) {
        let columns = |c: &char| shown(*c).width().unwrap_or(0);
        let mut start = self.cursor;
        let mut before = 0;
        while start > 0 && before + columns(&self.text[start - 1]) < width {
            start -= 1;
            before += columns(&self.text[start]);
        }
        let mut used = 0;
        let fits = self.text[start..].iter().take_while(|c| {
            used += columns(c);
            used <= width
        });
        (fits.map(|c| shown(*c)).collect(), before)
    }
}

/// How a character is shown that would move the cursor or be obeyed.
fn shown(c: char) -> char {
    match c {
        '\n' => '⏎',
        '\t' => ' ',
        c if c.is_control() => '�',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(keys: &[Key]) -> (String, usize) {
        let mut editor = Editor::default();
        for key in keys {
            editor.press(key.clone());
        }
        (editor.text.iter().collect(), editor.cursor)
    }

    fn typed(text: &str) -> Vec<Key> {
        text.chars().map(Key::Char).collect()
    }

    #[test]
    fn keys_do_what_they_do_in_a_shell() {
        use Key::{Backspace, Char, Ctrl, Delete, Home, Left};
        let table: &[(&[Key], &str, usize)] = &[
            (&[Backspace], "one tw", 6),
            (&[Left, Left, Char('X')], "one tXwo", 6),
            (&[Home, Delete], "ne two", 0),
            (&[Ctrl('w')], "one ", 4),
            (&[Ctrl('w'), Ctrl('w')], "", 0),
            (&[Ctrl('u')], "", 0),
            (&[Left, Left, Ctrl('k')], "one t", 5),
            (&[Ctrl('a'), Ctrl('d'), Ctrl('e')], "ne two", 6),
            (&[Key::Escape, Ctrl('z')], "one two", 7),
        ];
        for (keys, text, cursor) in table {
            let all: Vec<Key> = typed("one two")
                .into_iter()
                .chain(keys.iter().cloned())
                .collect();
            assert_eq!(written(&all), ((*text).to_owned(), *cursor), "{keys:?}");
        }
    }

    #[test]
    fn a_line_is_submitted_once_and_found_again_with_the_draft_kept() {
        let mut editor = Editor::default();
        for key in typed("first") {
            editor.press(key);
        }
        assert_eq!(editor.press(Key::Enter), Pressed::Line("first".into()));
        assert_eq!(
            editor.press(Key::Enter),
            Pressed::Edited,
            "an empty line is none"
        );
        editor.press(Key::Char('d'));
        editor.press(Key::Up);
        assert_eq!(editor.window(20), ("first".into(), 5));
        editor.press(Key::Down);
        assert_eq!(editor.window(20), ("d".into(), 1));
    }

    #[test]
    fn only_an_empty_line_ends_it() {
        let mut editor = Editor::default();
        editor.press(Key::Char('x'));
        assert_eq!(editor.press(Key::Ctrl('d')), Pressed::Edited);
        editor.clear();
        assert_eq!(editor.press(Key::Ctrl('d')), Pressed::End);
    }

    #[test]
    fn a_long_line_is_shown_around_the_cursor_and_controls_are_not_sent() {
        let mut editor = Editor::default();
        editor.press(Key::Paste("abcdefghij".into()));
        assert_eq!(editor.window(5), ("ghij".into(), 4));
        editor.press(Key::Home);
        assert_eq!(editor.window(5), ("abcde".into(), 0));
        editor.press(Key::Paste("a\n\u{1b}".into()));
        assert_eq!(editor.window(20).0, "a⏎�abcdefghij");
    }
}
