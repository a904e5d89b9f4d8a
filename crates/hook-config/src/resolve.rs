//! From files to a set of hooks. Every default of a file's hooks is here.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use hook_runner::{Group, Hook, HookSet, Layer, Mode};
use hook_types::{EventName, HookId, OnFailure, Source, nearest};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Format;
use crate::entry::{Action, Entry, Listen};
use crate::factory::Setting;
use crate::file::{ConfigFile, FileState, Origin};
use crate::options::Options;
use crate::parsed::{Broken, EntryGroup};
use crate::places::Places;
use crate::report::{Fate, HookReport, Report};
use crate::switches::Rules;
use crate::tripwire::Tripwire;
use crate::trust::{Judgement, Subject};

/// What files amount to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The hooks.
    pub hooks: HookSet,
    /// What became of every file and every hook.
    pub report: Report,
}

/// Turns files into a set of hooks.
pub fn resolve(files: Vec<ConfigFile>, places: &Places, options: &Options) -> Loaded {
    let rules = Rules::of(&files);
    let mut work = Work {
        places,
        options,
        tripwires: options.tripwires && rules.tripwires(),
        groups: Vec::new(),
        hooks: Vec::new(),
        diagnostics: Vec::new(),
        ids: HashSet::new(),
    };
    for file in &files {
        work.diagnostics
            .extend(file.parsed.diagnostics.iter().cloned());
        work.file(file, rules.off(&file.origin).as_deref());
        if options.lint {
            work.diagnostics.extend(crate::lint::lint(file, places));
        }
    }
    work.diagnostics.extend(rules.into_diagnostics());
    let builder = work
        .groups
        .into_iter()
        .fold(HookSet::builder(), |builder, group| {
            builder.group(group.into_group())
        });
    let hooks = builder
        .build()
        .unwrap_or_else(|error| all_blocked(&error.to_string()));
    Loaded {
        hooks,
        report: Report {
            files,
            hooks: work.hooks,
            diagnostics: work.diagnostics,
        },
    }
}

/// No mistake of ours may let a guard's hooks vanish.
fn all_blocked(why: &str) -> HookSet {
    let block =
        |listen: Listen| Hook::new(listen.event, Tripwire::new(why)).on_failure(OnFailure::Block);
    let group = Listen::every_guard()
        .into_iter()
        .map(block)
        .fold(Group::parallel(), Group::hook);
    HookSet::builder().group(group).build().unwrap_or_default()
}

/// A group of the set while hooks are added to it.
struct Planned {
    /// Which groups of later files belong to it.
    joins: Option<(Format, bool)>,
    layer: Layer,
    mode: Mode,
    timeout: Option<std::time::Duration>,
    on_failure: Option<OnFailure>,
    stops: bool,
    hooks: Vec<Hook>,
}

impl Planned {
    fn into_group(self) -> Group {
        let mut group = match self.mode {
            Mode::Sequential => Group::sequential(),
            Mode::Parallel => Group::parallel(),
        };
        if let Some(timeout) = self.timeout {
            group = group.timeout(timeout);
        }
        if let Some(on_failure) = self.on_failure {
            group = group.on_failure(on_failure);
        }
        if self.stops {
            group = group.stop_on_failure();
        }
        self.hooks
            .into_iter()
            .fold(group.layer(self.layer), Group::hook)
    }
}

/// The work in progress.
struct Work<'a> {
    places: &'a Places,
    options: &'a Options,
    tripwires: bool,
    groups: Vec<Planned>,
    hooks: Vec<HookReport>,
    diagnostics: Vec<Diagnostic>,
    ids: HashSet<HookId>,
}

