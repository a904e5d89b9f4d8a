//! Groups: what their hooks see of each other, when a group ends, and in which order results come.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::time::Duration;

use hook_runner::matcher::Rule;
use hook_runner::{Fire, Group, Hook, HookSet, Layer, Policy, Runner, Session, hook_fn};
use hook_types::{
    Code, Decision, Event, EventName, PostToolUse, PreToolUse, Reply, SkipReason, Status, Stop,
};
use serde_json::json;
use support::{
    Counter, Fixed, Log, bash, exit_two, ids, millis, secs, skipped, updated_command, words,
};
use tokio::time::sleep;

/// Notes the command that it sees, and adds a word to it.
fn adding(log: &Log, word: &'static str) -> Hook {
    let log = log.clone();
    hook_fn(move |call: PreToolUse| {
        let command = call.command().unwrap_or_default();
        log.say(command);
        PreToolUse::rewrite(json!({ "command": format!("{command} {word}") }))
    })
    .id(word)
}

/// Notes the command that it sees.
fn watching(log: &Log, id: &'static str) -> Hook {
    let log = log.clone();
    hook_fn(move |call: PreToolUse| log.say(call.command().unwrap_or_default())).id(id)
}

fn built(group: Group) -> Runner {
    Runner::new(HookSet::builder().group(group).build().unwrap())
}

// ===== sequential =====

#[tokio::test]
async fn in_a_sequential_group_a_later_hook_sees_the_rewritten_input() {
    let log = Log::default();
    let hooks = HookSet::builder()
        .on("", adding(&log, "one"))
        .on("", watching(&log, "watcher"))
        .on("", adding(&log, "two"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("echo")).await;
    assert_eq!(log.get(), ["echo", "echo one", "echo one"]);
    assert_eq!(updated_command(&verdict), Some("echo one two"));
    assert!(
        verdict.outcome.diagnostics.is_empty(),
        "chained: no conflict"
    );
}

#[tokio::test]
async fn in_a_sequential_group_a_later_hook_sees_the_rewritten_output() {
    let hooks = HookSet::builder()
        .on("", |_: PostToolUse| {
            PostToolUse::replace_output(json!("hidden"))
        })
        .on("", |call: PostToolUse| {
            PostToolUse::replace_output(json!(format!(
                "[{}]",
                call.tool_response.as_str().unwrap_or("?")
            )))
        })
        .build()
        .unwrap();
    let call = PostToolUse::new("Read", json!({}), json!("secret"));
    let verdict = Runner::new(hooks).fire(call).await;
    assert_eq!(verdict.updated_output(), Some(&json!("[hidden]")));
}

#[tokio::test]
async fn a_hook_whose_condition_no_longer_holds_is_skipped_with_the_reason() {
    let log = Log::default();
    let rule = || Rule::parse("Bash(git *)").unwrap();
    let hooks = HookSet::builder()
        .on("", watching(&log, "before").only_if(rule()))
        .on("", |_: PreToolUse| {
            PreToolUse::rewrite(json!({"command": "ls"}))
        })
        .on("", watching(&log, "after").only_if(rule()))
        .on("", watching(&log, "last"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("git push")).await;
    assert_eq!(log.get(), ["git push", "ls"]);
    assert_eq!(
        words(&verdict),
        ["no_opinion", "answered", "skipped", "no_opinion"]
    );
    assert_eq!(skipped(&verdict.attempts[2]), Some(&SkipReason::Condition));
}

#[tokio::test(start_paused = true)]
async fn sequential_hooks_never_overlap() {
    let (running, most) = (Counter::default(), Counter::default());
    let hook = || {
        let (running, most) = (running.clone(), most.clone());
        move |_: Stop| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                most.raise_to(running.add());
                sleep(secs(1)).await;
                running.sub();
            }
        }
    };
    let hooks = HookSet::builder().on("", hook()).on("", hook());
    let runner = Runner::new(hooks.build().unwrap());
    runner.fire(Stop::new(false)).await;
    assert_eq!(most.get(), 1);
}

// ===== what ends a group =====

#[tokio::test]
async fn a_hook_that_stops_the_agent_skips_the_rest_and_they_say_who_it_was() {
    let log = Log::default();
    let runner = built(
        Group::sequential()
            .on(
                "",
                hook_fn(|_: PreToolUse| PreToolUse::stop_agent("enough")).id("stopper"),
            )
            .on("", watching(&log, "second"))
            .on("", watching(&log, "third")),
    );
    let verdict = runner.fire(bash("ls")).await;
    assert!(log.get().is_empty());
    let ended = SkipReason::GroupEnded("stopper".into());
    assert_eq!(skipped(&verdict.attempts[1]), Some(&ended));
    assert_eq!(skipped(&verdict.attempts[2]), Some(&ended));
    assert_eq!(ended.to_string(), "stopper ended the group");
}

