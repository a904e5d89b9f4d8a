//! A whole file, from one dialect to another.

use serde_json::{Map, Value, json};

use super::adapter::Rewrites;
use super::plan::{self, Group, Hook};
use super::remark::{About, Became, Remark, Remarks};
use super::{flat, nested};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Format, parse};
use crate::document::Document;
use crate::parsed::Parsed;
use crate::source::Place;

/// A file in another dialect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The file.
    pub value: Value,
    /// What the target cannot express, in the order of the source.
    pub remarks: Vec<Remark>,
    /// How many hooks the source has, each event of a hook counted.
    pub hooks: usize,
}

impl Converted {
    /// The file as text.
    pub fn text(&self) -> String {
        format!("{:#}\n", self.value)
    }

    /// Whether a hook is missing that could refuse or rewrite.
    pub fn refuses(&self) -> bool {
        self.remarks
            .iter()
            .any(|remark| remark.became == Became::Refused)
    }
}

/// Converts the hooks of a file. What they mean stays: where contracts differ, a command runs behind
/// an adapter; what could refuse or rewrite and cannot be expressed is refused, and said so.
///
/// ```
/// use hook_config::{Format, convert, read};
///
/// let text = br#"{"hooks": [{"event": "tool.pre", "matcher": "run_command", "command": "./no-rm.sh"}]}"#;
/// let document = read("config.json", text).unwrap();
/// let ours = convert(&document, Format::Opta, Format::Hookline);
/// let list = &ours.value["hooks"]["PreToolUse"][0];
/// assert_eq!(list["hooks"][0]["command"], "./no-rm.sh");
/// assert_eq!(list["hooks"][0]["dialect"], "opta");
/// assert!(ours.remarks.is_empty());
/// ```
pub fn convert(document: &Document, from: Format, to: Format) -> Converted {
    convert_as(document, from, to, Rewrites::default())
}

/// The same, and says what becomes of a rewrite where the agent may know exit codes alone.
pub fn convert_as(document: &Document, from: Format, to: Format, rewrites: Rewrites) -> Converted {
    of_parsed(document, &parse(document, from), from, (to, rewrites))
}

/// Converts one hook of a file, as if it were alone there: the one that stands at a place.
pub fn convert_only(
    document: &Document,
    from: Format,
    to: (Format, Rewrites),
    place: &Place,
) -> Converted {
    let mut parsed = parse(document, from);
    parsed.diagnostics.clear();
    parsed.keep_only(place);
    of_parsed(document, &parsed, from, to)
}

fn of_parsed(
    document: &Document,
    parsed: &Parsed,
    from: Format,
    (to, rewrites): (Format, Rewrites),
) -> Converted {
    let mut remarks = Remarks::default();
    for problem in &parsed.diagnostics {
        unread(document, problem, &mut remarks);
    }
    let mut groups = plan::groups(document, from, parsed, &mut remarks);
    if rewrites == Rewrites::Blocked {
        let hooks = groups.iter_mut().flat_map(|group| &mut group.hooks);
        hooks.for_each(|hook| hook.rewrites = rewrites);
    }
    for hook in groups.iter().flat_map(|group| &group.hooks) {
        of_plugin(hook, &mut remarks);
    }
    let hooks = groups.iter().map(|group| group.hooks.len()).sum();
    let mut file = switches(parsed, to, &mut groups, &mut remarks);
    match to {
        Format::Claude | Format::Hookline => {
            file.insert("hooks".to_owned(), nested::hooks(&groups, to, &mut remarks));
        }
        Format::Opta | Format::OpenCode => {
            if let Value::Object(fields) = flat::file(&groups, to, &mut remarks) {
                file.extend(fields);
            }
        }
    }
    let mut remarks = remarks.0;
    remarks.sort_by_key(|remark| remark.place.span.start);
    Converted {
        value: Value::Object(file),
        remarks,
        hooks,
    }
}

/// What the source itself could not be read as.
fn unread(document: &Document, problem: &Diagnostic, remarks: &mut Remarks) {
    let start = Place::start_of(&document.file);
    let about = About {
        action: None,
        event: None,
        place: problem.place.as_ref().unwrap_or(&start),
    };
    let silent = [
        Code::UnknownKey,
        Code::UselessKey,
        Code::UselessMatcher,
        Code::DuplicateKey,
    ];
    if problem.severity == Severity::Error {
        let why = format!("it cannot be read: {}", problem.message);
        remarks.add(about, problem.code.as_str(), Became::Refused, why);
    } else if silent.contains(&problem.code) || problem.code == Code::UnknownEvent {
        let why = format!("it did nothing: {}", problem.message);
        remarks.add(about, problem.code.as_str(), Became::Dropped, why);
    }
}

/// What a file says of all its hooks.
fn switches(
    parsed: &Parsed,
    to: Format,
    groups: &mut [Group],
    remarks: &mut Remarks,
) -> Map<String, Value> {
    let mut file = Map::new();
    let nested = matches!(to, Format::Claude | Format::Hookline);
    if let Some(switch) = &parsed.switches.disable_all_hooks {
        if nested {
            file.insert("disableAllHooks".to_owned(), json!(switch.on));
        } else if switch.on {
            let hooks = groups.iter_mut().flat_map(|group| &mut group.hooks);
            hooks.for_each(|hook| hook.enabled = false);
            let why = "each hook is switched off; those of other files are not";
            let about = About {
                action: None,
                event: None,
                place: &switch.place,
            };
            remarks.add(about, "disableAllHooks", Became::Approximated, why);
        }
    }
    if let Some(switch) = &parsed.switches.tripwires {
        if to == Format::Hookline {
            file.insert("tripwires".to_owned(), json!(switch.on));
        } else {
            let about = About {
                action: None,
                event: None,
                place: &switch.place,
            };
            let why = "it is a switch of Hookline's own files";
            remarks.add(about, "tripwires", Became::Dropped, why);
        }
    }
    file
}

/// Says so where a command counts on its plugin.
fn of_plugin(hook: &Hook, remarks: &mut Remarks) {
    let runs = hook.action.to_string();
    let names = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "user_config."];
    if let Some(name) = names.into_iter().find(|name| runs.contains(name)) {
        let why = format!("only the hooks of a plugin are told `{name}`");
        remarks.add(hook.about(), "command", Became::Approximated, why);
    }
}
