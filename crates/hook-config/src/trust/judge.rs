//! The question and the answer, whoever answers.

use std::fmt;
use std::sync::Arc;

use hook_runner::{Gate, Layer};
use serde_json::{Value, json};

use super::state::{TrustState, Why};
use crate::entry::{Entry, Listen};
use crate::file::{ConfigFile, Origin};
use crate::http_rules;
use crate::source::Place;

/// What is judged: a hook, or an entry that is broken and would block a guard.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Where its file comes from.
    pub origin: &'a Origin,
    /// Where it stands.
    pub place: &'a Place,
    /// What it amounts to, whatever its position and however it spells its defaults.
    pub content: &'a Value,
    /// When it runs, or would.
    pub listens: &'a [Listen],
    /// The hook, where it is one.
    pub entry: Option<&'a Entry>,
}

impl ConfigFile {
    /// What its entries amount to, the broken ones too, and what else needs an approval.
    pub(crate) fn contents(&self) -> Vec<Value> {
        let mut contents = Vec::new();
        self.subjects(|subject| contents.push(subject.content.clone()));
        contents
    }

    /// Shows its entries as what is judged, the broken ones too.
    pub(crate) fn subjects(&self, mut show: impl FnMut(Subject<'_>)) {
        for group in &self.parsed.groups {
            for entry in &group.entries {
                show(Subject {
                    origin: &self.origin,
                    place: &entry.place,
                    content: &group.content_of(entry),
                    listens: &entry.listens,
                    entry: Some(entry),
                });
            }
        }
        for broken in &self.parsed.broken {
            show(Subject {
                origin: &self.origin,
                place: &broken.place,
                content: &broken.normalised(),
                listens: &broken.listens,
                entry: None,
            });
        }
        for (content, place) in self.switches() {
            show(self.of_switch(&content, place));
        }
    }

    /// The switches by which a project's file takes hooks of the user's away, or lets hooks be asked
    /// elsewhere. Elsewhere they are the
    /// user's or a policy's, and nobody asks.
    fn switches(&self) -> Vec<(Value, &Place)> {
        if !matches!(self.origin.layer, Layer::Project | Layer::Local) {
            return Vec::new();
        }
        let switches = &self.parsed.switches;
        let all = switches.disable_all_hooks.iter().filter(|all| all.on);
        let all = all.map(|all| (json!({"switch": "disableAllHooks"}), &all.place));
        let plugins = switches.takes_plugins.iter().map(|(id, switch)| {
            let content = json!({"switch": "enabledPlugins", "plugin": id});
            (content, &switch.place)
        });
        let lists = http_rules::lists(switches).map(|(name, list)| {
            let content = json!({"switch": name, "list": list.texts});
            (content, &list.place)
        });
        all.chain(plugins).chain(lists).collect()
    }

    fn of_switch<'a>(&'a self, content: &'a Value, place: &'a Place) -> Subject<'a> {
        Subject {
            origin: &self.origin,
            place,
            content,
            listens: &[],
            entry: None,
        }
    }

    /// Whether the switch that stands there counts, if it takes hooks of the user's away.
    pub(crate) fn may_switch(&self, place: &Place, trust: &dyn Trust) -> bool {
        let switches = self.switches();
        let known = switches.iter().find(|(_, known)| *known == place);
        known.is_none_or(|(content, place)| {
            let judgement = trust.judge(&self.of_switch(content, place));
            judgement.state.runs()
        })
    }
}

/// What was found.
#[derive(Clone)]
pub struct Judgement {
    /// Whether somebody has approved it.
    pub state: TrustState,
    /// Why.
    pub why: Why,
    /// What an approval does not cover, in sentences.
    pub opaque: Vec<String>,
    /// Who is asked again at each firing; none: it always may run.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Judgement {
    /// The answer is the same at each firing.
    pub fn always(why: Why) -> Self {
        Self {
            state: why.state(),
            why,
            opaque: Vec::new(),
            gate: None,
        }
    }
}

impl fmt::Debug for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judgement")
            .field("state", &self.state)
            .field("why", &self.why)
            .field("opaque", &self.opaque)
            .field("asks_again", &self.gate.is_some())
            .finish()
    }
}

/// Who judges hooks.
pub trait Trust: Send + Sync + 'static {
    /// Is told what all entries amount to, before the first of them is judged: one that was approved
    /// and is gone may have been changed into one that was not.
    fn survey(&self, contents: &[Value]) {
        let _ = contents;
    }

    /// Judges one.
    fn judge(&self, subject: &Subject<'_>) -> Judgement;
}

/// Trusts everything: for files that somebody has just looked at, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct TrustEverything;

impl Trust for TrustEverything {
    fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let managed = subject.origin.layer == Layer::Managed;
        Judgement::always(if managed { Why::Policy } else { Why::Assumed })
    }
}
