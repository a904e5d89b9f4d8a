//! What switches hooks off: `disableAllHooks`, `allowManagedHooksOnly` and their kin.

use std::collections::BTreeMap;

use hook_runner::Layer;

use crate::diagnostic::{Code, Diagnostic};
use crate::disabled::{self, DisabledHook};
use crate::entry::Entry;
use crate::file::{ConfigFile, Origin};
use crate::http_rules::HttpRules;
use crate::parsed::{Switch, Switches};
use crate::source::Place;
use crate::trust::Trust;

/// The switches of all files, weighed.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Managed files switch everything off.
    nothing: bool,
    /// Only managed hooks run; said why.
    managed_only: Option<String>,
    /// Only managed hooks and those of plugins run; said why.
    plugins_only: Option<String>,
    /// Plugins that are off, and why.
    plugins_off: BTreeMap<String, String>,
    tripwires_off: bool,
    http: HttpRules,
    /// Hooks that are switched off one by one, and where that is said.
    hooks_off: Vec<(DisabledHook, Place)>,
    diagnostics: Vec<Diagnostic>,
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
    pub(crate) fn of(files: &[ConfigFile], trust: &dyn Trust) -> Self {
        let mut rules = Self::default();
        rules.http = HttpRules::of(files, trust, &mut rules.diagnostics);
        let mut disabled: Option<(usize, &Switch)> = None;
        for file in files {
            let switches = &file.parsed.switches;
            rules.managed(&file.origin, switches);
            let weight = weight(file.origin.layer);
            rules.plugins(file, trust);
            let Some(switch) = &switches.disable_all_hooks else {
                continue;
            };
            if !file.may_switch(&switch.place, trust) {
                rules.refuse("all hooks off, those of the user too", switch);
            } else if file.origin.layer != Layer::Managed
                && disabled.is_none_or(|(heaviest, _)| weight >= heaviest)
            {
                disabled = Some((weight, switch));
            }
        }
        if let Some((weight, switch)) = disabled.filter(|(_, switch)| switch.on) {
            let why = format!("`disableAllHooks` is set in {}", switch.place);
            rules.managed_only.get_or_insert(why);
            rules.tell_the_user(weight, switch);
        }
        rules
    }

    /// A project that switches the user's own hooks off may do so, and not in silence.
    fn tell_the_user(&mut self, by: usize, switch: &Switch) {
        if [Layer::Project, Layer::Local].map(weight).contains(&by) {
            let message = "the project switches all hooks off, those of the user too";
            let problem = Diagnostic::new(Code::SwitchedOff, message).at(switch.place.clone());
            let help = "\"disableAllHooks\": false in a file named for this run has the last word";
            self.diagnostics.push(problem.help(help));
        }
    }

    /// Plugins of the user's that a project switches off.
    fn plugins(&mut self, file: &ConfigFile, trust: &dyn Trust) {
        for (id, switch) in &file.parsed.switches.takes_plugins {
            if file.may_switch(&switch.place, trust) {
                let why = format!("`enabledPlugins` switches it off in {}", switch.place);
                self.plugins_off.insert(id.clone(), why);
            } else {
                self.refuse(&format!("the user's plugin `{id}` off"), switch);
            }
        }
    }

    /// A repository that nobody has approved takes no guard of the user's away.
    fn refuse(&mut self, what: &str, switch: &Switch) {
        let message = format!(
            "the project would switch {what}; that has not been approved, and does nothing"
        );
        let problem = Diagnostic::new(Code::SwitchedOff, message).at(switch.place.clone());
        let help = "`hookline trust` shows and approves it";
        self.diagnostics.push(problem.help(help));
    }

    /// Switches that count in managed files, or in those that are not a project's.
    fn managed(&mut self, origin: &Origin, switches: &Switches) {
        let managed = origin.layer == Layer::Managed;
        if managed
            && switches
                .disable_all_hooks
                .as_ref()
                .is_some_and(|switch| switch.on)
        {
            self.nothing = true;
        }
        let key = "allowManagedHooksOnly";
        if let Some(why) = self.policy(key, managed, switches.allow_managed_hooks_only.as_ref()) {
            self.managed_only.get_or_insert(why);
        }
        let key = "strictPluginOnlyCustomization";
        if let Some(why) = self.policy(key, managed, switches.plugins_only.as_ref()) {
            self.plugins_only.get_or_insert(why);
        }
        let projects = matches!(origin.layer, Layer::Project | Layer::Local | Layer::Plugin);
        match &switches.tripwires {
            Some(switch) if projects => self.ignore("tripwires", "the user's own files", switch),
            Some(switch) => self.tripwires_off |= !switch.on,
            None => {}
        }
        match switches.disabled_hooks.as_slice() {
            [] => {}
            [(_, place), ..] if projects => {
                let place = place.clone();
                let switch = Switch { on: true, place };
                self.ignore(disabled::KEY, "the user's own files", &switch);
            }
            hooks => self.hooks_off.extend_from_slice(hooks),
        }
    }

    /// Why a switch of managed settings keeps hooks out, if it is on. Elsewhere it is ignored.
    fn policy(&mut self, key: &str, managed: bool, switch: Option<&Switch>) -> Option<String> {
        let switch = switch?;
        if !managed {
            self.ignore(key, "managed settings", switch);
        }
        (managed && switch.on).then(|| format!("`{key}` is set in {}", switch.place))
    }

    fn ignore(&mut self, key: &str, where_it_counts: &str, switch: &Switch) {
        let message = format!("`{key}` counts only in {where_it_counts}");
        let problem = Diagnostic::new(Code::IgnoredSwitch, message).at(switch.place.clone());
        self.diagnostics.push(problem);
    }

    /// Why hooks of this origin do not run.
    pub(crate) fn off(&self, origin: &Origin) -> Option<String> {
        if self.nothing {
            return Some("managed settings switch all hooks off".to_owned());
        }
        let plugin = origin.plugin.as_ref();
        if let Some(why) = plugin.and_then(|plugin| self.plugins_off.get(&plugin.id)) {
            return Some(why.clone());
        }
        let managed = origin.layer == Layer::Managed
            || plugin.is_some_and(|plugin| plugin.enabled_by == Layer::Managed);
        let plugins_only = self.plugins_only.as_ref().filter(|_| plugin.is_none());
        self.managed_only
            .as_ref()
            .or(plugins_only)
            .filter(|_| !managed)
            .cloned()
    }

    /// Why one hook does not run.
    pub(crate) fn hook_off(&self, origin: &Origin, entry: &Entry) -> Option<String> {
        let mut off = self.hooks_off.iter();
        let (_, place) = off.find(|(hook, _)| hook.fits(origin, entry))?;
        Some(format!("`{}` switches it off in {place}", disabled::KEY))
    }

    /// Whether broken entries block.
    pub(crate) fn tripwires(&self) -> bool {
        !self.tripwires_off
    }

    /// What holds for hooks that are asked over HTTP.
    pub(crate) fn http(&self) -> &HttpRules {
        &self.http
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }
}
