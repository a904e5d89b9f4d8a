//! One hook on a sample of its event, in a scratch directory, as `check --probe` does it.

use std::path::Path;

use hook_runner::{Hook, HookRunner};
use hook_types::HookEvent;

use super::change::{Change, Proposal};
use super::items::Item;
use crate::config_args::Project;
use crate::failure::Failure;
use crate::probe;
use crate::render::{self, Look, rows};
use crate::world::World;

/// The hook of a row.
fn hook<'a>(id: &str, project: &'a Project) -> Result<&'a Hook, Failure> {
    let mut hooks = project.loaded.hooks.hooks();
    let found = hooks.find(|(hook, _)| hook.get_id().is_some_and(|known| known.as_str() == id));
    found
        .map(|(hook, _)| hook)
        .ok_or_else(|| Failure::invalid("it is not among the hooks that can run; Enter says why"))
}

/// The first sample that the hook listens to.
pub(crate) fn event(item: &Item, project: &Project) -> Result<HookEvent, Failure> {
    let hook = hook(&item.row.id, project)?;
    let samples = probe::events(hook, &project.root)?;
    samples.into_iter().next().ok_or_else(|| unfit(item))
}

fn unfit(item: &Item) -> Failure {
    let matcher = &item.row.matcher;
    Failure::invalid(format!("no sample fits `{matcher}`"))
        .help("`hookline fire` takes an input of yours")
}

/// What would be run, and on what.
pub(crate) fn proposal(item: &Item, project: &Project) -> Result<Proposal, Failure> {
    let hook = hook(&item.row.id, project)?;
    let samples = probe::events(hook, Path::new("(scratch directory)"))?;
    let event = samples.into_iter().next().ok_or_else(|| unfit(item))?;
    let input = serde_json::to_string_pretty(&event)
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let command = render::indent(&item.row.runs, "  $ ");
    Ok(Proposal {
        title: "Run it once".to_owned(),
        text: format!(
            "{command}\nIt runs now, alone, in a scratch directory, and is told:\n\n{input}\n"
        ),
        change: Change::Run(item.row.id.clone()),
    })
}

/// Runs it; what it did, in text. Dropping this kills what it started.
pub(crate) async fn run(
    id: &str,
    project: &Project,
    world: &World,
    look: Look,
) -> Result<String, Failure> {
    let scratch = tempfile::Builder::new()
        .prefix("hookline-try-")
        .tempdir()
        .map_err(|error| Failure::invalid(format!("cannot make a scratch directory: {error}")))?;
    let hook = hook(id, project)?;
    let samples = probe::events(hook, scratch.path())?;
    let event = samples.into_iter().next();
    let event = event.ok_or_else(|| Failure::invalid("no sample fits its matcher"))?;
    let runner = probe::alone(hook, project, world, event.base())?;
    let plan = render::plan(&runner, event.clone(), rows(&project.loaded.report));
    let fired = runner.fire_event(event).await;
    runner.close(probe::LIMIT).await;
    let depth = render::Depth::Facts;
    Ok(plan.rest(&fired, depth, look) + &render::firing(&fired, &plan, depth, look))
}
