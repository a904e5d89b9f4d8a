//! Streams of chat completions, and what is read in them.
#![expect(
    clippy::needless_pass_by_value,
    reason = "json! makes values, and a test should read like the stream"
)]

use agent_loop::{ToolCall, Trouble};
use serde_json::json;

use super::*;

/// Reads chunks, and a last word unless it is left out.
fn read(chunks: &[Value], done: bool) -> (Vec<ModelEvent>, Result<Progress, ModelError>) {
    let mut reader = Reader::default();
    let mut pieces = Pieces::up_to(1_000);
    let chunks = chunks.iter().map(ToString::to_string);
    let last = done.then(|| "[DONE]".to_owned());
    let mut progress = Ok(Progress::More);
    for data in chunks.chain(last) {
        let name = String::new();
        progress = reader.take(&Event { name, data }, &mut pieces);
        if progress != Ok(Progress::More) {
            break;
        }
    }
    if progress == Ok(Progress::More) {
        progress = reader.end(&mut pieces).map(|()| Progress::Complete);
    }
    (std::iter::from_fn(|| pieces.next()).collect(), progress)
}

fn chunk(delta: Value, finish: Option<&str>) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

fn call(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({"function": {"arguments": arguments}});
    for (key, value) in [
        ("index", index.map(Value::from)),
        ("id", id.map(Value::from)),
    ] {
        if let Some(value) = value {
            call[key] = value;
        }
    }
    if let Some(name) = name {
        call["function"]["name"] = json!(name);
    }
    call
}

fn calls(pieces: &[ModelEvent]) -> Vec<ToolCall> {
    let calls = pieces.iter().filter_map(|piece| match piece {
        ModelEvent::ToolCall(call) => Some(call.clone()),
        ModelEvent::Text(_) | ModelEvent::Block(_) | _ => None,
    });
    calls.collect()
}

#[test]
fn text_calls_usage_and_the_end() {
    let chunks = [
        chunk(json!({"role": "assistant", "content": ""}), None),
        chunk(json!({"content": "I "}), None),
        chunk(json!({"content": "look."}), None),
        chunk(
            json!({"tool_calls": [call(Some(0), Some("c1"), Some("Bash"), "")]}),
            None,
        ),
        chunk(
            json!({"tool_calls": [call(Some(1), Some("c2"), Some("Read"), "")]}),
            None,
        ),
        chunk(
            json!({"tool_calls": [call(Some(0), None, None, "{\"command\":")]}),
            None,
        ),
        chunk(
            json!({"tool_calls": [call(Some(1), None, None, "{}")]}),
            None,
        ),
        chunk(
            json!({"tool_calls": [call(Some(0), None, None, "\"ls\"}")]}),
            None,
        ),
        chunk(json!({}), Some("tool_calls")),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 4,
            "prompt_tokens_details": {"cached_tokens": 6}}}),
    ];
    let (pieces, progress) = read(&chunks, true);
    assert_eq!(progress, Ok(Progress::Complete));
    let mut usage = Usage::default();
    (usage.input_tokens, usage.output_tokens) = (4, 4);
    usage.cache_read_input_tokens = 6;
    assert_eq!(
        pieces,
        [
            ModelEvent::Text("I ".into()),
            ModelEvent::Text("look.".into()),
            ModelEvent::ToolCall(ToolCall::new("c1", "Bash", json!({"command": "ls"}))),
            ModelEvent::ToolCall(ToolCall::new("c2", "Read", json!({}))),
            ModelEvent::Usage(usage),
            ModelEvent::Stop(StopReason::ToolUse),
        ]
    );
}

#[test]
fn calls_that_share_a_number_or_have_none_are_told_apart_by_their_ids() {
    for index in [Some(0), None] {
        let both = [
            call(index, Some("c1"), Some("Bash"), "{\"a\":1}"),
            call(index, Some("c2"), Some("Bash"), "{\"b\":2}"),
        ];
        let chunks = [chunk(json!({"tool_calls": both}), Some("stop"))];
        let (pieces, _) = read(&chunks, true);
        let expected = [("c1", json!({"a": 1})), ("c2", json!({"b": 2}))];
        let expected = expected.map(|(id, input)| ToolCall::new(id, "Bash", input));
        assert_eq!(calls(&pieces), expected, "{index:?}");
    }
}

#[test]
fn a_call_without_an_id_is_given_one() {
    let one = [call(Some(0), None, Some("Bash"), "{}")];
    let (pieces, _) = read(
        &[chunk(json!({"tool_calls": one}), Some("tool_calls"))],
        true,
    );
    let calls = calls(&pieces);
    assert!(calls[0].id.as_str().len() > 20, "{calls:?}");
}

#[test]
fn a_server_may_leave_out_its_last_word_and_never_the_reason() {
    let whole = [chunk(json!({"content": "hi"}), Some("stop"))];
    assert_eq!(read(&whole, false).1, Ok(Progress::Complete));
    for done in [true, false] {
        let (pieces, progress) = read(&[chunk(json!({"content": "hi"}), None)], done);
        assert_eq!(pieces, [ModelEvent::Text("hi".into())]);
        assert_eq!(progress.unwrap_err().trouble, Some(Trouble::StreamCut));
    }
}

#[test]
fn half_a_call_is_none_where_the_limit_of_tokens_cut_it_and_an_error_elsewhere() {
    let half = [call(Some(0), Some("c1"), Some("Bash"), "{\"comm")];
    let chunks = |finish| [chunk(json!({"tool_calls": half.clone()}), Some(finish))];
    let (pieces, _) = read(&chunks("length"), true);
    assert_eq!(pieces, [ModelEvent::Stop(StopReason::MaxTokens)]);
    let error = read(&chunks("tool_calls"), true).1.unwrap_err();
    assert_eq!(error.trouble, Some(Trouble::BadReply));
    assert!(error.message.contains("`Bash`"), "{error}");
}

#[test]
fn a_refusal_is_told_and_is_one() {
    let chunks = [
        chunk(json!({"refusal": "I will not."}), None),
        chunk(json!({}), Some("stop")),
    ];
    let (pieces, _) = read(&chunks, true);
    assert_eq!(
        pieces,
        [
            ModelEvent::Text("I will not.".into()),
            ModelEvent::Stop(StopReason::Refusal),
        ]
    );
}

#[test]
fn an_error_in_the_stream_is_what_it_says_it_is() {
    let error = json!({"error": {"message": "quota", "code": "insufficient_quota"}});
    let error = read(&[error], true).1.unwrap_err();
    assert_eq!(error.trouble, Some(Trouble::Unpaid));
    assert!(!error.transient);
}

#[test]
fn what_would_be_kept_beyond_the_limit_is_an_error() {
    let long = "x".repeat(600);
    let text = [
        chunk(json!({"content": long}), None),
        chunk(json!({"content": long}), None),
    ];
    let part = || {
        chunk(
            json!({"tool_calls": [call(Some(0), None, Some("Bash"), &long)]}),
            None,
        )
    };
    for chunks in [text, [part(), part()]] {
        let error = read(&chunks, true).1.unwrap_err();
        assert_eq!(error.trouble, Some(Trouble::ReplyTooLarge));
    }
    let many: Vec<Value> = (0..=MOST_CALLS as u64)
        .map(|index| {
            chunk(
                json!({"tool_calls": [call(Some(index), None, None, "")]}),
                None,
            )
        })
        .collect();
    assert!(read(&many, true).1.is_err());
}
