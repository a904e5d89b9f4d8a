//! `hookline convert --check`: the file and the result, fired at the same samples.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hook_config::{
    ConfigFile, Document, FileState, Format, Layer, Loaded, Options, Origin, Parsed, Place, Places,
    Rewrites, convert_as, convert_only, parse, read, resolve,
};
use hook_runner::{Fired, HookRunner, Policy, Runner, Session};
use hook_shell::Host;
use hook_types::{Base, EventName, HookEvent};
use process_tree::{Environment, Watchdog};

use super::verdict::{Difference, differences, unseen};
use crate::failure::Failure;
use crate::firing::title;
use crate::probe::samples;
use crate::progress::Progress;
use crate::runtime::runtime;
use crate::world::World;

/// No hook of the source takes longer than this.
const LIMIT: Duration = Duration::from_secs(30);
/// What the result has beyond that: an adapter ends its command itself.
const MARGIN: Duration = Duration::from_secs(10);

/// What is compared, and where.
pub(crate) struct Check<'a> {
    pub(crate) document: &'a Document,
    pub(crate) from: Format,
    pub(crate) to: Format,
    /// What a rewrite becomes, where the target's agents may know exit codes alone.
    pub(crate) rewrites: Rewrites,
    /// Where hooks run; none: in a scratch directory.
    pub(crate) directory: Option<&'a Path>,
}

/// One sample at one hook, or at all of them.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The hook, by its place; none where all were there.
    pub(crate) hook: Option<Place>,
    /// The event and its subject.
    pub(crate) sample: String,
    pub(crate) differences: Vec<Difference>,
    /// Why nothing was seen of what the hook does.
    pub(crate) unseen: Option<String>,
}

/// Compares; nothing if somebody pressed Ctrl-C meanwhile, and then nothing is left running.
pub(crate) fn check(
    check: &Check<'_>,
    world: &World,
    progress: Progress,
) -> Result<Option<Vec<Compared>>, Failure> {
    let scratch = tempfile::Builder::new()
        .prefix("hookline-convert-")
        .tempdir()
        .map_err(|error| Failure::invalid(format!("cannot make a scratch directory: {error}")))?;
    let directory = match check.directory {
        Some(directory) => {
            std::path::absolute(directory).map_err(|why| Failure::unreadable(directory, why))?
        }
        None => scratch.path().to_owned(),
    };
    let watchdog = Watchdog::start().ok();
    let host = Host::with_environment(environment(world));
    let host = match &watchdog {
        Some(watchdog) => host.watched(watchdog.clone()),
        None => host,
    };
    let stage = Stage {
        directory,
        host,
        home: world.home(),
    };
    let runtime = runtime()?;
    runtime.block_on(async {
        let compared = tokio::select! {
            compared = all(check, &stage, progress) => Some(compared),
            _ = tokio::signal::ctrl_c() => None,
        };
        stage.host.close().await;
        compared.transpose()
    })
}

/// The environment, with this program on the path: results call it.
fn environment(world: &World) -> Environment {
    let environment: Environment = world
        .variables
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let path = world
        .variables
        .get(std::ffi::OsStr::new("PATH"))
        .cloned()
        .unwrap_or_default();
    let ours = std::env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.to_owned()));
    let folders = ours.into_iter().chain(std::env::split_paths(&path));
    match std::env::join_paths(folders) {
        Ok(path) => environment.with("PATH", path),
        Err(_) => environment,
    }
}

/// Where hooks run.
struct Stage {
    directory: PathBuf,
    host: Host,
    home: Option<PathBuf>,
}

/// Each hook alone, then all of them together.
async fn all(
    check: &Check<'_>,
    stage: &Stage,
    mut progress: Progress,
) -> Result<Vec<Compared>, Failure> {
    let parsed = parse(check.document, check.from);
    let places: Vec<Place> = parsed.entries().map(|entry| entry.place.clone()).collect();
    let together = (places.len() > 1).then_some(None);
    let cases: Vec<Option<&Place>> = places.iter().map(Some).chain(together).collect();
    let mut compared = Vec::new();
    for (done, place) in cases.iter().enumerate() {
        progress.bar(done, cases.len(), "comparing verdicts");
        compared.extend(case(check, stage, *place).await?);
    }
    Ok(compared)
}

/// The samples of one hook, or of all.
async fn case(
    check: &Check<'_>,
    stage: &Stage,
    place: Option<&Place>,
) -> Result<Vec<Compared>, Failure> {
    let mut source = parse(check.document, check.from);
    let result = match place {
        Some(place) => {
            source.keep_only(place);
            convert_only(
                check.document,
                check.from,
                (check.to, check.rewrites),
                place,
            )
        }
        None => convert_as(check.document, check.from, check.to, check.rewrites),
    };
    let document = read("the result", result.text().as_bytes())
        .map_err(|problem| Failure::invalid(problem.to_string()))?;
    let result = parse(&document, check.to);
    // What the target does not have has been said already.
    let there: Vec<EventName> = listened(&result);
    let events: Vec<EventName> = listened(&source)
        .into_iter()
        .filter(|event| there.contains(event))
        .collect();
    let source = stage.load(source, check.from, check.document, LIMIT);
    let result = stage.load(result, check.to, &document, LIMIT + MARGIN);
    let mut compared = Vec::new();
    for event in events {
        for sample in samples(event, &stage.directory)? {
            let before = stage.fire(&source, sample.clone()).await;
            let after = stage.fire(&result, sample.clone()).await;
            if before.attempts.is_empty() && after.attempts.is_empty() {
                continue;
            }
            compared.push(Compared {
                hook: place.cloned(),
                sample: title(&sample),
                differences: differences(&before.outcome, &after.outcome, check.rewrites),
                unseen: unseen(&before),
            });
        }
    }
    Ok(compared)
}

/// The events that any hook listens to, each once.
fn listened(parsed: &Parsed) -> Vec<EventName> {
    let mut events = Vec::new();
    for listen in parsed.entries().flat_map(|entry| &entry.listens) {
        if !events.contains(&listen.event) {
            events.push(listen.event);
        }
    }
    events
}

impl Stage {
    fn load(&self, mut parsed: Parsed, format: Format, from: &Document, limit: Duration) -> Loaded {
        for entry in parsed
            .groups
            .iter_mut()
            .flat_map(|group| &mut group.entries)
        {
            let own = entry
                .listens
                .iter()
                .map(|listen| entry.timeout_on(listen.event));
            let own = own.min().unwrap_or(limit);
            if own > limit {
                entry.timeout = Some(limit);
            }
        }
        let file = ConfigFile {
            path: from.file.path().to_owned(),
            origin: Origin::of(Layer::Settings),
            format,
            state: FileState::Read,
            source: from.file.clone(),
            parsed,
        };
        let mut places = Places::none().project(&self.directory);
        places.home.clone_from(&self.home);
        resolve(vec![file], &places, &Options::new(self.host.clone()))
    }

    /// Fires one sample, in a session of its own.
    async fn fire(&self, loaded: &Loaded, sample: HookEvent) -> Fired {
        let directory = self.directory.display().to_string();
        let transcript = self
            .directory
            .join("transcript.jsonl")
            .display()
            .to_string();
        let base = Base::new("hookline-convert", transcript, directory.clone());
        let mut session = Session::new(base);
        session.project_dir = directory;
        session.home = self.home.as_ref().map(|home| home.display().to_string());
        session.interactive = false;
        let runner = Runner::with(loaded.hooks.clone(), session, Policy::default());
        let fired = runner.fire_event(sample).await;
        runner.close(LIMIT).await;
        fired
    }
}
