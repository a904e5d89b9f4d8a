//! What ends when, and who is told.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hook_runner::{
    Description, Fire, Group, Handler, Hook, HookContext, HookSet, Input, Policy, Recheck, Runner,
    Session, Wait, background, hook_fn,
};
use hook_types::{
    Destination, Event, EventName, HookKind, PermissionChange, PermissionMode, PermissionRequest,
    PreToolUse, Reply, SkipReason, Status, Stop, SyncOutput,
};
use serde_json::json;

/// A handler that counts how often it is closed, and answers what it was told to.
struct Counted {
    closed: Arc<AtomicUsize>,
    how: How,
}

#[derive(Clone, Copy, PartialEq)]
enum How {
    AtOnce,
    Panics,
    Never,
}

#[async_trait]
impl Handler for Counted {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        Reply::no_opinion()
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("counted".into()), "counts")
    }

    async fn close(&self) {
        self.closed.fetch_add(1, Ordering::SeqCst);
        assert!(
            self.how != How::Panics,
            "this handler breaks when it is closed"
        );
        if self.how == How::Never {
            std::future::pending::<()>().await;
        }
    }
}

fn counted(how: How) -> (Arc<AtomicUsize>, HookSet) {
    let closed = Arc::new(AtomicUsize::new(0));
    let handler = Arc::new(Counted {
        closed: Arc::clone(&closed),
        how,
    });
    let hook = |id: &str| Hook::shared(EventName::Stop, handler.clone()).id(id);
    let hooks = HookSet::builder()
        .on("", hook("a"))
        .on("", hook("b"))
        .build()
        .unwrap();
    (closed, hooks)
}

