//! Rounds of firings, interleaved: each round fires every hook once, and an empty command, so that
//! whatever else the machine does meets all of them alike.

use std::path::Path;
use std::time::{Duration, Instant};

use hook_runner::{Hook, HookRunner, Runner, Wait};
use hook_shell::ShellHook;
use hook_types::{EventName, HookEvent, SkipReason, Status};

use crate::config_args::Project;
use crate::failure::Failure;
use crate::firing::{alone, title};
use crate::probe;
use crate::progress::Progress;
use crate::runtime::runtime;
use crate::world::World;

/// How long a hook in the background may go on after its round.
const GRACE: Duration = Duration::from_secs(30);
/// How often somebody looks whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// What is measured.
pub(crate) struct Asked<'a> {
    /// The event to fire; none: a sample of each hook's own.
    pub(crate) event: Option<HookEvent>,
    /// Only hooks whose name has this in it.
    pub(crate) hook: Option<&'a str>,
    pub(crate) rounds: usize,
}

/// One who takes part: a hook, or the empty command.
pub(crate) struct Bout {
    /// The hook; none: the empty command.
    pub(crate) hook: Option<Hook>,
    pub(crate) id: String,
    pub(crate) sample: String,
    /// A time each round, in milliseconds.
    pub(crate) times: Vec<f64>,
    /// How often it failed, and how the last time.
    pub(crate) failures: usize,
    pub(crate) failure: Option<String>,
    /// Why it did not run at all.
    pub(crate) not_run: Option<String>,
    event: HookEvent,
    runner: Runner,
}

impl Bout {
    /// What it is, in a word or two.
    pub(crate) fn kind(&self) -> String {
        match &self.hook {
            None => "empty command".to_owned(),
            Some(hook) if hook.get_wait() != Wait::Awaited => "background".to_owned(),
            Some(hook) => hook.get_kind().as_str().to_owned(),
        }
    }

    /// What it is fired at, and what it is where it is no command that somebody waits for.
    pub(crate) fn what(&self) -> String {
        let kind = self.kind();
        match (&self.hook, kind.as_str()) {
            (None, _) => kind,
            (Some(_), "command") => self.sample.clone(),
            (Some(_), _) => format!("{}, {kind}", self.sample),
        }
    }

    /// The event that it is fired at.
    pub(crate) fn event(&self) -> EventName {
        self.event.name()
    }
}

/// Measures; nothing if somebody pressed Ctrl-C meanwhile, and then nothing is left running. The first
/// of the bouts is the empty command.
pub(crate) fn measure(
    asked: &Asked<'_>,
    project: &Project,
    world: &World,
    progress: Progress,
) -> Result<Option<Vec<Bout>>, Failure> {
    let runtime = runtime()?;
    let mut bouts = bouts(asked, project, world)?;
    runtime.block_on(async {
        let ended = tokio::select! {
            () = rounds(&mut bouts, asked.rounds, progress) => true,
            _ = tokio::signal::ctrl_c() => false,
        };
        for bout in &bouts {
            bout.runner.close(Duration::ZERO).await;
        }
        project.host.close().await;
        Ok(ended.then_some(bouts))
    })
}

/// Everybody who takes part.
fn bouts(asked: &Asked<'_>, project: &Project, world: &World) -> Result<Vec<Bout>, Failure> {
    let directory = world.directory.as_deref().unwrap_or(&project.root);
    let mut bouts = Vec::new();
    let all = project.loaded.hooks.hooks().map(|(hook, _)| hook);
    for hook in all.filter(|hook| hook.is_enabled()) {
        let id = hook.get_id().map(ToString::to_string).unwrap_or_default();
        if asked.hook.is_some_and(|part| !id.contains(part)) {
            continue;
        }
        if let Some(event) = sample(asked, hook, directory)? {
            let runner = alone(hook.clone(), project, world, event.base())?;
            bouts.push(bout(Some(hook.clone()), id, event, runner));
        }
    }
    let event = match (&asked.event, bouts.first()) {
        (Some(event), _) => event.clone(),
        (None, Some(bout)) => bout.event.clone(),
        (None, None) => return Ok(bouts),
    };
    let empty = ShellHook::new("true").host(&project.host);
    let hook = Hook::new(event.name(), empty).id("true");
    let runner = alone(hook, project, world, event.base())?;
    bouts.insert(0, bout(None, "true".to_owned(), event, runner));
    Ok(bouts)
}

fn bout(hook: Option<Hook>, id: String, event: HookEvent, runner: Runner) -> Bout {
    Bout {
        hook,
        id,
        sample: title(&event),
        times: Vec::new(),
        failures: 0,
        failure: None,
        not_run: None,
        event,
        runner,
    }
}

/// What a hook is fired at; none where what was asked for is none of its affairs.
fn sample(asked: &Asked<'_>, hook: &Hook, directory: &Path) -> Result<Option<HookEvent>, Failure> {
    let Some(event) = &asked.event else {
        return Ok(probe::events(hook, directory)?.into_iter().next());
    };
    let subject = event.subject();
    let fits = |text: &str| hook.get_matcher().matches(text).is_match();
    let is_its = event.name() == hook.get_event() && subject.text().is_none_or(fits);
    Ok(is_its.then(|| event.clone()))
}

/// One round that does not count, then those that do. Each begins with another one.
async fn rounds(bouts: &mut [Bout], rounds: usize, mut progress: Progress) {
    let many = bouts.len();
    for round in 0..=rounds {
        for place in 0..many {
            let Some(bout) = bouts.get_mut((place + round) % many) else {
                continue;
            };
            let label = format!("round {round} of {rounds}: {}", bout.id);
            progress.bar(round * many + place, (rounds + 1) * many, &label);
            if bout.not_run.is_none() {
                fire(bout, round > 0).await;
            }
        }
    }
}

async fn fire(bout: &mut Bout, counts: bool) {
    let event = bout.event.clone();
    let start = Instant::now();
    let fired = bout.runner.fire_event(event).await;
    let time = start.elapsed().as_secs_f64() * 1000.0;
    settle(&bout.runner).await;
    let status = fired
        .attempts
        .first()
        .map(|attempt| attempt.reply.status.clone());
    match status {
        None => bout.not_run = Some("no call that is known fits it".to_owned()),
        Some(Status::Skipped(why)) if bout.times.is_empty() => bout.not_run = Some(not_run(&why)),
        Some(Status::Skipped(_)) => {}
        Some(status) if counts => {
            bout.times.push(time);
            if status.is_failure() {
                bout.failures += 1;
                bout.failure = Some(status.to_string());
            }
        }
        Some(_) => {}
    }
}

fn not_run(why: &SkipReason) -> String {
    if matches!(why, SkipReason::Untrusted | SkipReason::Changed) {
        return format!("{why}; `hookline trust` shows and approves it");
    }
    why.to_string()
}

/// Lets what runs in the background end, so that rounds do not meet.
async fn settle(runner: &Runner) {
    let start = Instant::now();
    while runner.in_background() > 0 && start.elapsed() < GRACE {
        tokio::time::sleep(LOOK).await;
    }
    drop(runner.take_finished());
}
