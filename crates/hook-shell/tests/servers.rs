//! What a server is for, what it is told, and what becomes of it when it dies.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_runner::{Fire, Handler, HookContext, HookSet, Input, Runner, Session};
use hook_shell::{Plugin, ServerHook};
use hook_types::{
    Base, HookInfo, HookKind, PostToolUse, PreToolUse, Reply, SessionStart, Status, Stop,
};
use serde_json::json;
use servers_support::{
    AMPLE, DENY, Fixture, ask, ask_within, assert_denies, assert_word, bash, each, failure, millis,
    tell,
};
use test_support::TAG;

mod servers_support;

// What a server is for.

#[tokio::test]
async fn one_process_answers_one_event_after_the_other() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$$\"}}""#);
    let mut said = Vec::new();
    for _ in 0..5 {
        let reply = ask(&hook, "make").await;
        assert_eq!(reply.status, Status::Answered, "{reply:?}");
        said.push(reply.output.into_inner().system_message.unwrap());
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn an_answer_is_read_as_a_commands_output_is() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in
             *one*) out='"output":{"decision":"block","reason":"no"}' ;;
             *two*) out='"output":{}' ;;
             *three*) out='"output":null' ;;
             *four*) out='"error":"it is broken"' ;;
             *five*) out='"output":true' ;;
             *six*) out='"output":{"continue":"yes"}' ;;
             *seven*) out='"output":{"async":true}' ;;
             *) echo "{\"id\":$id}"; continue ;;
           esac
           echo "{\"id\":$id,$out}""#,
    );
    let reply = ask(&hook, "one").await;
    assert_denies(&reply);
    assert_eq!(reply.output.reason.as_deref(), Some("no"));
    assert_eq!(reply.evidence.stdout, DENY);
    assert_eq!(reply.evidence.exit_code, None);
    for nothing in ["two", "three", "other"] {
        assert_word(&ask(&hook, nothing).await, "no_opinion");
    }
    let broken = ask(&hook, "four").await;
    assert_word(&broken, "failed");
    assert_eq!(failure(&broken), "it is broken");
    assert_word(&ask(&hook, "five").await, "bad_output");
    assert_word(&ask(&hook, "six").await, "bad_output");
    let promise = ask(&hook, "seven").await;
    assert_word(&promise, "no_opinion");
    assert_eq!(promise.diagnostics[0].code.as_str(), "no_effect");
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn text_is_context_where_a_commands_text_is() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id,\"output\":\"on branch \\\"main\\\"\"}""#);
    let reply = tell(&hook, SessionStart::new("startup").into(), AMPLE).await;
    let context = reply.output.additional_context.as_deref();
    assert_eq!(context, Some("on branch \"main\""), "{reply:?}");
    assert_word(&ask(&hook, "make").await, "no_opinion");
}

