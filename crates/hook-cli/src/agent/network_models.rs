//! Models that are asked over the network, in a build with the feature `network`.

use super::models::Opened;
use crate::failure::Failure;
use crate::world::World;

#[cfg(feature = "network")]
pub(super) fn anthropic(name: &str, world: &World) -> Opened {
    let settings = agent_models::Settings::of_anthropic(name, world.texts());
    let model = settings.and_then(agent_models::Anthropic::new);
    Ok(std::sync::Arc::new(model.map_err(|why| unfit(&why))?))
}

#[cfg(feature = "network")]
pub(super) fn openai(name: &str, world: &World) -> Opened {
    let settings = agent_models::Settings::of_openai(name, world.texts());
    let model = settings.and_then(agent_models::OpenAi::new);
    Ok(std::sync::Arc::new(model.map_err(|why| unfit(&why))?))
}

#[cfg(feature = "network")]
fn unfit(why: &agent_models::BadSettings) -> Failure {
    Failure::invalid(why.to_string()).help("docs/models.md has the variables")
}

#[cfg(not(feature = "network"))]
pub(super) fn anthropic(_: &str, _: &World) -> Opened {
    Err(unavailable("anthropic"))
}

#[cfg(not(feature = "network"))]
pub(super) fn openai(_: &str, _: &World) -> Opened {
    Err(unavailable("openai"))
}

#[cfg(not(feature = "network"))]
fn unavailable(kind: &str) -> Failure {
    let wrong = format!("this build of hookline has no models of the kind `{kind}`");
    let help = "build it with them: cargo install --path crates/hook-cli --features network; or play a \
        script, without key or network: --model scripted:FILE";
    Failure::invalid(wrong).help(help)
}
