//! Firing one event from the command line.

use std::time::Duration;

use hook_runner::{Fired, HookRunner, Policy, Runner, Session};
use hook_shell::Host;
use hook_types::{Base, HookEvent, Outcome};

use crate::config_args::Project;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::clean;
use crate::world::World;

/// How long background hooks may still run when the command is done.
const GRACE: Duration = Duration::from_secs(5);

/// A runner for the project's hooks.
pub(crate) fn runner(project: &Project, world: &World, base: &Base) -> Runner {
    let mut session = Session::new(base.clone());
    session.project_dir = project.root.display().to_string();
    session.home = world.home().map(|home| home.display().to_string());
    session.interactive = false;
    Runner::with(project.loaded.hooks.clone(), session, Policy::default())
}

/// Fires an event; nothing if somebody pressed Ctrl-C meanwhile, and then nothing is left running.
pub(crate) fn fire(
    runner: &Runner,
    host: &Host,
    event: HookEvent,
    _output: &mut Output,
) -> Result<Option<Fired>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::invalid(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let fired = tokio::select! {
            fired = runner.fire_event(event) => Some(fired),
            _ = tokio::signal::ctrl_c() => None,
        };
        runner
            .close(if fired.is_some() {
                GRACE
            } else {
                Duration::ZERO
            })
            .await;
        host.close().await;
        Ok(fired)
    })
}

/// The event and its subject.
pub(crate) fn title(event: &HookEvent) -> String {
    match event.subject().text() {
        Some(subject) if !subject.is_empty() => format!("{}:{}", event.name(), clean(subject)),
        _ => event.name().to_string(),
    }
}

/// What a script is told of an outcome.
pub(crate) fn exit(outcome: &Outcome) -> Exit {
    if outcome.stop.is_some() || outcome.is_denied() || outcome.keeps_going() {
        Exit::Prevented
    } else {
        Exit::Done
    }
}
