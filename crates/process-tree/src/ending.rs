//! How a run ended and what it said.

use std::time::Duration;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes that were kept, decoded as UTF-8; broken sequences are replaced.
    pub text: String,
    /// The end of what did not fit, as far as [`Limits::tail`](crate::Limits::tail) allows; it
    /// follows `text` at once where nothing was lost between them.
    pub tail: String,
    /// Whether there was more than was kept.
    pub truncated: bool,
    /// How many bytes the command wrote, kept or not.
    pub total: u64,
}

impl Captured {
    /// Decodes what was kept of the start and of the end. A character cut by a limit is left out,
    /// not replaced.
    pub(crate) fn decode(mut bytes: Vec<u8>, tail: Vec<u8>, total: u64) -> Self {
        let truncated = total > (bytes.len() + tail.len()) as u64;
        if !truncated && !tail.is_empty() {
            // Nothing is missing between them, so the cut must not show.
            let cut = whole_characters(&bytes);
            let rest = bytes.split_off(cut);
            return Self {
                text: decoded(bytes),
                tail: decoded([rest, tail].concat()),
                truncated,
                total,
            };
        }
        if truncated {
            bytes.truncate(whole_characters(&bytes));
        }
        let start = if truncated { first_character(&tail) } else { 0 };
        Self {
            text: decoded(bytes),
            tail: String::from_utf8_lossy(&tail[start..]).into_owned(),
            truncated,
            total,
        }
    }
}

fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

/// Where the first whole character starts after a cut.
pub(crate) fn first_character(bytes: &[u8]) -> usize {
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
            let got = Captured::decode(euro[..kept].to_vec(), Vec::new(), 5);
            assert_eq!((got.text.as_str(), got.truncated), ("aa", true));
        }
        assert_eq!(Captured::decode(euro.to_vec(), Vec::new(), 5).text, "aa€");
    }

    #[test]
    fn a_broken_byte_near_the_limit_takes_no_others_with_it() {
        let got = Captured::decode(b"a\xF2\",".to_vec(), Vec::new(), 9);
        assert_eq!(got.text, "a\u{FFFD}\",");
    }

    #[test]
    fn broken_text_is_replaced() {
        let got = Captured::decode(b"a\xFFb".to_vec(), Vec::new(), 3);
        assert_eq!((got.text.as_str(), got.truncated), ("a\u{FFFD}b", false));
    }

    #[test]
    fn a_character_that_never_ended_is_replaced_when_nothing_was_cut() {
        let got = Captured::decode(b"a\xE2\x82".to_vec(), Vec::new(), 3);
        assert_eq!(got.text, "a\u{FFFD}");
    }

    #[test]
    fn a_character_between_start_and_end_is_whole_or_left_out() {
        let bytes = "a€b".as_bytes();
        for cut in 1..4 {
            let (start, end) = (bytes[..cut].to_vec(), bytes[cut..].to_vec());
            let all = Captured::decode(start.clone(), end.clone(), 5);
            assert_eq!(
                (all.text + &all.tail, all.truncated),
                ("a€b".to_owned(), false)
            );
            let cut = Captured::decode(start, end, 9);
            let kept = (cut.text.as_str(), cut.tail.as_str(), cut.truncated);
            assert!(matches!(kept, ("a", "b" | "€b", true)), "{kept:?}");
        }
    }

    #[test]
    fn force_grows() {
        assert!(Force::Exit < Force::Term && Force::Term < Force::Kill);
    }
}
