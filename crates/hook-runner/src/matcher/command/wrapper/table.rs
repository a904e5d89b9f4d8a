//! The wrappers: which of their arguments are theirs, and where the command begins.

use super::{Sign, Word};

/// A command that runs its arguments as a command.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// One-letter options without a value.
    flags: &'static str,
    /// One-letter options with a value, attached or in the next word.
    values: &'static str,
    /// One-letter options that make it print something instead.
    queries: &'static str,
    /// Long options without a value.
    long_flags: &'static [&'static str],
    /// Long options with a value in the next word.
    long_values: &'static [&'static str],
    /// Words of its own before the command.
    operands: usize,
    /// `NAME=value` words may stand before the command.
    assigns: bool,
    /// The command gets other rights.
    pub(super) elevates: bool,
    /// More arguments follow from its input.
    appends: bool,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    flags: "",
    values: "",
    queries: "",
    long_flags: &[],
    long_values: &[],
    operands: 0,
    assigns: false,
    elevates: false,
    appends: false,
};

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "env",
        flags: "i0v",
        values: "uC",
        long_flags: &["ignore-environment", "null", "debug"],
        long_values: &["unset", "chdir"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        flags: "AbBEHiKknPSs",
        values: "ugpCDhRrTtU",
        queries: "lvVe",
        long_flags: &[
            "non-interactive",
            "preserve-env",
            "set-home",
            "login",
            "shell",
            "stdin",
        ],
        long_values: &["user", "group", "prompt", "chdir", "host", "chroot"],
        assigns: true,
        elevates: true,
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        flags: "nsL",
        values: "uCa",
        elevates: true,
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "coproc",
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "busybox",
        ..PLAIN
    },
    Wrapper {
        name: "command",
        flags: "p",
        queries: "vV",
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        flags: "cl",
        values: "a",
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        flags: "cfw",
        long_flags: &["ctty", "fork", "wait"],
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        values: "ioe",
        long_values: &["input", "output", "error"],
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        flags: "t",
        values: "cn",
        queries: "p",
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        values: "n",
        long_values: &["adjustment"],
        ..PLAIN
    },
    Wrapper {
        name: "time",
        flags: "apqv",
        values: "fo",
        queries: "V",
        long_flags: &["append", "portability", "quiet", "verbose"],
        long_values: &["format", "output"],
        // As a keyword it does: `time A=b cmd`.
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        flags: "fpv",
        values: "ks",
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_values: &["kill-after", "signal"],
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "xargs",
        flags: "0prtxo",
        values: "adEIJLnPRsS",
        long_flags: &[
            "null",
            "no-run-if-empty",
            "verbose",
            "interactive",
            "exit",
            "open-tty",
        ],
        long_values: &[
            "arg-file",
            "delimiter",
            "max-lines",
            "max-args",
            "max-procs",
            "max-chars",
            "process-slot-var",
        ],
        appends: true,
        ..PLAIN
    },
];

/// What is left without the wrapper.
pub(super) enum Stripped {
    /// Nothing: it has no command to run.
    NoCommand,
    /// Something, but nobody can tell where it starts.
    Opaque,
    /// The wrapped command. In doubt, words may be missing before it, or be too many.
    Command { rest: Vec<Word>, in_doubt: bool },
}

enum Opt {
    Alone,
    TakesNext,
    Query,
    Unheard,
}

impl Wrapper {
    /// Takes off the wrapper's own name, options and operands.
    pub(super) fn strip(&self, words: &[Word]) -> Stripped {
        let Some((mut at, in_doubt)) = self.options(words) else {
            return Stripped::NoCommand;
        };
        while self.assigns && words.get(at).is_some_and(|word| assigned(word).is_some()) {
            at += 1;
        }
        at += self.operands;
        let has_gap = |word: &Word| word.signs.contains(&Sign::Gap);
        let own = words.get(1..at.min(words.len())).unwrap_or_default();
        let in_doubt = in_doubt || own.iter().any(has_gap) || self.replaces_unknown(own);
        match words.get(at..) {
            Some(rest) if !rest.is_empty() => Stripped::Command {
                rest: self.arguments(rest),
                in_doubt,
            },
            Some(_) | None if in_doubt => Stripped::Opaque,
            Some(_) | None => Stripped::NoCommand,
        }
    }

