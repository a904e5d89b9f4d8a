//! A model whose use is counted, also where nobody waits for its end; and whose replies are bounded.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_loop::{
    Model, ModelError, ModelEvent, ModelRequest, Price, ReplyStream, StopReason, Usage,
};
use async_trait::async_trait;
use hook_runner::HookContext;
use hook_types::StopError;

use crate::question::floor;

/// The most of a reply that is read, in bytes.
pub(crate) const MOST_REPLY: usize = 64 * 1024;
/// How much must have come before whoever watches is told again.
const STEP: usize = 256;

/// What a model has been used for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Used {
    pub(crate) requests: u32,
    pub(crate) usage: Usage,
    /// What the last reply says, as far as it has come.
    pub(crate) text: String,
    /// Whether it says more than was kept.
    pub(crate) cut: bool,
    /// How much of it whoever watches has been told.
    told: usize,
}

/// A model that counts.
#[derive(Clone)]
pub(crate) struct Metered {
    model: Arc<dyn Model>,
    used: Arc<Mutex<Used>>,
    context: HookContext,
    most: usize,
}

impl Metered {
    pub(crate) fn new(model: Arc<dyn Model>, context: &HookContext, most: usize) -> Self {
        Self {
            model,
            used: Arc::default(),
            context: context.clone(),
            most,
        }
    }

    /// What it has been used for so far.
    pub(crate) fn used(&self) -> Used {
        lock(&self.used).clone()
    }
}

#[async_trait]
impl Model for Metered {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn context_window(&self) -> u64 {
        self.model.context_window()
    }

    fn price(&self) -> Option<Price> {
        self.model.price()
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        {
            let mut used = lock(&self.used);
            used.requests += 1;
            used.text.clear();
            used.cut = false;
            used.told = 0;
        }
        let stream = self.model.stream(request).await?;
        Ok(Box::new(Counting {
            stream,
            meter: self.clone(),
            usage: Usage::default(),
        }))
    }
}

impl fmt::Debug for Metered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metered")
            .field("model", &self.model.name())
            .field("used", &self.used())
            .finish_non_exhaustive()
    }
}

struct Counting {
    stream: Box<dyn ReplyStream>,
    meter: Metered,
    /// What this reply has used, by its last word on it.
    usage: Usage,
}

#[async_trait]
impl ReplyStream for Counting {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        let event = match self.stream.next().await? {
            Ok(event) => event,
            Err(error) => return Some(Err(error)),
        };
        match &event {
            ModelEvent::Text(delta) => {
                if !self.meter.heard(delta) {
                    return Some(Err(too_long(self.meter.most)));
                }
            }
            ModelEvent::Usage(usage) => self.usage = *usage,
            ModelEvent::Stop(StopReason::MaxTokens) => lock(&self.meter.used).cut = true,
            ModelEvent::ToolCall(_) | ModelEvent::Block(_) | ModelEvent::Stop(_) | _ => {}
        }
        Some(Ok(event))
    }
}

impl Drop for Counting {
    /// However a reply ends, what it used is used.
    fn drop(&mut self) {
        lock(&self.meter.used).usage += self.usage;
    }
}

impl Metered {
    /// Keeps what was said; false where that is more than is read.
    fn heard(&self, delta: &str) -> bool {
        let mut used = lock(&self.used);
        let room = self.most.saturating_sub(used.text.len());
        let end = floor(delta, room);
        used.text.push_str(&delta[..end]);
        used.cut |= end < delta.len();
        if used.text.len() >= used.told + STEP {
            used.told = used.text.len();
            self.context.progress(&used.text, "");
        }
        !used.cut
    }
}

fn too_long(most: usize) -> ModelError {
    let message = format!("the reply is longer than the {most} bytes that are read of it");
    ModelError::new(StopError::MaxOutputTokens, message)
}

fn lock(used: &Mutex<Used>) -> MutexGuard<'_, Used> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}
