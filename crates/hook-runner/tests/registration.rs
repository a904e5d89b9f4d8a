//! Everything that can be registered as a hook, and everything that a set is refused for.

mod support;

use std::sync::Arc;

use async_trait::async_trait;
use hook_runner::matcher::Rule;
use hook_runner::{
    Background, BuildError, Description, Fire, Group, Handler, Hook, HookContext, HookSet, Input,
    Layer, Runner, Session, Wait, background, blocking_fn, hook_fn,
};
use hook_types::{
    Answer, Base, Decision, Event, EventName, HookInfo, HookKind, OnFailure, PostToolUse,
    PreToolUse, Reply, SessionStart, Source, Status, Stop,
};
use serde_json::json;
use support::{Counter, Fixed, bash, failure, ids, runner_of, secs, skipped, tool, words};

// ===== what closures may look like and return =====

/// How a closure that is the only hook ends.
async fn status_of(hook: Hook) -> Status {
    let verdict = runner_of(hook).fire(bash("ls")).await;
    verdict.attempts[0].reply.status.clone()
}

macro_rules! registers {
    ($($name:ident: $closure:expr => $status:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            assert_eq!(status_of(hook_fn($closure)).await, $status);
        }
    )*};
}

registers! {
    a_plain_closure_may_answer:
        |_: PreToolUse| PreToolUse::ask("sure?") => Status::Answered;
    a_plain_closure_may_pass:
        |_: PreToolUse| PreToolUse::pass() => Status::NoOpinion;
    a_plain_closure_may_return_nothing:
        |_: PreToolUse| () => Status::NoOpinion;
    a_plain_closure_may_return_a_result_of_an_answer:
        |_: PreToolUse| Ok::<_, String>(PreToolUse::allow()) => Status::Answered;
    a_plain_closure_may_return_a_result_of_nothing:
        |_: PreToolUse| Err::<(), _>("no") => Status::Failed("no".into());
    a_plain_closure_may_go_on_in_the_background:
        |_: PreToolUse| background(async {}) => Status::Background;
    a_plain_closure_may_try_to_go_on_in_the_background:
        |_: PreToolUse| Ok::<_, String>(background(async { PreToolUse::pass() }))
            => Status::Background;
    a_plain_closure_may_fail_to_go_on_in_the_background:
        |_: PreToolUse| Err::<Background<std::future::Ready<()>>, _>("no thread")
            => Status::Failed("no thread".into());
    a_plain_closure_may_ask_for_its_context:
        |_: PreToolUse, context: HookContext| Err::<(), _>(format!("{:?}", context.limit()))
            => Status::Failed("600s".into());
    an_async_closure_may_answer:
        |_: PreToolUse| async { PreToolUse::ask("sure?") } => Status::Answered;
    an_async_closure_may_return_nothing:
        |_: PreToolUse| async {} => Status::NoOpinion;
    an_async_closure_may_return_a_result_of_an_answer:
        |_: PreToolUse| async { Err::<Answer<PreToolUse>, _>("no") } => Status::Failed("no".into());
    an_async_closure_may_return_a_result_of_nothing:
        |_: PreToolUse| async { Ok::<(), String>(()) } => Status::NoOpinion;
    an_async_closure_may_go_on_in_the_background:
        |_: PreToolUse| async { background(async { PreToolUse::pass() }) } => Status::Background;
    an_async_closure_may_try_to_go_on_in_the_background:
        |_: PreToolUse| async { Ok::<_, String>(background(async {})) } => Status::Background;
    an_async_closure_may_ask_for_its_context:
        |_: PreToolUse, context: HookContext| async move {
            Err::<(), _>(format!("{:?}", context.limit()))
        } => Status::Failed("600s".into());
    an_async_closure_in_rusts_own_notation_is_one_too:
        async |_: PreToolUse| PreToolUse::ask("sure?") => Status::Answered;
}

#[expect(clippy::needless_pass_by_value, reason = "a hook is handed its event")]
fn no_sudo(call: PreToolUse) -> Answer<PreToolUse> {
    match call.command() {
        Some(command) if command.starts_with("sudo ") => PreToolUse::deny("no"),
        _ => PreToolUse::pass(),
    }
}

