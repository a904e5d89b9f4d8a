//! Every hook, and why it would or would not run. Pure: from what was loaded.

use hook_config::{Fate, Format, HookReport, Layer, Report, TrustState};
use hook_types::EventName;
use serde_json::Value;

use crate::render::{Row, Tone, rows};

/// One hook of one event.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) row: Row,
    /// Which hook of the report.
    pub(crate) hook: usize,
    /// How it stands with it, in a word.
    pub(crate) state: State,
    /// How it can be switched off and on.
    pub(crate) switch: Way,
    /// Whether it would run at the event that was chosen, and why.
    pub(crate) why: Option<(bool, String)>,
}

/// How it stands with a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    On,
    Disabled,
    SwitchedOff,
    Untrusted,
    Changed,
    Broken,
}

impl State {
    fn of(hook: &HookReport) -> Self {
        match (&hook.fate, hook.trust) {
            (Fate::Broken(_), _) => Self::Broken,
            (Fate::Disabled, _) => Self::Disabled,
            (Fate::SwitchedOff(_), _) => Self::SwitchedOff,
            (_, TrustState::Untrusted) => Self::Untrusted,
            (_, TrustState::Changed) => Self::Changed,
            (_, TrustState::Managed | TrustState::Trusted) => Self::On,
        }
    }

    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Disabled => "disabled",
            Self::SwitchedOff => "off",
            Self::Untrusted => "untrusted",
            Self::Changed => "changed",
            Self::Broken => "broken",
        }
    }

    pub(crate) fn tone(self) -> Tone {
        match self {
            Self::On => Tone::Good,
            Self::Disabled | Self::SwitchedOff => Tone::Faint,
            Self::Untrusted => Tone::Odd,
            Self::Changed | Self::Broken => Tone::Bad,
        }
    }
}

/// How a hook can be switched off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// `enabled` of its entry, in its own file.
    Enabled,
    /// `disabledHooks` of the user's Hookline file: its own format has no word for it.
    List,
    /// Not at all: it is managed.
    Managed,
}

impl Way {
    fn of(hook: &HookReport, report: &Report) -> Self {
        let path = hook.place.file.path();
        let format = report.files.iter().find(|file| file.path == path);
        let plugin = hook.origin.plugin.as_ref();
        if hook.origin.layer == Layer::Managed
            || plugin.is_some_and(|plugin| plugin.enabled_by == Layer::Managed)
        {
            return Self::Managed;
        }
        match format.map(|file| file.format) {
            Some(Format::Hookline | Format::Opta | Format::OpenCode) if plugin.is_none() => {
                Self::Enabled
            }
            Some(_) | None => Self::List,
        }
    }

    /// For people: where the word would be written.
    pub(crate) fn told(self) -> &'static str {
        match self {
            Self::Enabled => "`enabled` of its entry, in its own file",
            Self::List => {
                "`disabledHooks` of your Hookline file: its own format has no word for it, and other agents go on running it"
            }
            Self::Managed => "not here: it is managed",
        }
    }
}

/// Every hook of every layer, events in the order of the contract.
pub(crate) fn items(report: &Report) -> Vec<Item> {
    let of_hooks = report.hooks.iter().enumerate();
    let owners = of_hooks.flat_map(|(place, hook)| std::iter::repeat_n(place, hook.listens.len()));
    let of_rows = rows(report).into_iter().zip(owners);
    let mut items: Vec<Item> = of_rows
        .map(|(row, place)| Item {
            row,
            hook: place,
            state: State::of(&report.hooks[place]),
            switch: Way::of(&report.hooks[place], report),
            why: None,
        })
        .collect();
    let order = |event: EventName| EventName::ALL.iter().position(|known| *known == event);
    items.sort_by_key(|item| order(item.row.event));
    items
}

/// Says of each hook whether it would run at the event of a plan, as `explain` has it for programs.
pub(crate) fn explain(items: &mut [Item], event: EventName, plan: &Value) {
    for item in items {
        item.why = Some(if item.row.event == event {
            why(item, plan)
        } else {
            (false, format!("it is for {}", item.row.event))
        });
    }
}

/// Whether a hook would run at the event of a plan, and why.
pub(crate) fn why(item: &Item, plan: &Value) -> (bool, String) {
    let hooks = plan["hooks"].as_array().into_iter().flatten();
    let mut hooks = hooks.filter(|hook| hook["id"] == item.row.id.as_str());
    match hooks.next() {
        Some(hook) if !item.row.id.is_empty() => {
            let why = hook["why"].as_str().unwrap_or_default();
            (hook["would_run"] == true, why.to_owned())
        }
        Some(_) | None => {
            let off = item.row.off.clone();
            (
                false,
                off.unwrap_or_else(|| "it is not part of the set".to_owned()),
            )
        }
    }
}
