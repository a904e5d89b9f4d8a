//! One file after the other: what becomes of each entry.

use std::sync::Arc;

use hook_runner::{Group, Handler, Hook};
use hook_types::{EventName, OnFailure, Source};

use super::groups::Groups;
use super::make;
use super::names::Names;
use crate::diagnostic::Diagnostic;
use crate::entry::{Entry, Listen};
use crate::file::{ConfigFile, Origin};
use crate::http_rules::HttpRules;
use crate::options::Options;
use crate::parsed::{Broken, EntryGroup};
use crate::places::Places;
use crate::report::{Fate, HookReport};
use crate::source::Place;
use crate::switches::Rules;
use crate::tripwire::Tripwire;
use crate::trust::Subject;

/// The work in progress.
pub(super) struct Work<'a> {
    places: &'a Places,
    options: &'a Options,
    http: &'a HttpRules,
    /// What the failure of a broken entry means.
    on_broken: OnFailure,
    names: Names<'a>,
    groups: Groups,
    hooks: Vec<HookReport>,
    diagnostics: Vec<Diagnostic>,
}

/// The work when it is done.
pub(super) struct Done {
    pub(super) groups: Vec<Group>,
    pub(super) hooks: Vec<HookReport>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        files: &[ConfigFile],
        places: &'a Places,
        options: &'a Options,
        rules: &'a Rules,
    ) -> Self {
        let blocks = options.tripwires && rules.tripwires();
        Self {
            places,
            options,
            http: rules.http(),
            on_broken: if blocks {
                OnFailure::Block
            } else {
                OnFailure::Continue
            },
            names: Names::new(places),
            groups: Groups::of(files, options.trust.as_ref()),
            hooks: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn done(self) -> Done {
        Done {
            groups: self.groups.into_groups(),
            hooks: self.hooks,
            diagnostics: self.diagnostics,
        }
    }

    /// Takes in a file, and what the rules say of its hooks.
    pub(super) fn file(&mut self, file: &ConfigFile, rules: &Rules) {
        let off = rules.off(&file.origin);
        let off = off.as_deref();
        let before = self.diagnostics.len();
        self.diagnostics
            .extend(file.parsed.diagnostics.iter().cloned());
        for group in &file.parsed.groups {
            let mut hooks = Vec::new();
            for entry in &group.entries {
                let alone = rules.hook_off(&file.origin, entry);
                let off = off.or(alone.as_deref());
                hooks.extend(self.entry(&file.origin, group, entry, off));
            }
            self.groups.add(file, group, hooks);
        }
        for broken in &file.parsed.broken {
            let hooks = self.broken(&file.origin, broken, off);
            self.groups.add_loose(file.origin.layer, hooks);
        }
        if file.state.hides_hooks() && off.is_none() {
            self.unread(file);
        }
        if self.options.lint {
            self.diagnostics
                .extend(crate::lint::lint(file, self.places));
        }
        // In the order of the file, whoever found them.
        let start = |problem: &Diagnostic| {
            let place = problem.place.as_ref();
            let here = place.filter(|place| place.file.path() == file.path);
            here.map_or(usize::MAX, |place| place.span.start)
        };
        self.diagnostics[before..].sort_by_key(start);
    }

    /// A file whose hooks nobody knows: whatever happens, the firing says that they are missing. What
    /// that means is the runner's to say; there is no entry that asks for a block.
    fn unread(&mut self, file: &ConfigFile) {
        let Some(problem) = file.parsed.diagnostics.first() else {
            return;
        };
        let handler: Arc<dyn Handler> = Arc::new(Tripwire::new(problem.to_string()));
        let place = problem
            .place
            .clone()
            .unwrap_or_else(|| Place::start_of(&file.source));
        let hook = |event: &EventName| {
            Hook::shared(*event, Arc::clone(&handler))
                .id(self.names.name(&place, Some(*event)))
                .source(source(&place))
        };
        let hooks = EventName::ALL.iter().map(hook).collect();
        self.groups.add_loose(file.origin.layer, hooks);
    }

    /// The hooks of an entry, one for each event.
    fn entry(
        &mut self,
        origin: &Origin,
        group: &EntryGroup,
        entry: &Entry,
        off: Option<&str>,
    ) -> Vec<Hook> {
        let made = make::handler(entry, origin, self.places, self.options, self.http);
        let problem = made.as_ref().err();
        self.diagnostics
            .extend(problem.map(|problem| (**problem).clone()));
        let fate = match (off, &made) {
            (Some(why), _) => Fate::SwitchedOff(why.to_owned()),
            (None, _) if !entry.enabled => Fate::Disabled,
            (None, Err(problem)) => Fate::Broken(problem.to_string()),
            (None, Ok(_)) => Fate::Active,
        };
        let hooks = match (&fate, &made) {
            (Fate::Active | Fate::Disabled, Ok(handler)) => {
                let listens = entry.listens.iter();
                listens
                    .map(|listen| make::hook(entry, origin, listen, handler))
                    .collect()
            }
            (Fate::Broken(why), _) => self.tripwires(&entry.listens, why),
            _ => Vec::new(),
        };
        let subject = Subject {
            origin,
            place: &entry.place,
            content: &group.content_of(entry),
            listens: &entry.listens,
            entry: Some(entry),
        };
        self.judge(subject, fate, hooks)
    }

    /// What stands in the place of an entry that cannot be used.
    fn broken(&mut self, origin: &Origin, broken: &Broken, off: Option<&str>) -> Vec<Hook> {
        // What else is wrong with it does not hide that there is no such type.
        let factories = &self.options.factories;
        let unknown = broken.kind.as_ref();
        let unknown = unknown.filter(|(kind, _)| !factories.knows(kind));
        let unknown = unknown.map(|(kind, place)| make::no_factory(kind, place, factories));
        self.diagnostics.extend(unknown);
        let (fate, hooks) = match off {
            Some(why) => (Fate::SwitchedOff(why.to_owned()), Vec::new()),
            None => (
                Fate::Broken(broken.why.clone()),
                self.tripwires(&broken.listens, &broken.why),
            ),
        };
        let subject = Subject {
            origin,
            place: &broken.place,
            content: &broken.normalised(),
            listens: &broken.listens,
            entry: None,
        };
        self.judge(subject, fate, hooks)
    }

    fn tripwires(&self, listens: &[Listen], why: &str) -> Vec<Hook> {
        let handler: Arc<dyn Handler> = Arc::new(Tripwire::new(why));
        let hook = |listen: &Listen| {
            Hook::shared(listen.event, Arc::clone(&handler))
                .matching(listen.matcher.clone())
                .on_failure(self.on_broken)
        };
        listens.iter().map(hook).collect()
    }

    /// Has an entry judged, gives its hooks their names, places and gates, and reports it.
    fn judge(&mut self, subject: Subject<'_>, fate: Fate, hooks: Vec<Hook>) -> Vec<Hook> {
        let judgement = self.options.trust.judge(&subject);
        let several = hooks.len() > 1;
        let place = subject.place;
        let finish = |hook: Hook| {
            let event = several.then_some(hook.get_event());
            let hook = hook.id(self.names.name(place, event)).source(source(place));
            match &judgement.gate {
                Some(gate) => hook.gate(Arc::clone(gate)),
                None => hook,
            }
        };
        let hooks: Vec<Hook> = hooks.into_iter().map(finish).collect();
        self.hooks.push(HookReport {
            ids: hooks
                .iter()
                .filter_map(|hook| hook.get_id().cloned())
                .collect(),
            entry: subject.entry.cloned().map(Arc::new),
            listens: subject.listens.to_vec(),
            place: place.clone(),
            origin: subject.origin.clone(),
            trust: judgement.state,
            opaque: judgement.opaque,
            fate,
        });
        hooks
    }
}

fn source(place: &Place) -> Source {
    Source {
        file: place.file.path().display().to_string(),
        line: place.line(),
    }
}
