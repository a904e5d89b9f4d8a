//! A hook that has a verifier look around before it answers.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::tools::{Glob, Grep, Read};
use agent_loop::{Agent, Ending, Limits, Model, Permissions, Session, Toolbox, TurnResult};
use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::wire::Extent;
use hook_types::{EndReason, Reply, Status};
use serde_json::json;

use crate::account::Account;
use crate::asking::{Asking, accounted, told};
use crate::consequence::OnBlock;
use crate::instructions;
use crate::judge::{Manner, Words, finished, unfinished};
use crate::meter::{MOST_REPLY, Metered, Used};
use crate::models::Models;
use crate::question::Question;

/// The kind, as `type` has it.
pub(crate) const AGENT: &str = "agent";
/// How long it may take where nobody says otherwise.
const LIMIT: Duration = Duration::from_mins(1);
/// How often its model is asked.
const TURNS: u32 = 50;
/// What a verifier's refusal does: the turn goes on.
const MANNER: Manner = Manner {
    on_block: OnBlock::Continue,
    words: Words::NoImpossible,
};

/// A hook that has a verifier look around before it answers: the type `agent`.
///
/// The verifier is an agent of its own, with the tools `Read`, `Grep` and `Glob` and nothing else. It has
/// no hooks at all: what it does fires none, neither those that would start it again nor any other. It
/// answers as a [`PromptHook`](crate::PromptHook) with `continueOnBlock` does, but knows no `impossible`.
///
/// ```
/// use agent_loop::{Scene, Scripted};
/// use hook_model::{AgentHook, one_model};
/// use hook_runner::{Fire, HookSet, Runner};
/// use hook_types::Stop;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hook_runner::BuildError> {
/// let model = Scripted::new([
///     Scene::call("Grep", json!({"pattern": "no_such_text_anywhere", "path": "src"})),
///     Scene::say(r#"{"ok": false, "reason": "nothing tests the new function"}"#),
/// ]);
/// let hook = AgentHook::new("Is every new function tested?", one_model(model)).turns(10);
/// let runner = Runner::new(HookSet::builder().hook::<Stop>("", hook).build()?);
///
/// let blocked = runner.fire(Stop::new(false)).await.into_result().unwrap_err();
/// assert_eq!(blocked.reason.as_deref(), Some("nothing tests the new function"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AgentHook {
    asking: Asking,
    turns: u32,
    permissions: Permissions,
    transcripts: Option<PathBuf>,
}

impl AgentHook {
    /// Has a verifier answer these words, with the model for work in the background.
    pub fn new(prompt: impl Into<String>, models: impl Models) -> Self {
        Self::shared(prompt, Arc::new(models))
    }

    /// The same, where many hooks share who finds their models.
    pub fn shared(prompt: impl Into<String>, models: Arc<dyn Models>) -> Self {
        Self {
            asking: Asking::new(AGENT, prompt, models),
            turns: TURNS,
            permissions: Permissions::default(),
            transcripts: None,
        }
    }