#[tokio::test]
async fn a_handler_is_closed_once_however_often_it_is_used_and_the_session_closed() {
    let (closed, hooks) = counted(How::AtOnce);
    let runner = Runner::new(hooks);
    runner.close(Duration::ZERO).await;
    runner.close(Duration::ZERO).await;
    assert_eq!(closed.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn closing_one_session_leaves_the_handlers_of_another_alone() {
    let (closed, hooks) = counted(How::AtOnce);
    let (first, second) = (Runner::new(hooks.clone()), Runner::new(hooks));
    first.close(Duration::ZERO).await;
    assert_eq!(closed.load(Ordering::SeqCst), 0);
    second.close(Duration::ZERO).await;
    assert_eq!(closed.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_or_hangs_when_it_is_closed_holds_up_nobody() {
    for how in [How::Panics, How::Never] {
        let (closed, hooks) = counted(how);
        Runner::new(hooks).close(Duration::ZERO).await;
        assert_eq!(closed.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn late_ends_with_the_session() {
    let hooks = HookSet::builder()
        .on("", |_: Stop| background(async { Stop::context("done") }))
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(Stop::new(false)).await;
    runner.close(Duration::from_mins(1)).await;
    assert!(runner.late().await.is_some());
    assert!(runner.late().await.is_none());
    assert!(runner.late().await.is_none());
}

#[tokio::test]
async fn a_limit_may_be_as_long_as_its_author_likes() {
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .timeout(Duration::MAX)
                .on(
                    "",
                    hook_fn(|_: Stop| async { tokio::task::yield_now().await })
                        .timeout(Duration::MAX),
                )
                .on("", |_: Stop| async { tokio::task::yield_now().await }),
        )
        .on(
            "",
            hook_fn(|_: Stop| ())
                .timeout(Duration::MAX)
                .wait(Wait::Background),
        )
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner.fire(Stop::new(false)).await;
    let words: Vec<&str> = verdict
        .attempts
        .iter()
        .map(|attempt| attempt.reply.status.word())
        .collect();
    assert_eq!(words, ["no_opinion", "no_opinion", "background"]);
    runner.close(Duration::from_mins(1)).await;
}

#[tokio::test]
async fn a_thread_that_asks_only_after_its_deadline_hears_that_it_is_over() {
    let (sender, told) = std::sync::mpsc::channel();
    let hooks = HookSet::builder()
        .on(
            "",
            hook_runner::blocking_fn(move |_: Stop, context: HookContext| {
                std::thread::sleep(Duration::from_millis(100));
                let _ = sender.send(context.cancellation().is_cancelled());
            })
            .timeout(Duration::from_millis(10)),
        )
        .build()
        .unwrap();
    Runner::new(hooks).fire(Stop::new(false)).await;
    let told = tokio::task::spawn_blocking(move || told.recv_timeout(Duration::from_secs(30)));
    assert_eq!(told.await.unwrap(), Ok(true));
}

#[tokio::test]
async fn a_token_taken_before_the_hook_goes_behind_lives_on_with_it() {
    let hooks = HookSet::builder()
        .on("", |_: Stop, context: HookContext| {
            let token = context.cancellation().clone();
            background(async move {
                tokio::task::yield_now().await;
                Stop::context(if token.is_cancelled() {
                    "cancelled"
                } else {
                    "alive"
                })
            })
        })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    runner.fire(Stop::new(false)).await;
    let late = runner.late().await.unwrap();
    assert_eq!(
        late.attempt.reply.output.additional_context.as_deref(),
        Some("alive")
    );
}

#[tokio::test]
async fn a_hook_cannot_cancel_its_siblings() {
    let hooks = HookSet::builder()
        .parallel()
        .on("", |_: Stop, context: HookContext| {
            context.cancellation().cancel();
        })
        .on("", |_: Stop, context: HookContext| {
            if context.cancellation().is_cancelled() {
                Stop::pass()
            } else {
                Stop::keep_going("more")
            }
        })
        .build()
        .unwrap();
    assert!(
        Runner::new(hooks)
            .fire(Stop::new(false))
            .await
            .keeps_going()
    );
}

#[tokio::test]
async fn a_handler_that_panics_before_it_has_a_future_is_a_failed_attempt() {
    struct Rash;
    impl Handler for Rash {
        fn handle<'a, 'b, 'c>(
            &'a self,
            _: Arc<Input>,
            _: &'b HookContext,
        ) -> std::pin::Pin<Box<dyn Future<Output = Reply> + Send + 'c>>
        where
            'a: 'c,
            'b: 'c,
            Self: 'c,
        {
            panic!("too early")
        }

        fn describe(&self) -> Description {
            Description::new(HookKind::Other("rash".into()), "panics")
        }
    }
    let hooks = HookSet::builder().hook::<Stop>("", Rash).build().unwrap();
    let verdict = Runner::new(hooks).fire(Stop::new(false)).await;
    assert_eq!(verdict.attempts[0].reply.status.word(), "failed");
}

/// A handler that is the same as every other of its kind, and refuses.
struct Same;

#[async_trait]
impl Handler for Same {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        Reply::answer(SyncOutput::deny("no"))
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("same".into()), "refuses")
    }

    fn identity(&self) -> Option<String> {
        Some("same".to_owned())
    }
}

fn same(id: &str) -> Hook {
    Hook::new(EventName::PreToolUse, Same).id(id)
}

fn call() -> PreToolUse {
    PreToolUse::new("Bash", json!({"command": "ls"}))
}

#[tokio::test]
async fn a_guard_is_not_merged_into_its_twin_in_the_background() {
    let hooks = HookSet::builder()
        .group(Group::parallel().on("", same("behind").wait(Wait::Background)))
        .group(Group::parallel().on("", same("awaited")))
        .build()
        .unwrap();
    assert!(Runner::new(hooks).fire(call()).await.is_denied());
}

#[tokio::test]
async fn a_guard_is_not_lost_because_the_group_of_its_twin_ended() {
    let fails = hook_fn(|_: PreToolUse| Err::<(), _>("broken")).id("fails");
    let hooks = HookSet::builder()
        .group(
            Group::sequential()
                .stop_on_failure()
                .on("", fails)
                .on("", same("skipped")),
        )
        .group(Group::parallel().on("", same("runs")))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(call()).await;
    assert!(verdict.is_denied(), "{verdict:?}");
    let status = &verdict.attempts[1].reply.status;
    assert!(
        matches!(status, Status::Skipped(SkipReason::GroupEnded(_))),
        "{status:?}"
    );
}

#[tokio::test]
async fn a_refusal_at_the_second_look_has_no_rules_remembered() {
    let change = PermissionChange::SetMode {
        mode: PermissionMode::AcceptEdits,
        destination: Destination::Session,
    };
    let hooks = HookSet::builder()
        .parallel()
        .on("", move |_: PermissionRequest| {
            PermissionRequest::allow_and_remember([change.clone().into()])
                .rewriting(json!({"command": "rm"}))
        })
        .on("", |request: PermissionRequest| {
            if request.tool_input["command"] == "rm" {
                PermissionRequest::deny("no rm")
            } else {
                PermissionRequest::pass()
            }
        })
        .build()
        .unwrap();
    let mut policy = Policy::default();
    policy.recheck = Recheck::On;
    let runner = Runner::with(hooks, Session::default(), policy);
    let verdict = runner
        .fire(PermissionRequest::new("Bash", json!({"command": "ls"})))
        .await;
    assert!(verdict.is_denied());
    assert_eq!(verdict.outcome.specific.updated_permissions, None);
}

#[test]
fn a_blocking_hook_that_found_no_thread_does_not_start_after_its_deadline() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&ran);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (release, hold) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || hold.recv());
        let hooks = HookSet::builder()
            .on_blocking("", move |_: Stop| {
                counter.fetch_add(1, Ordering::SeqCst);
            })
            .group(Group::sequential().timeout(Duration::from_millis(1)))
            .build()
            .unwrap();
        let firing = Runner::new(hooks);
        let _ =
            tokio::time::timeout(Duration::from_millis(50), firing.fire(Stop::new(false))).await;
        release.send(()).unwrap();
        busy.await.unwrap().unwrap();
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    });
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}
