//! One request to the model, with the events around it.

use std::sync::Mutex;
use std::time::Duration;

use hook_types::{
    Error, ErrorType, InterruptedDuring, ModelStreamEnd, ModelStreamStart, Number,
    PostModelResponse, PreModelRequest, PreToolSelection, ToolConfig, ToolMode,
};
use tokio::time::Instant;

use crate::apply::Halt;
use crate::apply::model::{BeforeRequest, Selection, after_response, before_request, selection};
use crate::conversation::{Block, ChatMessage, Role, ToolCall};
use crate::event::AgentEventKind;
use crate::firing::{Firing, Interrupted};
use crate::limits::Limits;
use crate::model::{Model, ModelEvent, ModelRequest, StopReason, ToolChoice, Usage};
use crate::model_error::{ModelError, Trouble};
use crate::said::Said;
use crate::shared::lock;
use crate::tokens::bytes_of;
use crate::wire::{read_request, read_response, write_request, write_response};

/// What a request came to.
#[derive(Debug)]
pub(crate) enum Asked {
    /// The model, or a hook in its place, has answered.
    Reply(Box<Reply>),
    /// A hook did not let it be asked.
    Refused(Said),
    /// A hook stopped the agent.
    Halted(Halt),
    /// The service failed.
    Failed(ModelError),
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reply {
    pub(crate) content: Vec<Block>,
    pub(crate) stop: Option<StopReason>,
    pub(crate) usage: Usage,
    /// The tools that the model was told of, by name.
    pub(crate) offered: Vec<String>,
    /// What hooks added to the request; it belongs in front of the reply.
    pub(crate) before: Vec<Said>,
    /// A hook stops the agent after this.
    pub(crate) halt: Option<Halt>,
}

impl Reply {
    pub(crate) fn calls(&self) -> Vec<ToolCall> {
        let calls = self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call.clone()),
            Block::Text { .. } | Block::ToolResult(_) | Block::Other(_) => None,
        });
        calls.collect()
    }

    fn take(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text(delta) => match self.content.last_mut() {
                Some(Block::Text { text }) => text.push_str(&delta),
                _ => self.content.push(Block::text(delta)),
            },
            ModelEvent::ToolCall(call) => self.content.push(Block::ToolUse(call)),
            ModelEvent::Block(value) => self.content.push(Block::Other(value)),
            ModelEvent::Usage(usage) => self.usage = usage,
            ModelEvent::Stop(reason) => self.stop = Some(reason),
        }
    }
}

/// Whoever asks the model.
pub(crate) struct Asking<'a> {
    pub(crate) firing: &'a Firing,
    pub(crate) model: &'a dyn Model,
    pub(crate) limits: &'a Limits,
    /// What has arrived of the reply, for a turn that is interrupted in the middle.
    pub(crate) partial: &'a Mutex<String>,
}

