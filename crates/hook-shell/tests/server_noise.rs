//! Servers that flood, hang, break off and talk nonsense: no deadline is missed, and no refusal is lost.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::sync::Arc;

use hook_runner::{Handler, Input};
use hook_types::{Decision, PostToolUse};
use serde_json::json;
use servers_support::{
    AMPLE, DENY, Fixture, ask, ask_within, assert_denies, assert_word, bash, context, each,
    failure, fixture_warm, millis, tell,
};

mod servers_support;

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
    // Some 800,000 lines are looked at one by one: seconds where the tests are instrumented, and as many
    // times that as others share the machine. When the refusal comes is not what is asked here.
    for _ in 0..2 {
        assert_denies(&ask_within(&hook, "make", AMPLE * 10).await);
    }
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
    for flood in [
        "yes",
        "yes ''",
        "yes \"$(head -c 5000 /dev/zero | tr '\\0' x)\"",
    ] {
        let fixture = Fixture::new();
        let script = format!("read -r line; echo '{{\"id\":1}}'; exec {flood}");
        let hook = fixture.server(&script);
        assert_word(&ask(&hook, "make").await, "no_opinion");
        fixture.until_nothing_runs().await;
    }
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
