//! From a firing to the hooks that run, and why the others do not.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use hook_runner::matcher::Rule;
use hook_runner::{Admission, Fire, Group, Hook, HookSet, Mode, Policy, Runner, Session, hook_fn};
use hook_types::outcome::Cause;
use hook_types::{
    Event, EventName, HookEvent, OnFailure, PostToolUse, PreModelSwitch, PreToolUse, Reply,
    SessionEnd, SkipReason, Stop, UserPromptSubmit,
};
use serde_json::json;
use support::{
    Counter, Door, Fixed, bash, exit_two, failure, ids, runner_of, scripted, secs, skipped, tool,
    words,
};

fn passing() -> Fixed {
    Fixed::new(Reply::no_opinion())
}

/// Why each hook of the event would not run.
fn reasons(runner: &Runner, event: impl Into<HookEvent>) -> Vec<Option<SkipReason>> {
    let explained = runner.explain(&event.into());
    explained.into_iter().map(|hook| hook.skipped).collect()
}

// ===== explain =====

#[tokio::test]
async fn explain_names_the_first_check_that_each_hook_fails() {
    let event = EventName::PreToolUse;
    let rule = || Rule::parse("Bash(git *)").unwrap();
    let handler = passing().identity("same");
    let done = passing();
    let hooks = HookSet::builder()
        // Each fails its own check and every later one that it can.
        .on(
            "Write",
            passing()
                .hook(event)
                .id("off")
                .enabled(false)
                .gate(Door::new(Admission::Untrusted))
                .only_if(rule()),
        )
        .on(
            "Write",
            passing()
                .hook(event)
                .id("untrusted")
                .gate(Door::new(Admission::Untrusted))
                .only_if(rule()),
        )
        .on("Write", passing().hook(event).id("other").only_if(rule()))
        .on("Bash", handler.hook(event).id("first"))
        .on("Bash", handler.hook(event).id("not-git").only_if(rule()))
        .on("B*", handler.hook(event).id("twin").once())
        .on("", done.hook(event).id("once").once())
        .on("", passing().hook(event).id("runs"))
        .on("", |_: Stop| ())
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let expected = |once| {
        [
            Some(SkipReason::Disabled),
            Some(SkipReason::Untrusted),
            Some(SkipReason::NotMatched),
            None,
            Some(SkipReason::Condition),
            Some(SkipReason::Duplicate("first".into())),
            once,
            None,
        ]
    };
    assert_eq!(reasons(&runner, bash("ls")), expected(None));
    assert_eq!(
        (handler.runs.get(), done.runs.get()),
        (0, 0),
        "explaining runs nothing"
    );

    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(
        ids(&verdict),
        ["first", "not-git", "twin", "once", "runs"],
        "what does not match is not reported"
    );
    assert_eq!(
        words(&verdict),
        [
            "no_opinion",
            "skipped",
            "skipped",
            "no_opinion",
            "no_opinion"
        ]
    );
    assert_eq!((handler.runs.get(), done.runs.get()), (1, 1));
    let once = expected(Some(SkipReason::AlreadyRan));
    assert_eq!(reasons(&runner, bash("ls")), once);
}

#[tokio::test]
async fn explain_tells_what_would_run_and_for_how_long() {
    let hooks = HookSet::builder()
        .group(
            Group::parallel()
                .timeout(secs(9))
                .on("Bash", passing().hook(EventName::PreToolUse).id("grouped")),
        )
        .on(
            "mcp__*",
            passing()
                .hook(EventName::PreToolUse)
                .description("looks at servers")
                .timeout(secs(3)),
        )
        .on("", passing().hook(EventName::PreToolUse))
        .build()
        .unwrap();
    let explained = Runner::new(hooks).explain(&bash("ls").into());
    assert_eq!(explained.len(), 3);
    assert_eq!(explained[0].hook.id.as_str(), "grouped");
    assert_eq!(explained[0].runs, "./fixed.sh");
    assert_eq!(explained[0].matcher, "Bash");
    assert_eq!(explained[0].mode, Mode::Parallel);
    assert_eq!(explained[0].limit, secs(9));
    assert_eq!(explained[1].matcher, "mcp__*");
    assert_eq!(explained[1].limit, secs(3));
    assert_eq!(
        explained[1].hook.description.as_deref(),
        Some("looks at servers")
    );
    assert_eq!(explained[2].mode, Mode::Sequential);
    assert_eq!(explained[2].limit, secs(600));
}

