//! Many hooks: groups at once, hooks of a group in order or at once, results always in order.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use hook_types::{Attempt, Deadline, Decision, HookId, SkipReason, Status};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::group::Mode;
use crate::input::Input;
use crate::invoke::Firing;
use crate::plan::{Plan, PlannedGroup, PlannedHook, event_limit, still_fits};
use crate::time::after;

/// What became of the hooks of one group.
#[derive(Debug)]
pub(crate) struct GroupRun {
    pub(crate) mode: Mode,
    pub(crate) attempts: Vec<Attempt>,
}

/// How much time the hooks of a firing have.
#[derive(Clone, Copy)]
struct Budget {
    limit: Duration,
    /// Set where all hooks share it.
    ends: Option<Instant>,
}

impl Budget {
    /// The time of one hook that starts now: its own, else its group's, else the event's.
    fn limit_of(self, hook: &PlannedHook, group_ends: Option<Instant>) -> Duration {
        let left = |ends: Instant| ends.saturating_duration_since(Instant::now());
        let limit = hook
            .limit
            .or_else(|| group_ends.map(left))
            .unwrap_or(self.limit);
        self.ends.map_or(limit, |ends| limit.min(left(ends)))
    }
}

/// What became of the groups of one firing. Most firings have one.
#[derive(Debug)]
pub(crate) enum Runs {
    One(GroupRun),
    Many(Vec<GroupRun>),
}

impl Runs {
    pub(crate) fn groups(&self) -> &[GroupRun] {
        match self {
            Self::One(group) => std::slice::from_ref(group),
            Self::Many(groups) => groups,
        }
    }

    /// All attempts, in order.
    pub(crate) fn into_attempts(self) -> Vec<Attempt> {
        match self {
            Self::One(group) => group.attempts,
            Self::Many(groups) => groups.into_iter().flat_map(|run| run.attempts).collect(),
        }
    }
}

/// Runs what was planned. Groups run at once, no more than `at_once` hooks of them.
pub(crate) async fn schedule(
    firing: &Firing<'_>,
    plan: &Plan,
    input: Arc<Input>,
    at_once: usize,
) -> Runs {
    let limit = event_limit(input.name(), plan);
    let ends = match input.name().row().deadline {
        Deadline::Each(_) => None,
        Deadline::Shared { .. } => Some(after(Instant::now(), limit)),
    };
    let hooks: usize = plan.groups.iter().map(|group| group.hooks.len()).sum();
    let places = (hooks > at_once).then(|| Semaphore::new(at_once.max(1)));
    let runner = GroupRunner {
        firing,
        budget: Budget { limit, ends },
        places: places.as_ref(),
        ignores_rewrites: plan.ignores_rewrites,
    };
    match plan.groups.as_slice() {
        [only] => Runs::One(runner.run(only, input).await),
        // Boxed here and below, so that a firing of one hook has no room for many.
        groups => {
            let run = |group| runner.run(group, Arc::clone(&input));
            Runs::Many(Box::pin(join_all(groups.iter().map(run))).await)
        }
    }
}

#[derive(Clone, Copy)]
struct GroupRunner<'a> {
    firing: &'a Firing<'a>,
    budget: Budget,
    /// Free places among the hooks that run at once; none where there are enough for all.
    places: Option<&'a Semaphore>,
    ignores_rewrites: bool,
}

/// The event as one hook is asked about it.
#[derive(Clone)]
struct Asked {
    input: Arc<Input>,
    /// Whether it is as it was fired.
    as_fired: bool,
}

