//! What goes on while somebody waits: one row on a terminal, which goes away again.

use std::io::Write;

use crate::render::clean;
use crate::terminal::{ERASE, FRAMES, fit};

const BAR: usize = 20;

/// One row of stderr. Where nobody looks, nothing.
#[derive(Debug)]
pub(crate) struct Progress {
    width: Option<usize>,
    frame: usize,
}

impl Progress {
    /// A row of that many columns; none where nobody looks.
    pub(crate) fn new(width: Option<usize>) -> Self {
        Self { width, frame: 0 }
    }

    /// Something goes on, and nobody knows for how long.
    pub(crate) fn spin(&mut self, label: &str) {
        let frame = FRAMES[self.frame % FRAMES.len()];
        self.frame += 1;
        self.draw(&format!("{frame} {label}"));
    }

    /// So much of the work is done.
    pub(crate) fn bar(&mut self, done: usize, of: usize, label: &str) {
        let full = (done * BAR).checked_div(of).unwrap_or(BAR).min(BAR);
        let row = format!("{}{}", "█".repeat(full), "░".repeat(BAR - full));
        self.draw(&format!("{row} {done}/{of} {label}"));
    }

    fn draw(&self, text: &str) {
        if let Some(width) = self.width {
            self.write(&format!(
                "{ERASE}{}",
                fit(&clean(text).replace('\n', " "), width)
            ));
        }
    }

    fn write(&self, text: &str) {
        if self.width.is_some() {
            let mut stderr = std::io::stderr().lock();
            // Nobody is told of a row that could not be drawn.
            let _ = stderr
                .write_all(text.as_bytes())
                .and_then(|()| stderr.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.write(ERASE);
    }
}
