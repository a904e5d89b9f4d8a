//! The models that hooks ask: those of type `prompt` and `agent`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use agent_loop::{Model, Permissions};
use hook_model::{ModelHooks, Models};

use super::models::open;
use crate::failure::Failure;
use crate::world::World;

/// The kind that only a person names: an entry of a file could otherwise bring its own answers along.
const SCRIPTED: &str = "scripted";

/// Who answers hooks that ask a model, and what their verifiers obey. Without one such hooks fail when
/// they are to ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct HookModels {
    known: Option<Arc<Known>>,
    permissions: Permissions,
    transcripts: Option<PathBuf>,
}

/// The model that hooks ask which name none, and how others are found.
struct Known {
    /// What stands before the colon of its name.
    kind: String,
    model: Arc<dyn Model>,
    world: World,
    /// Those that hooks have named so far.
    opened: Mutex<BTreeMap<String, Arc<dyn Model>>>,
}

impl HookModels {
    /// The model of that name; without one, none.
    pub(crate) fn open(name: Option<&str>, world: &World) -> Result<Self, Failure> {
        let Some(name) = name else {
            return Ok(Self::default());
        };
        let model = open(Some(name), world)?;
        Ok(Self::default().or(Some(name), &model, world))
    }

    /// This model, where there is none yet.
    pub(crate) fn or(mut self, name: Option<&str>, model: &Arc<dyn Model>, world: &World) -> Self {
        let kind = name.and_then(|name| name.split_once(':'));
        if let (None, Some((kind, _))) = (&self.known, kind) {
            self.known = Some(Arc::new(Known {
                kind: kind.to_owned(),
                model: Arc::clone(model),
                world: world.clone(),
                opened: Mutex::default(),
            }));
        }
        self
    }

    /// Has verifiers obey these rules, and keep their transcripts there.
    pub(crate) fn verifying(
        mut self,
        permissions: Permissions,
        transcripts: Option<PathBuf>,
    ) -> Self {
        self.permissions = permissions;
        self.transcripts = transcripts;
        self
    }

    /// What makes the hooks of files.
    pub(crate) fn hooks(&self) -> ModelHooks {
        let known = self.known.clone();
        let models = move |name: Option<&str>| match &known {
            Some(known) => known.model(name),
            None => {
                Err("no model was named for it; name one with --hook-model KIND:NAME".to_owned())
            }
        };
        let hooks = ModelHooks::new(models).permissions(self.permissions.clone());
        match &self.transcripts {
            Some(directory) => hooks.transcripts_in(directory),
            None => hooks,
        }
    }
}

impl Models for Known {
    /// A name without a kind is one of the same kind; of a script there is only the one.
    fn model(&self, name: Option<&str>) -> Result<Arc<dyn Model>, String> {
        let Some(name) = name else {
            return Ok(Arc::clone(&self.model));
        };
        let full = match name.split_once(':') {
            Some((SCRIPTED, _)) => {
                return Err("a hook cannot name a script; --hook-model does".to_owned());
            }
            Some((kind, _)) if super::models::is_kind(kind) => name.to_owned(),
            _ if self.kind == SCRIPTED => return Ok(Arc::clone(&self.model)),
            _ => format!("{}:{name}", self.kind),
        };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = opened.get(&full) {
            return Ok(Arc::clone(model));
        }
        let model = open(Some(&full), &self.world).map_err(|why| why.to_string())?;
        opened.insert(full, Arc::clone(&model));
        Ok(model)
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known")
            .field("kind", &self.kind)
            .field("model", &self.model.name())
            .finish_non_exhaustive()
    }
}

/// What `--hook-model` is, for its help.
pub(crate) fn hook_models_help(without: &str) -> String {
    format!(
        "The model that hooks of type prompt and agent ask, as --model of run names one; {without}"
    )
}

#[cfg(test)]
mod tests {
    use agent_loop::Scripted;

    use super::*;

    fn known(kind: &str) -> Known {
        Known {
            kind: kind.to_owned(),
            model: Arc::new(Scripted::new([]).named("the script")),
            world: World::default(),
            opened: Mutex::default(),
        }
    }

    fn found(known: &Known, name: Option<&str>) -> Result<String, String> {
        known.model(name).map(|model| model.name().to_owned())
    }

    #[test]
    fn a_script_answers_for_every_model_and_no_file_names_one() {
        let script = known("scripted");
        for name in [
            None,
            Some("haiku"),
            Some("claude-haiku-4-5"),
            Some("llama3:8b"),
        ] {
            assert_eq!(found(&script, name).unwrap(), "the script", "{name:?}");
        }
        let why = found(&script, Some("scripted:yes.json")).unwrap_err();
        assert!(why.contains("cannot name a script"), "{why}");
    }
}
