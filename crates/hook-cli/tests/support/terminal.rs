//! A pseudo-terminal with a program in it: keys in, screen out.
//!
//! Waits are for a text on the screen, with a limit that only a failure reaches.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long anything may take. Only a failure waits that long.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);
/// How large a terminal is where nobody says otherwise: rows and columns.
pub(crate) const SIZE: (u16, u16) = (40, 100);

/// Ctrl-C, as a terminal sends it.
pub(crate) const CTRL_C: &str = "\x03";
/// Ctrl-D.
pub(crate) const CTRL_D: &str = "\x04";

/// A program on a terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: pty_process::blocking::Pty,
    seen: Arc<Seen>,
}

struct Seen {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: vt100::Parser,
    /// Everything that was sent to the terminal, as it came.
    raw: Vec<u8>,
    over: bool,
}

impl Seen {
    fn new((rows, columns): (u16, u16)) -> Self {
        let state = State {
            parser: vt100::Parser::new(rows, columns, 1000),
            raw: Vec::new(),
            over: false,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }
}

impl Terminal {
    /// Starts a program.
    pub(crate) fn start(
        program: &Path,
        arguments: &[&str],
        directory: &Path,
        environment: &[(String, String)],
        size: (u16, u16),
    ) -> Self {
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(size.0, size.1)).unwrap();
        let child = pty_process::blocking::Command::new(program)
            .args(arguments)
            .current_dir(directory)
            .env_clear()
            .envs(super::measured::measured())
            .env("TERM", "xterm-256color")
            .envs(environment.iter().cloned())
            .spawn(pts)
            .unwrap();
        let seen = Arc::new(Seen::new(size));
        let output = std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().unwrap();
        let watching = Arc::clone(&seen);
        std::thread::spawn(move || watch(std::fs::File::from(output), &watching));
        Self {
            child,
            keys: pty,
            seen,
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// Waits until a text is on the screen.
    pub(crate) fn see(&mut self, text: &str) -> &mut Self {
        self.until(&format!("`{text}` on the screen"), |screen| {
            screen.contains(text)
        })
    }

    /// Waits until a text is no longer on the screen.
    pub(crate) fn see_no_more(&mut self, text: &str) -> &mut Self {
        self.until(&format!("no `{text}` on the screen"), |screen| {
            !screen.contains(text)
        })
    }

    /// Waits until a text is on the screen, much longer than for anything else.
    pub(crate) fn see_at_last(&mut self, text: &str) -> &mut Self {
        let start = Instant::now();
        while !self.screen().contains(text) {
            assert!(
                start.elapsed() < LIMIT * 10,
                "no `{text}`:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        self
    }

    /// The screen when what is being drawn is drawn to its end.
    pub(crate) fn whole_screen(&mut self) -> String {
        const END: &[u8] = b"\x1b[?2026l";
        let start = Instant::now();
        let mut state = self.seen.state.lock().unwrap();
        while !state.raw.ends_with(END) {
            let left = LIMIT.saturating_sub(start.elapsed());
            assert!(
                !left.is_zero() && !state.over,
                "it is never drawn to its end"
            );
            state = self.seen.changed.wait_timeout(state, left).unwrap().0;
        }
        state.parser.screen().contents()
    }

    /// Waits until the screen is as it should be.
    pub(crate) fn until(&mut self, what: &str, fits: impl Fn(&str) -> bool) -> &mut Self {
        let start = Instant::now();
        let mut state = self.seen.state.lock().unwrap();
        while !fits(&state.parser.screen().contents()) {
            let left = LIMIT.saturating_sub(start.elapsed());
            let screen = state.parser.screen().contents();
            assert!(!left.is_zero() && !state.over, "no {what}:\n{screen}");
            state = self.seen.changed.wait_timeout(state, left).unwrap().0;
        }
        drop(state);
        self
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&mut self, rows: u16, columns: u16) -> &mut Self {
        let mut state = self.seen.state.lock().unwrap();
        state.parser.screen_mut().set_size(rows, columns);
        drop(state);
        self.keys
            .resize(pty_process::Size::new(rows, columns))
            .unwrap();
        self
    }

    /// Whether the program has left the screen as it was before: its own screen is closed, the cursor is
    /// seen, and pastes are not marked.
    pub(crate) fn is_given_back(&self) -> bool {
        let state = self.seen.state.lock().unwrap();
        let screen = state.parser.screen();
        !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
    }

    /// The screen as it is now.
    pub(crate) fn screen(&self) -> String {
        self.seen.state.lock().unwrap().parser.screen().contents()
    }

    /// Everything that was sent to the terminal so far.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen.state.lock().unwrap().raw).into_owned()
    }

    /// Waits until the program has ended and everything it wrote is seen; its exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                start.elapsed() < LIMIT,
                "it does not end:\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut state = self.seen.state.lock().unwrap();
        while !state.over && start.elapsed() < LIMIT {
            state = self
                .seen
                .changed
                .wait_timeout(state, Duration::from_secs(1))
                .unwrap()
                .0;
        }
        status.code()
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, so that it can do nothing more.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nothing is left running, whatever the test found.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what the program writes until it is gone: then reading fails.
fn watch(mut output: std::fs::File, seen: &Seen) {
    let mut bytes = [0; 4096];
    loop {
        let count = output.read(&mut bytes).unwrap_or(0);
        let mut state = seen.state.lock().unwrap();
        state.parser.process(&bytes[..count]);
        state.raw.extend_from_slice(&bytes[..count]);
        state.over = count == 0;
        seen.changed.notify_all();
        if count == 0 {
            return;
        }
    }
}