#[tokio::test]
async fn explain_and_a_firing_agree_about_twins_that_have_had_their_turn() {
    let handler = passing().identity("same");
    let hooks = HookSet::builder()
        .on("", handler.hook(EventName::Stop).id("a").once())
        .on("", handler.hook(EventName::Stop).id("b").once())
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    for _ in 0..2 {
        let explained = reasons(&runner, Stop::new(false));
        let verdict = runner.fire(Stop::new(false)).await;
        let fired: Vec<_> = verdict
            .attempts
            .iter()
            .map(|attempt| skipped(attempt).cloned())
            .collect();
        assert_eq!(explained, fired);
    }
    assert_eq!(handler.runs.get(), 1);
}

// ===== the same hook written twice =====

#[tokio::test]
async fn the_same_hook_from_two_groups_runs_once_under_the_stricter_terms() {
    let handler = Fixed::new(Reply::failed("broken")).identity("lint");
    let event = EventName::PreToolUse;
    let hooks = HookSet::builder()
        .group(Group::parallel().hook(handler.hook(event).id("user").timeout(secs(5))))
        .group(
            Group::parallel()
                .on_failure(OnFailure::Block)
                .hook(handler.hook(event).id("project").timeout(secs(50))),
        )
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(handler.runs.get(), 1);
    assert_eq!(handler.told(), [secs(50)], "the longest timeout");
    assert_eq!(words(&verdict), ["failed", "skipped"]);
    assert!(verdict.is_denied(), "the strictest answer to a failure");
    let twin = SkipReason::Duplicate("user".into());
    assert_eq!(skipped(&verdict.attempts[1]), Some(&twin));
}

