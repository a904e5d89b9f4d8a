//! Which hooks run together.

use std::collections::HashMap;
use std::time::Duration;

use hook_runner::{Group, Hook, Layer, Mode};
use hook_types::OnFailure;

use crate::dialect::Format;
use crate::entry::Entry;
use crate::file::ConfigFile;
use crate::parsed::{EntryGroup, StopOnFailure};
use crate::trust::{Subject, Trust};

/// The groups of the set while hooks are added to them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    planned: Vec<Planned>,
    /// When the groups that go across files end, where a file says so.
    chains: HashMap<Format, StopOnFailure>,
}

#[derive(Debug)]
struct Planned {
    /// Which groups of later files belong to it: those of the same format, that end alike.
    joins: Option<(Format, bool)>,
    layer: Layer,
    mode: Mode,
    timeout: Option<Duration>,
    on_failure: Option<OnFailure>,
    stops: bool,
    hooks: Vec<Hook>,
}

impl Groups {
    /// The groups of these files. All of a format's files are one group where it goes across files, so
    /// the last that says when it ends says it for all.
    pub(super) fn of(files: &[ConfigFile], trust: &dyn Trust) -> Self {
        let said = files.iter().flat_map(|file| {
            let says = |group: &&EntryGroup| {
                let stops = &group.stop_on_failure;
                let of_its_own = !matches!(stops, StopOnFailure::On(_));
                group.across_files && of_its_own && has_a_say(file, group, trust)
            };
            let groups = file.parsed.groups.iter().filter(says);
            groups.map(|group| (file.format, group.stop_on_failure.clone()))
        });
        Self {
            planned: Vec::new(),
            chains: said.collect(),
        }
    }

    /// Adds hooks that know nothing of each other.
    pub(super) fn add_loose(&mut self, layer: Layer, hooks: Vec<Hook>) {
        if !hooks.is_empty() {
            self.planned.push(Planned {
                joins: None,
                layer,
                mode: Mode::Parallel,
                timeout: None,
                on_failure: None,
                stops: false,
                hooks,
            });
        }
    }

    /// Adds the hooks of a file's group. One that ends at a failure on some events only is two.
    pub(super) fn add(&mut self, file: &ConfigFile, group: &EntryGroup, hooks: Vec<Hook>) {
        let chain = self.chains.get(&file.format);
        let chain = chain.filter(|_| group.across_files);
        let stop_on_failure = chain.unwrap_or(&group.stop_on_failure);
        let stops = |hook: &Hook| stop_on_failure.applies_to(hook.get_event());
        let (stopping, others) = hooks.into_iter().partition(stops);
        self.add_part(file, group, true, stopping);
        self.add_part(file, group, false, others);
    }

    fn add_part(&mut self, file: &ConfigFile, group: &EntryGroup, stops: bool, hooks: Vec<Hook>) {
        if hooks.is_empty() {
            return;
        }
        let joins = group.across_files.then_some((file.format, stops));
        let mut known = self.planned.iter_mut();
        let known = known.find(|planned| joins.is_some() && planned.joins == joins);
        match known {
            Some(planned) => planned.hooks.extend(hooks),
            None => self.planned.push(Planned {
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

    pub(super) fn into_groups(self) -> Vec<Group> {
        self.planned.into_iter().map(Planned::into_group).collect()
    }
}

/// Whether a group has a say over the hooks of other files. One of a project has, once one of its hooks
/// is approved: that was approved with what its group says.
fn has_a_say(file: &ConfigFile, group: &EntryGroup, trust: &dyn Trust) -> bool {
    let runs = |entry: &Entry| {
        let subject = Subject {
            origin: &file.origin,
            place: &entry.place,
            content: &group.content_of(entry),
            listens: &entry.listens,
            entry: Some(entry),
        };
        trust.judge(&subject).state.runs()
    };
    let is_a_projects = matches!(file.origin.layer, Layer::Project | Layer::Local);
    !is_a_projects || group.entries.iter().any(runs)
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