impl GroupRunner<'_> {
    /// One hook is handed the event itself; where there are more, they share it.
    async fn run(self, group: &PlannedGroup, input: Arc<Input>) -> GroupRun {
        let ends = group
            .settings
            .timeout
            .map(|timeout| after(Instant::now(), timeout));
        let asked = |input: Arc<Input>| Asked {
            input,
            as_fired: !self.ignores_rewrites,
        };
        let attempts = match (group.settings.mode, group.hooks.as_slice()) {
            (_, [only]) => vec![self.one(only, asked(input), ends).await],
            (Mode::Sequential, _) => Box::pin(self.sequential(group, asked(input), ends)).await,
            (Mode::Parallel, hooks) => {
                let one = |hook| self.one(hook, asked(Arc::clone(&input)), ends);
                Box::pin(join_all(hooks.iter().map(one))).await
            }
        };
        GroupRun {
            mode: group.settings.mode,
            attempts,
        }
    }

    async fn one(self, hook: &PlannedHook, asked: Asked, group_ends: Option<Instant>) -> Attempt {
        if let Err(reason) = self.may_run(hook, &asked) {
            return self.firing.skipped(&hook.hook, asked.input.name(), reason);
        }
        // The deadline starts when the hook does, not when it queues.
        let _place = match self.places {
            Some(places) => Box::pin(places.acquire()).await.ok(),
            None => None,
        };
        self.firing
            .invoke(hook, asked.input, self.budget.limit_of(hook, group_ends))
            .await
    }

    /// Each hook sees the event as those before it have rewritten it.
    async fn sequential(
        self,
        group: &PlannedGroup,
        mut asked: Asked,
        ends: Option<Instant>,
    ) -> Vec<Attempt> {
        let event = asked.input.name();
        let mut attempts: Vec<Attempt> = Vec::with_capacity(group.hooks.len());
        let mut ended_by: Option<HookId> = None;
        let mut done = Done::default();
        for hook in &group.hooks {
            if let Some(by) = &ended_by {
                let reason = SkipReason::GroupEnded(by.clone());
                attempts.push(self.firing.skipped(&hook.hook, event, reason));
                continue;
            }
            if let Some(twin) = done.twin(hook, &asked.input) {
                let reason = SkipReason::Duplicate(twin);
                attempts.push(self.firing.skipped(&hook.hook, event, reason));
                continue;
            }
            let attempt = self.one(hook, asked.clone(), ends).await;
            if !self.ignores_rewrites
                && attempt.reply.status.is_answer()
                && let Some(event) = asked.input.rewritten(&attempt.reply.output)
            {
                asked = Asked {
                    input: Arc::new(Input::new(event)),
                    as_fired: false,
                };
            }
            done.add(hook, &attempt, &asked.input);
            if ends_group(&attempt, group.settings.stop_on_failure) {
                ended_by = Some(attempt.hook.id.clone());
            }
            attempts.push(attempt);
        }
        attempts
    }

    /// Whether a hook fits the event: as it was fired, or as others have rewritten it.
    fn may_run(self, hook: &PlannedHook, asked: &Asked) -> Result<(), SkipReason> {
        if !asked.as_fired {
            return still_fits(&hook.hook, &asked.input, self.firing.session);
        }
        if hook.fits {
            Ok(())
        } else {
            Err(SkipReason::Condition)
        }
    }
}

/// The hooks of a sequential group that have run to their end, and what each left to the next.
#[derive(Default)]
struct Done<'a>(Vec<(&'a str, HookId, Arc<Input>)>);

impl<'a> Done<'a> {
    fn add(&mut self, hook: &'a PlannedHook, attempt: &Attempt, left: &Arc<Input>) {
        let ended = attempt.success() || attempt.reply.status.is_answer();
        if let Some(identity) = hook.hook.identity.as_deref().filter(|_| ended) {
            self.0
                .push((identity, attempt.hook.id.clone(), Arc::clone(left)));
        }
    }

    /// The same hook, if it has run, and nobody has rewritten the event since: it has nothing to add.
    fn twin(&self, hook: &PlannedHook, input: &Arc<Input>) -> Option<HookId> {
        let identity = hook.hook.identity.as_deref()?;
        let mut done = self.0.iter();
        let twin = done.find(|(known, _, left)| *known == identity && Arc::ptr_eq(left, input));
        twin.map(|(_, id, _)| id.clone())
    }
}

/// Whether a hook ends its group: it stops the agent, or it fails or refuses where that counts.
fn ends_group(attempt: &Attempt, stop_on_failure: bool) -> bool {
    let output = &attempt.reply.output;
    let refused = output.decision == Decision::Deny;
    let failed = !attempt.success() && !matches!(attempt.reply.status, Status::Skipped(_));
    let stops = output.stops() && attempt.reply.status.is_answer();
    stops || (stop_on_failure && (failed || refused))
}
