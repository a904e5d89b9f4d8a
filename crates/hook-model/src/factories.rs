//! Entries of type `prompt` and `agent` in files.

use std::path::PathBuf;
use std::sync::Arc;

use agent_loop::Permissions;
use hook_config::{Action, Entry, Factories, Setting};
use hook_runner::Handler;
use serde_json::{Map, Value};

use crate::agent_hook::{AGENT, AgentHook};
use crate::models::Models;
use crate::prompt_hook::{PROMPT, PromptHook};

/// Makes the hooks of type `prompt` and `agent` that files have.
///
/// ```
/// use agent_loop::{Scene, Scripted};
/// use hook_config::{Factories, Options};
/// use hook_model::{ModelHooks, one_model};
/// use hook_shell::Host;
///
/// let models = one_model(Scripted::new([Scene::say(r#"{"ok": true}"#)]));
/// let factories = ModelHooks::new(models).add_to(Factories::new());
/// assert!(factories.knows("prompt") && factories.knows("agent"));
/// let options = Options::new(Host::new()).factories(factories);
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct ModelHooks {
    models: Arc<dyn Models>,
    permissions: Permissions,
    transcripts: Option<PathBuf>,
}

impl ModelHooks {
    /// Hooks that ask these models.
    pub fn new(models: impl Models) -> Self {
        Self {
            models: Arc::new(models),
            permissions: Permissions::default(),
            transcripts: None,
        }
    }

    /// Has verifiers obey these rules.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Keeps the transcripts of verifiers in that directory.
    #[must_use]
    pub fn transcripts_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.transcripts = Some(directory.into());
        self
    }

    /// The same factories, and those of `prompt` and `agent`.
    #[must_use]
    pub fn add_to(self, factories: Factories) -> Factories {
        let agents = self.clone();
        factories
            .with(PROMPT, move |entry: &Entry, _: &Setting<'_>| {
                self.prompt(entry)
            })
            .with(AGENT, move |entry: &Entry, _: &Setting<'_>| {
                agents.agent(entry)
            })
    }

    fn prompt(&self, entry: &Entry) -> Result<Arc<dyn Handler>, String> {
        let fields = fields(entry)?;
        let mut hook = PromptHook::shared(words(fields)?, Arc::clone(&self.models));
        if let Some(name) = name(fields) {
            hook = hook.model(name);
        }
        if fields.get("continueOnBlock") == Some(&Value::Bool(true)) {
            hook = hook.continue_on_block();
        }
        Ok(Arc::new(hook))
    }

    fn agent(&self, entry: &Entry) -> Result<Arc<dyn Handler>, String> {
        let fields = fields(entry)?;
        let mut hook = AgentHook::shared(words(fields)?, Arc::clone(&self.models))
            .permissions(self.permissions.clone());
        if let Some(name) = name(fields) {
            hook = hook.model(name);
        }
        if let Some(directory) = &self.transcripts {
            hook = hook.transcripts_in(directory);
        }
        Ok(Arc::new(hook))
    }
}

impl std::fmt::Debug for ModelHooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelHooks")
            .field("transcripts", &self.transcripts)
            .finish_non_exhaustive()
    }
}

fn fields(entry: &Entry) -> Result<&Map<String, Value>, String> {
    match &entry.action {
        Action::Other { fields, .. } => Ok(fields),
        Action::Command(_) | Action::Server(_) | _ => {
            Err("the entry is of another type".to_owned())
        }
    }
}

/// The prompt, which says something.
fn words(fields: &Map<String, Value>) -> Result<&str, String> {
    let prompt = fields.get("prompt").and_then(Value::as_str);
    let prompt = prompt.filter(|prompt| !prompt.trim().is_empty());
    prompt.ok_or_else(|| "`prompt` says nothing; write what the model is to judge".to_owned())
}

fn name(fields: &Map<String, Value>) -> Option<&str> {
    let name = fields.get("model").and_then(Value::as_str);
    name.filter(|name| !name.trim().is_empty())
}
