//! Servers that behave, and servers that do not: no deadline is missed, no refusal is lost, and
//! nothing is left running.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hook_runner::{Fire, Handler, HookContext, HookSet, Input, Runner, Session};
use hook_shell::{Host, Plugin, ServerHook};
use hook_types::{
    Base, Decision, HookEvent, HookInfo, HookKind, PostToolUse, PreToolUse, Reply, SessionStart,
    Status,
};
use serde_json::json;
use tempfile::TempDir;

/// Ten times longer than anything here takes on a busy machine.
const AMPLE: Duration = Duration::from_secs(30);
const TAG: &str = "SERVER_FIXTURE_TAG";
const DENY: &str = r#"{"decision":"block","reason":"no"}"#;

const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Servers that carry a variable of their own. When it is dropped, no process may carry it.
struct Fixture {
    tag: String,
    directory: TempDir,
}

impl Fixture {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            tag: format!("server-{}-{number}", std::process::id()),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A server, in the fixture's directory. Every start is a line in the file `starts`.
    fn server(&self, script: &str) -> ServerHook {
        ServerHook::new(format!("echo $$ >>starts\n{script}"))
            .env(TAG, &self.tag)
            .cwd(self.path())
    }

    /// A server that does `body` for each request; it has `$id` and `$line`.
    fn each(&self, body: &str) -> ServerHook {
        self.server(&each(body))
    }

    fn starts(&self) -> usize {
        let starts = fs::read_to_string(self.path().join("starts"));
        starts.map_or(0, |starts| starts.lines().count())
    }

    /// Living processes that carry the variable, whatever session or parent they have.
    fn strays(&self) -> Vec<i32> {
        let wanted = format!("{TAG}={}", self.tag);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let carries = |pid: &i32| {
            let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        };
        pids.filter(carries).collect()
    }

    async fn until(&self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let clock = Instant::now();
        while !holds(self) {
            assert!(clock.elapsed() < AMPLE, "waited in vain until {what}");
            tokio::time::sleep(millis(10)).await;
        }
    }

    async fn until_nothing_runs(&self) {
        self.until("nothing runs", |fixture| fixture.strays().is_empty())
            .await;
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let clock = Instant::now();
        while !self.strays().is_empty() {
            assert!(
                clock.elapsed() < AMPLE,
                "still running: {:?}",
                self.strays()
            );
            std::thread::sleep(millis(10));
        }
    }
}

fn each(body: &str) -> String {
    format!("while IFS= read -r line; do id=${{line#'{{\"id\":'}}; id=${{id%%,*}}\n{body}\ndone")
}

fn bash(command: &str) -> HookEvent {
    PreToolUse::new("Bash", json!({ "command": command })).into()
}

fn context(limit: Duration) -> HookContext {
    let mut session = Session::new(Base::default());
    session.project_dir = std::env::temp_dir().to_string_lossy().into_owned();
    let info = HookInfo::new("server", HookKind::Other("server".to_owned()));
    HookContext::standalone(info, session, limit)
}

async fn tell(hook: &ServerHook, event: HookEvent, limit: Duration) -> Reply {
    hook.handle(Arc::new(Input::new(event)), &context(limit))
        .await
}

async fn ask(hook: &ServerHook, command: &str) -> Reply {
    tell(hook, bash(command), AMPLE).await
}

async fn ask_within(hook: &ServerHook, command: &str, limit: Duration) -> Reply {
    tell(hook, bash(command), limit).await
}

fn assert_denies(reply: &Reply) {
    assert_eq!(reply.output.decision, Decision::Deny, "{reply:?}");
}

fn assert_word(reply: &Reply, word: &str) {
    assert_eq!(reply.status.word(), word, "{reply:?}");
    assert_eq!(reply.output.decision, Decision::Pass, "{reply:?}");
}

fn failure(reply: &Reply) -> &str {
    let Status::Failed(why) = &reply.status else {
        panic!("{reply:?}");
    };
    why
}

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

// What a server is for.

