//! A terminal: what happened scrolls up, and the last row is what goes on now: the line that the user
//! writes, a question, or what runs.

use std::io::{self, Write};

use super::display::{Show, View};
use super::story::{self, Story};
use crate::render::{Look, Tone, behind, clean, fold};
use crate::safe;
use crate::terminal::{ERASE, FRAMES, Flow, fit};

const PROMPT: &str = "> ";

/// How wide the line that the user writes may be.
pub(crate) fn prompt_width(look: Look) -> usize {
    look.now().width.saturating_sub(PROMPT.len() + 1)
}

/// A terminal.
pub(crate) struct Screen<W> {
    out: W,
    look: Look,
    story: Story,
    /// The line that the user writes, and the cursor's column.
    prompt: Option<(String, usize)>,
    /// The keys that answer a question.
    question: Option<String>,
    /// Whether the last row is drawn.
    drawn: bool,
    /// Whether text stands in the row that the cursor is in.
    mid_line: bool,
    /// Where the text of the model ended.
    flow: Flow,
    frame: usize,
}

impl<W: Write + Send + 'static> Screen<W> {
    /// An empty one.
    pub(crate) fn new(out: W, look: Look, story: Story) -> Self {
        Self {
            out,
            look,
            story,
            prompt: None,
            question: None,
            drawn: false,
            mid_line: false,
            flow: Flow::default(),
            frame: 0,
        }
    }

    /// Writes text that stays, above the last row.
    fn put(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.erase()?;
        self.out.write_all(safe::gate(text).as_bytes())?;
        self.mid_line = !text.ends_with('\n');
        Ok(())
    }

    /// Writes text of the model, as it comes.
    fn stream(&mut self, text: &str) -> io::Result<()> {
        if !self.mid_line {
            self.flow = Flow::default();
        }
        let text = self.flow.next(text, self.look.now().width);
        self.put(&text)
    }

    /// Writes lines that stay, broken between words.
    fn lines(&mut self, text: &str) -> io::Result<()> {
        self.raw_lines(&fold(text, self.look.now().width))
    }

    /// Writes lines that stay as they are.
    fn raw_lines(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.end_line()?;
        self.put(text)
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.mid_line {
            self.put("\n")
        } else {
            Ok(())
        }
    }

    fn erase(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.drawn) {
            self.out.write_all(ERASE.as_bytes())?;
        }
        Ok(())
    }

    /// Draws the last row, where there is one.
    fn last_row(&mut self) -> io::Result<()> {
        if self.prompt.is_some() || self.question.is_some() {
            self.end_line()?;
        }
        self.erase()?;
        if self.mid_line {
            return self.out.flush();
        }
        let row = self.row();
        if let Some(row) = row {
            write!(self.out, "{ERASE}{row}")?;
            self.drawn = true;
        }
        self.out.flush()
    }

    fn row(&self) -> Option<String> {
        let width = self.look.now().width.saturating_sub(1);
        if let Some(keys) = &self.question {
            return Some(self.look.paint(Tone::Strong, &fit(keys, width)));
        }
        if let Some((line, column)) = &self.prompt {
            let prompt = self.look.paint(Tone::Strong, PROMPT);
            let column = PROMPT.len() + column + 1;
            return Some(format!("{prompt}{line}\x1b[{column}G"));
        }
        let label = self.story.going_on()?;
        let frame = FRAMES[self.frame % FRAMES.len()];
        Some(
            self.look
                .paint(Tone::Faint, &fit(&format!("{frame} {label}"), width)),
        )
    }

    fn take(&mut self, what: Show) -> io::Result<()> {
        match what {
            Show::Event(event) => {
                if let Some(sequence) = story::sequence(&event) {
                    self.out.write_all(sequence.as_bytes())?;
                }
                if let Some(text) = story::streamed(&event) {
                    return self.stream(&text);
                }
                if story::ends_line(&event) {
                    self.end_line()?;
                }
                let text = self.story.tell(&event);
                self.lines(&text)
            }
            Show::Note(text) => {
                let text = format!("{} {}\n", self.look.mark(Tone::Odd), behind(&text, "    "));
                self.lines(&text)
            }
            Show::Said(text) => {
                let said = format!("{PROMPT}{}\n", clean(&text));
                self.lines(&self.look.paint(Tone::Strong, &said))
            }
            Show::Prompt(prompt) => {
                self.prompt = prompt;
                Ok(())
            }
            Show::Question { lines, keys } => {
                self.question = Some(keys);
                // What is to be allowed is shown as it is.
                self.raw_lines(&lines.concat())
            }
            Show::Answered(text) => {
                self.question = None;
                self.lines(&text)
            }
            Show::Flush(_) => Ok(()),
        }
    }
}

impl<W: Write + Send + 'static> View for Screen<W> {
    fn show(&mut self, what: Show) -> io::Result<()> {
        self.take(what)?;
        self.last_row()
    }

    fn moves(&self) -> bool {
        let still = self.mid_line || self.prompt.is_some() || self.question.is_some();
        !still && self.story.going_on().is_some()
    }

    fn draw(&mut self) -> io::Result<()> {
        self.frame += 1;
        self.last_row()
    }
}