#[tokio::test]
async fn a_function_is_as_good_as_a_closure() {
    let hooks = HookSet::builder().on("Bash", no_sudo).build().unwrap();
    let runner = Runner::new(hooks);
    assert!(runner.fire(bash("sudo ls")).await.is_denied());
    assert!(!runner.fire(bash("ls")).await.is_denied());
}

#[tokio::test]
async fn the_type_of_the_argument_picks_the_event() {
    let hooks = HookSet::builder()
        .on("", |_: PreToolUse| PreToolUse::deny("before"))
        .on("", |_: PostToolUse| PostToolUse::feedback("after"))
        .on("", |_: Stop| Stop::keep_going("more"))
        .build()
        .unwrap();
    assert_eq!(hooks.len(), 3);
    let listened: Vec<&str> = EventName::ALL
        .iter()
        .filter(|event| hooks.listens(**event))
        .map(|event| event.as_str())
        .collect();
    assert_eq!(listened, ["PreToolUse", "PostToolUse", "Stop"]);
    let runner = Runner::new(hooks);
    let verdict = runner
        .fire(PostToolUse::new("Bash", json!({}), json!(0)))
        .await;
    assert_eq!(verdict.reason(), Some("after"));
}

#[tokio::test]
async fn a_closure_may_keep_what_it_captures() {
    let count = Counter::default();
    let inside = count.clone();
    let runner = runner_of(hook_fn(move |_: Stop| {
        let count = inside.clone();
        async move {
            count.add();
        }
    }));
    runner.fire(Stop::new(false)).await;
    runner.fire(Stop::new(false)).await;
    assert_eq!(count.get(), 2);
}

// ===== blocking closures =====

#[tokio::test]
async fn a_blocking_closure_runs_on_a_thread_of_its_own() {
    let here = std::thread::current().id();
    let hooks = HookSet::builder()
        .on_blocking("Bash", move |_: PreToolUse| {
            if std::thread::current().id() == here {
                PreToolUse::pass()
            } else {
                PreToolUse::deny("elsewhere")
            }
        })
        .on(
            "Bash",
            blocking_fn(|_: PreToolUse, context: HookContext| {
                Err::<(), _>(format!("I am {}", context.hook().id))
            })
            .id("second"),
        )
        .on_blocking("Bash", |_: PreToolUse| background(async {}))
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(bash("ls")).await;
    assert_eq!(words(&verdict), ["answered", "failed", "background"]);
    assert_eq!(verdict.reason(), Some("elsewhere"));
    assert_eq!(failure(&verdict.attempts[1]), Some("I am second"));
}

// ===== options =====

#[tokio::test]
async fn the_options_of_a_hook_reach_its_attempt() {
    let source = Source {
        file: "hooks.json".into(),
        line: 7,
    };
    let hook = hook_fn(|_: PreToolUse, context: HookContext| {
        Err::<(), _>(format!("{:?}", context.limit()))
    })
    .id("strict")
    .description("keeps the disk clean")
    .status_message("checking")
    .source(source.clone())
    .timeout(secs(7))
    .on_failure(OnFailure::Block);
    let verdict = runner_of(hook).fire(bash("ls")).await;
    let attempt = &verdict.attempts[0];
    assert_eq!(attempt.hook.id.as_str(), "strict");
    assert_eq!(
        attempt.hook.description.as_deref(),
        Some("keeps the disk clean")
    );
    assert_eq!(attempt.hook.source.as_ref(), Some(&source));
    assert_eq!(attempt.hook.kind, HookKind::Function);
    assert_eq!(failure(attempt), Some("7s"));
    assert!(verdict.is_denied());
    assert_eq!(
        verdict.into_result().unwrap_err().to_string(),
        "PreToolUse denied by hook `strict` (keeps the disk clean): hook `strict` failed: 7s; a \
         failure of this hook blocks",
    );
}