impl Asking<'_> {
    /// Asks, as hooks let it.
    pub(crate) async fn ask(&self, mut request: ModelRequest) -> Result<Asked, Interrupted> {
        if !request.tools.is_empty() {
            match self.select_tools(&request).await? {
                Selection::Offer(config) => narrow(&mut request, config),
                Selection::Refuse(said) => return Ok(Asked::Refused(said)),
                Selection::Halt(halt) => return Ok(Asked::Halted(halt)),
            }
        }
        match self.before(&request).await? {
            BeforeRequest::Halt(halt) => Ok(Asked::Halted(halt)),
            BeforeRequest::Refuse(said) => Ok(Asked::Refused(said)),
            BeforeRequest::Answered { response, said } => {
                let Some(mut reply) = read_response(&response) else {
                    return Ok(Asked::Failed(no_reply("PreModelRequest")));
                };
                reply.before = said;
                reply.offered = names(&request);
                self.after(&request, reply, Duration::ZERO).await
            }
            BeforeRequest::Send {
                request: other,
                said,
            } => {
                if let Some(other) = other
                    && let Err(problem) = read_request(&mut request, &other)
                {
                    return Ok(Asked::Failed(ModelError::new(
                        hook_types::StopError::InvalidRequest,
                        format!("a PreModelRequest hook's llmRequest is no request: {problem}"),
                    )));
                }
                add_words(&mut request, &said);
                self.send(request, said).await
            }
        }
    }

    async fn select_tools(&self, request: &ModelRequest) -> Result<Selection, Interrupted> {
        if !self
            .firing
            .hooks()
            .listens(hook_types::EventName::PreToolSelection)
        {
            return Ok(Selection::Offer(None));
        }
        let event =
            PreToolSelection::new(self.model.name(), names(request), write_request(request));
        Ok(selection(&self.firing.hear(event).await?))
    }

    async fn before(&self, request: &ModelRequest) -> Result<BeforeRequest, Interrupted> {
        if !self
            .firing
            .hooks()
            .listens(hook_types::EventName::PreModelRequest)
        {
            return Ok(BeforeRequest::Send {
                request: None,
                said: Vec::new(),
            });
        }
        let event = PreModelRequest::new(self.model.name(), write_request(request))
            .message_count(request.messages.len() as u64);
        Ok(before_request(&self.firing.hear(event).await?))
    }

    async fn send(&self, request: ModelRequest, said: Vec<Said>) -> Result<Asked, Interrupted> {
        let started = Instant::now();
        let streamed = self.stream(&request).await?;
        let mut reply = match streamed {
            Ok(reply) => reply,
            Err(error) => return Ok(Asked::Failed(error)),
        };
        reply.before = said;
        reply.offered = names(&request);
        self.after(&request, reply, started.elapsed()).await
    }

    /// Streams a reply; a request that failed in a way that may pass is sent again, as long as nobody has
    /// seen anything of the reply.
    async fn stream(
        &self,
        request: &ModelRequest,
    ) -> Result<Result<Reply, ModelError>, Interrupted> {
        let mut tries = 0;
        loop {
            let error = match self.stream_once(request).await? {
                Ok(reply) => return Ok(Ok(reply)),
                Err(error) => error,
            };
            let begun = !lock(self.partial).is_empty();
            let wait = self.limits.wait_before_retry(&error, tries);
            let Some(wait) = wait.filter(|_| !begun) else {
                return Ok(Err(error));
            };
            tries += 1;
            let event = Error::new(ErrorType::Model, error.message.clone())
                .error_details(format!("{}; asked again in {wait:?}", error.kind));
            self.firing.hear(event).await?;
            self.interruptible(tokio::time::sleep(wait)).await?;
        }
    }

    async fn stream_once(
        &self,
        request: &ModelRequest,
    ) -> Result<Result<Reply, ModelError>, Interrupted> {
        let started = Instant::now();
        let _model = self.firing.enter(InterruptedDuring::Model, None);
        lock(self.partial).clear();
        let mut stream = match self
            .interruptible(self.model.stream(request.clone()))
            .await?
        {
            Ok(stream) => stream,
            Err(error) => return Ok(Err(error)),
        };
        let mut reply = Reply::default();
        let mut room = self.limits.reply_bytes;
        let mut first = true;
        while let Some(next) = self.interruptible(stream.next()).await? {
            if std::mem::take(&mut first) {
                let event = ModelStreamStart::new(self.model.name())
                    .duration_ms(milliseconds(started.elapsed()));
                self.firing.hear(event).await?;
            }
            match next {
                Ok(event) => {
                    let Some(left) = room.checked_sub(size(&event)) else {
                        return Ok(Err(too_large(self.limits.reply_bytes)));
                    };
                    room = left;
                    self.arrived(&mut reply, event);
                }
                Err(error) => return Ok(Err(error)),
            }
        }
        drop(stream);
        self.ended(&reply, started.elapsed()).await?;
        Ok(Ok(reply))
    }

    fn arrived(&self, reply: &mut Reply, event: ModelEvent) {
        if let ModelEvent::Text(delta) = &event {
            lock(self.partial).push_str(delta);
            self.firing.tell(AgentEventKind::TextDelta(delta.clone()));
        }
        reply.take(event);
    }

    async fn ended(&self, reply: &Reply, took: Duration) -> Result<(), Interrupted> {
        let mut event = ModelStreamEnd::new(self.model.name()).duration_ms(milliseconds(took));
        if let Some(stop) = &reply.stop {
            event = event.stop_reason(stop.as_str());
        }
        event = event.usage(serde_json::json!(reply.usage));
        self.firing.hear(event).await.map(drop)
    }

    async fn after(
        &self,
        request: &ModelRequest,
        reply: Reply,
        took: Duration,
    ) -> Result<Asked, Interrupted> {
        if !self
            .firing
            .hooks()
            .listens(hook_types::EventName::PostModelResponse)
        {
            return Ok(Asked::Reply(Box::new(reply)));
        }
        let event = PostModelResponse::new(
            self.model.name(),
            write_request(request),
            write_response(&reply),
        )
        .duration_ms(milliseconds(took));
        let after = after_response(&self.firing.hear(event).await?);
        let mut reply = match after.response.as_ref().map(read_response) {
            Some(Some(other)) => Reply {
                usage: reply.usage,
                before: reply.before,
                offered: reply.offered,
                ..other
            },
            Some(None) => return Ok(Asked::Failed(no_reply("PostModelResponse"))),
            None => reply,
        };
        reply.halt = after.halt;
        Ok(Asked::Reply(Box::new(reply)))
    }

    async fn interruptible<T>(&self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        tokio::select! {
            biased;
            () = self.firing.cancellation().cancelled() => Err(Interrupted),
            done = work => Ok(done),
        }
    }
}

