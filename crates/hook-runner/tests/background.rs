//! Hooks that the agent does not wait for.

mod support;

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use hook_runner::{
    Cancellation, Fire, HookContext, HookSet, Policy, Runner, Session, Wait, background, hook_fn,
};
use hook_types::{
    Event, EventName, Message, PostToolUse, PreToolUse, Reply, SessionEnd, Status, Stop,
};
use serde_json::json;
use support::{
    Counter, Fixed, Guard, bash, exit_two, failure, millis, read_all, runner_of, scripted, secs,
    subtypes, words,
};
use tokio::time::{Instant, sleep, timeout};

fn written() -> PostToolUse {
    PostToolUse::new("Write", json!({}), json!("ok"))
}

// ===== starting =====

#[tokio::test(start_paused = true)]
async fn an_entry_that_says_so_runs_behind_the_agents_back() {
    let hook = hook_fn(|_: PostToolUse| async {
        sleep(secs(30)).await;
        PostToolUse::feedback("lint failed")
    });
    let runner = runner_of(hook.wait(Wait::Background));
    let begun = Instant::now();
    let verdict = runner.fire(written()).await;
    assert_eq!(begun.elapsed(), millis(0));
    assert_eq!(verdict.attempts[0].reply.status, Status::Background);
    assert!(verdict.attempts[0].success());
    assert_eq!(verdict.reason(), None, "nothing in it can decide now");
    assert_eq!(runner.in_background(), 1);
    let late = runner.late().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 30);
    assert_eq!(
        late.attempt.reply.output.reason.as_deref(),
        Some("lint failed")
    );
    assert_eq!(late.attempt.duration.as_secs(), 30);
    assert!(!late.wakes);
}

#[tokio::test(start_paused = true)]
async fn a_closure_may_answer_now_and_go_on() {
    let runner = runner_of(hook_fn(|call: PostToolUse| async move {
        sleep(secs(1)).await;
        background(async move {
            sleep(secs(30)).await;
            PostToolUse::context(format!("{} was linted", call.tool_name))
        })
    }));
    let begun = Instant::now();
    let verdict = runner.fire(written()).await;
    assert_eq!(words(&verdict), ["background"]);
    assert_eq!(begun.elapsed().as_secs(), 1);
    let late = runner.late().await.unwrap();
    let context = late.attempt.reply.output.into_inner().additional_context;
    assert_eq!(context.as_deref(), Some("Write was linted"));
}

#[tokio::test(start_paused = true)]
async fn an_entry_in_the_background_that_goes_on_in_the_background_answers_once() {
    let hook = hook_fn(|_: PostToolUse| {
        background(async {
            sleep(secs(5)).await;
            PostToolUse::context("done")
        })
    });
    let (runner, mut messages) = runner_of(hook.wait(Wait::Background)).with_messages();
    runner.fire(written()).await;
    let late = runner.late().await.unwrap();
    let context = late.attempt.reply.output.into_inner().additional_context;
    assert_eq!(context.as_deref(), Some("done"));
    assert_eq!(runner.take_finished(), []);
    let messages = subtypes(&read_all(&mut messages));
    let responses = messages.iter().filter(|name| *name == "hook_response");
    assert_eq!(responses.count(), 1);
}

// ===== late answers =====

#[tokio::test(start_paused = true)]
async fn each_late_answer_is_handed_over_once() {
    let hook = |name: &'static str, seconds: u64| {
        move |_: PostToolUse| {
            background(async move {
                sleep(secs(seconds)).await;
                PostToolUse::context(name)
            })
        }
    };
    let hooks = HookSet::builder()
        .on("", hook("slow", 20))
        .on("", hook("quick", 10))
        .on("", hook("slowest", 90))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(written()).await;
    assert_eq!(runner.take_finished(), []);
    sleep(secs(60)).await;
    let finished: Vec<_> = runner
        .take_finished()
        .into_iter()
        .filter_map(|late| late.attempt.reply.output.into_inner().additional_context)
        .collect();
    assert_eq!(finished, ["quick", "slow"], "as they came");
    assert_eq!(runner.take_finished(), []);
    assert_eq!(runner.in_background(), 1);
    runner.late().await.unwrap();
    assert_eq!(runner.in_background(), 0);
    let nothing = timeout(secs(60), runner.late()).await;
    assert!(nothing.is_err(), "{nothing:?}");
}

#[tokio::test]
async fn a_late_answer_says_which_agent_it_belongs_to() {
    let runner = runner_of(hook_fn(|_: PreToolUse| background(async {})));
    let mut call = bash("ls");
    call.base.agent_id = Some("a-7".into());
    runner.fire(call).await;
    let late = runner.late().await.unwrap();
    assert_eq!(late.agent_id, Some("a-7".into()));
    assert_eq!(late.attempt.event, EventName::PreToolUse);
    runner.fire(bash("ls")).await;
    assert_eq!(
        runner.late().await.unwrap().agent_id,
        None,
        "the main agent's"
    );
}