#[test]
fn a_set_tells_of_every_hook_all_that_was_said_about_it() {
    let source = Source {
        file: "hooks.json".into(),
        line: 7,
    };
    let handler = Fixed::new(Reply::no_opinion()).identity("make lint");
    let full = handler
        .hook(EventName::PreToolUse)
        .id("lint")
        .description("keeps it clean")
        .source(source)
        .status_message("linting")
        .timeout(secs(7))
        .on_failure(OnFailure::Block)
        .only_if("Bash(make *)".parse().unwrap())
        .wait(Wait::Rewake)
        .once()
        .enabled(false);
    let plain = Hook::new(EventName::Stop, Fixed::new(Reply::no_opinion()));
    let hooks = HookSet::builder()
        .group(Group::sequential().layer(Layer::User).on("Bash|Edit", full))
        .on("", plain)
        .build()
        .unwrap();
    let told: Vec<Vec<String>> = hooks.hooks().map(|(hook, _)| all_of(hook)).collect();
    let full = [
        "PreToolUse",
        "Bash|Edit",
        "Bash(make *)",
        "lint",
        "keeps it clean",
        "hooks.json:7",
        "linting",
        "7s",
        "Some(Block)",
        "Rewake",
        "once",
        "off",
        "command",
    ];
    let plain = [
        "Stop", "", "", "Stop#1.0", "", "", "", "", "None", "Awaited", "always", "on", "command",
    ];
    assert_eq!(told, [full, plain]);
    let layers: Vec<Layer> = hooks.hooks().map(|(_, layer)| layer).collect();
    assert_eq!(layers, [Layer::User, Layer::Rust]);
    let identities: Vec<bool> = hooks
        .hooks()
        .map(|(hook, _)| hook.identity().is_some_and(|id| id.contains("make lint")))
        .collect();
    assert_eq!(identities, [true, false]);
}

/// Everything that a hook tells of itself, as text.
fn all_of(hook: &Hook) -> Vec<String> {
    fn text(told: Option<impl ToString>) -> String {
        told.map(|told| told.to_string()).unwrap_or_default()
    }
    let source = hook.get_source();
    vec![
        hook.get_event().to_string(),
        hook.get_matcher().to_string(),
        text(hook.get_condition()),
        text(hook.get_id()),
        text(hook.get_description()),
        text(source.map(|source| format!("{}:{}", source.file, source.line))),
        text(hook.get_status_message()),
        text(hook.get_timeout().map(|limit| format!("{limit:?}"))),
        format!("{:?}", hook.get_on_failure()),
        format!("{:?}", hook.get_wait()),
        if hook.is_once() { "once" } else { "always" }.to_owned(),
        if hook.is_enabled() { "on" } else { "off" }.to_owned(),
        hook.get_kind().as_str().to_owned(),
    ]
}

#[test]
fn a_hook_tells_the_deadline_that_its_handler_asks_for_where_it_has_none() {
    let mut handler = Fixed::new(Reply::no_opinion());
    handler.limit = Some(secs(3));
    let hook = handler.hook(EventName::Stop);
    assert_eq!(hook.get_timeout(), Some(secs(3)));
    assert_eq!(hook.timeout(secs(1)).get_timeout(), Some(secs(1)));
}

#[tokio::test]
async fn a_hook_without_a_name_is_named_by_its_place() {
    let hooks = HookSet::builder()
        .group(Group::parallel().on("", |_: Stop| ()).on("", |_: Stop| ()))
        .on("", |_: Stop| ())
        .build()
        .unwrap();
    let verdict = Runner::new(hooks).fire(Stop::new(false)).await;
    assert_eq!(ids(&verdict), ["Stop#0.0", "Stop#0.1", "Stop#1.0"]);
}

// ===== names =====

#[tokio::test]
async fn a_group_calls_a_closure_by_the_name_that_it_is_registered_under() {
    let hooks = HookSet::builder()
        .register("no-sudo", no_sudo)
        .group(Group::parallel().call("Bash", "no-sudo"))
        .group(Group::parallel().call("Write", "no-sudo"))
        .build()
        .unwrap();
    assert_eq!(hooks.len(), 2, "one for each call of it");
    let runner = Runner::new(hooks);
    assert!(runner.fire(bash("sudo ls")).await.is_denied());
    assert_eq!(runner.fire(tool("Write")).await.attempts.len(), 1);
    assert!(runner.fire(tool("Read")).await.attempts.is_empty());
}

#[tokio::test]
async fn a_closure_that_is_only_registered_never_runs() {
    let hooks = HookSet::builder()
        .register("no-sudo", no_sudo)
        .build()
        .unwrap();
    assert!(hooks.is_empty());
    assert!(!hooks.listens(EventName::PreToolUse));
}

fn refused(error: Result<HookSet, BuildError>) -> BuildError {
    match error {
        Err(error) => error,
        Ok(hooks) => panic!("{hooks:?} was built"),
    }
}

