//! Streams of the Messages API, and what is read in them.
#![expect(
    clippy::needless_pass_by_value,
    reason = "json! makes values, and a test should read like the stream"
)]

use agent_loop::{ToolCall, Trouble};

use super::*;

/// Reads events; what is ready is handed over also where an error follows.
fn read(events: &[Value]) -> (Vec<ModelEvent>, Result<Progress, ModelError>) {
    let mut reader = Reader::of("claude-x");
    let mut pieces = Pieces::up_to(1_000);
    let mut progress = Ok(Progress::More);
    for event in events {
        progress = reader.take(
            &Event {
                name: String::new(),
                data: event.to_string(),
            },
            &mut pieces,
        );
        if progress != Ok(Progress::More) {
            break;
        }
    }
    if progress == Ok(Progress::More) {
        progress = reader.end(&mut pieces).map(|()| Progress::Complete);
    }
    (std::iter::from_fn(|| pieces.next()).collect(), progress)
}

fn start(block: Value) -> Value {
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

fn delta(delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": delta})
}

fn stop() -> Value {
    json!({"type": "content_block_stop", "index": 0})
}

fn ending(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]
}

fn bash() -> Value {
    start(json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}))
}

fn json_delta(part: &str) -> Value {
    delta(json!({"type": "input_json_delta", "partial_json": part}))
}

#[test]
fn an_input_that_comes_with_the_beginning_of_a_call_counts_where_no_piece_follows() {
    let begun = start(json!({"type": "tool_use", "id": "t1", "name": "Bash",
                             "input": {"command": "ls"}}));
    for (pieces, input) in [
        (vec![], json!({"command": "ls"})),
        (
            vec![json_delta("{\"command\": \"pwd\"}")],
            json!({"command": "pwd"}),
        ),
    ] {
        let mut events = vec![begun.clone()];
        events.extend(pieces);
        events.push(stop());
        events.extend(ending("tool_use"));
        let (ready, progress) = read(&events);
        assert_eq!(progress, Ok(Progress::Complete));
        let call = ToolCall::new("t1", "Bash", input);
        assert_eq!(ready[0], ModelEvent::ToolCall(call));
    }
}

#[test]
fn thinking_text_and_calls_keep_their_order_and_what_they_are_made_of() {
    let begin = json!({"type": "message_start", "message": {"usage": {
        "input_tokens": 3, "output_tokens": 1, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 5}}});
    let mut events = vec![
        begin,
        json!({"type": "ping"}),
        start(json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(json!({"type": "thinking_delta", "thinking": "let me "})),
        delta(json!({"type": "thinking_delta", "thinking": "see"})),
        delta(json!({"type": "signature_delta", "signature": "sig"})),
        stop(),
        start(json!({"type": "redacted_thinking", "data": "xyz"})),
        stop(),
        start(json!({"type": "text", "text": ""})),
        delta(json!({"type": "text_delta", "text": "I look."})),
        stop(),
        start(json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}})),
        json_delta("{\"query\":"),
        json_delta("\"x\"}"),
        stop(),
        json!({"type": "a_thing_of_the_future", "odd": true}),
        bash(),
        json_delta(""),
        json_delta("{\"command\": \"l"),
        json_delta("s\"}"),
        stop(),
    ];
    events.extend(ending("tool_use"));
    let (pieces, progress) = read(&events);
    assert_eq!(progress, Ok(Progress::Complete));
    let mut usage = Usage::default();
    (usage.input_tokens, usage.output_tokens) = (3, 9);
    (
        usage.cache_creation_input_tokens,
        usage.cache_read_input_tokens,
    ) = (4, 5);
    assert_eq!(
        pieces,
        [
            ModelEvent::Block(
                json!({"type": "thinking", "thinking": "let me see", "signature": "sig", THOUGHT_BY: "claude-x"})
            ),
            ModelEvent::Block(
                json!({"type": "redacted_thinking", "data": "xyz", THOUGHT_BY: "claude-x"})
            ),
            ModelEvent::Text("I look.".into()),
            ModelEvent::Block(
                json!({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}})
            ),
            ModelEvent::ToolCall(ToolCall::new("t1", "Bash", json!({"command": "ls"}))),
            ModelEvent::Usage(usage),
            ModelEvent::Stop(StopReason::ToolUse),
        ]
    );
}

#[test]
fn a_call_without_input_has_an_empty_one() {
    let mut events = vec![bash(), stop()];
    events.extend(ending("tool_use"));
    let (pieces, _) = read(&events);
    assert_eq!(
        pieces[0],
        ModelEvent::ToolCall(ToolCall::new("t1", "Bash", json!({})))
    );
}

#[test]
fn half_a_call_is_none_where_the_limit_of_tokens_cut_it_and_an_error_elsewhere() {
    for last in [vec![], vec![stop()]] {
        let mut events = vec![bash(), json_delta("{\"comm")];
        events.extend(last);
        let cut: Vec<Value> = events.iter().cloned().chain(ending("max_tokens")).collect();
        let (pieces, progress) = read(&cut);
        assert_eq!(progress, Ok(Progress::Complete));
        assert_eq!(pieces[1..], [ModelEvent::Stop(StopReason::MaxTokens)]);

        events.extend(ending("tool_use"));
        let (pieces, progress) = read(&events);
        assert_eq!(pieces, []);
        assert!(progress.is_err());
    }
}

#[test]
fn a_reply_without_its_end_is_never_a_reply() {
    let text = [
        start(json!({"type": "text", "text": ""})),
        delta(json!({"type": "text_delta", "text": "half"})),
    ];
    let (pieces, progress) = read(&text);
    assert_eq!(pieces, [ModelEvent::Text("half".into())]);
    assert_eq!(progress.unwrap_err().trouble, Some(Trouble::StreamCut));
    let (_, progress) = read(&[json!({"type": "message_stop"})]);
    assert_eq!(progress.unwrap_err().trouble, Some(Trouble::StreamCut));
}

#[test]
fn an_error_in_the_stream_is_what_it_says_it_is() {
    let busy =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let error = read(&[busy]).1.unwrap_err();
    assert_eq!(error.trouble, Some(Trouble::Overloaded));
    assert!(error.transient);
    assert_eq!(error.message, "Overloaded");
}

#[test]
fn what_would_be_kept_beyond_the_limit_is_an_error() {
    let long = "x".repeat(600);
    for events in [
        vec![
            start(json!({"type": "text", "text": ""})),
            delta(json!({"text": long})),
            delta(json!({"text": long})),
        ],
        vec![bash(), json_delta(&long), json_delta(&long)],
        vec![
            start(json!({"type": "thinking"})),
            delta(json!({"thinking": long})),
            delta(json!({"thinking": long})),
        ],
        vec![start(json!({"type": "odd", "data": "x".repeat(1_100)}))],
    ] {
        let error = read(&events).1.unwrap_err();
        assert_eq!(error.trouble, Some(Trouble::ReplyTooLarge));
    }
}

#[test]
fn a_window_that_is_full_is_a_limit_that_was_reached() {
    let (pieces, _) = read(&ending("model_context_window_exceeded"));
    assert_eq!(pieces[1], ModelEvent::Stop(StopReason::MaxTokens));
}
