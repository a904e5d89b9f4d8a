//! From a firing to the hooks that will run, and the ones that will not, with the reason.
//!
//! The checks, in order: enabled, trust, matcher, condition, then the same hook written twice,
//! then `once`. A firing starts from the hooks that match; [`explain`] asks all of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use hook_types::{Deadline, EventName, HookEvent, HookId, HookInfo, OnFailure, SkipReason};

use crate::facts::Session;
use crate::group::Mode;
use crate::hook::{Admission, Gate, Wait};
use crate::hook_set::{GroupSettings, HookSet, Registered};
use crate::input::Input;
use crate::matcher::{Call, Purpose};
use crate::once::{Once, Turn};
use crate::policy::Policy;
use crate::remembered::Known;

/// What a plan is made with, beside the set and the event.
#[derive(Clone, Copy)]
pub(crate) struct Circumstances<'a> {
    pub(crate) session: &'a Session,
    pub(crate) once: &'a Arc<Once>,
    pub(crate) policy: &'a Policy,
}

/// The hooks of one firing.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) groups: Vec<PlannedGroup>,
    /// Hooks that match and do not run.
    pub(crate) skipped: Vec<(Arc<Registered>, SkipReason)>,
    /// Whether hooks of a sequential group see the event as it is, whatever those before answer.
    pub(crate) ignores_rewrites: bool,
}

/// The hooks of one group in a firing.
#[derive(Debug)]
pub(crate) struct PlannedGroup {
    pub(crate) settings: GroupSettings,
    pub(crate) hooks: Vec<PlannedHook>,
}

/// A hook that will run.
#[derive(Clone, Debug)]
pub(crate) struct PlannedHook {
    pub(crate) hook: Arc<Registered>,
    /// The deadline of its own; else the group's or the event's holds.
    pub(crate) limit: Option<Duration>,
    pub(crate) on_failure: OnFailure,
    /// Its one turn, if it has only one.
    pub(crate) turn: Option<Arc<Turn>>,
    /// Whether its condition holds for the event as it was fired. One that does not may hold once
    /// another hook has rewritten the event.
    pub(crate) fits: bool,
    /// It was approved, and is not what it was: it must not run, and on a guard blocks.
    pub(crate) changed: bool,
    /// Its matcher took too many steps, and counts as a match.
    pub(crate) limit_hit: bool,
}

/// The plan of a firing.
pub(crate) struct Planned {
    known: Arc<Known>,
    /// Made for this firing alone; else what is known has it.
    own: Option<Plan>,
    on_failure: OnFailure,
}

impl Planned {
    /// The event and its subject.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.known.name
    }

    pub(crate) fn plan(&self) -> &Plan {
        let steady = || self.known.steady_plan(self.on_failure)?.get();
        let plan = self.own.as_ref().or_else(steady);
        plan.unwrap_or(const { &Plan::nothing() })
    }
}

/// Plans a firing: takes the turn of hooks that run once. What is the same at every firing is planned
/// once.
pub(crate) fn plan(set: &HookSet, event: &HookEvent, given: Circumstances<'_>) -> Planned {
    let known = set.matching(event);
    let on_failure = given.policy.on_failure;
    let fresh = || fresh(set, &known, event, given);
    let own = match known.steady_plan(on_failure) {
        None => Some(fresh()),
        Some(place) => {
            place.get_or_init(fresh);
            None
        }
    };
    Planned {
        known,
        own,
        on_failure,
    }
}

/// Whether a hook is planned the same way at every firing: nobody is asked, nothing is looked at.
pub(crate) fn is_steady(hook: &Registered) -> bool {
    let hook = &hook.hook;
    hook.gate.is_none() && hook.condition.is_none() && !hook.once
}

fn fresh(set: &HookSet, known: &Known, event: &HookEvent, given: Circumstances<'_>) -> Plan {
    let hooks = set.of(event.name());
    let found = &known.found;
    let mut plan = Plan::default();
    let mut same = HashMap::new();
    for place in &found.matches {
        let hook = &hooks[*place];
        let planned = admit(hook)
            .map(|admission| (admission, condition_holds(hook, event, given.session)))
            .and_then(|(admission, fits)| {
                // In the middle of a sequential group it may see an event that others have rewritten.
                if fits && (set.group(hook.group).mode == Mode::Parallel || !plan.has_begun(hook)) {
                    plan.unlike_the_others(set, hook, &same, given.policy)?;
                }
                Ok((admission, fits, turn(hook, fits, given.once)?))
            });
        match planned {
            Err(reason) => plan.skipped.push((Arc::clone(hook), reason)),
            Ok((admission, fits, turn)) => {
                let at = plan.add(
                    set,
                    PlannedHook {
                        hook: Arc::clone(hook),
                        limit: hook.limit,
                        on_failure: hook.on_failure.unwrap_or(given.policy.on_failure),
                        turn,
                        fits,
                        changed: admission == Admission::Changed,
                        limit_hit: found.limit_hits.contains(place),
                    },
                );
                // A copy may only stand for another if it is sure to run, and on the original.
                let sure = set.group(hook.group).mode == Mode::Parallel || at.1 == 0;
                if let Some(identity) = hook.identity.as_deref().filter(|_| fits && sure) {
                    same.insert(identity, at);
                }
            }
        }
    }
    plan
}