#[test]
fn a_name_that_nobody_registered_is_refused_with_the_names_that_there_are() {
    let hooks = HookSet::builder()
        .register("no-sudo", no_sudo)
        .register("no-rm", no_sudo)
        .group(Group::sequential().call("Bash", "nosudo"))
        .build();
    let error = refused(hooks);
    assert!(
        matches!(&error, BuildError::UnknownId { id, .. } if id.as_str() == "nosudo"),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        r#"no closure is registered as `nosudo`; the builder knows ["no-rm", "no-sudo"]"#,
    );
}

#[test]
fn two_hooks_of_one_name_are_refused() {
    let hooks = HookSet::builder()
        .on("Bash", hook_fn(no_sudo).id("no-sudo"))
        .on("", hook_fn(|_: Stop| ()).id("no-sudo"))
        .build();
    let error = refused(hooks);
    assert_eq!(error, BuildError::DuplicateId("no-sudo".into()));
    assert_eq!(
        error.to_string(),
        "two hooks are called `no-sudo`; names are unique in a set"
    );
}

#[test]
fn two_closures_that_are_registered_under_one_name_are_refused() {
    let hooks = HookSet::builder()
        .register("check", no_sudo)
        .register("check", |_: PreToolUse| PreToolUse::allow())
        .group(Group::sequential().call("Bash", "check"))
        .build();
    assert_eq!(refused(hooks), BuildError::DuplicateId("check".into()));
}

// ===== what cannot be built =====

#[test]
fn a_pattern_that_is_none_is_refused_with_a_hint() {
    let error = refused(HookSet::builder().on("*.ts", no_sudo).build());
    assert!(
        matches!(&error, BuildError::Matcher { hook, .. } if hook.as_str() == "PreToolUse#0.0")
    );
    let message = error.to_string();
    assert!(
        message.starts_with("hook PreToolUse#0.0: matcher `*.ts` is not a valid regex: "),
        "{message}"
    );
    assert!(
        message.ends_with(r"(a regex cannot start with `*`; did you mean `.*\.ts$`?)"),
        "{message}"
    );
}

#[test]
fn a_hook_of_a_bad_pattern_is_told_by_its_name() {
    let hooks = HookSet::builder()
        .group(Group::parallel().on("(", hook_fn(no_sudo).id("no-sudo")))
        .build();
    let message = refused(hooks).to_string();
    assert!(
        message.starts_with("hook no-sudo: matcher `(` "),
        "{message}"
    );
}

#[test]
fn a_condition_on_an_event_without_a_tool_call_is_refused() {
    let rule = Rule::parse("Bash(git *)").unwrap();
    let hooks = HookSet::builder()
        .on("", hook_fn(|_: Stop| ()).id("at-the-end").only_if(rule))
        .build();
    let error = refused(hooks);
    assert_eq!(
        error,
        BuildError::Condition {
            hook: "at-the-end".into(),
            event: EventName::Stop
        }
    );
    assert_eq!(
        error.to_string(),
        "hook at-the-end: Stop is about no tool call, so a condition on it never holds"
    );
}

// ===== what Debug shows =====

#[tokio::test]
async fn debug_shows_what_a_hook_is_and_when_it_runs() {
    let hook = hook_fn(no_sudo).id("no-sudo");
    let hooks = HookSet::builder().on("Bash|Write", hook).build().unwrap();
    let (first, _) = hooks.hooks().next().unwrap();
    let shown = format!("{first:?}");
    for part in ["Hook", "no-sudo", "Bash|Write", "PreToolUse", "function"] {
        assert!(shown.contains(part), "`{part}` is not in {shown}");
    }
    let shown = format!("{hooks:?}");
    assert!(
        shown.contains("no-sudo") && shown.contains("Bash|Write"),
        "{shown}"
    );
    let runner = Runner::with(
        hooks,
        Session::new(Base::new("s-1", "/t", "/srv/app")),
        hook_runner::Policy::default(),
    );
    let shown = format!("{runner:?}");
    for part in ["Runner", "s-1", "no-sudo", "Bash|Write", "PreToolUse"] {
        assert!(shown.contains(part), "`{part}` is not in {shown}");
    }
}