    /// How many words the name and the options take, and whether that is in doubt; `None`
    /// if an option says that nothing is run.
    fn options(&self, words: &[Word]) -> Option<(usize, bool)> {
        let mut at = 1;
        let mut in_doubt = false;
        while let Some(word) = words.get(at) {
            let Some(word) = word.literal() else {
                return Some((at, true));
            };
            match word.strip_prefix('-') {
                Some("-") => return Some((at + 1, in_doubt)),
                None | Some("") => break,
                Some(option) => match self.option(option) {
                    Opt::Alone => at += 1,
                    Opt::TakesNext => at += 2,
                    Opt::Query => return None,
                    Opt::Unheard => {
                        in_doubt = true;
                        at += 1;
                    }
                },
            }
        }
        Some((at.min(words.len()), in_doubt))
    }

    fn option(&self, option: &str) -> Opt {
        match option.strip_prefix('-') {
            Some(long) if long.contains('=') || self.long_flags.contains(&long) => Opt::Alone,
            Some(long) if self.long_values.contains(&long) => Opt::TakesNext,
            Some("help" | "version") => Opt::Query,
            Some(_) => Opt::Unheard,
            None => self.short_options(option),
        }
    }

    fn short_options(&self, options: &str) -> Opt {
        for (at, letter) in options.char_indices() {
            if self.values.contains(letter) {
                let is_last = at + letter.len_utf8() == options.len();
                return if is_last { Opt::TakesNext } else { Opt::Alone };
            }
            if self.queries.contains(letter) {
                return Opt::Query;
            }
            if !self.flags.contains(letter) && !letter.is_ascii_digit() {
                return Opt::Unheard;
            }
        }
        Opt::Alone
    }

    fn arguments(&self, rest: &[Word]) -> Vec<Word> {
        if !self.appends {
            return rest.to_vec();
        }
        let mut rest = with_gaps_for_braces(rest);
        rest.push(Word::quoted(vec![Sign::Gap]));
        rest
    }

    /// `xargs -I X`: any word could be the one that is replaced. `{}` is looked for anyway.
    fn replaces_unknown(&self, own: &[Word]) -> bool {
        let words: Vec<_> = own.iter().filter_map(Word::literal).collect();
        let replaces = ["-I", "-i", "-J", "--replace"];
        self.appends
            && words
                .iter()
                .any(|word| replaces.iter().any(|option| word.starts_with(option)))
            && !words.iter().any(|word| word.ends_with("{}"))
    }

    /// The names that its `NAME=value` words set.
    pub(super) fn assigned(&self, words: &[Word]) -> impl Iterator<Item = String> {
        words.iter().filter(|_| self.assigns).filter_map(assigned)
    }
}

/// The name in a word of the form `NAME=value`.
fn assigned(word: &Word) -> Option<String> {
    let name: Option<String> = word
        .signs
        .split(|sign| *sign == Sign::Char('='))
        .next()
        .filter(|name| name.len() < word.signs.len())
        .and_then(|name| Word::quoted(name.to_vec()).literal());
    name.filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// `{}` stands for what the wrapper found.
pub(super) fn with_gaps_for_braces(words: &[Word]) -> Vec<Word> {
    let braces = [Sign::Char('{'), Sign::Char('}')];
    words
        .iter()
        .map(|word| {
            if word.signs.windows(2).any(|pair| pair == braces) {
                Word::quoted(vec![Sign::Gap])
            } else {
                word.clone()
            }
        })
        .collect()
}
