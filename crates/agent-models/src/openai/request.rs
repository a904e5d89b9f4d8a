//! A request as chat completions have it: pure.

use agent_loop::{
    Block, ChatMessage, ModelRequest, Role, ToolCall, ToolChoice, ToolResult, ToolSpec,
};
use serde_json::{Map, Value, json};

/// The body of a request; `limit` is what the limit of tokens is called.
pub(super) fn body(request: ModelRequest, limit: &str, max_tokens: Option<u64>) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    if let Some(most) = max_tokens {
        body.insert(limit.into(), json!(most));
    }
    for (key, value) in request.config {
        let key = if key == "max_tokens" { limit } else { &key };
        body.insert(key.into(), value);
    }
    let system =
        (!request.system.is_empty()).then(|| json!({"role": "system", "content": request.system}));
    let messages = request.messages.into_iter().flat_map(wire_messages);
    let messages = system.into_iter().chain(messages).collect();
    body.insert("messages".into(), Value::Array(messages));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(tool).collect();
        body.insert("tools".into(), Value::Array(tools));
        match request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Any => drop(body.insert("tool_choice".into(), json!("required"))),
            ToolChoice::None => drop(body.insert("tool_choice".into(), json!("none"))),
        }
    }
    body.insert("stream".into(), json!(true));
    body.insert("stream_options".into(), json!({"include_usage": true}));
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    json!({"type": "function", "function": {
        "name": spec.name, "description": spec.description, "parameters": spec.input_schema}})
}

/// One message is several here: every result of a call is one of its own, and stands before whatever
/// else is said.
fn wire_messages(message: ChatMessage) -> Vec<Value> {
    match message.role {
        Role::Assistant => assistant(&message.content).into_iter().collect(),
        Role::User => user(message.content),
    }
}

fn user(content: Vec<Block>) -> Vec<Value> {
    let (results, others): (Vec<Block>, Vec<Block>) = content
        .into_iter()
        .partition(|block| matches!(block, Block::ToolResult(_)));
    let results = results.iter().filter_map(|block| match block {
        Block::ToolResult(result) => Some(tool_message(result)),
        Block::Text { .. } | Block::ToolUse(_) | Block::Other(_) => None,
    });
    let mut messages: Vec<Value> = results.collect();
    let text = words(&others);
    if !text.is_empty() {
        messages.push(json!({"role": "user", "content": text}));
    }
    messages
}

/// What became of a call. There is no field for a failure, so the text says it.
fn tool_message(result: &ToolResult) -> Value {
    let text = words(&result.content);
    let text = match (result.is_error, text.as_str()) {
        (false, "") => "(no output)".to_owned(),
        (false, text) => text.to_owned(),
        (true, "") => "The call failed.".to_owned(),
        (true, text) => format!("The call failed: {text}"),
    };
    json!({"role": "tool", "tool_call_id": result.tool_use_id, "content": text})
}

fn assistant(content: &[Block]) -> Option<Value> {
    let calls: Vec<Value> = content
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse(call) => Some(tool_call(call)),
            Block::Text { .. } | Block::ToolResult(_) | Block::Other(_) => None,
        })
        .collect();
    let texts: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
    let text = texts.join("\n\n");
    if calls.is_empty() {
        return (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
    }
    let text = (!text.is_empty()).then_some(text);
    Some(json!({"role": "assistant", "content": text, "tool_calls": calls}))
}

fn tool_call(call: &ToolCall) -> Value {
    json!({"id": call.id, "type": "function", "function": {
        "name": call.name, "arguments": call.input.to_string()}})
}

/// The texts, with an empty line between; in the place of what is no text stands that it was there.
fn words(content: &[Block]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        Block::Text { text } if text.is_empty() => None,
        Block::Text { text } => Some(text.clone()),
        Block::Other(value) => {
            let kind = value.get("type").and_then(Value::as_str);
            Some(format!(
                "[{}: not shown to this model]",
                kind.unwrap_or("something")
            ))
        }
        Block::ToolUse(_) | Block::ToolResult(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ModelRequest {
        let mut request = ModelRequest::default();
        request.model = "m".into();
        request.messages = vec![ChatMessage::user("hello")];
        request
    }

    #[test]
    fn a_small_request_whole() {
        assert_eq!(
            body(request(), "max_tokens", None),
            json!({
                "model": "m",
                "messages": [{"role": "user", "content": "hello"}],
                "stream": true,
                "stream_options": {"include_usage": true},
            })
        );
    }

    #[test]
    fn everything_that_a_request_can_have() {
        let mut request = request();
        request.system = "Be brief.".into();
        request.tools = vec![ToolSpec {
            name: "Bash".into(),
            description: "Runs a command.".into(),
            input_schema: json!({"type": "object"}),
        }];
        request.tool_choice = ToolChoice::Any;
        request.config = Map::from_iter([("max_tokens".to_owned(), json!(7))]);
        let call = |id: &str| Block::ToolUse(ToolCall::new(id, "Bash", json!({"command": "ls"})));
        let image = Block::Other(json!({"type": "image", "source": {}}));
        let shown = ToolResult {
            content: vec![Block::text("a picture"), image],
            ..ToolResult::new("t2", "", false)
        };
        let thinking = Block::Other(json!({"type": "thinking", "thinking": "hm"}));
        request.messages.extend([
            ChatMessage::new(
                Role::Assistant,
                vec![thinking, call("t1"), call("t2"), call("t3")],
            ),
            ChatMessage::new(
                Role::User,
                vec![
                    Block::text("by the way"),
                    Block::ToolResult(ToolResult::new("t1", "no", true)),
                    Block::ToolResult(shown),
                    Block::ToolResult(ToolResult::new("t3", "", false)),
                    Block::text("go on"),
                ],
            ),
            ChatMessage::new(Role::Assistant, vec![Block::text("I"), Block::text("do.")]),
            ChatMessage::new(Role::Assistant, vec![Block::text("")]),
        ]);
        let wire_call = |id: &str| {
            json!({"id": id, "type": "function", "function": {
            "name": "Bash", "arguments": "{\"command\":\"ls\"}"}})
        };
        assert_eq!(
            body(request, "max_completion_tokens", Some(9)),
            json!({
                "model": "m",
                "max_completion_tokens": 7,
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "hello"},
                    {"role": "assistant", "content": null,
                     "tool_calls": [wire_call("t1"), wire_call("t2"), wire_call("t3")]},
                    {"role": "tool", "tool_call_id": "t1", "content": "The call failed: no"},
                    {"role": "tool", "tool_call_id": "t2",
                     "content": "a picture\n\n[image: not shown to this model]"},
                    {"role": "tool", "tool_call_id": "t3", "content": "(no output)"},
                    {"role": "user", "content": "by the way\n\ngo on"},
                    {"role": "assistant", "content": "I\n\ndo."},
                ],
                "tools": [{"type": "function", "function": {
                    "name": "Bash", "description": "Runs a command.", "parameters": {"type": "object"}}}],
                "tool_choice": "required",
                "stream": true,
                "stream_options": {"include_usage": true},
            })
        );
    }
}