/// A sequential group of hooks that all pass, and what became of each.
async fn in_order(hooks: Vec<Hook>) -> Vec<String> {
    let group = hooks.into_iter().fold(Group::sequential(), Group::hook);
    let set = HookSet::builder().group(group).build().unwrap();
    let verdict = Runner::new(set).fire(bash("ls")).await;
    words(&verdict).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_copy_later_in_a_sequential_group_runs_no_second_time() {
    let lint = passing().identity("lint");
    let other = passing().identity("other");
    let event = EventName::PreToolUse;
    let hooks = vec![
        other.hook(event),
        lint.hook(event),
        other.hook(event),
        lint.hook(event),
    ];
    assert_eq!(
        in_order(hooks).await,
        ["no_opinion", "no_opinion", "skipped", "skipped"]
    );
    assert_eq!((lint.runs.get(), other.runs.get()), (1, 1));
}

#[tokio::test]
async fn a_copy_that_sees_a_rewritten_event_judges_it_again() {
    let guard = passing().identity("guard");
    let event = EventName::PreToolUse;
    let rewrite = hook_fn(|_: PreToolUse| PreToolUse::rewrite(json!({"command": "rm -rf /"})));
    let hooks = vec![guard.hook(event), rewrite, guard.hook(event)];
    assert_eq!(
        in_order(hooks).await,
        ["no_opinion", "answered", "no_opinion"]
    );
    assert_eq!(guard.runs.get(), 2);
}

#[tokio::test]
async fn a_copy_of_a_hook_that_failed_gets_its_turn() {
    let broken = Fixed::new(Reply::failed("broken")).identity("guard");
    let event = EventName::PreToolUse;
    let hooks = vec![broken.hook(event), broken.hook(event)];
    assert_eq!(in_order(hooks).await, ["failed", "failed"]);
}

/// The limit that a hook is told which stands in two groups.
async fn merged_limit<E: Event>(groups: [Group; 2], handler: &Fixed, event: E) -> u64 {
    let [first, second] = groups;
    let id = |id: &str| handler.hook(E::NAME).id(id);
    let hooks = HookSet::builder()
        .group(first.hook(id("bare")))
        .group(second.hook(id("timed").timeout(secs(45))))
        .build();
    Runner::new(hooks.unwrap()).fire(event).await;
    assert_eq!(handler.told().len(), 1);
    handler.told()[0].as_secs()
}

#[tokio::test(start_paused = true)]
async fn a_twin_without_a_timeout_has_its_groups_or_its_events() {
    let lint = || passing().identity("lint");
    let groups = || [Group::parallel(), Group::parallel()];
    // Longer than a prompt's 30 s and than the second and a half of an ending session.
    let prompt = UserPromptSubmit::new("hello");
    assert_eq!(merged_limit(groups(), &lint(), prompt).await, 45);
    let end = SessionEnd::new("logout");
    assert_eq!(merged_limit(groups(), &lint(), end).await, 45);
    // Shorter than a tool call's ten minutes.
    assert_eq!(merged_limit(groups(), &lint(), bash("ls")).await, 600);
    // Longer than the group's.
    let groups = [Group::parallel().timeout(secs(5)), Group::parallel()];
    assert_eq!(merged_limit(groups, &lint(), bash("ls")).await, 45);
}

#[tokio::test]
async fn hooks_under_different_conditions_or_for_different_events_are_not_the_same() {
    let handler = passing().identity("lint");
    let rule = |text: &str| Rule::parse(text).unwrap();
    let event = EventName::PreToolUse;
    let hooks = HookSet::builder()
        .on("", handler.hook(event))
        .on("", handler.hook(event).only_if(rule("Bash(git *)")))
        .on("", handler.hook(event).only_if(rule("Bash(git push *)")))
        .on("", handler.hook(EventName::PostToolUse))
        .build()
        .unwrap();
    Runner::new(hooks).fire(bash("git push x")).await;
    assert_eq!(handler.runs.get(), 3);
}

#[tokio::test]
async fn closures_are_never_the_same() {
    let runs = Counter::default();
    let count = || {
        let runs = runs.clone();
        move |_: Stop| {
            runs.add();
        }
    };
    let hooks = HookSet::builder().on("", count()).on("", count());
    Runner::new(hooks.build().unwrap())
        .fire(Stop::new(false))
        .await;
    assert_eq!(runs.get(), 2);
}

#[tokio::test]
async fn a_twin_that_may_not_run_is_no_twin() {
    let handler = passing().identity("lint");
    let hooks = HookSet::builder()
        .on("", handler.hook(EventName::Stop).enabled(false))
        .on(
            "",
            handler
                .hook(EventName::Stop)
                .gate(Door::new(Admission::Untrusted)),
        )
        .on("", handler.hook(EventName::Stop))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["skipped", "skipped", "no_opinion"]);
}

// ===== once =====

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_once_hooks_turn_is_taken_by_one_of_many_firings() {
    let handler = passing();
    let runner = runner_of(handler.hook(EventName::Stop).once());
    let firings: Vec<_> = (0..64)
        .map(|_| {
            let runner = runner.clone();
            tokio::spawn(async move { runner.fire(Stop::new(false)).await.into_fired() })
        })
        .collect();
    let mut ran = 0;
    for firing in firings {
        let fired = firing.await.unwrap();
        match words(&fired)[0] {
            "no_opinion" => ran += 1,
            other => assert_eq!(other, "skipped"),
        }
    }
    assert_eq!((ran, handler.runs.get()), (1, 1));
}

#[tokio::test]
async fn a_once_hook_that_still_runs_has_its_turn() {
    let (handler, mut script) = scripted();
    let hook = Hook::new(EventName::Stop, handler).once();
    let runner = runner_of(hook);
    let first = tokio::spawn({
        let runner = runner.clone();
        async move { runner.fire(Stop::new(false)).await.into_fired() }
    });
    let (_, answer) = script.asked().await;
    let second = runner.fire(Stop::new(false)).await;
    assert_eq!(skipped(&second.attempts[0]), Some(&SkipReason::AlreadyRan));
    answer.send(Reply::failed("broken")).unwrap();
    assert_eq!(words(&first.await.unwrap()), ["failed"]);
    assert_eq!(reasons(&runner, Stop::new(false)), [None], "released");
}

