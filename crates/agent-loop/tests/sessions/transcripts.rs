//! Transcripts: written in time, read back even when they were cut.

use std::sync::{Arc, Mutex};

use agent_loop::{Block, Role, Scene};
use hook_runner::HookSet;
use hook_types::{EndReason, Event, PreToolUse, SessionStart};
use serde_json::Value;

use crate::recorder::Recorder;
use crate::support::{all_words, echo, stage_with, words};

#[tokio::test]
async fn the_transcript_is_written_before_a_hook_is_fired_and_has_the_usual_shape() {
    let directory = tempfile::tempdir().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let hooks = HookSet::builder()
        .on("Echo", move |call: PreToolUse| {
            let text = std::fs::read_to_string(&call.base.transcript_path).unwrap();
            kept.lock().unwrap().push(text);
        })
        .build()
        .unwrap();
    let stage = stage_with([echo("hi"), Scene::say("ok")], |builder| {
        builder.hooks(hooks).transcripts_in(directory.path())
    });
    let mut session = stage.agent.start().await;
    session.prompt("go").await;

    let before = seen.lock().unwrap()[0].clone();
    let lines: Vec<Value> = before
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2, "the prompt, and the reply with the call");
    assert_eq!(lines[0]["type"], "user");
    assert_eq!(lines[0]["message"]["content"][0]["text"], "go");
    assert_eq!(lines[1]["type"], "assistant");
    assert_eq!(lines[1]["message"]["content"][0]["name"], "Echo");
    assert_eq!(lines[1]["message"]["model"], "scripted");
    assert_eq!(lines[1]["parentUuid"], lines[0]["uuid"]);
    assert_eq!(lines[1]["sessionId"], session.id().as_str());

    let whole = std::fs::read_to_string(session.transcript_path()).unwrap();
    let roles: Vec<Value> = whole
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["message"]["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
}

#[tokio::test]
async fn a_session_goes_on_where_its_transcript_ends_even_if_it_was_cut() {
    let directory = tempfile::tempdir().unwrap();
    let first = stage_with([echo("hi"), Scene::say("ok")], |builder| {
        builder.transcripts_in(directory.path())
    });
    let mut session = first.agent.start().await;
    session.prompt("go").await;
    let (path, id, whole) = (
        session.transcript_path(),
        session.id().clone(),
        session.messages().to_vec(),
    );
    session.end(EndReason::Unspecified).await;

    // Whole.
    let recorder = Recorder::default();
    let again = stage_with([Scene::say("still here")], |builder| {
        builder
            .transcripts_in(directory.path())
            .runner(Arc::new(recorder.clone()))
    });
    let mut session = again.agent.resume(&path).await.unwrap();
    assert_eq!(session.id(), &id);
    assert_eq!(session.messages(), whole);
    let start = recorder
        .events()
        .into_iter()
        .find_map(|event| SessionStart::of(&event).cloned());
    let start = start.unwrap();
    assert_eq!(start.source, hook_types::SessionSource::Resume);
    assert!(start.seconds_since_last_response.is_some());
    session.prompt("and?").await;
    assert!(all_words(&again.requests()[0]).ends_with("ok\nand?"));
    session.end(EndReason::Unspecified).await;

    // Cut in the middle of a line, after a call.
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let cut = format!(
        "{}\n{}\n{}",
        lines[0],
        lines[1],
        &lines[2][..lines[2].len() / 2]
    );
    std::fs::write(&path, cut).unwrap();
    let third = stage_with(
        [Scene::say("what happened?"), Scene::say("ok")],
        |builder| builder.transcripts_in(directory.path()),
    );
    let mut session = third.agent.resume(&path).await.unwrap();
    session.prompt("go on").await;
    let last = &third.requests()[0].messages[2];
    assert_eq!(last.role, Role::User);
    assert!(matches!(&last.content[0], Block::ToolResult(result) if result.is_error));
    assert!(words(last).ends_with("go on"));
    assert!(third.watched.warnings()[0].contains("1 lines"));
    let resumed_twice = third.agent.resume(&path).await.unwrap();
    assert_eq!(resumed_twice.messages(), session.messages());
}

#[tokio::test]
async fn a_transcript_that_is_none_is_not_resumed() {
    let directory = tempfile::tempdir().unwrap();
    let stage = stage_with([], |builder| builder.transcripts_in(directory.path()));
    let missing = directory.path().join("no.jsonl");
    let missing = stage.agent.resume(missing.to_str().unwrap()).await;
    assert!(missing.unwrap_err().to_string().contains("cannot be read"));
    let other = directory.path().join("other.txt");
    std::fs::write(&other, "hello\n").unwrap();
    let other = stage.agent.resume(other.to_str().unwrap()).await;
    assert!(other.unwrap_err().to_string().contains("holds no message"));
}