#[tokio::test]
async fn one_process_answers_one_event_after_the_other() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$$\"}}""#);
    let mut said = Vec::new();
    for _ in 0..5 {
        let reply = ask(&hook, "make").await;
        assert_eq!(reply.status, Status::Answered, "{reply:?}");
        said.push(reply.output.system_message.unwrap());
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
async fn a_directory_that_is_gone_is_no_reason_not_to_start() {
    let fixture = Fixture::new();
    let gone = fixture.path().join("gone");
    let hook = ServerHook::new(each(
        r#"echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$(pwd)\"}}""#,
    ))
    .env(TAG, &fixture.tag)
    .cwd(&gone);
    let reply = ask(&hook, "make").await;
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    let want = temporary.to_string_lossy().into_owned();
    assert_eq!(reply.output.system_message, Some(want), "{reply:?}");
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
async fn one_that_dies_before_it_reads_is_started_once_more_for_the_request_it_never_saw() {
    let fixture = Fixture::new();
    // Reads no more after its first answer.
    let hook = fixture.server(
        r#"IFS= read -r line; exec <&-; id=${line#'{"id":'}; id=${id%%,*}
           echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}"; sleep 60"#,
    );
    for _ in 0..3 {
        let reply = ask(&hook, "make").await;
        assert_eq!(reply.status, Status::Answered, "{reply:?}");
    }
    assert_eq!(fixture.starts(), 3);
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

// What it may do, and nobody hangs.

#[tokio::test]
async fn one_that_never_answers_costs_a_deadline_and_no_more() {
    let fixture = Fixture::new();
    let hook = fixture.server("echo starting >&2; cat >/dev/null");
    fixture_warm(&hook, &fixture).await;
    let reply = ask_within(&hook, "make", millis(300)).await;
    assert_word(&reply, "timed_out");
    assert_eq!(reply.evidence.stderr, "starting\n");
}

/// Gives the server time to start.
async fn fixture_warm(hook: &ServerHook, fixture: &Fixture) {
    let first = ask_within(hook, "warm", millis(100)).await;
    assert!(first.status.is_failure());
    fixture
        .until("it has started", |fixture| fixture.starts() > 0)
        .await;
}

#[tokio::test]
async fn one_that_never_reads_costs_a_deadline_and_keeps_no_input() {
    let fixture = Fixture::new();
    let hook = fixture.server("exec sleep 600");
    let large = "x".repeat(300_000);
    let (limit, mut inputs) = (millis(300), Vec::new());
    for _ in 0..4 {
        let input = Arc::new(Input::new(bash(&large)));
        inputs.push(Arc::downgrade(&input));
        assert_word(&hook.handle(input, &context(limit)).await, "timed_out");
    }
    let (one, two) = tokio::join!(
        ask_within(&hook, &large, limit),
        ask_within(&hook, "small", limit)
    );
    assert_word(&one, "timed_out");
    assert_word(&two, "timed_out");
    let kept = inputs.iter().filter(|input| input.strong_count() > 0);
    assert_eq!(kept.count(), 0);
}

#[tokio::test]
async fn a_request_that_was_given_up_before_its_turn_is_never_sent() {
    let fixture = Fixture::new();
    let body = each(
        r#"case $line in *large*) word=large ;; *given-up*) word=given-up ;; *) word=last ;; esac
           echo $word >>seen; echo "{\"id\":$id}""#,
    );
    // The pipe is full of the first request until the server begins to read.
    let hook = fixture.server(&format!("until [ -e go ]; do sleep 0.05; done\n{body}"));
    let large = format!("large {}", "x".repeat(150_000));
    let (first, ()) = tokio::join!(ask(&hook, &large), async {
        let given_up = ask_within(&hook, "given-up", millis(300)).await;
        assert_word(&given_up, "timed_out");
        fs::write(fixture.path().join("go"), "").unwrap();
    });
    assert_word(&first, "no_opinion");
    assert_word(&ask(&hook, "last").await, "no_opinion");
    let seen = fs::read_to_string(fixture.path().join("seen")).unwrap();
    assert_eq!(seen, "large\nlast\n");
}

#[tokio::test]
async fn a_refusal_behind_megabytes_of_garbage_counts() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"yes '{{"id": nonsense [[[' | head -c 8000000; echo; echo "{{\"id\":$id,\"output\":"'{DENY}}}'"#
    ));
    assert_denies(&ask(&hook, "make").await);
    assert_denies(&ask(&hook, "make").await);
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn a_flood_of_lines_holds_up_no_deadline() {
    floods("yes").await;
}

#[tokio::test]
async fn a_flood_without_a_line_break_holds_up_no_deadline() {
    floods("tr '\\0' x </dev/zero").await;
}

#[tokio::test]
async fn a_flood_of_errors_holds_up_no_deadline() {
    floods("yes >&2").await;
}

#[tokio::test]
async fn a_flood_of_braces_holds_up_no_deadline() {
    floods(r#"yes '{"id":1,{"id":1,{"id":1,'"#).await;
}

async fn floods(flood: &str) {
    let fixture = Fixture::new();
    let hook = fixture.server(flood);
    for _ in 0..2 {
        let reply = ask_within(&hook, "make", millis(500)).await;
        assert!(reply.status.is_failure(), "{:?}", reply.status);
    }
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn one_that_floods_while_nobody_waits_is_ended() {
    let fixture = Fixture::new();
    let hook = fixture.server("read -r line; echo '{\"id\":1}'; exec yes");
    assert_word(&ask(&hook, "make").await, "no_opinion");
    fixture.until_nothing_runs().await;
}

#[tokio::test]
async fn garbage_blank_lines_and_broken_text_around_an_answer_do_not_matter() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"printf 'loading…\n\n   \n[1,2]\n"text"\n{"no":"id"}\n{"id":null}\n{"id":-1}\n\377\376\000\n'
           printf '\357\273\277  {"output":{"systemMessage":"ok"},  "id" : %s }  \r\n' "$id"
           printf '}}}}\n'"#,
    );
    for _ in 0..3 {
        let reply = ask(&hook, "make").await;
        assert_eq!(
            reply.output.system_message.as_deref(),
            Some("ok"),
            "{reply:?}"
        );
    }
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn a_line_may_come_in_pieces() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"printf '{{"id":'; sleep 0.05; printf '%s,"output"' "$id"; sleep 0.05; printf ':{DENY}'; sleep 0.05; echo '}}'"#
    ));
    assert_denies(&ask(&hook, "make").await);
}