#[tokio::test]
async fn a_refusal_alone_does_not_end_a_group() {
    let log = Log::default();
    let runner = built(
        Group::sequential()
            .on("", |_: PreToolUse| PreToolUse::deny("no"))
            .on("", watching(&log, "second")),
    );
    assert!(runner.fire(bash("ls")).await.is_denied());
    assert_eq!(log.get(), ["ls"]);
}

macro_rules! stops_on_failure {
    ($($name:ident: $reply:expr => $runs:literal;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let second = Fixed::new(Reply::no_opinion());
            let runner = built(
                Group::sequential()
                    .stop_on_failure()
                    .hook(Fixed::new($reply).hook(EventName::PreToolUse).id("first"))
                    .hook(second.hook(EventName::PreToolUse)),
            );
            let verdict = runner.fire(bash("ls")).await;
            assert_eq!(second.runs.get(), $runs);
            if $runs == 0 {
                let ended = SkipReason::GroupEnded("first".into());
                assert_eq!(skipped(&verdict.attempts[1]), Some(&ended));
            }
        }
    )*};
}

stops_on_failure! {
    stop_on_failure_ends_a_group_at_a_failure: Reply::failed("broken") => 0;
    stop_on_failure_ends_a_group_at_a_crash:
        Reply::with_status(Status::Crashed { signal: 9 }) => 0;
    stop_on_failure_ends_a_group_at_a_timeout:
        Reply::with_status(Status::TimedOut { limit: secs(1) }) => 0;
    stop_on_failure_ends_a_group_at_exit_code_two: exit_two() => 0;
    stop_on_failure_ends_a_group_at_a_refusal:
        Reply::answer(PreToolUse::deny("no").into_output()) => 0;
    stop_on_failure_goes_on_after_an_answer:
        Reply::answer(PreToolUse::allow().into_output()) => 1;
    stop_on_failure_goes_on_after_no_opinion: Reply::no_opinion() => 1;
}

#[tokio::test]
async fn without_stop_on_failure_a_group_goes_on_after_a_failure() {
    let second = Fixed::new(Reply::no_opinion());
    let runner = built(
        Group::sequential()
            .hook(Fixed::new(Reply::failed("broken")).hook(EventName::PreToolUse))
            .hook(second.hook(EventName::PreToolUse)),
    );
    runner.fire(bash("ls")).await;
    assert_eq!(second.runs.get(), 1);
}

// ===== parallel =====

#[tokio::test]
async fn in_a_parallel_group_all_see_the_original() {
    let log = Log::default();
    let runner = built(
        Group::parallel()
            .on("", adding(&log, "one"))
            .on("", adding(&log, "two")),
    );
    let verdict = runner.fire(bash("echo")).await;
    assert_eq!(log.get(), ["echo", "echo"]);
    assert_eq!(updated_command(&verdict), Some("echo two"), "the last wins");
    let conflict = &verdict.outcome.diagnostics[0];
    assert_eq!(conflict.diagnostic.code, Code::Conflict);
    assert_eq!(conflict.hook.as_ref().unwrap().as_str(), "one");
}

#[tokio::test]
async fn a_builder_that_is_told_so_runs_its_own_hooks_in_parallel() {
    let log = Log::default();
    let hooks = HookSet::builder()
        .on("", adding(&log, "one"))
        .on("", adding(&log, "two"))
        .parallel()
        .build()
        .unwrap();
    Runner::new(hooks).fire(bash("echo")).await;
    assert_eq!(log.get(), ["echo", "echo"]);
}

#[tokio::test]
async fn in_a_parallel_group_a_stop_skips_nobody() {
    let log = Log::default();
    let runner = built(
        Group::parallel()
            .on("", |_: PreToolUse| PreToolUse::stop_agent("enough"))
            .on("", watching(&log, "second")),
    );
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(log.get(), ["ls"]);
    assert!(verdict.outcome.stop.is_some());
}

#[tokio::test]
async fn groups_do_not_see_what_other_groups_rewrite() {
    let log = Log::default();
    let hooks = HookSet::builder()
        .group(Group::sequential().on("", adding(&log, "one")))
        .group(Group::sequential().on("", adding(&log, "two")))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("echo")).await;
    assert_eq!(log.get(), ["echo", "echo"]);
    assert_eq!(updated_command(&verdict), Some("echo two"));
}

