//! What hooks that ask a model have in common: the words, whom they are put to, and what is told of it.

use std::sync::Arc;

use agent_loop::{Model, ModelError};
use hook_runner::{Description, Input};
use hook_types::{Code, Diagnostic, HookKind, Reply, Status};

use crate::account::Account;
use crate::consequence::{Consequence, OnBlock, consequence};
use crate::judge::unheeded;
use crate::meter::Used;
use crate::models::Models;
use crate::question::{MOST_INPUT, Prompt, Question, most_for};

/// The words of a hook, and the model that they are put to.
#[derive(Clone)]
pub(crate) struct Asking {
    /// The kind, as `type` has it.
    kind: &'static str,
    prompt: Prompt,
    models: Arc<dyn Models>,
    /// The model by its name; else the one for work in the background.
    pub(crate) model: Option<String>,
    /// The most of an input that the model is told, in bytes.
    pub(crate) most_input: usize,
}

impl Asking {
    pub(crate) fn new(
        kind: &'static str,
        prompt: impl Into<String>,
        models: Arc<dyn Models>,
    ) -> Self {
        Self {
            kind,
            prompt: Prompt::new(prompt),
            models,
            model: None,
            most_input: MOST_INPUT,
        }
    }

    /// Whom to ask what about an event; else the reply of a hook that asks nobody.
    pub(crate) fn about(
        &self,
        input: &Input,
        on_block: OnBlock,
    ) -> Result<(Arc<dyn Model>, Question), Box<Reply>> {
        let event = input.name();
        if consequence(event, on_block) == Consequence::Nothing {
            return Err(Box::new(unheeded(event, self.kind)));
        }
        let cannot = |why| Box::new(Reply::with_status(Status::LaunchFailed(why)));
        let model = self.models.model(self.model.as_deref()).map_err(cannot)?;
        let most = most_for(&*model, self.most_input);
        let question = self.prompt.about(input.json(), most).map_err(cannot)?;
        Ok((model, question))
    }

    /// The prompt as it is written.
    pub(crate) fn words(&self) -> &str {
        self.prompt.as_str()
    }

    /// The hook, for people.
    pub(crate) fn describe(&self) -> Description {
        let kind = HookKind::Other(self.kind.to_owned());
        let mut description = Description::new(kind, self.words());
        let model = self.model.as_deref().unwrap_or("of the session");
        description.details = vec![("model".to_owned(), model.to_owned())];
        description
    }
}

/// The reply with what it took: what was left out of the question, and what was used to answer it.
pub(crate) fn accounted(
    mut reply: Reply,
    mut account: Account,
    left_out: usize,
    used: &Used,
    model: &dyn Model,
) -> Reply {
    if left_out > 0 {
        let message = format!("{left_out} bytes of the input were not shown to the model");
        reply.diagnostics.push(Diagnostic::new(Code::Cut, message));
    }
    account.used(used.requests, used.usage, model);
    reply.evidence = account.evidence(&used.text, used.cut).into();
    reply
}

/// What is said of a model that failed.
pub(crate) fn told(error: &ModelError) -> String {
    format!("the model could not be asked: {error}")
}