/// The turn of a hook that runs once, if it has not had it. One whose condition does not hold does
/// not wait for the event to be rewritten: its turn would be taken meanwhile.
fn turn(hook: &Registered, fits: bool, once: &Arc<Once>) -> Result<Option<Arc<Turn>>, SkipReason> {
    if !hook.hook.once {
        return Ok(None);
    }
    if !fits {
        return Err(SkipReason::Condition);
    }
    once.claim(hook).map(Some).ok_or(SkipReason::AlreadyRan)
}

impl Plan {
    const fn nothing() -> Self {
        Self {
            groups: Vec::new(),
            skipped: Vec::new(),
            ignores_rewrites: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.skipped.is_empty()
    }

    /// The hooks that judge what they are asked, once more: not those that run once or in the
    /// background. What they rewrite is ignored.
    pub(crate) fn judges(&self) -> Self {
        let judges = |hook: &&PlannedHook| {
            !hook.hook.hook.once && hook.hook.hook.wait == Wait::Awaited && !hook.changed
        };
        let groups = self.groups.iter().map(|group| PlannedGroup {
            settings: group.settings,
            hooks: group.hooks.iter().filter(judges).cloned().collect(),
        });
        Self {
            groups: groups.filter(|group| !group.hooks.is_empty()).collect(),
            skipped: Vec::new(),
            ignores_rewrites: true,
        }
    }

    /// Whether no hook before is the same; one that is takes over what this one asks for.
    fn unlike_the_others(
        &mut self,
        set: &HookSet,
        hook: &Registered,
        same: &HashMap<&str, (usize, usize)>,
        policy: &Policy,
    ) -> Result<(), SkipReason> {
        let Some((group, index)) = hook
            .identity
            .as_deref()
            .and_then(|identity| same.get(identity))
        else {
            return Ok(());
        };
        let first = &mut self.groups[*group].hooks[*index];
        first.take_over(hook, set, policy);
        Err(SkipReason::Duplicate(first.hook.info.id.clone()))
    }

    /// Whether hooks of its group are in the plan already.
    fn has_begun(&self, hook: &Registered) -> bool {
        let last = self.groups.last().and_then(|group| group.hooks.last());
        last.is_some_and(|last| last.hook.group == hook.group)
    }

    /// Adds a hook to its group. Hooks come in order, so a group is complete before the next.
    fn add(&mut self, set: &HookSet, hook: PlannedHook) -> (usize, usize) {
        let number = hook.hook.group;
        if !self.has_begun(&hook.hook) {
            self.groups.push(PlannedGroup {
                settings: set.group(number),
                hooks: Vec::new(),
            });
        }
        let group = self.groups.len() - 1;
        self.groups[group].hooks.push(hook);
        (group, self.groups[group].hooks.len() - 1)
    }
}

impl PlannedHook {
    /// One hook runs for two that are the same: with the stricter answer to its failure and the
    /// longer deadline.
    fn take_over(&mut self, twin: &Registered, set: &HookSet, policy: &Policy) {
        self.on_failure = self
            .on_failure
            .max(twin.on_failure.unwrap_or(policy.on_failure));
        let whole = |hook: &Registered, own: Option<Duration>| {
            own.or(set.group(hook.group).timeout)
                .unwrap_or_else(|| hook.hook.event.row().deadline.limit())
        };
        let theirs = whole(twin, twin.limit);
        if theirs > whole(&self.hook, self.limit) {
            self.limit = Some(theirs);
        }
    }
}

/// The checks of one hook that has matched, before its kin are looked at.
fn admit(hook: &Registered) -> Result<Admission, SkipReason> {
    if !hook.hook.enabled {
        return Err(SkipReason::Disabled);
    }
    match hook.hook.gate.as_deref().map(ask) {
        None => Ok(Admission::Admitted),
        Some(Admission::Untrusted) => Err(SkipReason::Untrusted),
        Some(admission) => Ok(admission),
    }
}

/// Asks a gate. One that panics lets nobody through, takes nobody down, and leaves no guard open.
fn ask(gate: &dyn Gate) -> Admission {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| gate.admit())).unwrap_or_else(|_| {
        tracing::error!("a gate panicked; its hook counts as changed");
        Admission::Changed
    })
}

fn condition_holds(hook: &Registered, event: &HookEvent, session: &Session) -> bool {
    let Some(rule) = &hook.hook.condition else {
        return true;
    };
    event.tool_call().is_some_and(|(tool_name, tool_input)| {
        let call = Call {
            tool_name,
            tool_input,
            cwd: &event.base().cwd,
            home: session.home.as_deref(),
            project_root: Some(&session.project_dir),
        };
        rule.judge(&call, Purpose::Condition).runs_hook()
    })
}

