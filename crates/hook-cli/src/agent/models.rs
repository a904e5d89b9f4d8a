//! The kinds of models that `--model KIND:NAME` can name. A new kind is one row.

use std::path::Path;
use std::sync::Arc;

use agent_loop::{
    Model, ModelError, ModelEvent, ModelRequest, ReplyStream, Scripted, StopReason, reply_with,
};
use async_trait::async_trait;

use super::network_models as network;
use crate::failure::Failure;
use crate::world::World;

/// A kind of model.
struct Kind {
    /// What stands before the colon.
    name: &'static str,
    /// What stands behind it.
    argument: &'static str,
    /// What it is.
    about: &'static str,
    open: fn(&str, &World) -> Opened,
}

pub(super) type Opened = Result<Arc<dyn Model>, Failure>;

/// Every kind.
const KINDS: &[Kind] = &[
    Kind {
        name: "scripted",
        argument: "FILE",
        about: "a file of turns, played without key or network",
        open: scripted,
    },
    Kind {
        name: "anthropic",
        argument: "NAME",
        about: "a model of Anthropic's",
        open: network::anthropic,
    },
    Kind {
        name: "openai",
        argument: "NAME",
        about: "a model of OpenAI's, or of a server that speaks the same",
        open: network::openai,
    },
];

/// The model of that name. Without a name: one that says what it is.
pub(crate) fn open(name: Option<&str>, world: &World) -> Opened {
    let Some(name) = name else {
        return Ok(Arc::new(StandIn));
    };
    let Some((kind, argument)) = name.split_once(':') else {
        let wrong = format!("`{name}` does not say what kind of model it is");
        return Err(Failure::invalid(wrong).help(choices()));
    };
    let Some(known) = KINDS.iter().find(|known| known.name == kind) else {
        let wrong = format!("there is no kind of model called `{kind}`");
        return Err(Failure::invalid(wrong).help(choices()));
    };
    if argument.is_empty() {
        let wrong = format!("`{name}` lacks what comes behind the colon");
        return Err(Failure::invalid(wrong).help(choices()));
    }
    (known.open)(argument, world)
}

/// Whether that is what stands before the colon of a model's name.
pub(crate) fn is_kind(word: &str) -> bool {
    KINDS.iter().any(|known| known.name == word)
}

/// What `--model` takes, for its help.
pub(crate) fn models_help() -> String {
    let kinds = KINDS
        .iter()
        .map(|kind| format!("{}:{}, {}", kind.name, kind.argument, kind.about));
    let kinds = kinds.collect::<Vec<_>>().join("; ");
    format!("The model: {kinds}. Without one, a script of one sentence stands in")
}

/// The kinds, for a remedy.
fn choices() -> String {
    let kinds = KINDS
        .iter()
        .map(|kind| format!("{}:{}", kind.name, kind.argument));
    format!("--model takes {}", kinds.collect::<Vec<_>>().join(", "))
}

fn scripted(file: &str, world: &World) -> Opened {
    let here = world.directory.as_deref().unwrap_or(Path::new("."));
    let path = here.join(file);
    let help = "a script is JSON: [{\"say\": \"Hello.\"}]; docs/run.md has the fields";
    let text =
        std::fs::read_to_string(&path).map_err(|why| Failure::unreadable(&path, why).help(help))?;
    let model = Scripted::from_json(&text)
        .map_err(|why| Failure::invalid(format!("{}: {why}", path.display())).help(help))?;
    Ok(Arc::new(model))
}

/// Stands in for a model where none was named: says so, as often as it is asked. Everything around it is
/// real.
struct StandIn;

const WHAT_IT_IS: &str = "I am not a model: none was named, so a script of one sentence stands in. \
    The hooks around this turn were real. Name a model with --model, or a script with \
    --model scripted:FILE.";

#[async_trait]
impl Model for StandIn {
    fn name(&self) -> &'static str {
        "stand-in"
    }

    async fn stream(&self, _: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let words = WHAT_IT_IS.split_inclusive(' ');
        let words = words.map(|word| ModelEvent::Text(word.to_owned()));
        Ok(reply_with(
            words.chain([ModelEvent::Stop(StopReason::EndTurn)]),
        ))
    }
}