#[tokio::test]
async fn half_a_line_costs_a_deadline_and_no_refusal_after_it() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"case $line in
             *half*) printf '{{"id":%s,"out' "$id" ;;
             *) echo "{{\"id\":$id,\"output\":"'{DENY}}}' ;;
           esac"#
    ));
    assert_denies(&ask(&hook, "first").await);
    let (half, whole) = tokio::join!(ask_within(&hook, "half", AMPLE), async {
        tokio::time::sleep(millis(200)).await;
        ask(&hook, "whole").await
    });
    // The rest of the line is another's, and this one gets no answer that can be read.
    assert_word(&half, "bad_output");
    assert_denies(&whole);
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn answers_that_share_a_line_all_count() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"both="$both{{\"id\":$id,\"output\":"'{DENY}}} '; count=$((count + 1)); [ $count -lt 2 ] || echo "$both""#
    ));
    let (one, two) = tokio::join!(ask(&hook, "one"), ask(&hook, "two"));
    assert_denies(&one);
    assert_denies(&two);
}

#[tokio::test]
async fn a_line_that_is_too_long_blocks_on_a_guard_and_fails_elsewhere() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"printf '{"id":%s,"output":{"decision":"block","reason":"' "$id"
           head -c 3000000 /dev/zero | tr '\0' x; echo '"}}'"#,
    );
    let reply = ask(&hook, "make").await;
    assert_denies(&reply);
    assert!(reply.evidence.truncated);
    let after = PostToolUse::new("Bash", json!({}), json!({}));
    assert_word(&tell(&hook, after.into(), AMPLE).await, "bad_output");
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn of_two_answers_the_first_counts() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"echo "{{\"id\":$id,\"output\":"'{DENY}}}'; echo "{{\"id\":$id}}"; echo "{{\"id\":$id,\"error\":\"x\"}}""#
    ));
    for _ in 0..3 {
        assert_denies(&ask(&hook, "make").await);
    }
    assert_eq!(fixture.starts(), 1);
}

#[tokio::test]
async fn answers_to_nobody_are_ignored() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"echo '{{"id":4711,"output":{DENY}}}'; echo '{{"id":0}}'; echo '{{"id":18446744073709551616}}'; echo "{{\"id\":$id}}""#
    ));
    for _ in 0..3 {
        assert_word(&ask(&hook, "make").await, "no_opinion");
    }
}