#[tokio::test]
async fn a_closure_that_changes_its_copy_changes_nobody_elses() {
    let log = Log::default();
    let hooks = HookSet::builder()
        .on("", |mut call: PreToolUse| {
            call.tool_input = json!({"command": "rm -rf /"});
            call.tool_name = "Other".into();
        })
        .on("", watching(&log, "watcher"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(log.get(), ["ls"]);
    assert_eq!(updated_command(&verdict), None);
}

// ===== random delays =====

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn delay(&mut self) -> Duration {
        millis(self.roll() % 50)
    }
}

#[tokio::test(start_paused = true)]
async fn two_rewriting_hooks_give_the_same_outcome_a_thousand_times_out_of_a_thousand() {
    fn rewriting(word: &'static str, delay: Duration, finished: &Log) -> Hook {
        let finished = finished.clone();
        hook_fn(move |_: PreToolUse| {
            let finished = finished.clone();
            async move {
                sleep(delay).await;
                finished.say(word);
                PreToolUse::allow()
                    .because(word)
                    .rewriting(json!({ "command": word }))
                    .with_context(word)
                    .with_message(word)
            }
        })
        .id(word)
    }
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut expected = None;
    let mut first_finished = [0_usize; 2];
    for _ in 0..1_000 {
        let finished = Log::default();
        let hooks = HookSet::builder()
            .group(Group::parallel().on("", rewriting("a", dice.delay(), &finished)))
            .group(
                Group::parallel()
                    .on("", rewriting("b", dice.delay(), &finished))
                    .on("", rewriting("c", dice.delay(), &finished)),
            )
            .build()
            .unwrap();
        let fired = Runner::new(hooks).fire(bash("ls")).await.into_fired();
        first_finished[usize::from(finished.get()[0] == "a")] += 1;
        assert_eq!(ids(&fired), ["a", "b", "c"]);
        assert_eq!(
            expected.get_or_insert(fired.outcome.clone()),
            &fired.outcome
        );
    }
    let outcome = expected.unwrap();
    assert_eq!(outcome.updated_input, Some(json!({"command": "c"})));
    assert_eq!(outcome.reason.as_deref(), Some("a\nb\nc"));
    assert_eq!(outcome.decision, Decision::Allow);
    assert!(
        first_finished.iter().all(|times| *times > 100),
        "the delays did not shuffle anything: {first_finished:?}"
    );
}

// ===== order =====

#[tokio::test]
async fn results_are_ordered_by_layer_then_group_then_place() {
    let hook = |id: &'static str| hook_fn(move |_: Stop| Stop::context(id)).id(id);
    let hooks = HookSet::builder()
        .on("", hook("rust"))
        .group(
            Group::parallel()
                .layer(Layer::Project)
                .on("", hook("project-1a"))
                .on("", hook("project-1b")),
        )
        .group(Group::sequential().on("", hook("rust-group")))
        .group(
            Group::parallel()
                .layer(Layer::Managed)
                .on("", hook("managed")),
        )
        .group(
            Group::sequential()
                .layer(Layer::Project)
                .on("", hook("project-2")),
        )
        .group(Group::parallel().layer(Layer::User).on("", hook("user")))
        .build()
        .unwrap();
    let order = [
        "managed",
        "user",
        "project-1a",
        "project-1b",
        "project-2",
        "rust",
        "rust-group",
    ];
    let layers: Vec<Layer> = hooks.hooks().map(|(_, layer)| layer).collect();
    assert!(layers.is_sorted());
    let verdict = Runner::new(hooks).fire(Stop::new(false)).await;
    assert_eq!(ids(&verdict), order);
    assert_eq!(verdict.context().collect::<Vec<_>>(), order);
    let places: Vec<_> = verdict
        .attempts
        .iter()
        .map(|attempt| attempt.order)
        .collect();
    assert!(places.is_sorted());
}

#[tokio::test]
async fn a_skipped_hook_is_reported_in_its_place() {
    let hook = |id: &'static str| hook_fn(|_: Stop| ()).id(id);
    let hooks = HookSet::builder()
        .on("", hook("a"))
        .on("", hook("b").enabled(false))
        .on("", hook("c"))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(Stop::new(false)).await;
    assert_eq!(ids(&verdict), ["a", "b", "c"]);
    assert_eq!(words(&verdict), ["no_opinion", "skipped", "no_opinion"]);
}

// ===== how many run at once =====

#[tokio::test(start_paused = true)]
async fn no_more_hooks_run_at_once_than_the_policy_allows() {
    let (running, most) = (Counter::default(), Counter::default());
    let hook = || {
        let (running, most) = (running.clone(), most.clone());
        hook_fn(move |_: Stop| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                most.raise_to(running.add());
                sleep(secs(1)).await;
                running.sub();
            }
        })
        // Shorter than the queue is long: a deadline starts when its hook does.
        .timeout(secs(2))
    };
    let mut groups = HookSet::builder();
    for _ in 0..5 {
        let group = Group::parallel().on("", hook()).on("", hook());
        groups = groups.group(group);
    }
    let mut policy = Policy::default();
    policy.at_once = 3;
    let runner = Runner::with(groups.build().unwrap(), Session::default(), policy);
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(most.get(), 3);
    assert_eq!(words(&verdict), ["no_opinion"; 10]);
}

#[tokio::test(start_paused = true)]
async fn where_there_is_room_for_all_they_all_run_at_once() {
    let (running, most) = (Counter::default(), Counter::default());
    let mut group = Group::parallel();
    for _ in 0..8 {
        let (running, most) = (running.clone(), most.clone());
        group = group.on("", move |_: Stop| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                most.raise_to(running.add());
                sleep(secs(1)).await;
            }
        });
    }
    built(group).fire(Stop::new(false)).await;
    assert_eq!(most.get(), 8);
}
