//! A terminal that hands over every key as it is pressed.

use std::io::{self, Write};

use rustix::termios::{self, LocalModes, OptionalActions, SpecialCodeIndex, Termios};

/// What is pasted comes marked as such, so that a line break in it submits nothing.
const MARK_PASTES: &[u8] = b"\x1b[?2004h";
const DO_NOT_MARK_PASTES: &[u8] = b"\x1b[?2004l";

/// Hands over every key, unseen, until it is dropped. Ctrl-C and its kin stay signals.
pub(crate) struct RawMode {
    before: Termios,
}

impl RawMode {
    /// Switches the terminal on stdin.
    pub(crate) fn enter() -> io::Result<Self> {
        let before = termios::tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        termios::tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?;
        let mode = Self { before };
        io::stdout().write_all(MARK_PASTES)?;
        io::stdout().flush()?;
        Ok(mode)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // A terminal that is gone needs no mending.
        let _ = io::stdout().write_all(DO_NOT_MARK_PASTES);
        let _ = io::stdout().flush();
        let _ = termios::tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
    }
}