#[tokio::test]
async fn one_that_closes_its_stdout_and_lives_on_is_ended() {
    let fixture = Fixture::new();
    let hook = fixture.server("read -r line; echo 'lost my voice' >&2; exec >&-; exec sleep 600");
    let reply = ask(&hook, "make").await;
    assert!(failure(&reply).ends_with("lost my voice"), "{reply:?}");
    fixture.until_nothing_runs().await;
}

#[tokio::test]
async fn one_whose_child_holds_its_stdout_is_known_to_be_dead() {
    let fixture = Fixture::new();
    let hook = fixture.server("read -r line; sleep 600 & echo 'gone' >&2; exit 1");
    let reply = ask(&hook, "make").await;
    assert!(failure(&reply).ends_with("gone"), "{reply:?}");
    fixture.until_nothing_runs().await;
}

// A refusal is not lost.

/// What the server prints after `{"id":…`, and whether it denies.
async fn denies(rest: &str) -> bool {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!("printf '%s%s%s\\n' '{{\"id\":' \"$id\" '{rest}'"));
    let reply = ask(&hook, "make").await;
    assert_ne!(reply.output.decision, Decision::Allow, "{reply:?}");
    reply.output.decision == Decision::Deny
}

#[tokio::test]
async fn a_refusal_in_a_flawed_answer_counts() {
    for flawed in [
        r#","output":{"decision":"block",}}"#,
        r#","output":{"decision":"block"}"#,
        r#","output":{"decision":"block"}}}} and more"#,
        r#","output":{"decision":"BLOCK"}}"#,
        r#","output":{"decision":"block","continue":"yes"}}"#,
        r#","output":{"decision":"block","decision":"approve"}}"#,
        r#","output":{"decision":"block"},"output":{}}"#,
        r#","output":{},"output":{"decision":"block"}}"#,
        r#","output":{"decision":"block"},"error":"and then it broke"}"#,
        r#","output":"{\"decision\":\"block\"}"}"#,
        r#","output":{"async":true,"decision":"block"}}"#,
        r#","decision":"block"}"#,
        r#","output":{},"decision":"block"}"#,
        r#","hookSpecificOutput":{"permissionDecision":"deny"}}"#,
    ] {
        assert!(denies(flawed).await, "{flawed}");
    }
}

