//! Requests and replies as hooks see them, and as hooks want them.

use serde_json::{Map, Value, json};

use crate::asking::Reply;
use crate::conversation::{Block, ToolCall};
use crate::id;
use crate::model::{ModelRequest, StopReason};

/// A request as the events have it.
pub(crate) fn write_request(request: &ModelRequest) -> Value {
    json!(request)
}

/// Takes over what a hook wants of a request; what it leaves out stays. Says what cannot be read.
pub(crate) fn read_request(request: &mut ModelRequest, wanted: &Value) -> Result<(), String> {
    let Value::Object(wanted) = wanted else {
        return Err("expected an object".to_owned());
    };
    take(wanted, "model", &mut request.model)?;
    take(wanted, "system", &mut request.system)?;
    take(wanted, "messages", &mut request.messages)?;
    take(wanted, "tools", &mut request.tools)?;
    take(wanted, "tool_choice", &mut request.tool_choice)?;
    let mut config = Map::new();
    take(wanted, "config", &mut config)?;
    request.config.extend(config);
    Ok(())
}

fn take<T: serde::de::DeserializeOwned>(
    wanted: &Map<String, Value>,
    key: &str,
    slot: &mut T,
) -> Result<(), String> {
    if let Some(value) = wanted.get(key) {
        *slot = serde_json::from_value(value.clone()).map_err(|error| format!("{key}: {error}"))?;
    }
    Ok(())
}

/// A reply as the events have it.
pub(crate) fn write_response(reply: &Reply) -> Value {
    let texts: Vec<&str> = reply.content.iter().filter_map(Block::as_text).collect();
    json!({
        "content": texts.join("\n"),
        "tool_calls": reply.calls(),
        "stop_reason": reply.stop.as_ref().map(StopReason::as_str),
        "usage": reply.usage,
    })
}

/// The whole reply that a hook wants; nothing where it is none. Text is a string or blocks.
pub(crate) fn read_response(wanted: &Value) -> Option<Reply> {
    let wanted = wanted.as_object()?;
    let mut content = match wanted.get("content") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::String(text)) => vec![Block::text(text.clone())],
        Some(blocks) => serde_json::from_value(blocks.clone()).ok()?,
    };
    let calls = wanted.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        content.push(Block::ToolUse(tool_call(call)?));
    }
    if !wanted.contains_key("content") && calls.is_none() {
        return None;
    }
    let stop = wanted.get("stop_reason").and_then(Value::as_str);
    Some(Reply {
        content,
        stop: stop.map(StopReason::from),
        ..Reply::default()
    })
}

fn tool_call(call: &Value) -> Option<ToolCall> {
    let name = call.get("name")?.as_str()?;
    let input = call.get("input").or_else(|| call.get("args"));
    let call_id = call.get("id").and_then(Value::as_str);
    Some(ToolCall::new(
        call_id.map_or_else(|| format!("toolu_{}", id::fresh()), str::to_owned),
        name,
        input.cloned().unwrap_or_else(|| json!({})),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ChatMessage;

    #[test]
    fn what_a_hook_leaves_out_of_a_request_stays() {
        let mut request = ModelRequest {
            model: "m".into(),
            system: "s".into(),
            messages: vec![ChatMessage::user("hello")],
            ..ModelRequest::default()
        };
        let wanted =
            json!({"messages": [{"role": "user", "content": "bye"}], "config": {"temperature": 0}});
        read_request(&mut request, &wanted).unwrap();
        assert_eq!(request.system, "s");
        assert_eq!(request.messages, [ChatMessage::user("bye")]);
        assert_eq!(request.config["temperature"], 0);
        let problem = read_request(&mut request, &json!({"messages": 7})).unwrap_err();
        assert!(problem.starts_with("messages: "), "{problem}");
    }

    #[test]
    fn a_reply_survives_the_way_there_and_back() {
        let reply = Reply {
            content: vec![
                Block::text("hi"),
                Block::ToolUse(ToolCall::new("t", "Bash", json!({"command": "ls"}))),
            ],
            stop: Some(StopReason::ToolUse),
            ..Reply::default()
        };
        assert_eq!(read_response(&write_response(&reply)), Some(reply));
        assert_eq!(read_response(&json!({"text": "hi"})), None);
    }
}
