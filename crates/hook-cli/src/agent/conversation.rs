//! Prompt after prompt, until the user has nothing more to say.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_loop::{AgentEvent, AgentEventKind, Compaction, Ending, Session, TurnResult};
use hook_types::EndReason;

use super::display::{Display, Show};
use super::headless::end;
use super::screen::prompt_width;
use super::signals::{Signals, Wish};
use crate::exit::Exit;
use crate::render::Look;
use crate::terminal::{Editor, Key, Keyboard, Pressed};

/// Whether a turn runs, as the agent tells it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Busy(Arc<AtomicBool>);

impl Busy {
    /// Takes note of an event.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "everything else leaves it as it is"
    )]
    pub(crate) fn observe(&self, event: &AgentEvent) {
        let turn = match &event.kind {
            AgentEventKind::TurnStarted { .. } if event.agent_id.is_none() => true,
            AgentEventKind::TurnFinished(_) => false,
            _ => return,
        };
        self.0.store(turn, Ordering::Release);
    }

    fn is_busy(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A person at a terminal, and what is needed to talk with them.
pub(crate) struct Person {
    pub(crate) keyboard: Keyboard,
    pub(crate) display: Display,
    pub(crate) signals: Signals,
    pub(crate) busy: Busy,
    pub(crate) look: Look,
}

/// What the user wants next.
enum Next {
    Say(String),
    /// There is nothing more to say.
    Leave,
    /// Ctrl-C, twice.
    Stop,
}

/// What happens at the prompt.
enum Heard {
    /// Whether a hook woke the agent; if not, none will.
    Woke(bool),
    Wish(Wish),
    Key(Option<Key>),
}

/// How many times in a row somebody wanted it to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stops {
    #[default]
    None,
    /// The turn.
    Once,
    /// The session.
    Twice,
}

impl Stops {
    fn after(self, wish: Wish) -> Self {
        match (self, wish) {
            (Self::None, Wish::Interrupt) => Self::Once,
            _ => Self::Twice,
        }
    }
}

const ONCE_MORE: &str = "press Ctrl-C again to end the session";
const HELP: &str = "/clear forgets the conversation, /compact summarises it, /exit or Ctrl-D leaves; \
    Ctrl-C ends a turn, and twice the session";

/// Talks until the user leaves; the session has ended then.
pub(crate) async fn converse(
    mut session: Session,
    first: Option<String>,
    mut person: Person,
) -> Exit {
    let mut editor = Editor::default();
    let mut stops = person.begin(&mut session, first).await;
    let (reason, exit) = loop {
        if stops == Stops::Twice {
            break (EndReason::Unspecified, Exit::Interrupted);
        }
        match person.next(&mut session, &mut editor, stops).await {
            Next::Leave => break (EndReason::PromptInputExit, Exit::Done),
            Next::Stop => break (EndReason::PromptInputExit, Exit::Interrupted),
            Next::Say(line) => match line.trim() {
                "/exit" | "/quit" => break (EndReason::PromptInputExit, Exit::Done),
                line => stops = person.say(&mut session, line).await,
            },
        }
    };
    person.display.show(Show::Prompt(None));
    let id = session.id().to_string();
    end(session, reason, &mut person.signals).await;
    person.display.note(format!(
        "hookline run --resume {id} goes on with this session"
    ));
    person.display.flush().await;
    exit
}

impl Person {
    /// What is said before anybody writes: by a hook, by whoever left a call open, on the command line.
    async fn begin(&mut self, session: &mut Session, first: Option<String>) -> Stops {
        let interrupt = session.interrupt_handle();
        let turn = async {
            session.first_turn().await;
            session.run_deferred().await;
            if let Some(prompt) = first {
                self.display.show(Show::Said(prompt.clone()));
                session.prompt(prompt).await;
            }
        };
        watch(turn, || interrupt.interrupt(), &mut self.signals)
            .await
            .1
    }

