//! One hook of a flat list.

use std::time::Duration;

use hook_runner::Wait;
use hook_types::{EventName, OnFailure};
use serde_json::{Map, Value, json};

use super::adapter::{Adapter, Rewrites};
use super::events::{may_rewrite, name, no_event, same_contract, title};
use super::plan::Hook;
use super::remark::{Became, Remarks};
use super::{patterns, wrap};
use crate::dialect::Format;
use crate::entry::{Action, CommandAction, Run};

/// The longest time that Opta gives a hook, and the shortest.
const OPTA: [Duration; 2] = [Duration::from_mins(1), Duration::from_millis(100)];
/// What both give where nothing is said.
const USUAL: Duration = Duration::from_secs(10);

/// One hook of a flat list before it is written.
#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    pub(super) hook: &'a Hook,
    /// When it runs, in OpenCode's words.
    pub(super) patterns: Vec<String>,
    /// The same, in ours.
    pub(super) events: Vec<EventName>,
    /// Everything else.
    pub(super) fields: Map<String, Value>,
}

impl Element<'_> {
    /// As it is written.
    pub(super) fn into_value(mut self) -> Value {
        if !self.fields.contains_key("event") {
            let patterns = super::order::short(&self.patterns);
            self.fields
                .shift_insert(0, "event".to_owned(), json!(patterns));
        }
        Value::Object(self.fields)
    }
}

/// A hook as an element of a list; none where there can be none. `only` are the events that it is for,
/// where the target does not tell them apart.
pub(super) fn of<'a>(
    hook: &'a Hook,
    to: Format,
    only: Option<&[EventName]>,
    remarks: &mut Remarks,
) -> Option<Element<'a>> {
    let Some(event) = name(to, hook.event) else {
        no_event(hook, to, remarks);
        return None;
    };
    if hook.wait == Wait::Rewake {
        let why = format!("nothing of {} wakes an agent", title(to));
        remarks.add(hook.about(), "asyncRewake", Became::Refused, why);
        return None;
    }
    let (told, matcher) = matcher(hook, to);
    let mut fields = match &hook.action {
        Action::Command(_) | Action::Server(_) => command(hook, to, matcher, only, remarks)?,
        Action::Other { .. } => other(hook, to, matcher.is_some(), remarks)?,
    };
    captions(hook, to, &mut fields, remarks);
    let patterns = match (to, told) {
        (Format::OpenCode, Told::Tools(tools)) => {
            tools.iter().map(|tool| format!("{event}:{tool}")).collect()
        }
        (_, Told::Matcher(matcher)) => {
            fields.shift_insert(0, "matcher".to_owned(), json!(matcher));
            vec![event.to_owned()]
        }
        (_, Told::All | Told::Tools(_)) => vec![event.to_owned()],
    };
    if to == Format::Opta {
        // An element has but one name of an event.
        fields.shift_insert(0, "event".to_owned(), json!(event));
    }
    Some(Element {
        hook,
        patterns,
        events: vec![hook.event],
        fields,
    })
}

/// How the target says for which subjects a hook is.
enum Told {
    All,
    Matcher(String),
    Tools(Vec<String>),
}

/// What the target says of the subjects, and what is left for an adapter.
fn matcher(hook: &Hook, to: Format) -> (Told, Option<String>) {
    let Some(claude) = &hook.matcher else {
        return (Told::All, None);
    };
    let about_tools = hook.event.row().is_about_a_tool_call();
    let told = match to {
        _ if !about_tools => None,
        Format::Opta => patterns::to_opta(hook.event, claude).map(Told::Matcher),
        Format::OpenCode => patterns::to_opencode(hook.event, claude).map(Told::Tools),
        Format::Claude | Format::Hookline => None,
    };
    match told {
        Some(told) => (told, None),
        None => (Told::All, Some(claude.clone())),
    }
}

fn command(
    hook: &Hook,
    to: Format,
    matcher: Option<String>,
    only: Option<&[EventName]>,
    remarks: &mut Remarks,
) -> Option<Map<String, Value>> {
    let plain = plain(hook, to).filter(|_| matcher.is_none() && only.is_none());
    let mut fields = Map::new();
    if let Some(command) = plain {
        fields.insert("command".to_owned(), json!(command));
        timeout(hook, to, None, &mut fields, remarks);
    } else {
        let mut adapter = wrap::adapter(hook, to)?;
        adapter.matcher = matcher;
        adapter.condition.clone_from(&hook.condition);
        if hook.blocks {
            adapter.on_failure = OnFailure::Block;
        }
        adapter.background = hook.wait == Wait::Background && to == Format::OpenCode;
        let names = only
            .into_iter()
            .flatten()
            .map(|event| event.as_str().to_owned());
        adapter.events = names.collect();
        wrap::remark(hook, to, remarks);
        rewrites(hook, to, remarks);
        fields.insert("command".to_owned(), Value::Null); // its place
        timeout(hook, to, Some(&mut adapter), &mut fields, remarks);
        fields.insert("command".to_owned(), json!(adapter.to_command()));
    }
    if let (Action::Command(CommandAction { env, cwd, .. }), Format::OpenCode) = (&hook.action, to)
    {
        if let Some(cwd) = cwd {
            fields.insert("working_dir".to_owned(), json!(cwd));
        }
        if !env.is_empty() {
            let env = env.iter().map(|(name, value)| (name.clone(), json!(value)));
            fields.insert("env".to_owned(), Value::Object(env.collect()));
        }
    }
    background(hook, to, &mut fields, remarks);
    Some(fields)
}

