//! Which firings are shown: words that all must fit. Pure.

use super::firing::{Firing, Run};

/// What somebody typed, as words that all must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    field: Field,
    /// What is looked for, in small letters.
    text: String,
    /// Whether it must not be there.
    not: bool,
}

/// Where a word is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Event,
    Hook,
    Verdict,
    Text,
    Anywhere,
}

const FIELDS: [(&str, Field); 4] = [
    ("event:", Field::Event),
    ("hook:", Field::Hook),
    ("verdict:", Field::Verdict),
    ("text:", Field::Text),
];

impl Filter {
    /// Words with blanks between: `event:pre`, `hook:guard`, `verdict:deny`, `text:sudo`, or a word that
    /// may be anywhere. With `!` before it, a word must not be there.
    pub(crate) fn parse(typed: &str) -> Self {
        let words = typed.split_whitespace().map(Word::parse);
        Self {
            words: words.filter(|word| !word.text.is_empty()).collect(),
        }
    }

    #[cfg(feature = "tui")]
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn fits(&self, firing: &Firing) -> bool {
        self.words.iter().all(|word| word.fits(firing) != word.not)
    }
}

impl Word {
    fn parse(typed: &str) -> Self {
        let (not, typed) = match typed.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, typed),
        };
        let small = typed.to_lowercase();
        let named = FIELDS
            .iter()
            .find_map(|(name, field)| Some((*field, small.strip_prefix(name)?.to_owned())));
        let (field, text) = named.unwrap_or((Field::Anywhere, small));
        Self { field, text, not }
    }

    fn fits(&self, firing: &Firing) -> bool {
        match self.field {
            Field::Event => self.in_event(firing),
            Field::Hook => self.in_hooks(firing),
            Field::Verdict => self.in_verdict(firing),
            Field::Text => self.in_text(firing),
            Field::Anywhere => {
                self.in_event(firing)
                    || self.in_verdict(firing)
                    || self.in_hooks(firing)
                    || self.in_text(firing)
            }
        }
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.text)
    }

    fn in_event(&self, firing: &Firing) -> bool {
        self.is_in(&format!("{}:{}", firing.event, firing.subject))
    }

    fn in_hooks(&self, firing: &Firing) -> bool {
        let mut names = firing.runs.iter().filter_map(|run| run.hook.as_deref());
        names.any(|name| self.is_in(name))
    }

    /// The word of the verdict; `failed` and `running` fit where a hook failed or runs.
    fn in_verdict(&self, firing: &Firing) -> bool {
        let failed = "failed".starts_with(&self.text) && firing.failed() > 0;
        let running = "running".starts_with(&self.text) && firing.is_running();
        let word = firing.word() != "running" && firing.word().starts_with(&self.text);
        failed || running || word
    }

    fn in_text(&self, firing: &Firing) -> bool {
        let verdict = firing
            .verdict
            .iter()
            .flat_map(|verdict| [&verdict.reason, &verdict.stop_reason, &verdict.decided_by]);
        let said = verdict.flatten().chain(&firing.input);
        let ran = firing.runs.iter().flat_map(Run::texts);
        said.chain(ran).any(|text| self.is_in(text))
    }
}