    /// One line of the user's.
    async fn say(&mut self, session: &mut Session, line: &str) -> Stops {
        let interrupt = session.interrupt_handle();
        self.display.show(Show::Said(line.to_owned()));
        let display = self.display.clone();
        let turn = async {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("/help", _) => display.note(HELP),
                ("/clear", _) => session.clear().await,
                ("/compact", how) => {
                    let how = Some(how.trim()).filter(|how| !how.is_empty());
                    if let Compaction::Interrupted = session.compact(how).await {
                        display.note("interrupted");
                    }
                }
                (word, _) if is_command(word) => {
                    display.note(format!("there is no {word}; {HELP}"));
                }
                _ => tell_unsaved(session.prompt(line).await, session, &display),
            }
        };
        watch(turn, || interrupt.interrupt(), &mut self.signals)
            .await
            .1
    }

    /// Reads the next line, while hooks in the background may wake the agent.
    async fn next(&mut self, session: &mut Session, editor: &mut Editor, stops: Stops) -> Next {
        let mut stops = stops;
        if stops == Stops::Once {
            self.display.note(ONCE_MORE);
        }
        while stops < Stops::Twice {
            let interrupt = session.interrupt_handle();
            let mut woken = pin!(session.wake());
            let mut may_wake = true;
            loop {
                let busy = self.busy.is_busy();
                self.show_line(editor, busy);
                let heard = self.hear(may_wake.then_some(woken.as_mut()), busy).await;
                let next = match heard {
                    Heard::Woke(true) => break,
                    Heard::Woke(false) => {
                        may_wake = false;
                        None
                    }
                    Heard::Wish(wish) if busy => {
                        stops = stops.after(wish);
                        interrupt.interrupt();
                        None
                    }
                    Heard::Wish(wish) => self.stop(wish, editor, &mut stops),
                    Heard::Key(key) => {
                        stops = Stops::None;
                        pressed(key, editor)
                    }
                };
                let Some(next) = next else { continue };
                if self.busy.is_busy() {
                    // A hook woke the agent at this very moment: one after the other.
                    woken.await;
                }
                self.display.show(Show::Prompt(None));
                return next;
            }
        }
        Next::Stop
    }

    /// Waits for whatever comes first. Can be called off without losing anything.
    async fn hear(
        &mut self,
        woken: Option<Pin<&mut impl Future<Output = Option<TurnResult>>>>,
        busy: bool,
    ) -> Heard {
        let woken = async {
            match woken {
                Some(woken) => woken.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            turn = woken => Heard::Woke(turn.is_some()),
            wish = self.signals.next() => Heard::Wish(wish),
            key = self.keyboard.next(), if !busy => Heard::Key(key),
        }
    }

    /// Ctrl-C at the prompt: once for the line, twice for the session.
    fn stop(&self, wish: Wish, editor: &mut Editor, stops: &mut Stops) -> Option<Next> {
        let wanted = stops.after(wish);
        if wanted == Stops::Twice && (editor.is_empty() || wish == Wish::End) {
            return Some(Next::Stop);
        }
        editor.clear();
        *stops = Stops::Once;
        self.display.note(ONCE_MORE);
        None
    }

    fn show_line(&self, editor: &Editor, busy: bool) {
        let line = (!busy).then(|| editor.window(prompt_width(self.look)));
        self.display.show(Show::Prompt(line));
    }
}

/// What a key at the prompt leads to.
fn pressed(key: Option<Key>, editor: &mut Editor) -> Option<Next> {
    let Some(key) = key else {
        return Some(Next::Leave);
    };
    match editor.press(key) {
        Pressed::Edited => None,
        Pressed::End => Some(Next::Leave),
        Pressed::Line(line) => Some(Next::Say(line)),
    }
}

/// A turn, and how often somebody wanted it to end.
async fn watch<T>(
    turn: impl Future<Output = T>,
    interrupt: impl Fn(),
    signals: &mut Signals,
) -> (T, Stops) {
    let mut turn = pin!(turn);
    let mut stops = Stops::None;
    loop {
        tokio::select! {
            biased;
            done = &mut turn => return (done, stops),
            wish = signals.next() => {
                stops = stops.after(wish);
                interrupt();
            }
        }
    }
}

/// `/word`, and not a path.
fn is_command(word: &str) -> bool {
    let name = word.strip_prefix('/').unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Rules that a hook wants written into a file: they are in force, and no more.
fn tell_unsaved(result: TurnResult, session: &mut Session, display: &Display) {
    let unsaved = session.take_unsaved_permissions();
    if !unsaved.is_empty() {
        display
            .note("changes to permissions that were meant for a file last until this session ends");
    }
    if let Ending::Deferred(call) = result.ending {
        display.note(format!(
            "{} waits for whoever resumes the session",
            call.name
        ));
    }
}
