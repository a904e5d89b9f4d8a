//! A request as the Messages API has it: pure.

use agent_loop::{Block, ChatMessage, ModelRequest, ToolChoice, ToolResult};
use serde_json::{Map, Value, json};

/// What a reply may have where nobody says.
const MAX_TOKENS: u64 = 32_000;

/// Under which key a block of thinking says whose it is, in a conversation; no service sees it. A
/// model takes no other model's thinking.
pub(super) const THOUGHT_BY: &str = "hookline_model";

/// What a result without a word says: the API takes no empty text.
const NOTHING: &str = "(no output)";

/// The body of a request.
pub(super) fn body(request: ModelRequest, max_tokens: Option<u64>) -> Value {
    let mut body = Map::new();
    body.insert("max_tokens".into(), json!(max_tokens.unwrap_or(MAX_TOKENS)));
    // What is configured counts before what we would say, and not before the conversation.
    body.extend(request.config);
    if !request.system.is_empty() {
        let mut system = json!({"type": "text", "text": request.system});
        cache_up_to(&mut system);
        body.insert("system".into(), json!([system]));
    }
    let messages = request.messages.into_iter();
    let mut messages: Vec<Value> = messages
        .filter_map(|message| wire_message(message, &request.model))
        .collect();
    if let Some(last) = messages.last_mut().and_then(last_block) {
        cache_up_to(last);
    }
    body.insert("model".into(), json!(request.model));
    body.insert("messages".into(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".into(), json!(request.tools));
        match request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::Any => drop(body.insert("tool_choice".into(), json!({"type": "any"}))),
            ToolChoice::None => drop(body.insert("tool_choice".into(), json!({"type": "none"}))),
        }
    }
    body.insert("stream".into(), json!(true));
    Value::Object(body)
}

/// What comes up to here is kept by the service for the next request, which begins with the same.
fn cache_up_to(block: &mut Value) {
    if let Value::Object(block) = block {
        block.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

/// The last block, if it can bear a mark: thinking cannot.
fn last_block(message: &mut Value) -> Option<&mut Value> {
    let last = message.get_mut("content")?.as_array_mut()?.last_mut()?;
    let kind = last.get("type").and_then(Value::as_str).unwrap_or("");
    (!kind.ends_with("thinking")).then_some(last)
}

/// A message; none where nothing is left of it.
fn wire_message(message: ChatMessage, model: &str) -> Option<Value> {
    let role = json!(message.role);
    let content = message.content.into_iter();
    let content: Vec<Value> = content
        .filter_map(|block| wire_block(block, model))
        .collect();
    (!content.is_empty()).then(|| json!({"role": role, "content": content}))
}

fn wire_block(block: Block, model: &str) -> Option<Value> {
    match block {
        Block::Text { text } if text.trim().is_empty() => None,
        Block::ToolResult(result) => Some(json!(Block::ToolResult(never_empty(result)))),
        Block::Other(value) => thought(value, model),
        block @ (Block::Text { .. } | Block::ToolUse(_)) => Some(json!(block)),
    }
}

fn never_empty(mut result: ToolResult) -> ToolResult {
    result
        .content
        .retain(|block| block.as_text().is_none_or(|text| !text.is_empty()));
    if result.content.is_empty() {
        result.content.push(Block::text(NOTHING));
    }
    result
}

/// A block of another kind, as it came; not if it is the thinking of another model.
fn thought(mut value: Value, model: &str) -> Option<Value> {
    let by = value
        .as_object_mut()
        .and_then(|block| block.shift_remove(THOUGHT_BY));
    by.is_none_or(|by| by == model).then_some(value)
}

#[cfg(test)]
mod tests {
    use agent_loop::{Role, ToolCall, ToolSpec};

    use super::*;

    fn request() -> ModelRequest {
        let mut request = ModelRequest::default();
        request.model = "claude-x".into();
        request.messages = vec![ChatMessage::user("hello")];
        request
    }

    #[test]
    fn a_small_request_whole() {
        assert_eq!(
            body(request(), None),
            json!({
                "max_tokens": 32_000,
                "model": "claude-x",
                "messages": [{"role": "user", "content": [
                    {"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}},
                ]}],
                "stream": true,
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
        request.config = [("temperature", json!(0)), ("max_tokens", json!(7))]
            .map(|(key, value)| (key.to_owned(), value))
            .into_iter()
            .collect();
        let call = ToolCall::new("t1", "Bash", json!({"command": "ls"}));
        let thinking =
            json!({"type": "thinking", "thinking": "hm", "signature": "s", THOUGHT_BY: "claude-x"});
        let foreign =
            json!({"type": "thinking", "thinking": "ha", "signature": "s", THOUGHT_BY: "claude-y"});
        request.messages.extend([
            ChatMessage::new(
                Role::Assistant,
                vec![
                    Block::Other(thinking),
                    Block::Other(foreign),
                    Block::text(""),
                    Block::ToolUse(call),
                ],
            ),
            ChatMessage::new(
                Role::User,
                vec![Block::ToolResult(ToolResult::new("t1", "", true))],
            ),
        ]);
        let ephemeral = json!({"type": "ephemeral"});
        assert_eq!(
            body(request, Some(9)),
            json!({
                "max_tokens": 7,
                "temperature": 0,
                "system": [{"type": "text", "text": "Be brief.", "cache_control": ephemeral}],
                "model": "claude-x",
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "hello"}]},
                    {"role": "assistant", "content": [
                        {"type": "thinking", "thinking": "hm", "signature": "s"},
                        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                    ]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "is_error": true,
                         "content": [{"type": "text", "text": "(no output)"}], "cache_control": ephemeral},
                    ]},
                ],
                "tools": [{"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object"}}],
                "tool_choice": {"type": "any"},
                "stream": true,
            })
        );
    }

    #[test]
    fn a_message_of_which_nothing_is_left_is_left_out() {
        let mut request = request();
        let empty = ChatMessage::new(Role::Assistant, vec![Block::text(" \n")]);
        request.messages.push(empty);
        let body = body(request, None);
        assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    }
}