#[tokio::test]
async fn a_hook_that_asked_for_it_wakes_the_agent_with_exit_code_two() {
    let wakes = async |wait: Wait, reply: Reply| {
        let runner = runner_of(Fixed::new(reply).hook(EventName::PreToolUse).wait(wait));
        runner.fire(bash("ls")).await;
        runner.late().await.unwrap().wakes
    };
    let mut exit_one = Reply::failed("exit code 1");
    exit_one.evidence.exit_code = Some(1);
    assert!(wakes(Wait::Rewake, exit_two()).await);
    assert!(!wakes(Wait::Rewake, exit_one).await);
    assert!(!wakes(Wait::Rewake, Reply::no_opinion()).await);
    assert!(!wakes(Wait::Background, exit_two()).await);
}

#[tokio::test(start_paused = true)]
async fn a_background_hook_responds_once_at_its_end_with_its_own_run_id() {
    let hook = hook_fn(|_: PreToolUse, context: HookContext| async move {
        context.progress("half", "");
        sleep(secs(5)).await;
        PreToolUse::context("late")
    });
    let (runner, mut messages) = runner_of(hook.wait(Wait::Background)).with_messages();
    runner.fire(bash("ls")).await;
    let at_once = read_all(&mut messages);
    assert_eq!(subtypes(&at_once), ["hook_started", "hook_verdict"]);
    runner.late().await.unwrap();
    let rest = read_all(&mut messages);
    assert_eq!(subtypes(&rest), ["hook_progress", "hook_response"]);
    let (Message::Started(started), Message::Response(response)) = (&at_once[0], &rest[1]) else {
        panic!("{at_once:?} {rest:?}");
    };
    assert_eq!(started.hook.hook_id, response.hook.hook_id);
    assert_eq!(response.outcome.as_str(), "success");
}

// ===== limits =====

#[tokio::test(start_paused = true)]
async fn a_background_hook_ends_at_its_deadline() {
    let hang = |_: Stop| async { sleep(secs(3_600)).await };
    let runner = runner_of(hook_fn(hang).wait(Wait::Background).timeout(secs(9)));
    let begun = Instant::now();
    runner.fire(Stop::new(false)).await;
    let late = runner.late().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 9);
    let limit = secs(9);
    assert_eq!(late.attempt.reply.status, Status::TimedOut { limit });
}

#[tokio::test(start_paused = true)]
async fn a_background_handler_that_ignores_its_deadline_is_ended_by_the_backstop() {
    let mut handler = Fixed::new(Reply::no_opinion()).after(secs(3_600));
    handler.grace = secs(4);
    let hook = handler.hook(EventName::Stop).wait(Wait::Background);
    let runner = runner_of(hook.timeout(secs(10)));
    let begun = Instant::now();
    runner.fire(Stop::new(false)).await;
    let late = runner.late().await.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 15);
    assert!(late.attempt.timed_out());
}

#[tokio::test(start_paused = true)]
async fn work_in_the_background_has_the_hooks_deadline_unless_it_says_otherwise() {
    let hang = |within: Option<u64>| {
        move |_: Stop| {
            let work = background(async { sleep(secs(36_000)).await });
            match within {
                Some(seconds) => work.within(secs(seconds)),
                None => work,
            }
        }
    };
    for (within, ends) in [(None, 20), (Some(5), 5), (Some(900), 900)] {
        let runner = runner_of(hook_fn(hang(within)).timeout(secs(20)));
        let begun = Instant::now();
        runner.fire(Stop::new(false)).await;
        assert!(runner.late().await.unwrap().attempt.timed_out());
        assert_eq!(begun.elapsed().as_secs(), ends);
    }
}