/// Whether a hook of a sequential group still fits the event as others have rewritten it.
pub(crate) fn still_fits(
    hook: &Registered,
    event: &HookEvent,
    session: &Session,
) -> Result<(), SkipReason> {
    let matches = event
        .subject()
        .text()
        .is_none_or(|subject| hook.hook.matcher.matches(subject).is_match());
    if !matches {
        return Err(SkipReason::NotMatched);
    }
    if condition_holds(hook, event, session) {
        Ok(())
    } else {
        Err(SkipReason::Condition)
    }
}

/// The deadline of a hook where neither it nor its group has one; for a shared budget, the budget
/// as the hooks' own deadlines raise it.
pub(crate) fn event_limit(event: EventName, plan: &Plan) -> Duration {
    match event.row().deadline {
        Deadline::Each(limit) => limit,
        Deadline::Shared { budget, at_most } => {
            let own = plan
                .groups
                .iter()
                .flat_map(|group| &group.hooks)
                .filter_map(|hook| hook.limit);
            own.max().map_or(budget, |own| budget.max(own).min(at_most))
        }
    }
}

/// One hook of an event, and whether it would run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The hook.
    pub hook: HookInfo,
    /// What it would run, in a line.
    pub runs: String,
    /// The names of the variables that it sets for what it runs.
    pub variables: Vec<String>,
    /// Its matcher, as it is written.
    pub matcher: String,
    /// How the hooks of its group run.
    pub mode: Mode,
    /// How long it may take.
    pub limit: Duration,
    /// Why it would not run.
    pub skipped: Option<SkipReason>,
}

/// Every hook of the event, in order, with the first check that it fails. Runs nothing.
pub(crate) fn explain(
    set: &HookSet,
    event: &HookEvent,
    given: Circumstances<'_>,
) -> Vec<Explained> {
    let known = set.matching(event);
    let found = &known.found;
    let input = Input::new(event.clone());
    let mut same: HashMap<String, Twin> = HashMap::new();
    // The groups that have a hook in the plan already: only the first of one is sure to run.
    let mut begun = HashSet::new();
    let mut explained = Vec::new();
    for (place, hook) in set.of(event.name()).iter().enumerate() {
        let sure = set.group(hook.group).mode == Mode::Parallel || !begun.contains(&hook.group);
        let skipped = match admit(hook) {
            Err(reason) => Some(reason),
            Ok(_) if found.matches.binary_search(&place).is_err() => Some(SkipReason::NotMatched),
            Ok(_) if !condition_holds(hook, event, given.session) => Some(SkipReason::Condition),
            Ok(Admission::Changed) => Some(SkipReason::Changed),
            Ok(_) => twin_or_turn(hook, sure, &mut same, given.once),
        };
        let waits = skipped == Some(SkipReason::Condition) && !hook.hook.once;
        if waits || matches!(skipped, None | Some(SkipReason::Changed)) {
            begun.insert(hook.group);
        }
        let group = set.group(hook.group);
        let limit = hook.limit.or(group.timeout);
        explained.push(Explained {
            hook: (*hook.info).clone(),
            runs: hook.hook.handler.describe().summary,
            variables: hook.hook.handler.variables(&input, given.session),
            matcher: hook.hook.matcher.to_string(),
            mode: group.mode,
            limit: limit.unwrap_or_else(|| event.name().row().deadline.limit()),
            skipped,
        });
    }
    explained
}

/// A hook that would run, for those that are the same.
struct Twin {
    id: HookId,
    group: usize,
    /// Whether it is sure to run, and on the event as it was fired.
    sure: bool,
    once: bool,
}

fn twin_or_turn(
    hook: &Registered,
    sure: bool,
    same: &mut HashMap<String, Twin>,
    once: &Once,
) -> Option<SkipReason> {
    let identity = hook.identity.as_ref();
    match identity.and_then(|identity| same.get(identity)) {
        // In one group the second has nothing to add, unless the event is rewritten between them.
        Some(first) if first.group == hook.group && first.once && hook.hook.once => {
            return Some(SkipReason::AlreadyRan);
        }
        Some(first) if first.group == hook.group || (first.sure && sure) => {
            return Some(SkipReason::Duplicate(first.id.clone()));
        }
        _ if hook.hook.once && once.has_run(hook) => return Some(SkipReason::AlreadyRan),
        _ => {}
    }
    if let Some(identity) = identity {
        let twin = Twin {
            id: hook.info.id.clone(),
            group: hook.group,
            sure,
            once: hook.hook.once,
        };
        match same.get(identity) {
            Some(first) if first.sure => {}
            _ => drop(same.insert(identity.clone(), twin)),
        }
    }
    None
}
