//! A shell text without what stands in quotes, in comments and in here-documents.

/// A text with parts of it blanked out, byte for byte, so that places stay what they are.
pub(super) struct Bare {
    /// Without comments, here-documents, and what single quotes hold.
    pub(super) without_single: String,
    /// The same, and without what double quotes hold.
    pub(super) without_quotes: String,
}

#[derive(Clone, Copy, PartialEq)]
enum Within {
    Nothing,
    Single,
    Double,
    Comment,
}

impl Bare {
    pub(super) fn of(text: &str) -> Self {
        let mut bare = Self {
            without_single: String::with_capacity(text.len()),
            without_quotes: String::with_capacity(text.len()),
        };
        let mut within = Within::Nothing;
        let mut until: Option<String> = None;
        for line in text.split_inclusive('\n') {
            if let Some(end) = &until {
                if line.trim() == end {
                    until = None;
                }
                line.chars().for_each(|c| bare.push(c, true, true));
                continue;
            }
            if within == Within::Comment {
                within = Within::Nothing;
            }
            let before = bare.without_quotes.len();
            within = bare.line(line, within);
            until = document(&bare.without_quotes[before..], line);
        }
        bare
    }

    fn line(&mut self, line: &str, mut within: Within) -> Within {
        let mut escaped = false;
        let mut last = ' ';
        for c in line.chars() {
            let next = match (within, c) {
                _ if escaped => within,
                (Within::Nothing, '#') if last.is_whitespace() || last == ';' => Within::Comment,
                (Within::Nothing, '\'') => Within::Single,
                (Within::Nothing, '"') => Within::Double,
                (Within::Single, '\'') | (Within::Double, '"') => Within::Nothing,
                _ => within,
            };
            let inside = within != Within::Nothing && next == within || next == Within::Comment;
            let single = within == Within::Single || next == Within::Comment;
            self.push(c, inside && single, inside);
            escaped = !escaped && c == '\\' && within != Within::Single;
            within = next;
            last = c;
        }
        within
    }

    fn push(&mut self, c: char, single: bool, quotes: bool) {
        let blank = |hide: bool, text: &mut String| match c {
            _ if c == '\n' || !hide => text.push(c),
            _ => (0..c.len_utf8()).for_each(|_| text.push(' ')),
        };
        blank(single, &mut self.without_single);
        blank(quotes, &mut self.without_quotes);
    }
}

/// The word that ends the here-document which the line begins.
fn document(bare: &str, line: &str) -> Option<String> {
    let at = bare
        .find("<<")
        .filter(|at| !bare[*at..].starts_with("<<<"))?;
    let word = line.get(at + 2..)?.trim_start_matches('-').trim_start();
    let word = word.trim_start_matches(['\'', '"', '\\']);
    let end = word.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    let word = &word[..end.unwrap_or(word.len())];
    (!word.is_empty()).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_and_documents_are_blank_and_places_stay() {
        let text = "a 'b\n[[ c' \"d ${e^^} f\" # [[ g\ncat <<'END'\n[[ h\nEND\nécho \\\"[[ i\n";
        let bare = Bare::of(text);
        assert_eq!(bare.without_quotes.len(), text.len());
        assert_eq!(bare.without_single.len(), text.len());
        assert_eq!(bare.without_quotes.matches("[[").count(), 1);
        assert!(bare.without_quotes.contains("[[ i"));
        assert!(bare.without_single.contains("${e^^}"));
        assert!(!bare.without_quotes.contains("${e^^}"));
        assert!(bare.without_quotes.contains("écho"));
    }

    #[test]
    fn a_number_sign_within_a_word_begins_no_comment() {
        assert!(Bare::of("echo a#b [[ c").without_quotes.contains("[["));
    }
}
