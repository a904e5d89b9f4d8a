//! One turn as a state machine: ask the model, run its calls, stop. It carries out what `apply` decides.

use hook_types::{MessageRole, Number, Stop, StopError, SubagentStop};

use crate::apply::Heard;
use crate::apply::stop::{StopStep, stop};
use crate::apply::tool::AfterBatch;
use crate::asking::{Asked, Asking, Reply};
use crate::batch::BatchEnd;
use crate::call::Done;
use crate::conversation::{Block, Role, ToolCall, ToolResult};
use crate::firing::Interrupted;
use crate::model::{ModelRequest, StopReason};
use crate::model_error::ModelError;
use crate::result::Ending;
use crate::shared::lock;
use crate::thread::{Draft, Thread};
use crate::transcript::Line;

/// What comes next in a turn.
pub(crate) enum Phase {
    /// The model is asked.
    Ask,
    /// Its calls are run.
    Call,
    /// It is done; may it stop?
    Stop,
    /// The turn is over.
    Over(Ending),
}

impl Thread {
    /// Goes on with the conversation as it stands, until the turn is over.
    pub(crate) async fn run(&mut self) -> Ending {
        self.drive(Phase::Ask).await
    }

    /// Runs a call that was left open, and goes on.
    pub(crate) async fn run_deferred(&mut self, call: ToolCall) -> Ending {
        self.open = vec![call];
        self.offered = None;
        self.drive(Phase::Call).await
    }

    async fn drive(&mut self, from: Phase) -> Ending {
        self.requests = 0;
        self.made_room = false;
        self.stops.reset();
        let ending = match self.phases(from).await {
            Ok(ending) => ending,
            Err(Interrupted) => self.interrupted().await,
        };
        if let Ending::Deferred(_) = ending {
            // It stays open: whoever resumes the session runs it.
            self.wait_for(Vec::new());
        }
        let _ = self
            .answer_open_calls("The turn ended before this call could run.")
            .await;
        self.firing.flush().await;
        ending
    }

    async fn phases(&mut self, from: Phase) -> Result<Ending, Interrupted> {
        let mut phase = from;
        loop {
            phase = match phase {
                Phase::Ask => self.ask().await?,
                Phase::Call => self.call().await?,
                Phase::Stop => self.stop().await?,
                Phase::Over(ending) => return Ok(ending),
            };
        }
    }

    async fn ask(&mut self) -> Result<Phase, Interrupted> {
        if let Some(end) = self.shared.ended() {
            return Ok(self.over(end));
        }
        if let Some(most) = self.shared.parts.limits.requests
            && self.requests >= most
        {
            return Ok(Phase::Over(Ending::MaxRequests(most)));
        }
        if let Some(halt) = self.compact_if_full().await? {
            return Ok(Phase::Over(self.halted(&halt)));
        }
        self.hand_over_what_waits().await?;
        self.requests += 1;
        self.shared.asked_model();
        self.tools.refresh();
        let asking = Asking {
            firing: &self.firing,
            model: &*self.model,
            limits: &self.shared.parts.limits,
            partial: &self.partial,
        };
        match asking.ask(self.request()).await? {
            Asked::Reply(reply) => self.take_reply(*reply).await,
            Asked::Halted(halt) => Ok(Phase::Over(self.halted(&halt))),
            Asked::Failed(error) if self.may_make_room(&error) => self.make_room(error).await,
            Asked::Failed(error) => self.service_failed(error).await,
            Asked::Refused(said) => {
                let reason = said.text.clone();
                self.pending.add([said]);
                Ok(Phase::Over(Ending::EndedByHook(reason)))
            }
        }
    }

    /// What waits to be said, and what has come late, joins the conversation.
    async fn hand_over_what_waits(&mut self) -> Result<(), Interrupted> {
        let mut said = self.pending.take();
        let id = self.subagent.as_ref().map(|facts| &facts.id);
        said.extend(self.shared.mail.take(&*self.shared.hooks, id));
        self.append(Draft::of_hooks(&said)).await
    }

    fn request(&self) -> ModelRequest {
        ModelRequest {
            model: self.model.name().to_owned(),
            system: self.system.text(),
            messages: self.messages.clone(),
            tools: self.tools.specs(),
            config: self.shared.parts.config.clone(),
            ..ModelRequest::default()
        }
    }

    async fn take_reply(&mut self, reply: Reply) -> Result<Phase, Interrupted> {
        lock(&self.partial).clear();
        self.shared.spend(reply.usage, self.model.price());
        let before = self.put(Draft::of_hooks(&reply.before));
        let calls = reply.calls();
        self.said = texts(&reply.content);
        self.offered = Some(reply.offered);
        // From here on the calls wait for results, whatever happens.
        self.wait_for(calls);
        let draft = Draft::new(MessageRole::Assistant, Role::Assistant, reply.content)
            .with("usage", serde_json::json!(reply.usage));
        let told = self.put(draft);
        self.tokens.measured(&reply.usage, self.messages.len());
        // It is part of the conversation by now, whoever interrupts those who are told.
        self.tell_of(before).await?;
        self.tell_of(told).await?;
        if let Some(halt) = reply.halt {
            return Ok(Phase::Over(self.halted(&halt)));
        }
        if !self.open.is_empty() {
            return Ok(Phase::Call);
        }
        if reply.stop == Some(StopReason::MaxTokens) {
            let message = "the reply reached its limit of tokens";
            let error = ModelError::new(StopError::MaxOutputTokens, message);
            return self.service_failed(error).await;
        }
        Ok(Phase::Stop)
    }