#[tokio::test]
async fn requests_overlap_and_answers_come_in_any_order() {
    let fixture = Fixture::new();
    // Answers nobody until eight have asked, the last one first.
    let hook = fixture.each(
        r#"word=${line#*'"command":"'}; word=${word%%'"'*}
           all="{\"id\":$id,\"output\":{\"systemMessage\":\"$word\"}}
$all"
           count=$((count + 1))
           [ $count -lt 8 ] || printf %s "$all""#,
    );
    let names: Vec<String> = (0..8).map(|number| format!("word{number}")).collect();
    let hook = Arc::new(hook);
    let asked = names.iter().cloned().map(|name| {
        let hook = Arc::clone(&hook);
        tokio::spawn(async move { ask(&hook, &name).await })
    });
    let mut replies = Vec::new();
    for asked in asked.collect::<Vec<_>>() {
        replies.push(asked.await.unwrap());
    }
    for (reply, name) in replies.iter().zip(&names) {
        assert_eq!(reply.output.system_message.as_ref(), Some(name));
    }
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn a_request_that_is_never_answered_holds_up_no_other() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in *never*) ;; *) echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}" ;; esac"#,
    );
    assert_eq!(ask(&hook, "first").await.status, Status::Answered);
    let (never, quick) =
        tokio::join!(ask_within(&hook, "never", millis(400)), ask(&hook, "quick"),);
    assert_word(&never, "timed_out");
    assert_eq!(quick.status, Status::Answered);
    // It spoke all the while, so it does not hang.
    assert_eq!(ask(&hook, "again").await.status, Status::Answered);
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn it_is_told_what_a_command_is_told_at_its_start() {
    let fixture = Fixture::new();
    let plugin = Plugin {
        root: "/plug in".to_owned(),
        ..Plugin::default()
    };
    let hook = fixture
        .each(
            r#"told="$CLAUDE_PROJECT_DIR|$CLAUDE_CODE_SESSION_ID|$CLAUDECODE|$CLAUDE_CODE_CHILD_SESSION|${CLAUDE_PID:+pid}|$CLAUDE_PLUGIN_ROOT|${SECRET-none}|$(pwd)"
               echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$told\"}}""#,
        )
        .plugin(plugin)
        .env("SECRET", "x")
        .without_env("SECRET");
    let mut event = PreToolUse::new("Bash", json!({ "command": "make" }));
    event.base.session_id = "session-1".into();
    let reply = tell(&hook, event.into(), AMPLE).await;
    let temporary = std::env::temp_dir();
    let here = fixture.path().canonicalize().unwrap();
    let want = format!(
        "{}|session-1|1|1|pid|/plug in|none|{}",
        temporary.display(),
        here.display()
    );
    assert_eq!(reply.output.system_message, Some(want), "{reply:?}");
}

#[tokio::test]
async fn a_project_that_is_gone_is_no_reason_not_to_start() {
    let fixture = Fixture::new();
    let hook = ServerHook::new(each(WHERE)).env(TAG, fixture.tag());
    let gone = fixture.path().join("gone");
    let reply = ask_in(&hook, &gone).await;
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    assert_eq!(reply.output.system_message, Some(text(&temporary)));
}

#[tokio::test]
async fn its_own_directory_is_the_projects_and_must_be_there() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path().join("hooks")).unwrap();
    let project = fixture.path().canonicalize().unwrap();
    let hook = |cwd: &str| {
        ServerHook::new(each(WHERE))
            .env(TAG, fixture.tag())
            .cwd(cwd)
    };
    let reply = ask_in(&hook("hooks"), &project).await;
    assert_eq!(
        reply.output.system_message,
        Some(text(&project.join("hooks")))
    );
    let reply = ask_in(&hook("gone"), &project).await;
    assert_word(&reply, "launch_failed");
    assert!(reply.status.to_string().contains("gone"), "{reply:?}");
}

/// Answers with the directory that the server runs in.
const WHERE: &str = r#"echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$(pwd)\"}}""#;

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// What a server answers in a session of that project.
async fn ask_in(hook: &ServerHook, project: &Path) -> Reply {
    let session = Session::new(Base::new("session-1", "/nowhere", text(project)));
    let info = HookInfo::new("server", HookKind::Other("server".to_owned()));
    let context = HookContext::standalone(info, session, AMPLE);
    hook.handle(Arc::new(Input::new(bash("make"))), &context)
        .await
}

#[tokio::test]
async fn a_program_without_a_shell_can_be_a_server() {
    let fixture = Fixture::new();
    let script =
        r#"printf '{"id":1,"output":{"systemMessage":"%s"}}\n' "$0|$1"; exec cat >/dev/null"#;
    let hook = ServerHook::exec("sh", ["-c", script, "a  b", "${CLAUDE_PROJECT_DIR}/$x"])
        .env(TAG, fixture.tag());
    let reply = ask_in(&hook, fixture.path()).await;
    let want = format!("a  b|{}/$x", fixture.path().display());
    assert_eq!(reply.output.system_message, Some(want), "{reply:?}");
    hook.close().await;
}

