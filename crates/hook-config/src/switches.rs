//! What switches hooks off: `disableAllHooks` and `allowManagedHooksOnly`.

use hook_runner::Layer;

use crate::diagnostic::{Code, Diagnostic};
use crate::file::{ConfigFile, Origin};
use crate::parsed::{Switch, Switches};

/// The switches of all files, weighed.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Managed files switch everything off.
    nothing: bool,
    /// Only managed hooks run; said why.
    managed_only: Option<String>,
    tripwires_off: bool,
    ignored: Vec<Diagnostic>,
}

/// Whose word counts more, from the weakest.
const WEIGHT: [Layer; 6] = [
    Layer::Plugin,
    Layer::User,
    Layer::Project,
    Layer::Local,
    Layer::Settings,
    Layer::Managed,
];

/// How much the word of a layer counts: a run's own settings beat the project's private ones, these
/// the project's, these the user's; what is managed beats all.
pub(crate) fn weight(layer: Layer) -> usize {
    WEIGHT
        .iter()
        .position(|known| *known == layer)
        .unwrap_or_default()
}

impl Rules {
    pub(crate) fn of(files: &[ConfigFile]) -> Self {
        let mut rules = Self::default();
        let mut disabled: Option<(usize, &Switch)> = None;
        for file in files {
            let switches = &file.parsed.switches;
            rules.managed(&file.origin, switches);
            let weight = weight(file.origin.layer);
            if let Some(switch) = &switches.disable_all_hooks
                && file.origin.layer != Layer::Managed
                && disabled.is_none_or(|(heaviest, _)| weight >= heaviest)
            {
                disabled = Some((weight, switch));
            }
        }
        if let Some((_, switch)) = disabled.filter(|(_, switch)| switch.on) {
            let why = format!("`disableAllHooks` is set in {}", switch.place);
            rules.managed_only.get_or_insert(why);
        }
        rules
    }

    /// Switches that count in managed files, or in those that are not a project's.
    fn managed(&mut self, origin: &Origin, switches: &Switches) {
        let is_managed = origin.layer == Layer::Managed;
        if let Some(switch) = &switches.allow_managed_hooks_only {
            if !is_managed {
                self.ignore("allowManagedHooksOnly", "managed settings", switch);
            } else if switch.on {
                let why = format!("`allowManagedHooksOnly` is set in {}", switch.place);
                self.managed_only.get_or_insert(why);
            }
        }
        if is_managed {
            self.nothing |= switches
                .disable_all_hooks
                .as_ref()
                .is_some_and(|switch| switch.on);
        }
        if let Some(switch) = &switches.tripwires {
            if matches!(origin.layer, Layer::Project | Layer::Local | Layer::Plugin) {
                self.ignore("tripwires", "the user's own files", switch);
            } else {
                self.tripwires_off |= !switch.on;
            }
        }
    }

    fn ignore(&mut self, key: &str, where_it_counts: &str, switch: &Switch) {
        let message = format!("`{key}` counts only in {where_it_counts}");
        let problem = Diagnostic::new(Code::IgnoredSwitch, message).at(switch.place.clone());
        self.ignored.push(problem);
    }

    /// Why hooks of this origin do not run.
    pub(crate) fn off(&self, origin: &Origin) -> Option<String> {
        if self.nothing {
            return Some("managed settings switch all hooks off".to_owned());
        }
        let plugin = origin.plugin.as_ref();
        let managed = origin.layer == Layer::Managed
            || plugin.is_some_and(|plugin| plugin.enabled_by == Layer::Managed);
        self.managed_only.clone().filter(|_| !managed)
    }

    /// Whether broken entries block.
    pub(crate) fn tripwires(&self) -> bool {
        !self.tripwires_off
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.ignored
    }
}
