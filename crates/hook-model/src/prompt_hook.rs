//! A hook that asks a model one question.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{ChatMessage, Model, ModelRequest};
use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::wire::Extent;
use hook_types::{Reply, Status};
use serde_json::json;

use crate::account::Account;
use crate::ask::ask;
use crate::asking::{Asking, accounted, told};
use crate::consequence::OnBlock;
use crate::instructions;
use crate::judge::{Manner, Words, finished, unfinished};
use crate::meter::{MOST_REPLY, Metered};
use crate::models::Models;
use crate::question::Question;

/// The kind, as `type` has it.
pub(crate) const PROMPT: &str = "prompt";
/// How long it may take where nobody says otherwise.
const LIMIT: Duration = Duration::from_secs(30);

/// A hook that asks a model one question: the type `prompt`.
///
/// The prompt's `$ARGUMENTS` is replaced by the event's input; a prompt without it has the input behind
/// it. `\$` is a dollar sign. The model answers `{"ok": true}`, or `{"ok": false, "reason": "…"}`; what the
/// second does is the event's own ([`consequence`](fn@crate::consequence)).
///
/// ```
/// use agent_loop::{Scene, Scripted};
/// use hook_model::{PromptHook, one_model};
/// use hook_runner::{Fire, HookSet, Runner};
/// use hook_types::Stop;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let model = Scripted::new([Scene::say(r#"{"ok": false, "reason": "the tests were not run"}"#)]);
/// let hook = PromptHook::new("Have the tests been run? $ARGUMENTS", one_model(model));
/// let runner = Runner::new(HookSet::builder().hook::<Stop>("", hook).build()?);
///
/// let verdict = runner.fire(Stop::new(false)).await;
/// let blocked = verdict.into_result().unwrap_err();
/// assert_eq!(blocked.reason.as_deref(), Some("the tests were not run"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PromptHook {
    asking: Asking,
    on_block: OnBlock,
    most_reply: usize,
}

impl PromptHook {
    /// Asks the model for work in the background, with these words.
    pub fn new(prompt: impl Into<String>, models: impl Models) -> Self {
        Self::shared(prompt, Arc::new(models))
    }

    /// The same, where many hooks share who finds their models.
    pub fn shared(prompt: impl Into<String>, models: Arc<dyn Models>) -> Self {
        Self {
            asking: Asking::new(PROMPT, prompt, models),
            on_block: OnBlock::End,
            most_reply: MOST_REPLY,
        }
    }

    /// Asks the model of that name.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.asking.model = Some(name.into());
        self
    }

    /// Lets the turn go on where something is not ok and the event leaves a choice.
    #[must_use]
    pub fn continue_on_block(mut self) -> Self {
        self.on_block = OnBlock::Continue;
        self
    }

    /// Tells the model no more of an input than that many bytes: its beginning and its end. Else 128 KiB.
    #[must_use]
    pub fn most_input(mut self, bytes: usize) -> Self {
        self.asking.most_input = bytes;
        self
    }

    /// Reads no more of a reply than that many bytes. Else 64 KiB.
    #[must_use]
    pub fn most_reply(mut self, bytes: usize) -> Self {
        self.most_reply = bytes;
        self
    }

    async fn ask(
        &self,
        model: Arc<dyn Model>,
        question: Question,
        input: &Input,
        context: &HookContext,
    ) -> Reply {
        let event = input.name();
        let account = Account::of(&*model, &question.text);
        let metered = Metered::new(Arc::clone(&model), context, self.most_reply);
        let mut request = ModelRequest::default();
        model.name().clone_into(&mut request.model);
        request.system = instructions::for_a_question(event);
        request.messages = vec![ChatMessage::user(question.text)];
        let asking = ask(&metered, request, context.time_left());
        let done = context.in_time(asking).await;
        let used = metered.used();
        let extent = if used.cut { Extent::Cut } else { Extent::Whole };
        let manner = Manner {
            on_block: self.on_block,
            words: Words::All,
        };
        let reply = match done {
            Some(Ok(())) => finished(event, manner, &used.text, extent),
            // The reply was long enough.
            Some(Err(_)) if used.cut => finished(event, manner, &used.text, Extent::Cut),
            Some(Err(error)) => unfinished(event, Status::Failed(told(&error)), &used.text),
            None => {
                let limit = context.limit();
                unfinished(event, Status::TimedOut { limit }, &used.text)
            }
        };
        accounted(reply, account, question.left_out, &used, &*model)
    }
}

#[async_trait]
impl Handler for PromptHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        match self.asking.about(&input, self.on_block) {
            Ok((model, question)) => self.ask(model, question, &input, context).await,
            Err(reply) => *reply,
        }
    }

    fn describe(&self) -> Description {
        let mut description = self.asking.describe();
        if self.on_block == OnBlock::Continue {
            let goes_on = ("continueOnBlock".to_owned(), "true".to_owned());
            description.details.push(goes_on);
        }
        description
    }

    fn identity(&self) -> Option<String> {
        let (prompt, model) = (self.asking.words(), self.asking.model.as_deref());
        Some(json!([PROMPT, prompt, model, self.on_block == OnBlock::Continue]).to_string())
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }
}

impl fmt::Debug for PromptHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptHook")
            .field("prompt", &self.asking.words())
            .field("model", &self.asking.model)
            .field("on_block", &self.on_block)
            .finish_non_exhaustive()
    }
}
