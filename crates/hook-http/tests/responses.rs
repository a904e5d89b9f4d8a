//! What a response is, row by row, over real connections.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::time::Duration;

use hook_runner::{Group, Hook, HookRunner, HookSet, Runner};
use hook_types::{
    Decision, EventName, OnFailure, PermissionRequest, PreToolUse, Status, Stop, UserPromptSubmit,
    WorktreeCreate,
};
use serde_json::json;
use support::{AMPLE, DENY, Server, call, fire, hook, only};
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn two_hundred_and_empty_is_no_opinion() {
    for raw in [
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
    ] {
        let fired = fire(Server::saying(raw).await.hook(), call()).await;
        assert_eq!(only(&fired).reply.status, Status::NoOpinion);
        assert_eq!(fired.outcome.decision, Decision::Pass);
    }
}

#[tokio::test]
async fn two_hundred_and_an_object_is_an_answer() {
    for status in [200, 201, 299] {
        let fired = fire(Server::answering(status, DENY).await.hook(), call()).await;
        assert_eq!(only(&fired).reply.status, Status::Answered);
        assert_eq!(fired.outcome.decision, Decision::Deny);
        assert_eq!(fired.outcome.reason.as_deref(), Some("not here"));
    }
}

#[tokio::test]
async fn an_answer_may_say_whatever_a_commands_may() {
    let body = json!({"systemMessage": "careful", "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "make -n"}, "additionalContext": "dry run"}});
    let fired = fire(
        Server::answering(200, &body.to_string()).await.hook(),
        call(),
    )
    .await;
    assert_eq!(fired.outcome.decision, Decision::Allow);
    assert_eq!(
        fired.outcome.updated_input,
        Some(json!({"command": "make -n"}))
    );
    assert_eq!(fired.outcome.additional_context[0].text, "dry run");
    assert_eq!(fired.outcome.system_messages[0].text, "careful");
}

#[tokio::test]
async fn two_hundred_and_an_object_that_does_not_fit_the_contract_is_a_failure() {
    let body =
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": 7}}"#;
    let fired = fire(Server::answering(200, body).await.hook(), call()).await;
    assert!(matches!(only(&fired).reply.status, Status::BadOutput(_)));
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn two_hundred_and_text_is_a_failure_and_the_text_goes_nowhere() {
    for body in ["all is well", "[1, 2]", "\"text\"", "null", "<html></html>"] {
        let prompt = UserPromptSubmit::new("hello");
        let fired = fire(Server::answering(200, body).await.hook(), prompt).await;
        let attempt = only(&fired);
        assert!(
            matches!(attempt.reply.status, Status::BadOutput(_)),
            "{body}: {attempt:?}"
        );
        assert!(fired.outcome.additional_context.is_empty(), "{body}");
        assert_eq!(attempt.reply.evidence.stdout, body);
    }
}

#[tokio::test]
async fn another_status_is_a_failure_and_blocks_nothing() {
    for status in [400, 401, 403, 404, 409, 422, 429, 500, 502, 503] {
        let fired = fire(Server::answering(status, "no").await.hook(), call()).await;
        let Status::Failed(why) = &only(&fired).reply.status else {
            panic!("{:?}", only(&fired));
        };
        assert_eq!(*why, format!("the server answered with status {status}"));
        assert_eq!(fired.outcome.decision, Decision::Pass);
    }
}

#[tokio::test]
async fn an_answer_of_another_status_does_not_count() {
    let body = json!({"systemMessage": "x", "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow"}});
    let fired = fire(
        Server::answering(500, &body.to_string()).await.hook(),
        call(),
    )
    .await;
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert!(fired.outcome.system_messages.is_empty());
}

#[tokio::test]
async fn nobody_there_is_a_failure() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let fired = fire(hook(&url), call()).await;
    let Status::Failed(why) = &only(&fired).reply.status else {
        panic!("{:?}", only(&fired));
    };
    assert!(why.starts_with("no connection"), "{why}");
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn none_in_time_is_a_timeout_and_decides_nothing() {
    let server = Server::doing(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    });
    let hook = server.await.hook().timeout(Duration::from_millis(100));
    let fired = fire(hook, call()).await;
    assert!(only(&fired).timed_out());
    assert_eq!(fired.outcome.decision, Decision::Pass);
}

#[tokio::test]
async fn a_failure_blocks_a_guard_that_asks_for_it() {
    for status in [200, 500] {
        let server = Server::answering(status, "text").await;
        let blocking = Hook::new(EventName::PreToolUse, server.hook()).on_failure(OnFailure::Block);
        let hooks = HookSet::builder()
            .group(Group::parallel().hook(blocking))
            .build()
            .unwrap();
        let fired = Runner::new(hooks).fire_event(call().into()).await;
        assert_eq!(fired.outcome.decision, Decision::Deny, "{status}");
    }
}

#[tokio::test]
async fn a_refusal_that_can_be_read_counts_on_a_guard() {
    let damaged = r#"{"decision": "block", "reason": "no", "n": NaN, }"#;
    let noisy = format!("Warning: deprecated\n{DENY}\nbye");
    for (status, body) in [
        (200, damaged),
        (200, noisy.as_str()),
        (403, DENY),
        (500, damaged),
    ] {
        let fired = fire(Server::answering(status, body).await.hook(), call()).await;
        assert_eq!(fired.outcome.decision, Decision::Deny, "{status} {body}");
    }
}

#[tokio::test]
async fn a_refusal_before_the_connection_broke_or_the_time_was_over_counts_on_a_guard() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
    let broken = Server::saying(format!("{head}{DENY}\n")).await;
    let fired = fire(broken.hook(), call()).await;
    assert!(
        matches!(only(&fired).reply.status, Status::Failed(_)),
        "{:?}",
        only(&fired)
    );
    assert_eq!(fired.outcome.decision, Decision::Deny);

    let slow = Server::doing(move |mut stream, _| async move {
        stream
            .write_all(format!("{head}{DENY}\n").as_bytes())
            .await
            .unwrap();
        std::future::pending::<()>().await;
    });
    let fired = fire(slow.await.hook().timeout(Duration::from_secs(2)), call()).await;
    assert!(only(&fired).timed_out());
    assert_eq!(fired.outcome.decision, Decision::Deny);
}