fn names(request: &ModelRequest) -> Vec<String> {
    let tools = request.tools.iter();
    tools.map(|tool| tool.name.clone()).collect()
}

/// What a call or a block counts beside what it says, in bytes: the shortest has to be kept as well.
const LEAST_SIZE: usize = 256;

/// How much of a reply that is, about.
fn size(event: &ModelEvent) -> usize {
    match event {
        ModelEvent::Text(text) => text.len(),
        ModelEvent::ToolCall(call) => {
            let names = call.id.as_str().len() + call.name.len();
            names + bytes_of(&call.input) + LEAST_SIZE
        }
        ModelEvent::Block(value) => bytes_of(value) + LEAST_SIZE,
        ModelEvent::Usage(_) | ModelEvent::Stop(_) => 0,
    }
}

fn too_large(most: usize) -> ModelError {
    let message = format!("the reply is larger than {most} bytes, and was not read on");
    ModelError::of(Trouble::ReplyTooLarge, message)
}

fn no_reply(event: &str) -> ModelError {
    ModelError::new(
        hook_types::StopError::InvalidRequest,
        format!("a {event} hook's llmResponse is no reply: it needs a `content` or `tool_calls`"),
    )
}

/// What hooks add to a request stands at its end.
fn add_words(request: &mut ModelRequest, said: &[Said]) {
    if said.is_empty() {
        return;
    }
    let blocks: Vec<Block> = said.iter().map(Said::block).collect();
    match request.messages.last_mut() {
        Some(last) if last.role == Role::User => last.content.extend(blocks),
        _ => request.messages.push(ChatMessage::new(Role::User, blocks)),
    }
}

/// Leaves the tools that hooks leave.
fn narrow(request: &mut ModelRequest, config: Option<ToolConfig>) {
    let Some(config) = config else { return };
    if let Some(allowed) = &config.allowed_function_names {
        request.tools.retain(|tool| allowed.contains(&tool.name));
    }
    match config.mode {
        Some(ToolMode::None) => {
            request.tools.clear();
            request.tool_choice = ToolChoice::None;
        }
        Some(ToolMode::Any) => request.tool_choice = ToolChoice::Any,
        Some(ToolMode::Auto) | None => {}
    }
}

pub(crate) fn milliseconds(duration: Duration) -> Number {
    Number::from(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}