#[tokio::test]
async fn nothing_else_in_a_flawed_answer_counts() {
    let allow =
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    for flawed in [
        format!(r#","output":{allow}}} and more"#),
        format!(r#","output":{allow}}},"#),
        r#","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#
            .to_owned(),
        format!(r#","output":{allow},"output":{allow}}}"#),
        format!(r#","output":[{allow}]}}"#),
    ] {
        assert!(!denies(&flawed).await, "{flawed}");
    }
}

#[tokio::test]
async fn an_id_may_be_text() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(r#"echo "{{\"id\":\"$id\",\"output\":"'{DENY}}}'"#));
    assert_denies(&ask(&hook, "make").await);
}

#[tokio::test]
async fn a_refusal_after_text_on_its_line_counts_and_an_allow_does_not() {
    let fixture = Fixture::new();
    let hook = fixture.each(&format!(
        r#"case $line in
             *deny*) echo "DEBUG: {{\"id\":$id,\"output\":"'{DENY}}}' ;;
             *) echo "DEBUG: {{\"id\":$id,\"output\":"'{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow"}}}}}}' ;;
           esac"#
    ));
    assert_denies(&ask(&hook, "deny").await);
    assert_word(&ask_within(&hook, "allow", millis(300)).await, "timed_out");
}

// Nobody waits any more.

#[tokio::test]
async fn a_request_that_is_dropped_is_forgotten() {
    let fixture = Fixture::new();
    let hook = fixture.each(
        r#"case $line in *slow*) sleep 0.5 ;; esac
           word=${line#*'"command":"'}; word=${word%%'"'*}
           echo "{\"id\":$id,\"output\":{\"systemMessage\":\"$word\"}}""#,
    );
    assert_eq!(ask(&hook, "first").await.status, Status::Answered);
    let dropped = tokio::time::timeout(millis(100), ask(&hook, "slow")).await;
    assert!(dropped.is_err());
    let next = ask(&hook, "next").await;
    assert_eq!(next.output.system_message.as_deref(), Some("next"));
    assert_eq!(fixture.starts(), 1, "a firing that is cancelled is no hang");
}

#[tokio::test]
async fn a_session_that_ends_closes_its_stdin_and_waits_for_it() {
    let fixture = Fixture::new();
    let body = each(r#"echo "{\"id\":$id}""#);
    let hook = fixture.server(&format!("sleep 600 &\n{body}\necho bye >farewell"));
    assert_word(&ask(&hook, "make").await, "no_opinion");
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
    let farewell = fs::read_to_string(fixture.path().join("farewell"));
    assert_eq!(farewell.unwrap(), "bye\n");
}

#[tokio::test]
async fn one_that_will_not_end_is_ended_with_the_session() {
    let fixture = Fixture::new();
    let hook = fixture.server("trap '' TERM HUP INT; setsid sleep 600 & while :; do sleep 1; done");
    fixture_warm(&hook, &fixture).await;
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_request_that_is_under_way_when_the_session_ends_is_told() {
    let fixture = Fixture::new();
    let hook = fixture.server("cat >/dev/null");
    let (reply, ()) = tokio::join!(ask(&hook, "make"), async {
        fixture
            .until("it has started", |fixture| fixture.starts() > 0)
            .await;
        hook.close().await;
    });
    assert!(
        failure(&reply).starts_with("the server was ended"),
        "{reply:?}"
    );
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test]
async fn a_firing_after_the_end_of_a_session_starts_it_again() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id}""#);
    assert_word(&ask(&hook, "make").await, "no_opinion");
    hook.close().await;
    assert_word(&ask(&hook, "make").await, "no_opinion");
    assert_eq!(fixture.starts(), 2);
    hook.close().await;
}

#[tokio::test]
async fn a_hook_that_is_dropped_takes_its_server_with_it() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"setsid sleep 600 & echo "{\"id\":$id}""#);
    assert_word(&ask(&hook, "make").await, "no_opinion");
    drop(hook);
    fixture.until_nothing_runs().await;
}

#[tokio::test]
async fn a_hook_that_is_dropped_while_its_server_starts_leaves_nothing() {
    for pause in [0, 1, 3, 10] {
        let fixture = Fixture::new();
        let hook = fixture.server("exec sleep 600");
        let _ = tokio::time::timeout(millis(pause), ask(&hook, "make")).await;
        drop(hook);
        fixture.until_nothing_runs().await;
    }
}

#[test]
fn a_runtime_that_is_dropped_takes_the_server_with_it_and_another_starts_a_new_one() {
    let fixture = Fixture::new();
    let hook = fixture.each(r#"echo "{\"id\":$id}""#);
    for starts in 1..=2 {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .worker_threads(2)
            .build()
            .unwrap();
        let reply = runtime.block_on(ask(&hook, "make"));
        assert_word(&reply, "no_opinion");
        drop(runtime);
        assert_eq!(fixture.starts(), starts);
        let clock = Instant::now();
        while !fixture.strays().is_empty() {
            assert!(clock.elapsed() < AMPLE);
            std::thread::sleep(millis(10));
        }
    }
}

#[tokio::test]
async fn servers_and_commands_can_share_a_host() {
    let fixture = Fixture::new();
    let host = Host::new();
    let one = fixture.each(r#"echo "{\"id\":$id}""#).host(&host);
    let two = fixture.each(r#"echo "{\"id\":$id}""#).host(&host);
    assert_word(&ask(&one, "make").await, "no_opinion");
    assert_word(&ask(&two, "make").await, "no_opinion");
    tokio::join!(one.close(), two.close());
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_requests_at_once_on_a_server_that_keeps_dying_all_end() {
    let fixture = Fixture::new();
    let hook = Arc::new(fixture.each(
        r#"count=$((count + 1)); [ $count -lt 20 ] || exit 1; echo "{\"id\":$id,\"output\":{\"systemMessage\":\"ok\"}}""#,
    ));
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let hook = Arc::clone(&hook);
            tokio::spawn(async move {
                tokio::time::sleep(millis(number)).await;
                ask(&hook, "make").await
            })
        })
        .collect();
    let mut answered = 0;
    for task in tasks {
        let reply = task.await.unwrap();
        let word = reply.status.word();
        assert!(matches!(word, "answered" | "failed"), "{reply:?}");
        answered += usize::from(word == "answered");
    }
    assert!(answered > 0);
    hook.close().await;
    assert_eq!(fixture.strays(), Vec::<i32>::new());
}

// The examples.

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