    pub(crate) fn wait_for(&mut self, calls: Vec<ToolCall>) {
        *lock(&self.slots) = vec![None; calls.len()];
        self.open = calls;
    }

    async fn call(&mut self) -> Result<Phase, Interrupted> {
        self.stops.called_a_tool();
        let calls = self.open.clone();
        *lock(&self.slots) = vec![None; calls.len()];
        let end = self.run_calls(&calls, &self.slots).await?;
        let ended = match &self.subagent {
            // Its parent hears of it, and those beside it.
            Some(_) => self.shared.ended(),
            None => self.shared.take_end(),
        };
        let end = ended.unwrap_or(end);
        let end = match end {
            BatchEnd::GoOn => self.settle_batch().await?,
            BatchEnd::Deferred(call) => {
                let id = call.id.as_str().to_owned();
                self.note(|cwd, at| {
                    Line::system("tool_deferred", &call.name, cwd, at).with("toolUseId", id)
                });
                return Ok(Phase::Over(Ending::Deferred(call)));
            }
            end @ (BatchEnd::Halt(_) | BatchEnd::EndTurn(_) | BatchEnd::PermissionRefused(_)) => {
                self.answer_open_calls("This call did not run: the agent was stopped.")
                    .await?;
                end
            }
        };
        Ok(self.over(end))
    }

    /// What comes after calls that ended like that.
    fn over(&mut self, end: BatchEnd) -> Phase {
        match end {
            BatchEnd::GoOn | BatchEnd::Deferred(_) => Phase::Ask,
            BatchEnd::Halt(halt) => Phase::Over(self.halted(&halt)),
            BatchEnd::EndTurn(reason) => Phase::Over(Ending::EndedByHook(reason)),
            BatchEnd::PermissionRefused(message) => Phase::Over(self.permission_refused(message)),
        }
    }

    /// All calls are over: their results join the conversation, and hooks are told.
    async fn settle_batch(&mut self) -> Result<BatchEnd, Interrupted> {
        let done: Vec<Done> = lock(&self.slots).drain(..).flatten().collect();
        self.open.clear();
        let draft = results(&done);
        self.append(draft).await?;
        match self.after_calls(&done).await? {
            AfterBatch::GoOn(said) => {
                self.append(Draft::of_hooks(&said)).await?;
                Ok(BatchEnd::GoOn)
            }
            AfterBatch::EndTurn { reason, said } => {
                let text = reason.text.clone();
                self.append(Draft::of_hooks(&said).saying(&[reason]))
                    .await?;
                Ok(BatchEnd::EndTurn(text))
            }
            AfterBatch::Halt(halt) => Ok(BatchEnd::Halt(halt)),
        }
    }

    /// Gives every call that still waits a result: the one it has, or one that says why it has none.
    pub(crate) async fn answer_open_calls(&mut self, why: &str) -> Result<(), Interrupted> {
        let calls = std::mem::take(&mut self.open);
        let mut slots = std::mem::take(&mut *lock(&self.slots));
        slots.resize_with(calls.len(), || None);
        let done = calls.into_iter().zip(slots).map(|(call, slot)| {
            slot.unwrap_or_else(|| Done {
                result: ToolResult::new(call.id.clone(), why, true),
                call,
                said: Vec::new(),
            })
        });
        self.append(results(&done.collect::<Vec<Done>>())).await
    }

    async fn stop(&mut self) -> Result<Phase, Interrupted> {
        let heard = self.ask_to_stop().await?;
        Ok(match stop(&heard, &self.stops) {
            StopStep::Stop => Phase::Over(Ending::Finished),
            StopStep::Halt(halt) => Phase::Over(self.halted(&halt)),
            StopStep::Enough { warning } => {
                self.firing.voice().warn(warning);
                Phase::Over(Ending::Finished)
            }
            StopStep::KeepGoing(said) => {
                self.stops.kept_going();
                self.append(Draft::of_hooks(&said)).await?;
                Phase::Ask
            }
        })
    }

    async fn ask_to_stop(&self) -> Result<Heard, Interrupted> {
        let (count, limit) = (self.stops.count, self.stops.limit);
        let last = self.said.clone();
        let Some(facts) = &self.subagent else {
            let event = Stop::new(self.stops.active)
                .last_assistant_message(last)
                .background_tasks(Vec::new())
                .session_crons(Vec::new())
                .stop_hook_count(Number::from(count))
                .stop_hook_limit(Number::from(limit));
            return self.firing.hear(event).await;
        };
        let event = SubagentStop::new(
            self.stops.active,
            facts.id.clone(),
            facts.transcript_path.clone(),
            facts.agent_type.clone(),
        )
        .last_assistant_message(last)
        .background_tasks(Vec::new())
        .session_crons(Vec::new())
        .stop_hook_count(Number::from(count))
        .stop_hook_limit(Number::from(limit));
        self.firing.hear(event).await
    }
}

/// The texts of a reply, one a line.
fn texts(content: &[Block]) -> String {
    let texts: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
    texts.join("\n")
}

/// The results of calls, and behind them what hooks said of each.
fn results(done: &[Done]) -> Draft {
    let blocks = done
        .iter()
        .map(|done| Block::ToolResult(done.result.clone()));
    let draft = Draft::new(MessageRole::Tool, Role::User, blocks.collect());
    done.iter()
        .fold(draft, |draft, done| draft.saying(&done.said))
}
