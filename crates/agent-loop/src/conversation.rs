//! What the model and the agent say to each other, in the shape that transcripts and the Messages API
//! share: a role and blocks of content.

use hook_types::ToolUseId;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user, and whatever is said to the model in the user's turn: results of tools, words of hooks.
    User,
    /// The model.
    #[serde(alias = "model")]
    Assistant,
}

/// One message of a conversation.
///
/// ```
/// use agent_loop::{Block, ChatMessage};
/// use serde_json::json;
///
/// let hello = ChatMessage::user("hello");
/// assert_eq!(
///     serde_json::to_value(&hello)?,
///     json!({"role": "user", "content": [{"type": "text", "text": "hello"}]}),
/// );
/// // A plain text is content as well.
/// let read: ChatMessage = serde_json::from_value(json!({"role": "user", "content": "hello"}))?;
/// assert_eq!(read, hello);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(deserialize_with = "text_or_blocks")]
    pub content: Vec<Block>,
}

impl ChatMessage {
    /// A message of the user's, of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Block::text(text)])
    }

    /// A message of the model's, of one text.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, vec![Block::text(text)])
    }

    /// A message of blocks.
    pub fn new(role: Role, content: Vec<Block>) -> Self {
        Self { role, content }
    }

    /// Its texts, one a line; tool calls and results left out.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(Block::as_text);
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Its texts and those of its results, one a line; tool calls left out.
    pub(crate) fn words(&self) -> String {
        let words = self.content.iter().filter_map(|block| match block {
            Block::Text { text } => Some(text.clone()),
            Block::ToolResult(result) => Some(result.text()),
            Block::ToolUse(_) | Block::Other(_) => None,
        });
        words.collect::<Vec<_>>().join("\n")
    }

    /// The tool calls in it, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            Block::Text { .. } | Block::ToolResult(_) | Block::Other(_) => None,
        })
    }
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// The model wants a tool to run.
    ToolUse(ToolCall),
    /// What became of it.
    ToolResult(ToolResult),
    /// Anything else: kept as it is and given back to the model, as its thinking must be.
    #[serde(untagged)]
    Other(Value),
}

impl Block {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, where it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::ToolUse(_) | Self::ToolResult(_) | Self::Other(_) => None,
        }
    }
}

/// One call of a tool, as the model asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call.
    pub id: ToolUseId,
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub input: Value,
}

impl ToolCall {
    /// A call of the tool `name`.
    pub fn new(id: impl Into<ToolUseId>, name: impl Into<String>, input: Value) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
        }
    }
}

/// What became of one tool call, as the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call.
    pub tool_use_id: ToolUseId,
    /// What the model sees.
    #[serde(default, deserialize_with = "text_or_blocks")]
    pub content: Vec<Block>,
    /// Whether the call failed or was refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A result of one text.
    pub fn new(id: impl Into<ToolUseId>, text: impl Into<String>, is_error: bool) -> Self {
        Self {
            tool_use_id: id.into(),
            content: vec![Block::text(text)],
            is_error,
        }
    }

    /// Its texts, one a line.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(Block::as_text);
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Content is a plain text or a list of blocks.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "serde says what is wrong with any other value"
)]
fn text_or_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(vec![Block::text(text)]),
        Value::Null => Ok(Vec::new()),
        blocks => serde_json::from_value(blocks).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_block_survives_a_round_trip() {
        let content = json!([
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            {"type": "tool_result", "tool_use_id": "t1",
             "content": [{"type": "text", "text": "a"}, {"type": "image", "source": {}}], "is_error": true},
        ]);
        let wire = json!({"role": "assistant", "content": content});
        let message: ChatMessage = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(message.tool_calls().count(), 1);
        assert_eq!(message.text(), "hi");
        assert_eq!(serde_json::to_value(&message).unwrap(), wire);
    }

    #[test]
    fn a_result_may_be_a_plain_text() {
        let wire = json!({"tool_use_id": "t1", "content": "done"});
        let result: ToolResult = serde_json::from_value(wire).unwrap();
        assert_eq!(result, ToolResult::new("t1", "done", false));
    }
}