impl Work<'_> {
    fn file(&mut self, file: &ConfigFile, off: Option<&str>) {
        for group in &file.parsed.groups {
            self.group(file, group, off);
        }
        for broken in &file.parsed.broken {
            self.broken(&file.origin, broken, off);
        }
        if file.state == FileState::NotJson && off.is_none() {
            self.not_json(file);
        }
    }

    /// A file that is not JSON: whatever happens, the firing says that its hooks are missing.
    fn not_json(&mut self, file: &ConfigFile) {
        let Some(problem) = file.parsed.diagnostics.first() else {
            return;
        };
        let why = problem.to_string();
        let hook = |event: &EventName| {
            let id = HookId::from(format!("{}#{event}", self.shown(&file.path)));
            Hook::new(*event, Tripwire::new(why.clone()))
                .id(id)
                .source(Source {
                    file: file.path.display().to_string(),
                    line: 1,
                })
        };
        let hooks = EventName::ALL.iter().map(hook).collect();
        self.groups
            .push(Planned::parallel(file.origin.layer, hooks));
    }

    fn group(&mut self, file: &ConfigFile, group: &EntryGroup, off: Option<&str>) {
        let mut stopping = Vec::new();
        let mut others = Vec::new();
        for entry in &group.entries {
            for hook in self.entry(&file.origin, entry, off) {
                let stops = group.stop_on_failure.applies_to(hook.0);
                if stops { &mut stopping } else { &mut others }.push(hook.1);
            }
        }
        for (stops, hooks) in [(true, stopping), (false, others)] {
            self.place(file, group, stops, hooks);
        }
    }

    /// Adds hooks to the group that they belong to.
    fn place(&mut self, file: &ConfigFile, group: &EntryGroup, stops: bool, hooks: Vec<Hook>) {
        if hooks.is_empty() {
            return;
        }
        let joins = group.across_files.then_some((file.format, stops));
        let known = self
            .groups
            .iter_mut()
            .find(|planned| joins.is_some() && planned.joins == joins);
        match known {
            Some(planned) => planned.hooks.extend(hooks),
            None => self.groups.push(Planned {
                joins,
                layer: file.origin.layer,
                mode: group.mode,
                timeout: group.timeout,
                on_failure: group.on_failure,
                stops,
                hooks,
            }),
        }
    }

    /// The hooks of an entry, one for each event.
    fn entry(
        &mut self,
        origin: &Origin,
        entry: &Entry,
        off: Option<&str>,
    ) -> Vec<(EventName, Hook)> {
        let judgement = self.judge(origin, entry);
        let made = self.make(origin, entry);
        let fate = match (&made, off) {
            (_, Some(why)) => Fate::SwitchedOff(why.to_owned()),
            (Err(problem), None) if entry.enabled => Fate::Broken(problem.to_string()),
            (_, None) if !entry.enabled => Fate::Disabled,
            (_, None) => Fate::Active,
        };
        if let Err(problem) = &made {
            self.diagnostics.push((**problem).clone());
        }
        let mut hooks = Vec::new();
        if matches!(fate, Fate::Active | Fate::Disabled)
            && let Ok(handler) = made
        {
            let whole = entry.listens.iter().map(|listen| {
                let mut hook = Hook::shared(listen.event, Arc::clone(&handler))
                    .matching(listen.matcher.clone())
                    .wait(entry.wait)
                    .enabled(entry.enabled);
                hook = with_settings(hook, entry);
                (listen.event, hook)
            });
            hooks = whole.collect();
        } else if let Fate::Broken(why) = &fate {
            hooks = self.tripwires(&entry.listens, why);
        }
        self.finish(
            hooks,
            origin,
            &entry.listens,
            &entry.place,
            judgement,
            fate,
            Some(entry),
        )
    }

    fn broken(&mut self, origin: &Origin, broken: &Broken, off: Option<&str>) {
        let judgement = self.options.trust.judge(&Subject {
            origin,
            place: &broken.place,
            content: &broken.content,
            entry: None,
        });
        let (fate, hooks) = if let Some(why) = off {
            (Fate::SwitchedOff(why.to_owned()), Vec::new())
        } else {
            let hooks = self.tripwires(&broken.listens, &broken.why);
            (Fate::Broken(broken.why.clone()), hooks)
        };
        let hooks = self.finish(
            hooks,
            origin,
            &broken.listens,
            &broken.place,
            judgement,
            fate,
            None,
        );
        let hooks: Vec<Hook> = hooks.into_iter().map(|(_, hook)| hook).collect();
        if !hooks.is_empty() {
            self.groups.push(Planned::parallel(origin.layer, hooks));
        }
    }

    /// What stands where broken entries would have run.
    fn tripwires(&self, listens: &[Listen], why: &str) -> Vec<(EventName, Hook)> {
        let handler = Arc::new(Tripwire::new(why));
        let on_failure = if self.tripwires {
            OnFailure::Block
        } else {
            OnFailure::Continue
        };
        let hook = |listen: &Listen| {
            let hook = Hook::shared(listen.event, handler.clone()).matching(listen.matcher.clone());
            (listen.event, hook.on_failure(on_failure))
        };
        listens.iter().map(hook).collect()
    }

    /// Gives hooks their names, places and gates, and reports the entry.
    #[expect(clippy::too_many_arguments, reason = "what is reported of an entry")]
    fn finish(
        &mut self,
        hooks: Vec<(EventName, Hook)>,
        origin: &Origin,
        listens: &[Listen],
        place: &crate::source::Place,
        judgement: Judgement,
        fate: Fate,
        entry: Option<&Entry>,
    ) -> Vec<(EventName, Hook)> {
        let several = hooks.len() > 1;
        let source = Source {
            file: place.file.path().display().to_string(),
            line: place.line(),
        };
        let mut ids = Vec::new();
        let mut named = Vec::new();
        for (event, mut hook) in hooks {
            let id = self.id(place, several.then_some(event));
            ids.push(id.clone());
            hook = hook.id(id).source(source.clone());
            if let Some(gate) = &judgement.gate {
                hook = hook.gate(Arc::clone(gate));
            }
            named.push((event, hook));
        }
        self.hooks.push(HookReport {
            ids,
            entry: entry.cloned().map(Arc::new),
            listens: listens.to_vec(),
            place: place.clone(),
            origin: origin.clone(),
            trust: judgement.state,
            opaque: judgement.opaque,
            fate,
        });
        named
    }

    fn judge(&self, origin: &Origin, entry: &Entry) -> Judgement {
        self.options.trust.judge(&Subject {
            origin,
            place: &entry.place,
            content: &entry.normalised(),
            entry: Some(entry),
        })
    }

    fn make(
        &self,
        origin: &Origin,
        entry: &Entry,
    ) -> Result<Arc<dyn hook_runner::Handler>, Box<Diagnostic>> {
        let setting = Setting {
            host: &self.options.host,
            plugin: origin.plugin.as_ref().map(|plugin| &plugin.plugin),
            project: self.places.project.as_deref(),
            home: self.places.home.as_deref(),
        };
        let kind = entry.action.kind();
        let factories = &self.options.factories;
        let factory = factories
            .of(kind)
            .ok_or_else(|| Box::new(no_factory(entry, factories.kinds())))?;
        factory
            .make(entry, &setting)
            .map_err(|why| Box::new(Diagnostic::new(Code::NoFactory, why).at(entry.place.clone())))
    }

    /// A name that tells where the hook stands, and that no other hook has.
    fn id(&mut self, place: &crate::source::Place, event: Option<EventName>) -> HookId {
        let (line, column) = place.file.position(place.span.start);
        let file = self.shown(place.file.path());
        let event = event.map(|event| format!("#{event}")).unwrap_or_default();
        let names = [
            format!("{file}:{line}{event}"),
            format!("{file}:{line}:{column}{event}"),
        ];
        let more = (2..).map(|number| format!("{file}:{line}:{column}{event}.{number}"));
        let mut names = names.into_iter().chain(more).map(HookId::from);
        let free = names
            .find(|name| !self.ids.contains(name))
            .unwrap_or_default();
        self.ids.insert(free.clone());
        free
    }

    /// A path as people know it: from the project's root, or from their home.
    fn shown(&self, path: &Path) -> String {
        let within = |root: &Option<std::path::PathBuf>| {
            let rest = path.strip_prefix(root.as_ref()?).ok()?;
            Some(rest.display().to_string())
        };
        within(&self.places.project)
            .or_else(|| within(&self.places.home).map(|rest| format!("~/{rest}")))
            .unwrap_or_else(|| path.display().to_string())
    }
}