macro_rules! once_after {
    ($($name:ident: $reply:expr => $runs:literal;)*) => {$(
        #[tokio::test]
        async fn $name() {
            let handler = Fixed::new($reply);
            let runner = runner_of(handler.hook(EventName::PreToolUse).once());
            for _ in 0..3 {
                runner.fire(bash("ls")).await;
            }
            assert_eq!(handler.runs.get(), $runs);
        }
    )*};
}

once_after! {
    an_answer_uses_up_a_turn: Reply::answer(PreToolUse::context("hi").into_output()) => 1;
    no_opinion_uses_up_a_turn: Reply::no_opinion() => 1;
    a_failure_gives_a_turn_back: Reply::failed("broken") => 3;
    an_exit_code_that_blocks_gives_a_turn_back: exit_two() => 3;
    an_answer_that_refuses_gives_a_turn_back:
        Reply::answer(PreToolUse::deny("no").into_output()) => 3;
    a_timeout_gives_a_turn_back:
        Reply::with_status(hook_types::Status::TimedOut { limit: secs(1) }) => 3;
}

#[tokio::test]
async fn a_turn_is_given_back_even_where_somebody_keeps_the_context() {
    let contexts = std::sync::Mutex::new(Vec::new());
    let hook = hook_fn(move |_: Stop, context: hook_runner::HookContext| {
        let mut contexts = contexts.lock().unwrap();
        contexts.push(context);
        if contexts.len() < 2 {
            Err("not yet")
        } else {
            Ok(())
        }
    });
    let runner = runner_of(hook.once());
    for expected in ["failed", "no_opinion", "skipped"] {
        let verdict = runner.fire(Stop::new(false)).await;
        assert_eq!(words(&verdict), [expected]);
    }
}

#[tokio::test]
async fn a_once_hook_that_its_group_did_not_reach_keeps_its_turn() {
    let stops = Counter::default();
    let count = stops.clone();
    let handler = passing();
    let hooks = HookSet::builder()
        .on("", move |_: PreToolUse| {
            if count.add() == 1 {
                PreToolUse::stop_agent("wait")
            } else {
                PreToolUse::pass()
            }
        })
        .on("", handler.hook(EventName::PreToolUse).once())
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(bash("ls")).await;
    assert_eq!(handler.runs.get(), 0);
    runner.fire(bash("ls")).await;
    assert_eq!(handler.runs.get(), 1);
}

#[tokio::test]
async fn a_turn_is_remembered_across_a_replacement_and_not_across_sessions() {
    let handler = passing().identity("greet");
    let set = || {
        let hook = handler.hook(EventName::Stop).once();
        HookSet::builder().on("", hook).build().unwrap()
    };
    let runner = Runner::new(set());
    runner.fire(Stop::new(false)).await;
    runner.replace(set());
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(skipped(&verdict.attempts[0]), Some(&SkipReason::AlreadyRan));
    Runner::new(set()).fire(Stop::new(false)).await;
    assert_eq!(handler.runs.get(), 2);
}

// ===== trust =====

#[tokio::test]
async fn a_gate_is_asked_at_every_firing() {
    let door = Door::new(Admission::Untrusted);
    let handler = passing();
    let runner = runner_of(handler.hook(EventName::Stop).gate(door.clone()));
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(skipped(&verdict.attempts[0]), Some(&SkipReason::Untrusted));
    door.set(Admission::Admitted);
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["no_opinion"]);
    assert_eq!(handler.runs.get(), 1);
}

