//! Firings that are made up: any event, any hooks, any way to end, anything said.

use std::sync::LazyLock;
use std::time::Duration;

use hook_types::{
    Code, ConfigSource, Decision, Diagnostic, ElicitationAction, ElicitationAnswer, EventName,
    Field, HookEvent, HookKind, OnFailure, Order, Reply, SkipReason, Status, SyncOutput,
    ToolConfig, ToolMode,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::firing::{Firing, Given, of, samples};
use crate::group::Mode;
use crate::policy::OnConflict;
use crate::schedule::GroupRun;

/// One thing that a hook can say, in one of a few versions: few, so that hooks agree and differ.
type Part = (Option<Field>, fn(&mut SyncOutput, usize));

const ACTIONS: [ElicitationAction; 3] = [
    ElicitationAction::Accept,
    ElicitationAction::Decline,
    ElicitationAction::Cancel,
];
const MODES: [Option<ToolMode>; 4] = [
    None,
    Some(ToolMode::Auto),
    Some(ToolMode::Any),
    Some(ToolMode::None),
];

/// All of them, each with the field that an event must honour for it to count.
const PARTS: &[Part] = &[
    (None, |output, i| {
        if i == 0 {
            output.decision = Decision::Deny;
        }
    }),
    (Some(Field::Allow), |output, _| {
        output.decision = Decision::Allow;
    }),
    (Some(Field::Ask), |output, _| {
        output.decision = Decision::Ask;
    }),
    (Some(Field::Defer), |output, _| {
        output.decision = Decision::Defer;
    }),
    (None, |output, i| output.reason = Some(text(i))),
    (None, |output, i| output.suppress_output = i == 0),
    (None, |output, i| output.terminal_sequence = Some(text(i))),
    (None, |output, i| output.specific.exports = Some(text(i))),
    (Some(Field::Continue), |output, i| {
        output.proceed = Some(i != 0);
    }),
    (Some(Field::Continue), |output, i| {
        output.proceed = Some(i == 0);
        output.stop_reason = Some(text(i));
    }),
    (Some(Field::SystemMessage), |output, i| {
        output.system_message = Some(text(i));
    }),
    (Some(Field::AdditionalContext), |output, i| {
        output.additional_context = Some(text(i));
    }),
    (Some(Field::UpdatedInput), |output, i| {
        output.updated_input = Some(json!({ "version": i }));
    }),
    (Some(Field::UpdatedToolOutput), |output, i| {
        output.updated_output = Some(value(i));
    }),
    (Some(Field::UpdatedToolOutput), |output, i| {
        output.updated_mcp_output = Some(value(i));
    }),
    (Some(Field::ClassifierContext), |output, i| {
        output.specific.classifier_context = Some(text(i));
    }),
    (Some(Field::SessionTitle), |output, i| {
        output.specific.session_title = Some(text(i));
    }),
    (Some(Field::SuppressOriginalPrompt), |output, i| {
        output.specific.suppress_original_prompt = Some(i == 0);
    }),
    (Some(Field::InitialUserMessage), |output, i| {
        output.specific.initial_user_message = Some(text(i));
    }),
    (Some(Field::WatchPaths), |output, i| {
        output.specific.watch_paths = Some(names(i));
    }),
    (Some(Field::ReloadSkills), |output, i| {
        output.specific.reload_skills = Some(i == 0);
    }),
    (Some(Field::UpdatedPermissions), |output, i| {
        let update = json!([{ "type": "setMode", "mode": text(i), "destination": "session" }]);
        output.specific.updated_permissions = serde_json::from_value(update).ok();
    }),
    (Some(Field::Interrupt), |output, i| {
        output.specific.interrupt = Some(i == 0);
    }),
    (Some(Field::Retry), |output, i| {
        output.specific.retry = Some(i == 0);
    }),
    (Some(Field::Action), |output, i| {
        let action = ACTIONS[i % ACTIONS.len()];
        let content = (i > 1).then(|| value(i));
        output.specific.elicitation = Some(ElicitationAnswer { action, content });
    }),
    (Some(Field::WorktreePath), |output, i| {
        output.specific.worktree_path = Some(text(i));
    }),
    (Some(Field::DisplayContent), |output, i| {
        output.specific.display_content = Some(text(i));
    }),
    (Some(Field::LlmRequest), |output, i| {
        output.specific.llm_request = Some(value(i));
    }),
    (Some(Field::LlmResponse), |output, i| {
        output.specific.llm_response = Some(value(i));
    }),
    (Some(Field::ToolConfig), |output, i| {
        output.specific.tool_config = Some(ToolConfig {
            mode: MODES[i % MODES.len()],
            allowed_function_names: (i > 0).then(|| names(i)),
        });
    }),
];

/// One of the versions is blank.
fn text(version: usize) -> String {
    ["", "one", "two", "three"][version % 4].to_owned()
}

fn value(version: usize) -> Value {
    json!({ "version": version })
}

fn names(version: usize) -> Vec<String> {
    (0..version).map(|i| format!("/{i}")).collect()
}

/// Every event, as short and as long as it comes, and the one that nothing can block. The more a
/// hook can say to an event, the more often it is there.
static EVENTS: LazyLock<Vec<HookEvent>> = LazyLock::new(|| {
    let exempt = hook_types::ConfigChange::new(ConfigSource::PolicySettings);
    let events = EventName::ALL.iter().flat_map(|event| {
        let row = event.row();
        let honoured = Field::ALL.iter().filter(|field| row.honours(**field));
        samples(*event)
            .into_iter()
            .cycle()
            .take(2 + 2 * honoured.count())
    });
    events.chain([exempt.into()]).collect()
});

fn event() -> impl Strategy<Value = HookEvent> {
    select(EVENTS.as_slice())
}

/// Anything that a hook can say; mostly what the event honours.
fn output(event: EventName) -> impl Strategy<Value = SyncOutput> {
    let row = event.row();
    let honoured = |(field, _): &&Part| field.is_none_or(|field| row.honours(field));
    let honoured: Vec<Part> = PARTS.iter().filter(honoured).copied().collect();
    let part = prop_oneof![9 => select(honoured), 1 => select(PARTS)];
    vec((part, 0..4_usize), 0..5).prop_map(|parts| {
        let mut output = SyncOutput::default();
        for ((_, say), version) in parts {
            say(&mut output, version);
        }
        output
    })
}

/// Any way to fail.
pub(super) fn failure() -> impl Strategy<Value = Status> {
    select(vec![
        Status::LaunchFailed("no such file".into()),
        Status::Crashed { signal: 9 },
        Status::Failed("exit code 1".into()),
        Status::BadOutput("not JSON".into()),
        Status::TimedOut {
            limit: Duration::from_secs(5),
        },
    ])
}

/// Any way to end without a word that counts.
pub(super) fn silence() -> impl Strategy<Value = Status> {
    select(vec![
        Status::NoOpinion,
        Status::Background,
        Status::Skipped(SkipReason::NotMatched),
    ])
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        12 => Just(Status::Answered),
        1 => Just(Status::Blocked { exit_code: 2 }),
        2 => silence(),
        1 => Just(Status::Cancelled),
        3 => failure(),
    ]
}