/// Says that a rewrite is an answer, and an agent may know exit codes alone.
fn rewrites(hook: &Hook, to: Format, remarks: &mut Remarks) {
    let from_answers = matches!(hook.speaks, Format::Claude | Format::Hookline);
    let waits = hook.wait == Wait::Awaited;
    if from_answers && waits && may_rewrite(hook.event) && hook.rewrites == Rewrites::Answered {
        let why = format!(
            "if it rewrites, that is an answer in JSON: Hookline reads it, {} itself may know exit \
             codes alone; such a rewrite can be made a refusal instead",
            title(to)
        );
        remarks.add(hook.about(), "answer", Became::Approximated, why);
    }
}

/// The command, where it can stand as it is.
fn plain(hook: &Hook, to: Format) -> Option<&str> {
    let Action::Command(CommandAction {
        run: Run::Shell(text),
        shell: None,
        env,
        cwd,
    }) = &hook.action
    else {
        return None;
    };
    let at_home = to == Format::OpenCode || env.is_empty() && cwd.is_none();
    let waits = hook.wait == Wait::Awaited || to == Format::Opta;
    let as_said = hook.condition.is_none() && !hook.blocks && waits;
    let same = same_contract(hook.speaks, to, hook.event);
    (at_home && as_said && same).then_some(text.as_str())
}

/// The time that the target gives; an adapter needs a little more than its command.
fn timeout(
    hook: &Hook,
    to: Format,
    adapter: Option<&mut Adapter>,
    fields: &mut Map<String, Value>,
    remarks: &mut Remarks,
) {
    let margin = if adapter.is_some() {
        wrap::MARGIN
    } else {
        Duration::ZERO
    };
    let mut inner = hook.limit();
    if to == Format::Opta {
        let [longest, shortest] = OPTA;
        let longest = longest.saturating_sub(margin);
        let held = inner.min(longest).max(shortest.saturating_sub(margin));
        if held != inner {
            let why = format!(
                "{} s, and Opta gives between 0.1 and 60: {} s",
                inner.as_secs_f64(),
                held.as_secs_f64()
            );
            remarks.add(hook.about(), "timeout", Became::Approximated, why);
            inner = held;
            if let Some(adapter) = adapter {
                adapter.timeout = Some(held);
            }
        }
    }
    let outer = inner.saturating_add(margin);
    if outer != USUAL {
        let value = match to {
            Format::Opta => json!(u64::try_from(outer.as_millis()).unwrap_or(u64::MAX)),
            Format::OpenCode | Format::Claude | Format::Hookline => wrap::seconds(outer),
        };
        fields.insert("timeout".to_owned(), value);
    }
}

fn background(hook: &Hook, to: Format, fields: &mut Map<String, Value>, remarks: &mut Remarks) {
    if hook.wait != Wait::Background {
        return;
    }
    if to == Format::Opta {
        fields.insert("background".to_owned(), json!(true));
        if hook.speaks == Format::Opta {
            return;
        }
    }
    let why = match to {
        Format::Opta => "what it answers later reaches nobody",
        Format::OpenCode | Format::Claude | Format::Hookline => {
            "nothing is in the background there: it promises an answer first, which Hookline heeds; \
             another agent waits for it"
        }
    };
    remarks.add(hook.about(), "async", Became::Approximated, why);
}

/// A hook that is no command.
fn other(
    hook: &Hook,
    to: Format,
    has_matcher: bool,
    remarks: &mut Remarks,
) -> Option<Map<String, Value>> {
    let kind = hook.action.kind();
    let fields = wrap::command_keys(&hook.action);
    if to == Format::Opta && hook.condition.is_none() && !hook.blocks && !has_matcher {
        let mut fields = fields;
        timeout(hook, to, None, &mut fields, remarks);
        background(hook, to, &mut fields, remarks);
        return Some(fields);
    }
    let became = if hook.may_say_no() {
        Became::Refused
    } else {
        Became::Dropped
    };
    let why = format!(
        "no hook of {} is of type `{kind}`, or not with these keys",
        title(to)
    );
    remarks.add(hook.about(), "type", became, why);
    None
}

/// Texts for people, and switches.
fn captions(hook: &Hook, to: Format, fields: &mut Map<String, Value>, remarks: &mut Remarks) {
    if let Some(text) = &hook.description {
        fields.insert("description".to_owned(), json!(text));
    }
    if let Some(text) = &hook.status_message {
        if to == Format::Opta {
            fields.insert("statusMessage".to_owned(), json!(text));
        } else {
            let why = format!("nothing is shown while it runs: `{text}` is left out");
            remarks.add(hook.about(), "statusMessage", Became::Dropped, why);
        }
    }
    if !hook.enabled {
        fields.insert("enabled".to_owned(), json!(false));
        if to == Format::Opta {
            let why = "Hookline heeds `enabled` in Opta's file; Opta itself may not";
            remarks.add(hook.about(), "enabled", Became::Approximated, why);
        }
    }
    if hook.once {
        let why = format!("{} knows no `once`: it runs each time", title(to));
        remarks.add(hook.about(), "once", Became::Approximated, why);
    }
}
