//! A hook that asks a model one question.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{ChatMessage, Model, ModelError, ModelRequest};
use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::wire::Extent;
use hook_types::{Code, Diagnostic, HookKind, Reply, Status};
use serde_json::json;

use crate::account::Account;
use crate::ask::ask;
use crate::consequence::{Consequence, OnBlock, consequence};
use crate::instructions;
use crate::judge::{Manner, Words, finished, unfinished, unheeded};
use crate::meter::{MOST_REPLY, Metered};
use crate::models::Models;
use crate::question::{MOST_INPUT, Prompt, Question, most_for};

/// The kind, as `type` has it.
pub(crate) const PROMPT: &str = "prompt";
/// How long it may take where nobody says otherwise.
const LIMIT: Duration = Duration::from_secs(30);

/// A hook that asks a model one question: the type `prompt`.
///
/// The prompt's `$ARGUMENTS` is replaced by the event's input; a prompt without it has the input behind
/// it. `\$` is a dollar sign. The model answers `{"ok": true}`, or `{"ok": false, "reason": "…"}`; what the
/// second does is the event's own ([`consequence`]).
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
    prompt: Prompt,
    models: Arc<dyn Models>,
    model: Option<String>,
    on_block: OnBlock,
    most_input: usize,
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
            prompt: Prompt::new(prompt),
            models,
            model: None,
            on_block: OnBlock::End,
            most_input: MOST_INPUT,
            most_reply: MOST_REPLY,
        }
    }

    /// Asks the model of that name.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
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
        self.most_input = bytes;
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
        let mut account = Account::of(&*model, &question.text);
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
        let mut reply = match done {
            Some(Ok(())) => finished(event, manner, &used.text, extent),
            // The reply was long enough.
            Some(Err(_)) if used.cut => finished(event, manner, &used.text, Extent::Cut),
            Some(Err(error)) => unfinished(event, Status::Failed(told(&error)), &used.text),
            None => {
                let limit = context.limit();
                unfinished(event, Status::TimedOut { limit }, &used.text)
            }
        };
        reply.diagnostics.extend(left_out(question.left_out));
        account.used(used.requests, used.usage, &*model);
        reply.evidence = account.evidence(&used.text, used.cut);
        reply
    }
}

/// What is said of a model that failed.
pub(crate) fn told(error: &ModelError) -> String {
    format!("the model could not be asked: {error}")
}

/// Says so where the model was not told all.
pub(crate) fn left_out(bytes: usize) -> Option<Diagnostic> {
    let message = format!("{bytes} bytes of the input were not shown to the model");
    (bytes > 0).then(|| Diagnostic::new(Code::Cut, message))
}

#[async_trait]
impl Handler for PromptHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        let event = input.name();
        if consequence(event, self.on_block) == Consequence::Nothing {
            return unheeded(event, PROMPT);
        }
        let model = match self.models.model(self.model.as_deref()) {
            Ok(model) => model,
            Err(why) => return Reply::with_status(Status::LaunchFailed(why)),
        };
        let most = most_for(&*model, self.most_input);
        match self.prompt.about(input.json(), most) {
            Ok(question) => self.ask(model, question, &input, context).await,
            Err(why) => Reply::with_status(Status::LaunchFailed(why)),
        }
    }

    fn describe(&self) -> Description {
        describe(PROMPT, &self.prompt, self.model.as_deref(), self.on_block)
    }

    fn identity(&self) -> Option<String> {
        let (prompt, model) = (self.prompt.as_str(), self.model.as_deref());
        Some(json!([PROMPT, prompt, model, self.on_block == OnBlock::Continue]).to_string())
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }
}

/// A hook that asks a model, for people.
pub(crate) fn describe(
    kind: &str,
    prompt: &Prompt,
    model: Option<&str>,
    on_block: OnBlock,
) -> Description {
    let mut description = Description::new(HookKind::Other(kind.to_owned()), prompt.as_str());
    let model = model.unwrap_or("of the session");
    description.details = vec![("model".to_owned(), model.to_owned())];
    if kind == PROMPT && on_block == OnBlock::Continue {
        let goes_on = ("continueOnBlock".to_owned(), "true".to_owned());
        description.details.push(goes_on);
    }
    description
}

impl fmt::Debug for PromptHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptHook")
            .field("prompt", &self.prompt.as_str())
            .field("model", &self.model)
            .field("on_block", &self.on_block)
            .finish_non_exhaustive()
    }
}