    /// With the model of that name.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.asking.model = Some(name.into());
        self
    }

    /// Asks its model no more often than that; else 50 times.
    #[must_use]
    pub fn turns(mut self, most: u32) -> Self {
        self.turns = most;
        self
    }

    /// Under these rules: what they forbid to be read, the verifier does not read. Where they ask, nobody
    /// is there to be asked.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Keeps a transcript of each verifier in that directory.
    #[must_use]
    pub fn transcripts_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.transcripts = Some(directory.into());
        self
    }

    /// Tells the model no more of an input than that many bytes: its beginning and its end. Else 128 KiB.
    #[must_use]
    pub fn most_input(mut self, bytes: usize) -> Self {
        self.asking.most_input = bytes;
        self
    }

    fn verifier(&self, model: Metered, input: &Input, context: &HookContext) -> Agent {
        let limits = Limits {
            requests: Some(self.turns),
            ..Limits::default()
        };
        let tools = Toolbox::empty().with(Read).with(Grep).with(Glob);
        let mut agent = Agent::builder()
            .model(model)
            .tools(tools)
            .limits(limits)
            .permissions(self.permissions.clone())
            .system_prompt(instructions::for_a_verifier(input.name()))
            .without_subagents();
        let session = context.session();
        let told = [&input.base().cwd, &session.base.cwd, &session.project_dir];
        if let Some(cwd) = told.into_iter().find(|path| path.starts_with('/')) {
            agent = agent.cwd(cwd);
        }
        if session.project_dir.starts_with('/') {
            agent = agent.project_dir(&session.project_dir);
        }
        if let Some(home) = &session.home {
            agent = agent.home(home);
        }
        if let Some(directory) = &self.transcripts {
            agent = agent.transcripts_in(directory);
        }
        agent.build()
    }

    async fn verify(
        &self,
        model: Arc<dyn Model>,
        question: Question,
        input: &Input,
        context: &HookContext,
    ) -> Reply {
        let mut account = Account::of(&*model, &question.text);
        let metered = Metered::new(Arc::clone(&model), context, MOST_REPLY);
        let agent = self.verifier(metered.clone(), input, context);
        let mut session = agent.start().await;
        let path = session.transcript_path();
        account.transcript = Some(path).filter(|path| !path.is_empty());
        let done = context.in_time(session.prompt(question.text)).await;
        end(session).await;
        let used = metered.used();
        let reply = if let Some(result) = done {
            ended(input, &result, &used)
        } else {
            let limit = context.limit();
            unfinished(input.name(), Status::TimedOut { limit }, &used.text)
        };
        accounted(reply, account, question.left_out, &used, &*model)
    }
}

/// Ends a verifier's session: what it has said is written, and nothing of it goes on.
async fn end(session: Session) {
    session.end(EndReason::Unspecified).await;
}

/// What a verifier's turn came to.
fn ended(input: &Input, result: &TurnResult, used: &Used) -> Reply {
    let event = input.name();
    let said = used.text.as_str();
    let failed = |why: String| unfinished(event, Status::Failed(why), said);
    match &result.ending {
        Ending::Finished => finished(event, MANNER, said, Extent::Whole),
        Ending::Failed(_) if used.cut => finished(event, MANNER, said, Extent::Cut),
        Ending::Failed(error) => failed(told(error)),
        Ending::MaxRequests(most) => failed(format!(
            "the verifier asked its model {most} times and was not done"
        )),
        other @ (Ending::Refused(_)
        | Ending::EndedByHook(_)
        | Ending::Halted(_)
        | Ending::Interrupted
        | Ending::PermissionRefused(_)
        | Ending::Deferred(_)
        | _) => failed(format!("the verifier's turn ended: {}", other.word())),
    }
}

#[async_trait]
impl Handler for AgentHook {
    async fn handle(&self, input: Arc<Input>, context: &HookContext) -> Reply {
        match self.asking.about(&input, MANNER.on_block) {
            Ok((model, question)) => self.verify(model, question, &input, context).await,
            Err(reply) => *reply,
        }
    }

    fn describe(&self) -> Description {
        let mut description = self.asking.describe();
        let turns = ("turns".to_owned(), format!("at most {}", self.turns));
        description.details.push(turns);
        description
    }

    fn identity(&self) -> Option<String> {
        let (prompt, model) = (self.asking.words(), self.asking.model.as_deref());
        Some(json!([AGENT, prompt, model, self.turns]).to_string())
    }

    fn limit(&self) -> Option<Duration> {
        Some(LIMIT)
    }

    fn grace(&self) -> Duration {
        Duration::from_secs(1)
    }
}

impl fmt::Debug for AgentHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentHook")
            .field("prompt", &self.asking.words())
            .field("model", &self.asking.model)
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}
