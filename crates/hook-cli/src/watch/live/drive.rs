//! Keys, lines, signals and the clock: the only part that waits.

use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::input::Action;
use super::state::{Live, Stream};
use super::view;
use crate::agent::Signals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::runtime::runtime;
use crate::tui::press::{Press, presses};
use crate::tui::screen::Screen;
use crate::tui::theme::Theme;
use crate::watch::source::{Fed, Source, now};

/// How long nothing is drawn after something was.
const FRAME: Duration = Duration::from_millis(33);
/// How often what runs is drawn anew.
const TICK: Duration = Duration::from_millis(100);
/// Nothing moves: nothing is drawn until something happens.
const LONG: Duration = Duration::from_hours(1);

/// Shows the stream until somebody leaves.
pub(crate) fn watch(source: Source, filter: &str, theme: Theme) -> Result<Exit, Failure> {
    let runtime = runtime()?;
    let mut live = Live::new(source.name(), theme);
    live.put_filter(filter);
    runtime.block_on(async {
        let signals = Signals::listen()?;
        let fed = source.open(true)?;
        let screen = Screen::enter()?;
        let presses = presses()?;
        let mut drive = Drive {
            live,
            screen,
            presses,
            fed,
            signals,
            stale: true,
        };
        drive.run().await
    })
}

struct Drive {
    live: Live,
    screen: Screen,
    presses: Receiver<Press>,
    fed: Receiver<Fed>,
    signals: Signals,
    /// Whether something has changed since it was drawn.
    stale: bool,
}

impl Drive {
    async fn run(&mut self) -> Result<Exit, Failure> {
        let mut next = Instant::now();
        loop {
            let until = self.draw_if_due(&mut next)?;
            let ended = self.live.stream == Stream::Ended;
            tokio::select! {
                biased;
                _ = self.signals.next() => return Ok(Exit::Interrupted),
                press = self.presses.recv() => if let Some(exit) = self.press(press) {
                    return Ok(exit);
                },
                () = tokio::time::sleep_until(until) => {}
                fed = self.fed.recv(), if !ended => self.take(fed)?,
            }
            self.stale = true;
        }
    }

    /// Draws, unless that was done just now; until when nothing needs to be drawn.
    fn draw_if_due(&mut self, next: &mut Instant) -> Result<Instant, Failure> {
        let now = Instant::now();
        if self.stale && now >= *next {
            self.draw()?;
            *next = now + FRAME;
            self.stale = false;
        }
        Ok(match (self.stale, self.live.model.running()) {
            (true, _) => *next,
            (false, 0) => now + LONG,
            (false, _) => now + TICK,
        })
    }

    /// Does what a key asks for; how it ends, if that is asked for, or if the terminal is gone.
    fn press(&mut self, press: Option<Press>) -> Option<Exit> {
        let Some(press) = press else {
            return Some(Exit::Done);
        };
        let action = self.live.action(press);
        let exit = if action == Action::Quit {
            Some(Exit::Done)
        } else if action == Action::Interrupt {
            Some(Exit::Interrupted)
        } else {
            None
        };
        self.live.act(action, now());
        exit
    }

    fn draw(&mut self) -> Result<(), Failure> {
        self.live.size = self.screen.size();
        let live = &self.live;
        self.screen.draw(|frame| {
            let area = frame.area();
            view::draw(live, now(), area, frame.buffer_mut());
        })
    }

    fn take(&mut self, fed: Option<Fed>) -> Result<(), Failure> {
        match fed {
            Some(Fed::Lines { lines, live }) => {
                let arrived = live.then(now);
                for line in lines {
                    self.live.take(line, arrived);
                }
                self.live.stream = Stream::Reading;
            }
            Some(Fed::CaughtUp) => self.live.stream = Stream::Following,
            Some(Fed::Missing) => self.live.stream = Stream::Waiting,
            Some(Fed::Anew) => self.live.stream = Stream::Reading,
            Some(Fed::Failed(failure)) => return Err(failure),
            Some(Fed::End) | None => self.live.stream = Stream::Ended,
        }
        Ok(())
    }
}
