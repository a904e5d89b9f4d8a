//! All that is known of a hook, in text.

use super::items::{self, Item};
use super::sample;
use crate::config_args::Project;
use crate::firing;
use crate::render::{self, Add, Look};
use crate::world::World;

/// What a hook is called.
pub(crate) fn title(item: &Item) -> String {
    if item.row.id.is_empty() {
        item.row.event.to_string()
    } else {
        item.row.id.clone()
    }
}

/// What it does, how it is switched off, and whether it would run at a sample of its event.
pub(crate) fn text(item: &Item, project: &Project, world: &World, look: Look) -> String {
    let row = &item.row;
    let mut text = render::table(std::slice::from_ref(row), look);
    text.add("\nIt runs\n");
    text.add(render::indent(&row.runs, "  $ "));
    text.add(format!(
        "\nIt is of the layer `{}`, and is switched off and on by {}.\n",
        row.layer,
        item.switch.told()
    ));
    for opaque in &row.opaque {
        text.add(format!("An approval does not cover {opaque}.\n"));
    }
    text.add(at_a_sample(item, project, world, look));
    text
}

fn at_a_sample(item: &Item, project: &Project, world: &World, look: Look) -> String {
    let event = match sample::event(item, project) {
        Ok(event) => event,
        Err(failure) => return format!("\n{failure}\n"),
    };
    let title = firing::title(&event);
    let runner = firing::runner(project, world, event.base());
    let plan = render::plan(&runner, event, render::rows(&project.loaded.report));
    let (runs, why) = items::why(item, &plan.json());
    let would = if runs { "would run" } else { "would not run" };
    format!(
        "\nAt {title}, as a sample has it, it {would}: {why}.\n\nAll hooks there, in order\n{}",
        plan.text(look)
    )
}
