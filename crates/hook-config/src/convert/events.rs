//! Which events a format has, and what a hook on one can do.

use hook_types::{Effect, EventName, Field};

use super::plan::Hook;
use super::remark::{Became, Remarks};
use crate::dialect::Format;

/// Our own events: Claude settings have none of them.
const OURS: [EventName; 10] = [
    EventName::Error,
    EventName::PreModelRequest,
    EventName::PostModelResponse,
    EventName::ModelStreamStart,
    EventName::ModelStreamEnd,
    EventName::PreToolSelection,
    EventName::SessionMessage,
    EventName::PermissionCheck,
    EventName::PermissionGranted,
    EventName::UserInterrupt,
];

/// Answers by which a hook changes what happens.
const REWRITES: [Field; 4] = [
    Field::UpdatedInput,
    Field::UpdatedToolOutput,
    Field::LlmRequest,
    Field::LlmResponse,
];

/// What a format calls an event; none where it has no such event.
pub(super) fn name(format: Format, event: EventName) -> Option<&'static str> {
    match format {
        Format::Claude => (!OURS.contains(&event)).then_some(event.as_str()),
        Format::Hookline => Some(event.as_str()),
        Format::Opta | Format::OpenCode => format.dialect().event_name(event),
    }
}

/// Whether a hook on this event can refuse, hold back or rewrite anything.
pub(super) fn may_say_no(event: EventName) -> bool {
    let row = event.row();
    row.effect != Effect::Ignore || REWRITES.iter().any(|field| row.honours(*field))
}

/// Whether a hook on this event can rewrite what a tool is called with, or what it gave.
pub(super) fn may_rewrite(event: EventName) -> bool {
    let row = event.row();
    row.honours(Field::UpdatedInput) || row.honours(Field::UpdatedToolOutput)
}

/// Whether commands for `speaks` mean the same to an agent that reads them as `reads`, on this event.
pub(super) fn same_contract(speaks: Format, reads: Format, event: EventName) -> bool {
    let nested = |format: Format| matches!(format, Format::Claude | Format::Hookline);
    // There alone `continue: true` with a reason is another thing.
    let stop = matches!(event, EventName::Stop | EventName::SubagentStop);
    speaks == reads || nested(speaks) && nested(reads) && !stop
}

/// Says that the target has no such event.
pub(super) fn no_event(hook: &Hook, to: Format, remarks: &mut Remarks) {
    let event = hook.event;
    let (became, so) = if hook.may_say_no() {
        (Became::Refused, "and the hook could refuse or rewrite")
    } else {
        (Became::Dropped, "so the hook is left out")
    };
    let why = format!("there is no event like {event} in {}, {so}", title(to));
    remarks.add(hook.about(), "event", became, why);
}

/// What people call a format.
pub(super) fn title(format: Format) -> &'static str {
    match format {
        Format::Claude => "Claude settings",
        Format::Hookline => "Hookline",
        Format::Opta => "Opta",
        Format::OpenCode => "OpenCode",
    }
}
