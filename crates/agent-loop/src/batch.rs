//! All tool calls of one reply.

use std::sync::Mutex;

use futures_util::future::join_all;
use hook_types::{BatchedCall, PostToolBatch};
use serde_json::{Value, json};

use crate::apply::Halt;
use crate::apply::tool::{AfterBatch, after_batch};
use crate::call::{After, CallEnd, Done};
use crate::conversation::{Block, ToolCall, ToolResult};
use crate::firing::Interrupted;
use crate::shared::lock;
use crate::thread::Thread;

/// How the calls of a reply ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BatchEnd {
    /// The model is asked again.
    GoOn,
    /// A hook stops the agent.
    Halt(Halt),
    /// A hook ends the turn.
    EndTurn(String),
    /// Whoever was asked for permission ends the turn.
    PermissionRefused(String),
    /// A call is left to whoever resumes the session.
    Deferred(ToolCall),
}

/// The calls that are over so far, in the order in which the model made them.
pub(crate) type Slots = Mutex<Vec<Option<Done>>>;

impl Thread {
    /// Runs the calls: those that may run beside each other at once, the others one by one. What is done
    /// is put into `slots` as it is done, so that an interruption loses nothing.
    pub(crate) async fn run_calls(
        &self,
        calls: &[ToolCall],
        slots: &Slots,
    ) -> Result<BatchEnd, Interrupted> {
        let alone = calls.len() == 1;
        let mut end = BatchEnd::GoOn;
        let mut from = 0;
        while from < calls.len() && end == BatchEnd::GoOn && !self.shared.has_ended() {
            let to = from + self.at_once(&calls[from..]);
            let group = (from..to).map(|place| self.run_slot(&calls[place], place, alone, slots));
            let ends = join_all(group).await;
            for one in ends {
                end = stronger(end, one?);
            }
            from = to;
        }
        Ok(end)
    }

    /// How many calls from the first on run at once.
    fn at_once(&self, calls: &[ToolCall]) -> usize {
        let beside = |call: &&ToolCall| {
            let tool = self.tools.get(&call.name);
            tool.is_some_and(|tool| tool.runs_beside_others(&call.input))
        };
        let most = self.shared.parts.limits.calls_at_once;
        let group = calls.iter().take(most).take_while(beside);
        group.count().max(1)
    }

    async fn run_slot(
        &self,
        call: &ToolCall,
        place: usize,
        alone: bool,
        slots: &Slots,
    ) -> Result<BatchEnd, Interrupted> {
        let (done, after) = match self.run_call(call, alone).await? {
            CallEnd::Deferred => return Ok(BatchEnd::Deferred(call.clone())),
            CallEnd::Stopped => return Ok(BatchEnd::GoOn),
            CallEnd::Done(done, after) => (done, after),
        };
        lock(slots)[place] = Some(*done);
        let end = match after {
            After::GoOn => return Ok(BatchEnd::GoOn),
            After::Halt(halt) => BatchEnd::Halt(halt),
            After::PermissionRefused(message) => BatchEnd::PermissionRefused(message),
        };
        // Those that run beside it, subagents among them, begin nothing any more.
        self.shared.end_turn(end.clone());
        Ok(end)
    }

    /// Tells hooks that all calls are over.
    pub(crate) async fn after_calls(&self, done: &[Done]) -> Result<AfterBatch, Interrupted> {
        let calls: Vec<BatchedCall> = done.iter().map(batched).collect();
        Ok(after_batch(
            &self.firing.hear(PostToolBatch::new(calls)).await?,
        ))
    }
}

fn batched(done: &Done) -> BatchedCall {
    let ToolCall { id, name, input } = done.call.clone();
    BatchedCall::new(name, input, id, Some(serialised(&done.result)))
}

/// What the model sees of a result: a plain text, or blocks.
fn serialised(result: &ToolResult) -> Value {
    match result.content.as_slice() {
        [Block::Text { text }] => Value::String(text.clone()),
        blocks => json!(blocks),
    }
}

/// A hook that stops the agent is stronger than everything; the first of equals counts.
pub(crate) fn stronger(held: BatchEnd, other: BatchEnd) -> BatchEnd {
    let rank = |end: &BatchEnd| match end {
        BatchEnd::GoOn => 0,
        BatchEnd::Deferred(_) => 1,
        BatchEnd::EndTurn(_) => 2,
        BatchEnd::PermissionRefused(_) => 3,
        BatchEnd::Halt(_) => 4,
    };
    if rank(&other) > rank(&held) {
        other
    } else {
        held
    }
}
