//! A command as text with gaps, and patterns over such text.

use super::super::truth::Truth;

/// The words of a command, a blank after each.
///
/// The blank after the last word makes "the word ends here" a plain comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text(Vec<Sign>);

/// One place in the text of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Char(char),
    /// A quoted blank in the name of a program. `"git push" x` does not run `git`.
    NameBlank,
    /// Any text at all, also none.
    Gap,
}

impl Text {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn signs(&self) -> &[Sign] {
        &self.0
    }

    pub(super) fn push_gap(&mut self) {
        self.0.push(Sign::Gap);
    }

    /// Adds a word. One that is nothing but gaps may also vanish, or be several words.
    pub(super) fn push_word(&mut self, signs: &[Sign]) {
        let is_name = self.0.is_empty();
        self.0.extend(signs.iter().map(|sign| match sign {
            Sign::Char(' ') if is_name => Sign::NameBlank,
            Sign::Char(_) | Sign::NameBlank | Sign::Gap => *sign,
        }));
        let only_gaps = signs.iter().all(|sign| *sign == Sign::Gap);
        if signs.is_empty() || !only_gaps {
            self.0.push(Sign::Char(' '));
        }
    }
}

/// A pattern in which `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob(Vec<Item>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Char(char),
    Star,
}

/// One blank between words, no quotes, and the old `prefix:*` spelt `prefix *`.
pub(super) fn normal_pattern(content: &str) -> String {
    let content = content.trim();
    let content = match content.strip_suffix(":*") {
        Some(prefix) => format!("{} *", prefix.trim_end()),
        None => content.to_owned(),
    };
    let quotes_pair = |quote: char| content.matches(quote).count() % 2 == 0;
    let unquoted: String = content
        .chars()
        .filter(|c| !(matches!(c, '"' | '\'') && quotes_pair(*c)))
        .collect();
    unquoted.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Glob {
    /// `git *` also fits a bare `git`: its blank is the one after the word.
    pub(super) fn new(pattern: &str) -> Self {
        let mut items = Vec::new();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            items.push(match c {
                '*' => Item::Star,
                '\\' => Item::Char(chars.next().unwrap_or('\\')),
                _ => Item::Char(c),
            });
        }
        if !items.ends_with(&[Item::Char(' '), Item::Star]) {
            items.push(Item::Char(' '));
        }
        items.dedup_by(|a, b| *a == Item::Star && *b == Item::Star);
        Self(items)
    }

    /// Yes if the pattern fits whatever fills the gaps, no if it fits nothing that could.
    pub(super) fn fits(&self, text: &Text) -> Truth {
        if self.fits_always(&text.0) {
            return Truth::Yes;
        }
        // Without gaps both questions are the same one.
        let may = text.0.contains(&Sign::Gap) && self.fits_sometimes(&text.0);
        if may { Truth::Unknown } else { Truth::No }
    }

    /// A gap is a character that the pattern cannot name: only a star takes it in, and what
    /// a star takes in could be anything.
    fn fits_always(&self, text: &[Sign]) -> bool {
        let (mut item, mut sign) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while sign < text.len() {
            if self.0.get(item) == Some(&Item::Star) {
                retry = Some((item, sign));
                item += 1;
            } else if self.takes(item, text[sign]) {
                item += 1;
                sign += 1;
            } else if let Some((star, from)) = retry {
                retry = Some((star, from + 1));
                item = star + 1;
                sign = from + 1;
            } else {
                return false;
            }
        }
        self.0
            .get(item..)
            .unwrap_or_default()
            .iter()
            .all(|item| *item == Item::Star)
    }

    fn takes(&self, item: usize, sign: Sign) -> bool {
        match (self.0.get(item), sign) {
            (Some(Item::Char(expected)), Sign::Char(c)) => *expected == c,
            (Some(Item::Char(_) | Item::Star) | None, _) => false,
        }
    }

    /// Follows all ways through the pattern at once; a gap leads from any place to all later
    /// ones.
    fn fits_sometimes(&self, text: &[Sign]) -> bool {
        let mut places = vec![false; self.0.len() + 1];
        places[0] = true;
        self.pass_stars(&mut places);
        for sign in text {
            self.step(*sign, &mut places);
            if !places.contains(&true) {
                return false;
            }
        }
        places.last() == Some(&true)
    }

    fn step(&self, sign: Sign, places: &mut [bool]) {
        if sign == Sign::Gap {
            let first = places.iter().position(|open| *open).unwrap_or(places.len());
            places.iter_mut().skip(first).for_each(|open| *open = true);
            return;
        }
        let blank_for_name = if sign == Sign::NameBlank {
            Sign::Char(' ')
        } else {
            sign
        };
        for place in (0..places.len()).rev() {
            let stays = places[place] && self.0.get(place) == Some(&Item::Star);
            let arrives = place > 0 && places[place - 1] && self.takes(place - 1, blank_for_name);
            places[place] = stays || arrives;
        }
        self.pass_stars(places);
    }

    /// A star may stand for nothing.
    fn pass_stars(&self, places: &mut [bool]) {
        for (place, item) in self.0.iter().enumerate() {
            if places[place] && *item == Item::Star {
                places[place + 1] = true;
            }
        }
    }
}
