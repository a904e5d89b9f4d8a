//! Which of the hooks' messages programs are sent in the stream.
//!
//! The same as the published SDK sends: all that is asked for, but little of four events that are fired
//! where nobody waits for them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hook_types::{EventName, Message, RunId};

/// How long a hook of a quiet event runs before its progress is told.
const LONG: Duration = Duration::from_secs(1);

/// Chooses messages.
#[derive(Debug, Default)]
pub(crate) struct HookEvents {
    /// Whether all were asked for; else only those of the session's start.
    all: bool,
    /// Runs of quiet events.
    runs: HashMap<RunId, Run>,
}

#[derive(Debug)]
struct Run {
    name: String,
    started: Instant,
    /// The firing is over, and it still runs.
    in_background: bool,
}

/// Events that tell little: no start, no end but of background hooks, progress only of long ones.
fn is_quiet(event: EventName) -> bool {
    matches!(
        event,
        EventName::Notification
            | EventName::SessionEnd
            | EventName::PreCompact
            | EventName::PostCompact
    )
}

/// How much of an event's firings the stream tells where not all was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// All or nothing.
    Wholly,
    /// What hooks did, and perhaps no verdict.
    WithoutVerdict,
    /// Little, whatever was asked for, and never a verdict.
    Little,
}

impl Told {
    /// How much is told of the event of that name.
    pub(crate) fn of(event: &str) -> Self {
        match event.parse() {
            Ok(event) if is_quiet(event) => Self::Little,
            Ok(event) if is_always_sent(event) => Self::WithoutVerdict,
            _ => Self::Wholly,
        }
    }
}

/// Events whose messages are sent in any case.
fn is_always_sent(event: EventName) -> bool {
    matches!(event, EventName::SessionStart | EventName::Setup)
}

impl HookEvents {
    /// All messages, or those of the session's start.
    pub(crate) fn new(all: bool) -> Self {
        Self {
            all,
            runs: HashMap::new(),
        }
    }

    /// Whether a message is sent.
    pub(crate) fn sends(&mut self, message: &Message, now: Instant) -> bool {
        let event = message.event();
        let always = event.is_some_and(is_always_sent);
        let verdict = matches!(message, Message::Verdict(_));
        if event.is_some_and(is_quiet) {
            self.sends_of_quiet(message, now) && self.all
        } else {
            self.all || (always && !verdict)
        }
    }

    fn sends_of_quiet(&mut self, message: &Message, now: Instant) -> bool {
        if let Message::Started(started) = message {
            let run = Run {
                name: started.hook.hook_name.clone(),
                started: now,
                in_background: false,
            };
            self.runs.insert(started.hook.hook_id.clone(), run);
            return false;
        }
        if let Message::Progress(progress) = message {
            let run = self.runs.get(&progress.hook.hook_id);
            return run.is_some_and(|run| now.duration_since(run.started) > LONG);
        }
        if let Message::Response(response) = message {
            let run = self.runs.remove(&response.hook.hook_id);
            return run.is_some_and(|run| run.in_background);
        }
        if let Message::Verdict(verdict) = message {
            let of_firing = |run: &&mut Run| run.name == verdict.hook_name;
            for run in self.runs.values_mut().filter(of_firing) {
                run.in_background = true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use hook_types::Outcome;
    use hook_types::message::{
        Envelope, HookProgress, HookResponse, HookStarted, HookVerdict, RunOutcome,
    };

    use super::*;

    fn envelope(event: EventName, run: &str) -> Envelope {
        Envelope::new("m", "s", run, event.as_str(), event)
    }

    fn started(event: EventName, run: &str) -> Message {
        let hook = envelope(event, run);
        Message::Started(HookStarted { hook })
    }

    fn progress(event: EventName, run: &str) -> Message {
        Message::Progress(HookProgress {
            hook: envelope(event, run),
            stdout: String::new(),
            stderr: String::new(),
            output: String::new(),
        })
    }

    fn response(event: EventName, run: &str) -> Message {
        Message::Response(HookResponse {
            hook: envelope(event, run),
            output: String::new(),
            stdout: String::new(),
            stderr: String::new(),
            exit_code: Some(0),
            outcome: RunOutcome::Success,
            facts: Vec::new(),
        })
    }

    fn verdict(event: EventName) -> Message {
        let outcome = Outcome::none(event);
        Message::Verdict(HookVerdict::new("m", "s", event.as_str(), &outcome, 1))
    }

    fn sent(all: bool, messages: &[Message]) -> Vec<bool> {
        let mut events = HookEvents::new(all);
        let now = Instant::now();
        let sends = messages.iter().map(|message| events.sends(message, now));
        sends.collect()
    }

    #[test]
    fn unasked_only_the_start_of_a_session_is_told() {
        use EventName::{PreToolUse, SessionStart, Setup};
        for (event, told) in [(SessionStart, true), (Setup, true), (PreToolUse, false)] {
            let messages = [started(event, "1"), response(event, "1"), verdict(event)];
            assert_eq!(sent(false, &messages), [told, told, false], "{event}");
            assert_eq!(sent(true, &messages), [true, true, true], "{event}");
        }
    }

    #[test]
    fn quiet_events_tell_of_background_hooks_and_long_ones_alone() {
        use EventName::{Notification, PostCompact, PreCompact, SessionEnd};
        for event in [Notification, SessionEnd, PreCompact, PostCompact] {
            let messages = [
                started(event, "awaited"),
                started(event, "background"),
                progress(event, "awaited"),
                response(event, "awaited"),
                verdict(event),
                response(event, "background"),
            ];
            let told = [false, false, false, false, false, true];
            assert_eq!(sent(true, &messages), told, "{event}");
            assert_eq!(sent(false, &messages), [false; 6], "{event}");
            let mut events = HookEvents::new(true);
            let now = Instant::now();
            events.sends(&started(event, "long"), now);
            assert!(!events.sends(&progress(event, "long"), now + LONG));
            assert!(events.sends(&progress(event, "long"), now + LONG * 2));
        }
    }
}