#[tokio::test]
async fn a_hook_that_is_not_what_was_approved_blocks_a_guard_and_does_not_run() {
    let handler = passing();
    let hook = handler.hook(EventName::PreToolUse).id("changed");
    let runner = runner_of(hook.gate(Door::new(Admission::Changed)));
    let verdict = runner.fire(bash("ls")).await;
    assert_eq!(handler.runs.get(), 0);
    assert!(verdict.is_denied());
    assert_eq!(words(&verdict), ["failed"]);
    let decider = verdict.outcome.decided_by.as_ref().unwrap();
    assert_eq!(decider.hook.as_str(), "changed");
    assert_eq!(decider.cause, Cause::FailurePolicy);
    let reason = verdict.reason().unwrap();
    assert!(reason.contains("approve it again"), "{reason}");
}

#[tokio::test]
async fn a_hook_that_is_not_what_was_approved_fails_off_the_guards_and_things_go_on() {
    let handler = passing();
    let hook = handler.hook(EventName::PostToolUse);
    let runner = runner_of(hook.gate(Door::new(Admission::Changed)));
    let verdict = runner
        .fire(PostToolUse::new("Bash", json!({}), json!(0)))
        .await;
    assert_eq!(handler.runs.get(), 0);
    let said = failure(&verdict.attempts[0]).unwrap();
    assert!(said.contains("approve it again"), "{said}");
    assert!(verdict.into_result().is_ok());
}

// ===== conditions and subjects =====

#[tokio::test]
async fn a_condition_is_about_the_command() {
    let hook = hook_fn(|_: PreToolUse| ()).only_if(Rule::parse("Bash(git *)").unwrap());
    let runner = runner_of(hook);
    for (command, expected) in [
        ("git push", "no_opinion"),
        ("npm test && git push", "no_opinion"),
        ("ls", "skipped"),
        ("echo 'git push'", "skipped"),
    ] {
        let verdict = runner.fire(bash(command)).await;
        assert_eq!(words(&verdict), [expected], "{command}");
    }
    let verdict = runner.fire(tool("Read")).await;
    assert_eq!(skipped(&verdict.attempts[0]), Some(&SkipReason::Condition));
}

#[tokio::test]
async fn a_condition_on_paths_knows_the_sessions_directories() {
    let hook = hook_fn(|_: PreToolUse| ()).only_if(Rule::parse("Edit(~/notes/**)").unwrap());
    let hooks = HookSet::builder().on("", hook).build().unwrap();
    let mut session = Session::default();
    session.home = Some("/home/ann".into());
    let runner = Runner::with(hooks, session, Policy::default());
    let edit = |path: &str| PreToolUse::new("Edit", json!({ "file_path": path }));
    let verdict = runner.fire(edit("/home/ann/notes/a.md")).await;
    assert_eq!(words(&verdict), ["no_opinion"]);
    let verdict = runner.fire(edit("/home/bob/notes/a.md")).await;
    assert_eq!(words(&verdict), ["skipped"]);
}