#[tokio::test]
async fn what_keeps_an_agent_going_in_hooklines_files_does_in_a_server() {
    let fixture = Fixture::new();
    let hook = fixture
        .each(r#"echo "{\"id\":$id,\"output\":{\"continue\":true,\"reason\":\"tests fail\"}}""#);
    let reply = tell(&hook, Stop::new(false).into(), AMPLE).await;
    assert_denies(&reply);
    assert_eq!(reply.output.reason.as_deref(), Some("tests fail"));
}

#[tokio::test]
async fn a_runner_takes_its_word_and_ends_it() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(r#"echo "{{\"id\":$id,\"output\":"'{DENY}}}'"#));
    let hooks = HookSet::builder().hook::<PreToolUse>("Bash", hook);
    let runner = Runner::new(hooks.build().unwrap());
    let verdict = runner
        .fire(PreToolUse::new("Bash", json!({ "command": "sudo make" })))
        .await;
    assert_eq!(verdict.reason(), Some("no"));
    assert!(!fixture.strays().is_empty());
    runner.close(Duration::ZERO).await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

// What becomes of it when it dies.

#[tokio::test]
async fn when_it_dies_its_request_fails_with_its_last_words_and_the_next_gets_a_new_process() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in
             *die*) echo "Traceback" >&2; echo "KeyError: 'x'" >&2; exit 3 ;;
             *) echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}" ;;
           esac"#,
    );
    assert_eq!(ask(&hook, "first").await.status, Status::Answered);
    let reply = ask(&hook, "die").await;
    assert_word(&reply, "failed");
    assert_eq!(
        failure(&reply),
        "the server died before it answered: KeyError: 'x'"
    );
    assert_eq!(reply.evidence.stderr, "Traceback\nKeyError: 'x'\n");
    assert_eq!(ask(&hook, "next").await.status, Status::Answered);
    assert_eq!(fixture.starts(), 2);
}

#[tokio::test]
async fn when_it_dies_everybody_who_waits_is_told() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"count=$((count + 1)); [ $count -lt 3 ] || { echo "three is too many" >&2; kill -9 $$; }"#,
    );
    let (a, b, c) = tokio::join!(ask(&hook, "a"), ask(&hook, "b"), ask(&hook, "c"));
    for reply in [a, b, c] {
        assert!(failure(&reply).ends_with("three is too many"), "{reply:?}");
    }
}

#[tokio::test]
async fn a_refusal_before_its_death_counts() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"printf '{{"id":%s,"output":{DENY}}}' "$id"; kill -9 $$"#
    ));
    for _ in 0..3 {
        assert_denies(&ask(&hook, "make").await);
    }
    assert_eq!(
        fixture.starts(),
        3,
        "it served, so nobody waits for a pause"
    );
}

#[tokio::test]
async fn a_command_that_is_not_there_is_said_so() {
    let fixture = Fixture::new();
    let hook = fixture.server("exec no-such-interpreter guard.py");
    let reply = ask(&hook, "make").await;
    assert_word(&reply, "failed");
    assert!(failure(&reply).contains("not found"), "{reply:?}");
}

#[tokio::test]
async fn one_that_exits_at_once_is_started_less_and_less_often() {
    let fixture = Fixture::new();
    let hook = fixture.server("echo 'no config' >&2; exit 1");
    let clock = Instant::now();
    let mut paused = 0;
    for _ in 0..40 {
        let reply = ask_within(&hook, "make", millis(150)).await;
        assert!(reply.status.is_failure(), "{reply:?}");
        if let Status::Failed(why) = &reply.status
            && why.contains("is started again in")
        {
            assert!(why.ends_with("it said last: no config"), "{why}");
            paused += 1;
        }
        tokio::time::sleep(millis(5)).await;
    }
    // A pause doubles each time: 100, 200, 400 ms and so on.
    let most = 2 + usize::try_from((clock.elapsed().as_millis() / 100).ilog2()).unwrap();
    assert!(fixture.starts() <= most.max(3) + 1, "{}", fixture.starts());
    assert!(paused > 0, "somebody was told of the pause");
}

