//! Results go to stdout, everything else to stderr; colour only where somebody sees it.

use std::io::{ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::render::{fold, fold_at};
use crate::safe;
use crate::world::World;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Where a command's results go.
pub(crate) struct Output {
    out: AutoStream<std::io::Stdout>,
    err: AutoStream<std::io::Stderr>,
    /// For people or for programs.
    pub(crate) form: Form,
    /// Whether a person looks at the results as they come.
    pub(crate) live: bool,
    /// Whether a person looks at stderr.
    watched: bool,
    /// How many columns there are.
    pub(crate) width: usize,
    /// Whether nobody reads the results any more.
    closed: bool,
}

impl Output {
    pub(crate) fn new(world: &World, colour: Colour, form: Form) -> Self {
        let dumb = world.variable("TERM") == Some("dumb");
        let plain = dumb || world.has("NO_COLOR");
        let choice = |terminal: bool| match colour {
            Colour::Always => ColorChoice::AlwaysAnsi,
            Colour::Auto if terminal && !plain => ColorChoice::AlwaysAnsi,
            Colour::Auto | Colour::Never => ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(std::io::stdout(), choice(world.stdout_is_terminal)),
            err: AutoStream::new(std::io::stderr(), choice(world.stderr_is_terminal)),
            form,
            live: world.stdout_is_terminal && form == Form::Text,
            watched: world.stderr_is_terminal && form == Form::Text && !dumb,
            width: world.width(),
            closed: false,
        }
    }

    /// A row for what goes on, if a person looks.
    pub(crate) fn progress(&self) -> Progress {
        Progress::new(self.watched.then(|| self.width.saturating_sub(1)))
    }

    /// Whether results are for programs.
    pub(crate) fn is_json(&self) -> bool {
        self.form == Form::Json
    }

    /// Whether what goes to stdout may have colour.
    pub(crate) fn has_colour(&self) -> bool {
        self.out.current_choice() != ColorChoice::Never
    }

    /// Prints text, colour and all; the stream removes what the reader cannot show. Nothing but colour
    /// passes, whoever wrote the text and forgot to clean it.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.pass(&safe::gate(text))
    }

    /// Prints text as it is: for programs that read it, and never for a terminal. A reader that has seen
    /// enough and went away is no failure: what the command came to is still told by how it ends.
    pub(crate) fn pass(&mut self, text: &str) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let written = self.out.write_all(text.as_bytes());
        match written.and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            written => Ok(written?),
        }
    }

    /// Whether nobody reads the results any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints text in sentences: on a terminal its long lines are broken between words.
    pub(crate) fn prose(&mut self, text: &str) -> Result<(), Failure> {
        if self.live {
            self.print(&fold(text, self.width))
        } else {
            self.print(text)
        }
    }

    /// The same, and what goes on below stands in this column.
    pub(crate) fn prose_at(&mut self, column: usize, text: &str) -> Result<(), Failure> {
        if self.live {
            self.print(&fold_at(text, self.width, column))
        } else {
            self.print(text)
        }
    }

    /// Whether a terminal may obey what is printed.
    pub(crate) fn may_be_obeyed(&self) -> bool {
        self.live || self.has_colour()
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.print(&format!("{text}\n"))
    }

    /// Prints a value for programs, and for people who read JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::invalid(error.to_string()))?;
        self.json_text(&text)
    }

    /// Prints JSON that is written already, in a line or in many.
    pub(crate) fn json_text(&mut self, text: &str) -> Result<(), Failure> {
        self.pass(&format!("{}\n", safe::json(text)))
    }

    /// Says something beside the result. That nobody reads it is no failure.
    pub(crate) fn note(&mut self, text: &str) {
        let text = if self.watched {
            fold(text, self.width)
        } else {
            text.to_owned()
        };
        let _ = self
            .err
            .write_all(format!("{}\n", safe::gate(&text)).as_bytes());
    }
}
