//! Keys, as they are pressed, read by a thread of its own.

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc::{Receiver, channel};

use crate::failure::Failure;
use crate::terminal::Key;

/// How many keys wait until somebody looks at them.
const WAITING: usize = 1024;

/// What was done to the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Press {
    Key(Key),
    PageUp,
    PageDown,
    Tab,
    /// It has another size.
    Resized,
}

/// Reads the keys of the terminal, also where stdin is something else. Ends when the terminal is gone.
pub(crate) fn presses() -> Result<Receiver<Press>, Failure> {
    let (sender, receiver) = channel(WAITING);
    let read = move || {
        while let Ok(event) = event::read() {
            if let Some(press) = press(event)
                && sender.blocking_send(press).is_err()
            {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("keyboard".to_owned())
        .spawn(read)
        .map_err(|why| Failure::invalid(format!("cannot start: {why}")))?;
    Ok(receiver)
}

fn press(event: Event) -> Option<Press> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
        Event::Paste(text) => Some(Press::Key(Key::Paste(text))),
        Event::Resize(..) => Some(Press::Resized),
        Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other keys do nothing")]
fn of_key(key: KeyEvent) -> Option<Press> {
    let held = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char(c) if held => Press::Key(Key::Ctrl(c.to_ascii_lowercase())),
        KeyCode::Char(c) => Press::Key(Key::Char(c)),
        KeyCode::Enter => Press::Key(Key::Enter),
        KeyCode::Backspace => Press::Key(Key::Backspace),
        KeyCode::Delete => Press::Key(Key::Delete),
        KeyCode::Left => Press::Key(Key::Left),
        KeyCode::Right => Press::Key(Key::Right),
        KeyCode::Up => Press::Key(Key::Up),
        KeyCode::Down => Press::Key(Key::Down),
        KeyCode::Home => Press::Key(Key::Home),
        KeyCode::End => Press::Key(Key::End),
        KeyCode::Esc => Press::Key(Key::Escape),
        KeyCode::PageUp => Press::PageUp,
        KeyCode::PageDown => Press::PageDown,
        KeyCode::Tab => Press::Tab,
        _ => return None,
    })
}