#[tokio::test]
async fn a_switch_to_a_model_without_a_name_runs_every_hook() {
    let hooks = HookSet::builder()
        .on("large", hook_fn(|_: PreModelSwitch| ()).id("large"))
        .on("small", hook_fn(|_: PreModelSwitch| ()).id("small"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner
        .fire(PreModelSwitch::new("small", "", "command"))
        .await;
    assert_eq!(ids(&verdict), ["large", "small"]);
    let verdict = runner
        .fire(PreModelSwitch::new("small", "large[1m]", "command"))
        .await;
    assert_eq!(ids(&verdict), ["large"]);
}

#[tokio::test]
async fn an_event_without_a_subject_ignores_matchers() {
    let hooks = HookSet::builder()
        .on("Bash", |_: UserPromptSubmit| ())
        .on("mcp__*", |_: UserPromptSubmit| ())
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(UserPromptSubmit::new("hi")).await;
    assert_eq!(words(&verdict), ["no_opinion"; 2]);
}

// ===== replacement =====

#[tokio::test]
async fn a_firing_under_way_finishes_on_the_set_that_it_began_with() {
    let (handler, mut script) = scripted();
    let old_second = passing();
    let old = HookSet::builder()
        .hook::<Stop>("", handler)
        .on("", old_second.hook(EventName::Stop))
        .build()
        .unwrap();
    let runner = Runner::new(old);
    let firing = tokio::spawn({
        let runner = runner.clone();
        async move { runner.fire(Stop::new(false)).await.into_fired() }
    });
    let (_, answer) = script.asked().await;

    let new = passing();
    let set = HookSet::builder().on("", new.hook(EventName::Stop));
    runner.replace(set.build().unwrap());
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!((verdict.attempts.len(), new.runs.get()), (1, 1));

    answer.send(Reply::no_opinion()).unwrap();
    assert_eq!(words(&firing.await.unwrap()), ["no_opinion"; 2]);
    assert_eq!((old_second.runs.get(), new.runs.get()), (1, 1));
}

#[tokio::test]
async fn after_a_replacement_the_runner_listens_to_what_the_new_set_does() {
    use hook_runner::HookRunner;

    let runner = runner_of(hook_fn(|_: Stop| ()));
    assert!(runner.listens(EventName::Stop));
    let set = HookSet::builder().on("", |_: PreToolUse| ());
    runner.replace(set.build().unwrap());
    assert!(!runner.listens(EventName::Stop));
    assert!(runner.listens(EventName::PreToolUse));
    runner.replace(HookSet::empty());
    assert!(runner.fire(bash("ls")).await.attempts.is_empty());
}

// ===== what is remembered =====

#[tokio::test]
async fn what_is_remembered_of_a_subject_belongs_to_one_event_and_one_set() {
    let hooks = HookSet::builder()
        .on("Bash", hook_fn(|_: PreToolUse| ()).id("before"))
        .on("Write", hook_fn(|_: PreToolUse| ()).id("before-write"))
        .on("Write", hook_fn(|_: PostToolUse| ()).id("after"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let after = |name: &str| PostToolUse::new(name, json!({}), json!(0));
    for _ in 0..3 {
        assert_eq!(
            ids(&runner.fire(tool("Bash")).await.into_fired()),
            ["before"]
        );
        assert!(runner.fire(after("Bash")).await.attempts.is_empty());
        assert_eq!(
            ids(&runner.fire(after("Write")).await.into_fired()),
            ["after"]
        );
        assert_eq!(
            ids(&runner.fire(tool("Write")).await.into_fired()),
            ["before-write"]
        );
    }
    let set = HookSet::builder().on("Bash", hook_fn(|_: PreToolUse| ()).id("new"));
    runner.replace(set.build().unwrap());
    assert_eq!(ids(&runner.fire(tool("Bash")).await.into_fired()), ["new"]);
}

#[tokio::test]
async fn answers_stay_right_however_many_subjects_there_have_been() {
    let hooks = HookSet::builder()
        .on("tool_*7", hook_fn(|_: PreToolUse| ()).id("sevens"))
        .on("Bash", hook_fn(|_: PreToolUse| ()).id("bash"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    for number in 0..3_000 {
        let verdict = runner.fire(tool(&format!("tool_{number}"))).await;
        let expected: &[&str] = if number % 10 == 7 { &["sevens"] } else { &[] };
        assert_eq!(ids(&verdict), expected, "{number}");
        if number % 500 == 0 {
            assert_eq!(ids(&runner.fire(tool("Bash")).await.into_fired()), ["bash"]);
        }
    }
    let long = format!("tool_{}7", "x".repeat(100_000));
    assert_eq!(
        ids(&runner.fire(tool(&long)).await.into_fired()),
        ["sevens"]
    );
}

/// How much memory the process holds, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.unwrap().parse::<usize>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn subjects_that_never_come_again_are_not_kept() {
    let runner = runner_of(hook_fn(|_: PreToolUse| ()));
    let fill = "x".repeat(200);
    let before = resident();
    for number in 0..150_000 {
        runner.explain(&tool(&format!("{fill}{number}")).into());
    }
    let grown = resident().saturating_sub(before);
    // Kept, they would take 50 MB.
    assert!(grown < 25_000_000, "{grown} bytes more");
}