#[tokio::test]
async fn a_refusal_of_an_error_counts_on_guards_alone() {
    let block = r#"{"decision": "block", "reason": "go on"}"#;
    let fired = fire(Server::answering(500, block).await.hook(), Stop::new(false)).await;
    assert_eq!(fired.outcome.decision, Decision::Pass);
    let fired = fire(Server::answering(200, block).await.hook(), Stop::new(false)).await;
    assert!(fired.outcome.keeps_going());
}

#[tokio::test]
async fn the_deny_of_a_permission_request_is_read_where_it_stands() {
    let body = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny"}}}"#;
    let request = PermissionRequest::new("Bash", json!({"command": "make"}));
    let fired = fire(Server::answering(200, body).await.hook(), request).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
}

#[tokio::test]
async fn a_promise_for_later_is_told_to_be_none() {
    let fired = fire(
        Server::answering(200, r#"{"async": true}"#).await.hook(),
        call(),
    )
    .await;
    let reply = &only(&fired).reply;
    assert_eq!(reply.status, Status::NoOpinion);
    assert_eq!(reply.diagnostics[0].code.as_str(), "no_effect");
}

#[tokio::test]
async fn a_worktree_needs_its_path_in_the_answer() {
    let path =
        r#"{"hookSpecificOutput": {"hookEventName": "WorktreeCreate", "worktreePath": "/tmp/w"}}"#;
    let create = || WorktreeCreate::new("w");
    let fired = fire(Server::answering(200, path).await.hook(), create()).await;
    assert_eq!(only(&fired).reply.status, Status::Answered);
    for body in ["", "{}", "/tmp/w"] {
        let fired = fire(Server::answering(200, body).await.hook(), create()).await;
        assert!(only(&fired).reply.status.is_failure(), "{body}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_blocks_a_guard_that_it_may_have_refused() {
    let long = format!("{{\"x\": \"{}\"}}", "y".repeat(5000));
    let fired = fire(
        Server::answering(200, &long).await.hook().body_limit(1000),
        call(),
    )
    .await;
    let attempt = only(&fired);
    assert!(attempt.reply.evidence.truncated);
    assert_eq!(attempt.reply.evidence.stdout.len(), 1000);
    assert_eq!(fired.outcome.decision, Decision::Deny);

    let text = "y".repeat(5000);
    let fired = fire(
        Server::answering(200, &text).await.hook().body_limit(1000),
        call(),
    )
    .await;
    assert_eq!(fired.outcome.decision, Decision::Pass);
    assert_eq!(only(&fired).reply.diagnostics[0].code.as_str(), "cut");
}

#[tokio::test]
async fn a_body_that_nobody_wanted_compressed_is_told_to_be() {
    let raw =
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00";
    let fired = fire(Server::saying(raw.to_vec()).await.hook(), call()).await;
    let Status::BadOutput(why) = &only(&fired).reply.status else {
        panic!("{:?}", only(&fired));
    };
    assert!(why.contains("gzip"), "{why}");
}

#[tokio::test]
async fn the_evidence_is_the_status_some_headers_and_the_body() {
    let raw = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nset-cookie: secret\r\n\
               x-request-id: r-1\r\ncontent-length: 2\r\n\r\n{}";
    let fired = fire(Server::saying(raw).await.hook(), call()).await;
    let attempt = serde_json::to_value(only(&fired)).unwrap();
    assert_eq!(attempt["stdout"], json!("{}"));
    assert_eq!(
        attempt["facts"],
        json!({"http_status": "200", "content-type": "application/json", "x-request-id": "r-1", "content-length": "2"})
    );
}

#[tokio::test]
async fn an_answer_comes_in_pieces() {
    let (start, end) = DENY.split_at(20);
    let pieces = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{start}\r\n{:x}\r\n{end}\r\n0\r\n\r\n",
        start.len(),
        end.len()
    );
    let fired = fire(Server::saying(pieces).await.hook().timeout(AMPLE), call()).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
    assert_eq!(only(&fired).reply.evidence.stdout, DENY);
}

#[tokio::test]
async fn a_deny_beats_an_allow_whoever_came_first() {
    let allow =
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#;
    let (one, other) = (
        Server::answering(200, allow).await,
        Server::answering(200, DENY).await,
    );
    let hooks = HookSet::builder()
        .hook::<PreToolUse>("", other.hook())
        .hook::<PreToolUse>("", one.hook())
        .build()
        .unwrap();
    let fired = Runner::new(hooks).fire_event(call().into()).await;
    assert_eq!(fired.outcome.decision, Decision::Deny);
}
