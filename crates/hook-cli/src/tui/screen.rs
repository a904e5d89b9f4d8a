//! A terminal that is taken over, and given back as it was: at the end, on an error, and before the
//! words of a panic are printed.

use std::io::{self, BufWriter, Stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};
use ratatui::layout::Size;
use ratatui::{Frame, Terminal};

use crate::failure::Failure;

/// How much of a frame waits to be written at once.
const FRAME: usize = 64 << 10;
/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);
static PANICS: Once = Once::new();

/// A terminal that is taken over until this is dropped.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
}

impl Screen {
    pub(crate) fn enter() -> Result<Self, Failure> {
        let broken =
            |why: io::Error| Failure::invalid(format!("the terminal cannot be taken over: {why}"));
        PANICS.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
        });
        enable_raw_mode().map_err(broken)?;
        TAKEN.store(true, Ordering::SeqCst);
        let entered = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste);
        let out = BufWriter::with_capacity(FRAME, io::stdout());
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(out)));
        match terminal {
            Ok(terminal) => Ok(Self { terminal }),
            Err(why) => {
                give_back();
                Err(broken(why))
            }
        }
    }

    /// How large it is now.
    pub(crate) fn size(&self) -> Size {
        self.terminal.size().unwrap_or(Size::new(80, 24))
    }

    /// Draws it anew. A terminal that can shows all of it at once, and nothing of it before.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<(), Failure> {
        let begun = queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate);
        let drawn = begun.and_then(|()| self.terminal.draw(draw).map(drop));
        let ended =
            drawn.and_then(|()| execute!(self.terminal.backend_mut(), EndSynchronizedUpdate));
        // Whoever looked is gone, and so is the terminal.
        ended.map_err(|_| Failure::Closed)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, once. A terminal that is gone needs no mending.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            io::stdout(),
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::Command;

    use super::*;

    const CHILD: &str = "HOOKLINE_TEST_PANICS_ON_A_SCREEN";

    /// Runs as a child of the test below, on a terminal; by itself it does nothing.
    #[test]
    fn panics_on_a_screen() {
        let world = crate::World::of_this_process();
        if world.variable(CHILD).is_some() {
            let _screen = Screen::enter()
                .map_err(|failure| failure.to_string())
                .unwrap();
            panic!("the words of the panic");
        }
    }

    #[test]
    fn before_the_words_of_a_panic_the_terminal_is_given_back() {
        let (mut pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let before = rustix::termios::tcgetattr(&pty).unwrap();
        let this = Command::new(std::env::current_exe().unwrap());
        let mut child = pty_process::blocking::Command::new(this.get_program())
            .args([
                "--exact",
                "tui::screen::tests::panics_on_a_screen",
                "--nocapture",
            ])
            .env(CHILD, "1")
            .env("TERM", "xterm-256color")
            .spawn(pts)
            .unwrap();
        let mut raw = Vec::new();
        // Reading fails when nobody has the terminal any more.
        let _ = pty.read_to_end(&mut raw);
        child.wait().unwrap();
        let raw = String::from_utf8_lossy(&raw);
        let left = raw.find("\u{1b}[?1049l").expect("the screen is left");
        let words = raw
            .find("the words of the panic")
            .expect("and the panic is told");
        assert!(left < words, "{raw:?}");
        let after = rustix::termios::tcgetattr(&pty).unwrap();
        assert_eq!(
            before.local_modes, after.local_modes,
            "keys are lines again"
        );
    }
}
