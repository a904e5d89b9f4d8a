//! An entry and its factory to a hook.

use std::sync::Arc;
use std::time::Duration;

use hook_runner::{Handler, Hook};
use hook_types::{Deadline, EventName, nearest};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::CONTRACT_TYPES;
use crate::entry::{Action, Entry, Listen};
use crate::factory::{Factories, Setting};
use crate::file::Origin;
use crate::http_rules::HttpRules;
use crate::options::Options;
use crate::places::Places;
use crate::source::Place;

/// The handler of an entry; else why there is none.
pub(super) fn handler(
    entry: &Entry,
    origin: &Origin,
    places: &Places,
    options: &Options,
    http: &HttpRules,
) -> Result<Arc<dyn Handler>, Box<Diagnostic>> {
    if let Some(problem) = wrong_event(entry) {
        return Err(Box::new(problem));
    }
    let setting = Setting {
        host: &options.host,
        plugin: origin.plugin.as_ref().map(|plugin| &plugin.plugin),
        project: places.project.as_deref(),
        home: places.home.as_deref(),
        http,
    };
    let kind = entry.action.kind();
    let factory = options.factories.of(kind).ok_or_else(|| {
        let place = match &entry.action {
            Action::Other { kind_place, .. } => kind_place,
            Action::Command(_) | Action::Server(_) => &entry.place,
        };
        Box::new(no_factory(kind, place, &options.factories))
    })?;
    factory.make(entry, &setting).map_err(|why| {
        let problem = Diagnostic::new(Code::NoFactory, why);
        Box::new(problem.at(entry.place.clone()))
    })
}

/// Events that happen before anything can be asked over the network, in the contract's order of things.
const BEFORE_THE_NETWORK: [EventName; 2] = [EventName::SessionStart, EventName::Setup];

/// Says that hooks of this type do not run on that event.
fn wrong_event(entry: &Entry) -> Option<Diagnostic> {
    let kind = entry.action.kind();
    let mut events = entry.listens.iter().map(|listen| listen.event);
    let event = events.find(|event| kind == "http" && BEFORE_THE_NETWORK.contains(event))?;
    let message = format!("hooks of type `{kind}` do not run on {event}");
    let problem = Diagnostic::new(Code::WrongEvent, message).at(entry.place.clone());
    Some(problem.help("a command can post it: `curl --silent --data @- URL`"))
}

/// Says that nothing here makes hooks of that type, or that there is no such type.
pub(super) fn no_factory(kind: &str, place: &Place, factories: &Factories) -> Diagnostic {
    let kinds: Vec<&str> = factories.kinds().collect();
    let place = place.clone();
    let makes = format!("what can run here: {}", kinds.join(", "));
    if CONTRACT_TYPES.contains(&kind) {
        let message = format!("nothing here runs hooks of type `{kind}`");
        return Diagnostic::new(Code::NoFactory, message)
            .at(place)
            .help(makes);
    }
    let message = format!("no kind of hook is called `{kind}`");
    let problem = Diagnostic::new(Code::UnknownType, message).at(place);
    match nearest(kind, kinds.iter().copied().chain(CONTRACT_TYPES)) {
        Some(near) => problem.suggest(format!("\"{near}\"")),
        None => problem.help(makes),
    }
}

/// How long a hook may take. A plugin cannot raise a budget that all hooks share.
fn timeout(entry: &Entry, origin: &Origin, event: EventName) -> Option<Duration> {
    let raises = |timeout: &Duration| match event.row().deadline {
        Deadline::Shared { budget, .. } => *timeout > budget,
        Deadline::Each(_) => false,
    };
    let of_plugin = origin.plugin.is_some();
    entry
        .timeout
        .filter(|timeout| !(of_plugin && raises(timeout)))
}

/// The hook of an entry for one of its events.
pub(super) fn hook(
    entry: &Entry,
    origin: &Origin,
    listen: &Listen,
    handler: &Arc<dyn Handler>,
) -> Hook {
    let mut hook = Hook::shared(listen.event, Arc::clone(handler))
        .matching(listen.matcher.clone())
        .wait(entry.wait)
        .enabled(entry.enabled);
    if let Some(condition) = &entry.condition {
        hook = hook.only_if(condition.clone());
    }
    if let Some(timeout) = timeout(entry, origin, listen.event) {
        hook = hook.timeout(timeout);
    }
    if let Some(on_failure) = entry.on_failure {
        hook = hook.on_failure(on_failure);
    }
    if let Some(text) = &entry.status_message {
        hook = hook.status_message(text);
    }
    if let Some(text) = &entry.description {
        hook = hook.description(text);
    }
    if entry.once { hook.once() } else { hook }
}
