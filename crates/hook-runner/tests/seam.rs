//! An agent that holds any `HookRunner` can do with it what it could do with a `Runner`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_runner::{Fire, HookRunner, HookSet, NoHooks, Runner, Sink, background};
use hook_types::{Event, Message, PreToolUse};
use serde_json::json;

#[derive(Default)]
struct Count(AtomicUsize);

impl Sink for Count {
    fn message(&self, _: &Message) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_runner_behind_the_trait_is_told_of_the_session_and_tells_what_came_late() {
    let hooks = HookSet::builder()
        .on("", |call: PreToolUse| {
            assert_eq!(call.base.cwd, "/srv/app");
            background(async { PreToolUse::context("late") })
        })
        .build()
        .unwrap();
    let runner: Arc<dyn HookRunner> = Arc::new(Arc::new(Runner::new(hooks)));
    runner.session_changed(&mut |session| session.base.cwd = "/srv/app".into());
    let count = Arc::new(Count::default());
    runner.add_sink(Arc::clone(&count) as Arc<dyn Sink>);

    runner.fire(PreToolUse::new("Bash", json!({}))).await;
    let late = runner.late().await.unwrap();
    let said = late.attempt.reply.output.into_inner().additional_context;
    assert_eq!(said.as_deref(), Some("late"));
    assert!(runner.take_finished().is_empty());

    runner.close(Duration::ZERO).await;
    assert_eq!(runner.late().await, None);
    let told = count.0.load(Ordering::Relaxed);
    assert_eq!(told, 3, "started, response, verdict");
}

#[tokio::test]
async fn without_hooks_nothing_comes_late_and_nothing_must_end() {
    let runner: Arc<dyn HookRunner> = Arc::new(NoHooks);
    runner.session_changed(&mut |_| unreachable!("nobody needs to know"));
    assert!(runner.take_finished().is_empty());
    assert_eq!(runner.late().await, None);
    runner.close(Duration::ZERO).await;
}