#[tokio::test]
async fn nobody_waits_for_a_pause_beyond_their_own_deadline() {
    let fixture = Fixture::new();
    let hook = fixture.server("exit 1");
    for _ in 0..4 {
        assert!(ask(&hook, "make").await.status.is_failure());
    }
    // The next start is some 800 ms away. One waits for it; the other cannot.
    let clock = Instant::now();
    let (patient, hurried) = tokio::join!(
        async {
            let reply = ask(&hook, "patient").await;
            (reply, clock.elapsed())
        },
        async {
            let reply = ask_within(&hook, "hurried", millis(20)).await;
            (reply, clock.elapsed())
        }
    );
    assert!(patient.0.status.is_failure());
    assert!(hurried.0.status.is_failure());
    assert!(hurried.1 < patient.1, "{hurried:?} {patient:?}");
}

#[tokio::test]
async fn one_that_hangs_is_replaced() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in
             *hang*) echo "waiting for a lock" >&2; sleep 600 ;;
             *) echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}" ;;
           esac"#,
    );
    assert_eq!(ask(&hook, "first").await.status, Status::Answered);
    let hung = ask_within(&hook, "hang", millis(500)).await;
    assert_word(&hung, "timed_out");
    assert_eq!(hung.evidence.stderr, "waiting for a lock\n");
    assert_eq!(ask(&hook, "next").await.status, Status::Answered);
    assert_eq!(fixture.starts(), 2);
    fixture
        .until("the first is gone", |fixture| fixture.strays().len() == 1)
        .await;
}

#[tokio::test]
async fn a_slow_start_is_not_taken_for_a_hang() {
    let fixture = Fixture::new();
    let body = each(r#"echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}""#);
    let hook = fixture.server(&format!("sleep 1\n{body}"));
    for _ in 0..3 {
        assert_word(&ask_within(&hook, "early", millis(50)).await, "timed_out");
    }
    assert_eq!(ask(&hook, "late").await.status, Status::Answered);
    assert_eq!(fixture.starts(), 1);
}

// The examples.

/// Whether a program is there; says so where it is not.
fn is_there(program: &str, probe: &[&str]) -> bool {
    let probe = std::process::Command::new(program)
        .args(probe)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status();
    let there = probe.is_ok_and(|status| status.success());
    if !there {
        println!("skipped: there is no working {program} here");
    }
    there
}

async fn guards(interpreter: &str, probe: &[&str], file: &str) {
    if !is_there(interpreter, probe) {
        return;
    }
    let fixture = Fixture::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/servers");
    let hook = fixture.server(&format!("exec {interpreter} '{}/{file}'", path.display()));
    let denied = ask(&hook, "cd /tmp && sudo make").await;
    assert_denies(&denied);
    assert_eq!(
        denied.output.reason.as_deref(),
        Some("sudo is not allowed here")
    );
    assert_denies(&ask(&hook, "true\nsudo \"make\"").await);
    let (make, other) = tokio::join!(
        ask(&hook, "make \"all\"\n"),
        tell(
            &hook,
            PreToolUse::new("Write", json!({ "file_path": "sudo.txt" })).into(),
            AMPLE
        )
    );
    assert_word(&make, "no_opinion");
    assert_word(&other, "no_opinion");
    let after = PostToolUse::new("Bash", json!({ "command": "sudo" }), json!({}));
    assert_word(&tell(&hook, after.into(), AMPLE).await, "no_opinion");
    assert_eq!(fixture.starts(), 1);
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn the_python_example_refuses_sudo_and_nothing_else() {
    guards("python3", &["--version"], "guard.py").await;
}

#[tokio::test]
async fn the_node_example_refuses_sudo_and_nothing_else() {
    guards("node", &["--version"], "guard.js").await;
}

#[tokio::test]
async fn the_shell_example_refuses_sudo_and_nothing_else() {
    guards("sh", &["-c", "true"], "guard.sh").await;
}