/// Any hook for the event.
pub(super) fn hook(event: EventName) -> impl Strategy<Value = Given> {
    ended_in(event, status())
}

/// Any hook for the event that ended like that.
pub(super) fn ended_in(
    event: EventName,
    status: impl Strategy<Value = Status>,
) -> impl Strategy<Value = Given> {
    let on_failure = select(vec![OnFailure::Continue, OnFailure::Block]);
    let kind = select(vec![HookKind::Function, HookKind::Command]);
    let odd = proptest::bool::weighted(0.1);
    (output(event), status, on_failure, kind, odd).prop_map(
        |(output, status, on_failure, kind, odd)| {
            let mut reply = Reply::with_status(status);
            reply.output = output.into();
            let odd = odd.then(|| Diagnostic::new(Code::Noise, "there is a banner"));
            reply.diagnostics.extend(odd);
            Given {
                reply,
                on_failure,
                kind,
            }
        },
    )
}

/// Any firing. Hooks are called by their place, and give reasons by their name.
pub(super) fn firing() -> impl Strategy<Value = Firing> {
    event().prop_flat_map(|event| {
        let mode = select(vec![Mode::Sequential, Mode::Parallel]);
        let group = (mode, vec(hook(event.name()), 0..5));
        let groups = prop_oneof![1 => Just(Vec::new()), 15 => vec(group, 1..4)];
        (Just(event), groups, any::<bool>(), any::<bool>()).prop_map(assemble)
    })
}