#[tokio::test]
async fn debug_of_a_context_shows_its_hook_and_session() {
    let shown = support::Log::default();
    let log = shown.clone();
    let hook = hook_fn(move |_: Stop, context: HookContext| log.say(format!("{context:?}")));
    let runner = runner_of(hook.id("curious").timeout(secs(9)));
    runner.update_session(|session| session.base.session_id = "s-1".into());
    runner.fire(Stop::new(false)).await;
    let shown = shown.get().remove(0);
    for part in ["HookContext", "curious", "s-1", "9s"] {
        assert!(shown.contains(part), "`{part}` is not in {shown}");
    }
}

// ===== handlers of your own =====

#[derive(Debug)]
struct NoFridays {
    today: &'static str,
}

#[async_trait]
impl Handler for NoFridays {
    async fn handle(&self, input: Arc<Input>, _: &HookContext) -> Reply {
        match PreToolUse::of(input.event()) {
            Some(call) if self.today == "Friday" && call.tool_name == "Deploy" => {
                Reply::answer(PreToolUse::deny("not on a Friday").into_output())
            }
            Some(_) => Reply::no_opinion(),
            None => Reply::failed(format!("asked about {}", input.name())),
        }
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("calendar".into()), "no deploys on Fridays")
    }
}

#[tokio::test]
async fn a_handler_of_your_own_answers_like_a_closure() {
    let hooks = HookSet::builder()
        .hook::<PreToolUse>("Deploy", NoFridays { today: "Friday" })
        .hook::<SessionStart>("", NoFridays { today: "Friday" })
        .build()
        .unwrap();
    let runner = Runner::new(hooks);
    let verdict = runner.fire(tool("Deploy")).await;
    assert!(verdict.is_denied());
    assert_eq!(verdict.attempts[0].hook.kind.as_str(), "calendar");
    assert!(runner.fire(tool("Read")).await.attempts.is_empty());
    let start = runner.fire(SessionStart::new("startup")).await;
    assert_eq!(
        failure(&start.attempts[0]),
        Some("asked about SessionStart")
    );
    let explained = runner.explain(&tool("Deploy").into());
    assert_eq!(explained[0].runs, "no deploys on Fridays");
}

#[tokio::test]
async fn a_handler_is_handed_the_event_as_json_with_the_base_filled_in() {
    #[derive(Debug)]
    struct Echo;

    #[async_trait]
    impl Handler for Echo {
        async fn handle(&self, input: Arc<Input>, _: &HookContext) -> Reply {
            Reply::failed(input.json())
        }

        fn describe(&self) -> Description {
            Description::new(HookKind::Command, "echo")
        }
    }

    let hooks = HookSet::builder()
        .hook::<PreToolUse>("", Echo)
        .build()
        .unwrap();
    let session = Session::new(Base::new("s-1", "/t.jsonl", "/srv/app"));
    let runner = Runner::with(hooks, session, hook_runner::Policy::default());
    let verdict = runner.fire(bash("ls")).await;
    let json: serde_json::Value =
        serde_json::from_str(failure(&verdict.attempts[0]).unwrap()).unwrap();
    assert_eq!(json["hook_event_name"], "PreToolUse");
    assert_eq!(json["session_id"], "s-1");
    assert_eq!(json["cwd"], "/srv/app");
    assert_eq!(json["tool_input"], json!({"command": "ls"}));
}

#[tokio::test]
async fn a_handler_can_be_tried_without_a_runner() {
    let info = HookInfo::new("alone", HookKind::Other("calendar".into()));
    let context = HookContext::standalone(info, Session::default(), secs(5));
    let handler = NoFridays { today: "Friday" };
    let input = Arc::new(Input::new(tool("Deploy").into()));
    let reply = handler.handle(input, &context).await;
    assert_eq!(reply.output.decision, Decision::Deny);
    let reply = context.in_background(None, async { Reply::no_opinion() });
    assert_eq!(reply.status.word(), "failed");
}

#[tokio::test]
async fn a_hook_that_is_switched_off_is_skipped_and_says_so() {
    let handler = Fixed::new(Reply::no_opinion());
    let verdict = runner_of(handler.hook(EventName::Stop).enabled(false))
        .fire(Stop::new(false))
        .await;
    assert_eq!(handler.runs.get(), 0);
    let reason = skipped(&verdict.attempts[0]).unwrap();
    assert_eq!(reason.to_string(), "it is switched off");
}
