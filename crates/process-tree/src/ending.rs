//! How a run ended and what it said.

use std::{borrow::Cow, fmt, time::Duration};

use crate::{LaunchError, Leftovers};

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How the command ended.
    pub ending: Ending,
    /// What it wrote to stdout, also when it was killed half-way.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// What it started and left running. Always empty after a timeout or a cancellation.
    pub left: Leftovers,
    /// How long it took.
    pub timing: Timing,
}

/// How a command ended.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use process_tree::{Command, Control, Ending};
///
/// let killed = Command::shell("kill -SEGV $$").run(&Control::new()).await;
/// assert_eq!(killed.ending, Ending::Signalled(11));
/// assert!(!killed.ending.is_success());
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited by itself with this code.
    Exited(i32),
    /// A signal that we did not send killed it.
    Signalled(i32),
    /// The deadline passed, and it was ended.
    TimedOut {
        /// What it took.
        by: Force,
    },
    /// The run was cancelled, and it was ended.
    Cancelled {
        /// What it took.
        by: Force,
    },
    /// It never ran.
    NeverStarted(LaunchError),
    /// It is gone, but how it ended is not known: the host ignores SIGCHLD, or waits for every
    /// child of its own, and took its exit status; or the runtime could not watch it.
    Lost,
}

impl Ending {
    /// Whether the command exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        *self == Self::Exited(0)
    }
}

/// What it took to end a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// Nothing: it had not been started yet, or it exited in the grace, perhaps from a handler
    /// for TERM.
    Exit,
    /// The TERM signal.
    Term,
    /// The KILL signal, to it or to something it had started.
    Kill,
}

/// One stream of output.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// As it came, up to the last whole character.
    bytes: Vec<u8>,
    /// The end of what did not fit, as far as [`Limits::tail`](crate::Limits::tail) allows; it
    /// follows the text at once where nothing was lost between them.
    pub tail: String,
    /// Whether there was more than was kept.
    pub truncated: bool,
    /// How many bytes the command wrote, kept or not.
    pub total: u64,
}

impl Captured {
    /// What was kept of the start and of the end. A character cut by a limit is left out, not
    /// replaced.
    pub(crate) fn new(mut bytes: Vec<u8>, mut tail: Vec<u8>, total: u64) -> Self {
        let truncated = total > (bytes.len() + tail.len()) as u64;
        if truncated {
            bytes.truncate(whole_characters(&bytes));
            tail.drain(..first_character(&tail));
        } else if !tail.is_empty() {
            // Nothing is missing between them, so the cut must not show.
            let rest = bytes.split_off(whole_characters(&bytes));
            tail.splice(..0, rest);
        }
        Self {
            bytes,
            tail: decoded(tail),
            truncated,
            total,
        }
    }

    /// What was kept of the end alone.
    pub(crate) fn end_of(mut bytes: Vec<u8>, total: u64) -> Self {
        let truncated = total > bytes.len() as u64;
        if truncated {
            bytes.drain(..first_character(&bytes));
        }
        Self {
            bytes,
            tail: String::new(),
            truncated,
            total,
        }
    }

    /// The bytes that were kept, as the command wrote them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that were kept, decoded as UTF-8; broken sequences are replaced.
    ///
    /// Decoding reads all of them, so who needs it more than once keeps it.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// The same for who has no more use for the rest.
    pub fn into_text(self) -> String {
        decoded(self.bytes)
    }
}

#[expect(
    clippy::missing_fields_in_debug,
    reason = "the bytes are shown as the text they are"
)]
impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captured")
            .field("text", &self.text())
            .field("tail", &self.tail)
            .field("truncated", &self.truncated)
            .field("total", &self.total)
            .finish()
    }
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

/// Where the first whole character starts after a cut.
fn first_character(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take(3)
        .take_while(|&&byte| byte & 0xC0 == 0x80)
        .count()
}

/// The length of `bytes` without a character that has begun but not ended.
pub(crate) fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    // A byte that begins a character and is followed by another one is broken, and not unfinished.
    let unfinished = |at: &usize| {
        let error = std::str::from_utf8(&bytes[*at..]).err();
        error.is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (tail..bytes.len()).find(unfinished).unwrap_or(bytes.len())
}

/// How long the parts of a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// From the call until the command was started.
    pub launch: Duration,
    /// From the call until the answer.
    pub total: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_cut_by_the_limit_is_left_out() {
        let euro = "aa€".as_bytes();
        for kept in 3..5 {
            let got = Captured::new(euro[..kept].to_vec(), Vec::new(), 5);
            assert_eq!((&*got.text(), got.truncated), ("aa", true));
        }
        assert_eq!(Captured::new(euro.to_vec(), Vec::new(), 5).text(), "aa€");
    }

    #[test]
    fn a_broken_byte_near_the_limit_takes_no_others_with_it() {
        let got = Captured::new(b"a\xF2\",".to_vec(), Vec::new(), 9);
        assert_eq!(got.text(), "a\u{FFFD}\",");
    }

    #[test]
    fn broken_text_is_replaced() {
        let got = Captured::new(b"a\xFFb".to_vec(), Vec::new(), 3);
        assert_eq!((&*got.text(), got.truncated), ("a\u{FFFD}b", false));
    }

    #[test]
    fn a_character_that_never_ended_is_replaced_when_nothing_was_cut() {
        let got = Captured::new(b"a\xE2\x82".to_vec(), Vec::new(), 3);
        assert_eq!(got.text(), "a\u{FFFD}");
    }

    #[test]
    fn a_character_between_start_and_end_is_whole_or_left_out() {
        let bytes = "a€b".as_bytes();
        for cut in 1..4 {
            let (start, end) = (bytes[..cut].to_vec(), bytes[cut..].to_vec());
            let all = Captured::new(start.clone(), end.clone(), 5);
            assert_eq!(
                (all.text() + &*all.tail, all.truncated),
                ("a€b".into(), false)
            );
            let cut = Captured::new(start, end, 9);
            let kept = (&*cut.text(), cut.tail.as_str(), cut.truncated);
            assert!(matches!(kept, ("a", "b" | "€b", true)), "{kept:?}");
        }
    }

    #[test]
    fn force_grows() {
        assert!(Force::Exit < Force::Term && Force::Term < Force::Kill);
    }
}