fn assemble(
    (event, groups, interactive, asks): (HookEvent, Vec<(Mode, Vec<Given>)>, bool, bool),
) -> Firing {
    let mut firing = of(event);
    firing.interactive = interactive;
    if asks {
        firing.policy.on_conflict = OnConflict::Ask;
    }
    for (group, (mode, hooks)) in (0..).zip(groups) {
        let attempts = (0..).zip(hooks).map(|(index, hook)| {
            let name = format!("{group}-{index}");
            let mut attempt = because_of(&name, hook).named(&name, firing.event.name());
            attempt.order = Order {
                layer: 0,
                group,
                index,
            };
            attempt
        });
        let attempts = attempts.collect();
        firing.groups.push(GroupRun { mode, attempts });
    }
    firing
}

/// The hook with words of its own, so that it can be told whose words came through.
fn because_of(name: &str, mut hook: Given) -> Given {
    let output = &mut *hook.reply.output;
    for words in [&mut output.reason, &mut output.stop_reason] {
        if let Some(words) = words.as_mut().filter(|words| !words.is_empty()) {
            *words = format!("{words} of {name}");
        }
    }
    hook
}

/// A firing, a hook that is not in it, and where it is put: a group, or one of its own, and a place
/// there.
pub(super) type Grown = (Firing, Given, usize, usize);

/// Any firing with one hook more, of the kind that `extra` makes.
pub(super) fn grown<S>(extra: impl Fn(EventName) -> S) -> impl Strategy<Value = Grown>
where
    S: Strategy<Value = Given> + 'static,
{
    firing().prop_flat_map(move |firing| {
        let hook = extra(firing.event.name());
        let (groups, most) = (firing.groups.len(), 4_usize);
        (Just(Held(firing)), hook, 0..=groups, 0..most)
            .prop_map(|(firing, hook, group, place)| (firing.0, hook, group, place))
    })
}

/// A firing as a strategy may hold it: a copy each time.
#[derive(Debug)]
struct Held(Firing);

impl Clone for Held {
    fn clone(&self) -> Self {
        Self(copy(&self.0))
    }
}

pub(super) fn copy(firing: &Firing) -> Firing {
    let groups = firing.groups.iter().map(|group| GroupRun {
        mode: group.mode,
        attempts: group.attempts.clone(),
    });
    Firing {
        event: firing.event.clone(),
        groups: groups.collect(),
        policy: firing.policy,
        interactive: firing.interactive,
    }
}

/// The firing with the hook in its place.
pub(super) fn with(firing: &Firing, hook: &Given, group: usize, place: usize) -> Firing {
    let mut firing = copy(firing);
    let attempt = because_of("new", hook.clone()).named("new", firing.event.name());
    match firing.groups.get_mut(group) {
        Some(group) => {
            let place = place.min(group.attempts.len());
            group.attempts.insert(place, attempt);
        }
        None => firing.groups.push(GroupRun {
            mode: Mode::Sequential,
            attempts: vec![attempt],
        }),
    }
    firing
}