impl Planned {
    fn parallel(layer: Layer, hooks: Vec<Hook>) -> Self {
        Self {
            joins: None,
            layer,
            mode: Mode::Parallel,
            timeout: None,
            on_failure: None,
            stops: false,
            hooks,
        }
    }
}

/// A hook with what its entry says beyond the event.
fn with_settings(mut hook: Hook, entry: &Entry) -> Hook {
    if let Some(condition) = &entry.condition {
        hook = hook.only_if(condition.clone());
    }
    if let Some(timeout) = entry.timeout {
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
    if entry.once {
        hook = hook.once();
    }
    hook
}

/// Says that nothing here makes hooks of that type, or that there is no such type.
fn no_factory<'a>(entry: &Entry, kinds: impl Iterator<Item = &'a str>) -> Diagnostic {
    let kinds: Vec<&str> = kinds.collect();
    let kind = entry.action.kind();
    let place = match &entry.action {
        Action::Other { kind_place, .. } => kind_place.clone(),
        Action::Command(_) | Action::Server(_) => entry.place.clone(),
    };
    if crate::dialect::CONTRACT_TYPES.contains(&kind) {
        return Diagnostic::new(
            Code::NoFactory,
            format!("nothing here runs hooks of type `{kind}`"),
        )
        .at(place)
        .help(format!("what can run here: {}", kinds.join(", ")));
    }
    let known = kinds.iter().copied().chain(crate::dialect::CONTRACT_TYPES);
    let problem = Diagnostic::new(
        Code::UnknownType,
        format!("no kind of hook is called `{kind}`"),
    );
    match nearest(kind, known) {
        Some(near) => problem.at(place).suggest(format!("\"{near}\"")),
        None => problem
            .at(place)
            .help(format!("what can run here: {}", kinds.join(", "))),
    }
}
