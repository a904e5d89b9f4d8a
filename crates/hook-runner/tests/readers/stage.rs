//! What the tests share: hooks, and what was read in words.

use std::sync::Arc;

use async_trait::async_trait;
use hook_runner::{
    Delivery, Description, Group, Handler, Hook, HookContext, HookSet, Input, Messages, Runner,
    hook_fn,
};
use hook_types::{Event, EventName, HookKind, Message, PreToolUse, Reply};
use serde_json::{Value, json};

/// What the ring of one reader holds: messages, and bytes of text.
pub(crate) const RING: usize = 4096;
pub(crate) const RING_BYTES: usize = 8 * 1024 * 1024;

pub(crate) fn call() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "ls"}))
}

pub(crate) fn runner_of(hooks: impl IntoIterator<Item = Hook>) -> Runner {
    let group = hooks.into_iter().fold(Group::sequential(), Group::hook);
    Runner::new(HookSet::builder().group(group).build().unwrap())
}

/// A hook that has no opinion.
pub(crate) fn passes() -> Hook {
    hook_fn(|_: PreToolUse| PreToolUse::pass())
}

/// A hook that reports its progress so many times.
pub(crate) fn reports(times: usize) -> Hook {
    hook_fn(move |_: PreToolUse, context: HookContext| {
        for time in 1..=times {
            context.progress(&format!("{time} done"), "");
        }
    })
}

/// A handler that hands back what it was told to.
struct Says(Reply);

#[async_trait]
impl Handler for Says {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        self.0.clone()
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("test".into()), "says what it was told to")
    }
}

pub(crate) fn says(reply: Reply) -> Hook {
    Hook::new(EventName::PreToolUse, Says(reply))
}

/// A hook that has printed so many bytes.
pub(crate) fn prints(bytes: usize) -> Hook {
    let mut reply = Reply::no_opinion();
    reply.evidence.stdout = "x".repeat(bytes);
    says(reply)
}

/// Everything that waits for a reader, now.
pub(crate) fn read(messages: &mut Messages) -> Vec<Delivery> {
    std::iter::from_fn(|| messages.try_next()).collect()
}

/// What a message is, in a word.
pub(crate) fn word(message: &Message) -> &'static str {
    match message {
        Message::Started(_) => "started",
        Message::Progress(_) => "progress",
        Message::Response(_) => "response",
        Message::Verdict(_) => "verdict",
        _ => "something new",
    }
}

/// What was read, in a word each.
pub(crate) fn words(deliveries: &[Delivery]) -> Vec<&'static str> {
    let word = |delivery: &Delivery| match delivery {
        Delivery::Message(message) => word(message),
        Delivery::Missed { .. } | _ => "missed",
    };
    deliveries.iter().map(word).collect()
}

pub(crate) fn written(delivery: &Delivery) -> Value {
    match delivery {
        Delivery::Message(message) => serde_json::to_value(message).unwrap(),
        other @ (Delivery::Missed { .. } | _) => panic!("not a message: {other:?}"),
    }
}

/// How many messages and how many reports of progress the reader was told that it missed.
pub(crate) fn missed(deliveries: &[Delivery]) -> (u64, u64) {
    deliveries
        .iter()
        .fold((0, 0), |sum, delivery| match delivery {
            Delivery::Missed { messages, progress } => (sum.0 + messages, sum.1 + progress),
            Delivery::Message(_) | _ => sum,
        })
}

pub(crate) fn delivered(deliveries: &[Delivery]) -> u64 {
    let messages = deliveries
        .iter()
        .filter(|delivery| matches!(delivery, Delivery::Message(_)));
    messages.count() as u64
}

/// The text that was kept for the reader.
pub(crate) fn text(deliveries: &[Delivery]) -> usize {
    let messages = deliveries
        .iter()
        .filter(|delivery| matches!(delivery, Delivery::Message(_)));
    messages
        .map(|message| written(message).to_string().len())
        .sum()
}
