//! A clock that jumps: through [`Clock`], and through the session's clock that hooks are told by.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use agent_loop::Clock;
use hook_runner::{HookSet, Runner};
use hook_shell::{Dialect, ShellHook};
use hook_types::{EndReason, PreToolUse};
use serde_json::Value;

use crate::scene::{agent, call, endings, transcript};
use crate::user::{alone, runtime};

/// Tomorrow, the day before, long before the first day, and the end of time.
#[derive(Clone, Default)]
struct Jumps(Arc<AtomicUsize>);

fn moments() -> [SystemTime; 5] {
    let day = Duration::from_hours(24);
    let now = UNIX_EPOCH + day * 20_000;
    [
        now + day,
        now - day,
        UNIX_EPOCH - day * 365,
        UNIX_EPOCH + Duration::from_secs(1 << 40),
        now,
    ]
}

impl Clock for Jumps {
    fn now(&self) -> SystemTime {
        moments()[self.0.fetch_add(1, Ordering::Relaxed) % 5]
    }
}

#[test]
fn a_session_keeps_its_words_and_their_order_and_can_be_resumed() {
    alone(
        "clock::a_session_keeps_its_words_and_their_order_and_can_be_resumed",
        |directory| {
            let clock = Jumps::default();
            let times: Vec<SystemTime> = (0..5).map(|_| clock.now()).collect();
            assert!(!times.is_sorted(), "the clock does not jump");

            let runner = || Runner::new(HookSet::builder().build().unwrap());
            let (builder, _) = agent(&["one", "two"], directory, runner());
            let (runtime, agent) = (
                runtime(),
                builder.cwd(directory).clock(clock.clone()).build(),
            );
            let path = runtime.block_on(async {
                let mut session = agent.start().await;
                session.prompt("a").await;
                session.prompt("b").await;
                let path = session.transcript_path();
                session.end(EndReason::Unspecified).await;
                path
            });
            assert_eq!(transcript(&path), ["a", "one", "b", "two"]);
            let lines = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<Value> = lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            for pair in lines.windows(2) {
                assert_eq!(
                    pair[1]["parentUuid"], pair[0]["uuid"],
                    "the order is not the clock's"
                );
            }
            for _ in 0..5 {
                let resumed = runtime.block_on(agent.resume(&path)).unwrap();
                assert_eq!(resumed.messages().len(), 4);
            }
        },
    );
}

#[test]
fn deadlines_and_dialects_do_not_care() {
    alone("clock::deadlines_and_dialects_do_not_care", |_| {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        fn jumping() -> SystemTime {
            moments()[NEXT.fetch_add(1, Ordering::Relaxed) % 5]
        }
        let slow = ShellHook::new("exec sleep 60")
            .timeout(Duration::from_millis(300))
            .grace(Duration::ZERO);
        let told = ShellHook::new("exit 0").dialect(Dialect::OpenCode);
        let hooks = HookSet::builder()
            .hook::<PreToolUse>("Bash", told)
            .hook::<PreToolUse>("Bash", slow);
        let runner = Runner::new(hooks.parallel().build().unwrap());
        runner.update_session(|session| session.clock = jumping);
        let runtime = runtime();
        for _ in 0..5 {
            let ended = endings(&runtime.block_on(call(&runner)));
            assert_eq!(ended[0], "NoOpinion");
            assert!(ended[1].starts_with("TimedOut"), "{ended:?}");
        }
        assert!(
            NEXT.load(Ordering::Relaxed) >= 5,
            "somebody asked the clock"
        );
    });
}