#[tokio::test(start_paused = true)]
async fn late_answers_that_nobody_takes_are_dropped_from_the_oldest_and_counted() {
    let runner = runner_of(hook_fn(|_: Stop| background(async {})));
    for _ in 0..258 {
        runner.fire(Stop::new(false)).await;
        while runner.in_background() > 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(runner.dropped_answers(), 2);
    assert_eq!(runner.take_finished().len(), 256);
    assert_eq!(runner.dropped_answers(), 2);
}

#[tokio::test]
async fn the_sixty_fifth_background_hook_is_a_failed_attempt_and_is_not_started() {
    let (handler, mut script) = scripted();
    let hooks = HookSet::builder()
        .on(
            "Wait",
            hook_runner::Hook::new(EventName::PreToolUse, handler).wait(Wait::Background),
        )
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let mut answers = Vec::new();
    for _ in 0..64 {
        let verdict = runner.fire(support::tool("Wait")).await;
        assert_eq!(words(&verdict), ["background"]);
        answers.push(script.asked().await.1);
    }
    let verdict = runner.fire(support::tool("Wait")).await;
    assert_eq!(
        failure(&verdict.attempts[0]),
        Some("64 hooks run in the background already; this one was not started")
    );
    assert_eq!(runner.in_background(), 64);
    let not_asked = timeout(millis(20), script.asked()).await;
    assert!(not_asked.is_err(), "it was started all the same");

    answers.pop().unwrap().send(Reply::no_opinion()).unwrap();
    runner.late().await.unwrap();
    let verdict = runner.fire(support::tool("Wait")).await;
    assert_eq!(words(&verdict), ["background"], "a slot is free again");
}

#[tokio::test]
async fn work_that_finds_no_slot_is_a_failed_attempt_and_is_not_started() {
    let started = Counter::default();
    let count = started.clone();
    let hook = hook_fn(move |_: Stop| {
        let count = count.clone();
        background(async move {
            count.add();
            std::future::pending::<()>().await;
        })
    });
    let mut policy = Policy::default();
    policy.in_background = 2;
    let hooks = HookSet::builder().on("", hook).build().unwrap();
    let runner = Runner::with(hooks, Session::default(), policy);
    for expected in ["background", "background", "failed", "failed"] {
        let verdict = runner.fire(Stop::new(false)).await;
        assert_eq!(words(&verdict), [expected]);
    }
    tokio::task::yield_now().await;
    assert_eq!(started.get(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_hold_when_many_firings_come_at_once() {
    const THREADS: usize = 4;
    let hook = hook_fn(|_: Stop| std::future::pending::<()>());
    let hooks = HookSet::builder()
        .on("", hook.wait(Wait::Background))
        .build()
        .unwrap();
    let mut policy = Policy::default();
    policy.in_background = 1;
    let handle = tokio::runtime::Handle::current();
    for _ in 0..300 {
        let runner = Runner::with(hooks.clone(), Session::default(), policy);
        let barrier = std::sync::Barrier::new(THREADS);
        let fire = || {
            let _runtime = handle.enter();
            barrier.wait();
            let fired = futures_util::FutureExt::now_or_never(runner.fire(Stop::new(false)));
            fired.unwrap().into_fired()
        };
        let in_background: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(fire)).collect();
            let fired = threads.into_iter().map(|thread| thread.join().unwrap());
            fired.filter(|fired| words(fired) == ["background"]).count()
        });
        assert_eq!(in_background, 1);
        runner.close(millis(0)).await;
    }
}

// ===== cancellation of what runs in the background =====

#[tokio::test(start_paused = true)]
async fn the_end_of_its_firing_does_not_cancel_a_background_hook() {
    let seen = support::Log::default();
    let (entry, work) = (seen.clone(), seen.clone());
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(move |_: Stop, context: HookContext| {
                let seen = entry.clone();
                let cancellation = context.cancellation().clone();
                async move {
                    sleep(secs(5)).await;
                    seen.say(format!("entry {}", cancellation.is_cancelled()));
                }
            })
            .wait(Wait::Background),
        )
        .on("", move |_: Stop, context: HookContext| {
            let seen = work.clone();
            background(async move {
                sleep(secs(6)).await;
                seen.say(format!("work {}", context.cancellation().is_cancelled()));
            })
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let until = Cancellation::new();
    runner
        .fire_until(Stop::new(false).into(), Some(until.clone()))
        .await;
    until.cancel();
    runner.late().await.unwrap();
    runner.late().await.unwrap();
    assert_eq!(seen.get(), ["entry false", "work false"]);
}

#[tokio::test(start_paused = true)]
async fn a_background_hook_that_is_out_of_time_is_told_so() {
    let kept = std::sync::Arc::new(Mutex::new(None));
    let keeper = kept.clone();
    let hook = hook_fn(move |_: Stop, context: HookContext| {
        *keeper.lock().unwrap() = Some(context);
        std::future::pending::<()>()
    });
    let runner = runner_of(hook.wait(Wait::Background).timeout(secs(5)));
    runner.fire(Stop::new(false)).await;
    assert!(runner.late().await.unwrap().attempt.timed_out());
    let context = kept.lock().unwrap().take().unwrap();
    assert!(context.cancellation().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn closing_the_runner_cancels_the_contexts_of_its_background_hooks() {
    let contexts = std::sync::Arc::new(Mutex::new(Vec::new()));
    let (entry, work) = (contexts.clone(), contexts.clone());
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(move |_: Stop, context: HookContext| {
                entry.lock().unwrap().push(context);
                std::future::pending::<()>()
            })
            .wait(Wait::Background),
        )
        .on("", move |_: Stop, context: HookContext| {
            let work = work.clone();
            background(async move {
                work.lock().unwrap().push(context);
                std::future::pending::<()>().await;
            })
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(Stop::new(false)).await;
    sleep(secs(1)).await;
    let contexts = std::mem::take(&mut *contexts.lock().unwrap());
    assert_eq!(contexts.len(), 2);
    for context in &contexts {
        assert!(!context.cancellation().is_cancelled());
    }
    runner.close(secs(5)).await;
    for context in &contexts {
        assert!(context.cancellation().is_cancelled());
    }
}

// ===== the end =====

/// Counts seconds until it is ended.
async fn tick(count: Counter) {
    loop {
        sleep(secs(1)).await;
        count.add();
    }
}

#[tokio::test(start_paused = true)]
async fn close_gives_its_grace_to_all_and_their_own_deadline_to_session_ends() {
    let (ordinary, last_words) = (Counter::default(), Counter::default());
    let (one, two) = (ordinary.clone(), last_words.clone());
    let hooks = HookSet::builder()
        .on(
            "",
            hook_fn(move |_: Stop| tick(one.clone()))
                .wait(Wait::Background)
                .timeout(secs(600)),
        )
        .on(
            "",
            hook_fn(move |_: SessionEnd| tick(two.clone()))
                .wait(Wait::Background)
                .timeout(secs(20)),
        )
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(Stop::new(false)).await;
    runner.fire(SessionEnd::new("logout")).await;
    let begun = Instant::now();
    runner.close(secs(5)).await;
    assert!(
        begun.elapsed() >= secs(20) && begun.elapsed() < secs(22),
        "{:?}",
        begun.elapsed()
    );
    assert!((4..=5).contains(&ordinary.get()), "{}", ordinary.get());
    assert!(
        (19..=20).contains(&last_words.get()),
        "{}",
        last_words.get()
    );
    assert_eq!(runner.in_background(), 0);

    let at_close = (ordinary.get(), last_words.get());
    sleep(secs(600)).await;
    assert_eq!(
        (ordinary.get(), last_words.get()),
        at_close,
        "nothing runs after close"
    );
    let ends: Vec<&str> = runner
        .take_finished()
        .iter()
        .map(|late| late.attempt.reply.status.word())
        .collect();
    assert_eq!(ends, ["cancelled", "timed_out"]);
}

#[tokio::test(start_paused = true)]
async fn close_waits_no_longer_than_it_must() {
    let hook = hook_fn(|_: Stop| async { sleep(secs(2)).await });
    let runner = runner_of(hook.wait(Wait::Background));
    runner.fire(Stop::new(false)).await;
    let begun = Instant::now();
    runner.close(secs(60)).await;
    assert_eq!(begun.elapsed().as_secs(), 2);
    assert_eq!(runner.take_finished().len(), 1, "and keeps what they said");
    runner.close(secs(60)).await;
    assert_eq!(begun.elapsed().as_secs(), 2, "closing twice is nothing");
}

#[tokio::test]
async fn a_closed_runner_starts_nothing_more_in_the_background() {
    let handler = Fixed::new(Reply::no_opinion());
    let hooks = HookSet::builder()
        .on("", handler.hook(EventName::Stop).wait(Wait::Background))
        .on("", |_: Stop| background(async {}))
        .on("", |_: Stop| Stop::keep_going("still here"))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.close(secs(1)).await;
    let verdict = runner.fire(Stop::new(false)).await;
    assert_eq!(words(&verdict), ["failed", "failed", "answered"]);
    assert_eq!(
        failure(&verdict.attempts[0]),
        Some("the runner is closed; nothing more is started in the background")
    );
    assert_eq!(handler.runs.get(), 0);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_runner_ends_its_background_hooks() {
    let (guard, dropped) = Guard::new();
    let guard = Mutex::new(Some(guard));
    let hook = hook_fn(move |_: Stop| {
        let guard = guard.lock().unwrap().take();
        async move {
            std::future::pending::<()>().await;
            drop(guard);
        }
    });
    let runner = runner_of(hook.wait(Wait::Background));
    let clone = runner.clone();
    runner.fire(Stop::new(false)).await;
    sleep(secs(1)).await;
    drop(runner);
    sleep(secs(1)).await;
    assert!(
        !dropped.load(Ordering::SeqCst),
        "a clone is the same session"
    );
    drop(clone);
    sleep(secs(1)).await;
    assert!(dropped.load(Ordering::SeqCst));
}
