//! Firing one event from the command line.

use std::time::Duration;

use hook_runner::{Fired, Group, Hook, HookRunner, HookSet, Policy, Runner, Session};
use hook_shell::Host;
use hook_types::{Base, HookEvent, Outcome};

use crate::config_args::Project;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::render::clean_line;
use crate::runtime::runtime;
use crate::world::World;

/// How long background hooks may still run when the command is done.
const GRACE: Duration = Duration::from_secs(5);

/// How often what goes on is drawn anew.
const FRAME: Duration = Duration::from_millis(100);

/// A runner for the project's hooks.
pub(crate) fn runner(project: &Project, world: &World, base: &Base) -> Runner {
    let hooks = project.loaded.hooks.clone();
    Runner::with(hooks, session(project, world, base), Policy::default())
}

/// A runner with nothing but this hook.
pub(crate) fn alone(
    hook: Hook,
    project: &Project,
    world: &World,
    base: &Base,
) -> Result<Runner, Failure> {
    let set = HookSet::builder()
        .group(Group::parallel().hook(hook))
        .build()
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let session = session(project, world, base);
    Ok(Runner::with(set, session, Policy::default()))
}

fn session(project: &Project, world: &World, base: &Base) -> Session {
    let mut session = Session::new(base.clone());
    session.project_dir = project.root.display().to_string();
    session.home = world.home().map(|home| home.display().to_string());
    session.interactive = false;
    session
}

/// Fires an event; nothing if somebody pressed Ctrl-C meanwhile, and then nothing is left running.
pub(crate) fn fire(
    runner: &Runner,
    project: &Project,
    event: HookEvent,
    output: &Output,
) -> Result<Option<Fired>, Failure> {
    let runtime = runtime()?;
    let label = label(runner, &event);
    runtime.block_on(async {
        let firing = async {
            let report = &project.loaded.report;
            project.mcp.connect_for(runner, report, &event).await;
            runner.fire_event(event).await
        };
        let fired = watched(firing, output.progress(), &label).await;
        runner
            .close(if fired.is_some() {
                GRACE
            } else {
                Duration::ZERO
            })
            .await;
        project.host.close().await;
        project.mcp.close().await;
        Ok(fired)
    })
}

/// Does work that fires events, until somebody presses Ctrl-C. Nothing is left running.
pub(crate) fn until_interrupted<T>(
    host: &Host,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<Option<T>, Failure> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let done = tokio::select! {
            done = work => done.map(Some),
            _ = tokio::signal::ctrl_c() => Ok(None),
        };
        host.close().await;
        done
    })
}

/// Fires while somebody looks on. What was started ends with this, if it was interrupted.
async fn watched(
    firing: impl Future<Output = Fired>,
    mut progress: Progress,
    label: &str,
) -> Option<Fired> {
    let mut frames = tokio::time::interval(FRAME);
    let mut firing = std::pin::pin!(firing);
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        tokio::select! {
            fired = &mut firing => return Some(fired),
            _ = &mut interrupted => return None,
            _ = frames.tick() => progress.spin(label),
        }
    }
}

/// What people are shown while the hooks run: what the hooks say of themselves.
fn label(runner: &Runner, event: &HookEvent) -> String {
    let set = runner.hooks();
    let explained = runner.explain(event);
    let running = explained.iter().filter(|hook| hook.skipped.is_none());
    let said = running.clone().filter_map(|explained| {
        let mut hooks = set.hooks();
        let (hook, _) = hooks.find(|(hook, _)| hook.get_id() == Some(&explained.hook.id))?;
        hook.get_status_message().map(str::to_owned)
    });
    let said: Vec<String> = said.collect();
    if said.is_empty() {
        format!("{} hooks for {}", running.count(), title(event))
    } else {
        said.join(", ")
    }
}

/// The event and its subject.
pub(crate) fn title(event: &HookEvent) -> String {
    match event.subject().text() {
        Some(subject) if !subject.is_empty() => format!("{}:{}", event.name(), clean_line(subject)),
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
