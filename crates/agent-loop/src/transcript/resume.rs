//! A transcript's lines, read back to a conversation.

use hook_types::{SessionId, ToolUseId};
use serde_json::Value;

use super::entry::seconds;
use crate::conversation::{Block, ChatMessage, Role, ToolCall, ToolResult};

/// Why a session cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// The transcript cannot be read.
    #[error("the transcript {path} cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// There is no message in it.
    #[error("the transcript {path} holds no message; is it one?")]
    Empty {
        /// The file.
        path: String,
    },
}

/// A conversation as its transcript has it, mended where it was cut.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Resumed {
    pub(crate) session_id: SessionId,
    pub(crate) messages: Vec<ChatMessage>,
    /// The last line.
    pub(crate) last: Option<String>,
    /// When the model spoke last, in seconds since 1970.
    pub(crate) last_reply: Option<u64>,
    /// The call that was left to whoever resumes. It has no result yet.
    pub(crate) deferred: Option<ToolCall>,
    /// Lines that could not be read.
    pub(crate) skipped: usize,
}

/// Reads a transcript. A line that is none, as the last one of a file that was cut, is skipped; a call
/// without a result gets one that says so.
pub(crate) fn read(text: &str) -> Resumed {
    let mut resumed = Resumed::default();
    let mut deferred = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(entry)) => {
                take(&mut resumed, &mut deferred, &Value::Object(entry));
            }
            Ok(_) | Err(_) => resumed.skipped += 1,
        }
    }
    mend(&mut resumed, deferred);
    resumed
}

fn take(resumed: &mut Resumed, deferred: &mut Option<ToolUseId>, entry: &Value) {
    if entry["isSidechain"] == true {
        return;
    }
    let text = |key: &str| entry[key].as_str().map(str::to_owned);
    if let Some(session) = text("sessionId") {
        resumed.session_id = session.into();
    }
    if let Some(uuid) = text("uuid") {
        resumed.last = Some(uuid);
    }
    match (entry["type"].as_str(), entry["subtype"].as_str()) {
        (Some("system"), Some("compact_boundary")) => resumed.messages.clear(),
        (Some("system"), Some("tool_deferred")) => {
            *deferred = entry["toolUseId"].as_str().map(Into::into);
        }
        (Some("user" | "assistant"), _) => take_message(resumed, entry),
        _ => {}
    }
}

fn take_message(resumed: &mut Resumed, entry: &Value) {
    let Ok(message) = serde_json::from_value::<ChatMessage>(entry["message"].clone()) else {
        resumed.skipped += 1;
        return;
    };
    if message.role == Role::Assistant {
        resumed.last_reply = entry["timestamp"].as_str().and_then(seconds);
    }
    // Replies that were written piece by piece are one message.
    match resumed.messages.last_mut() {
        Some(last) if last.role == message.role => last.content.extend(message.content),
        _ => resumed.messages.push(message),
    }
}

/// Gives every call a result, in the message after it, and drops results of calls that are not there.
fn mend(resumed: &mut Resumed, deferred: Option<ToolUseId>) {
    let messages = std::mem::take(&mut resumed.messages);
    let mut mended: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    let mut open: Vec<ToolCall> = Vec::new();
    for mut message in messages {
        if message.role == Role::User {
            answer(&mut message, std::mem::take(&mut open));
        } else {
            open = message.tool_calls().cloned().collect();
        }
        // Only results of calls that are not there.
        if !message.content.is_empty() {
            mended.push(message);
        }
    }
    resumed.messages = joined(mended);
    if let ([only], Some(id)) = (open.as_slice(), deferred)
        && only.id == id
    {
        resumed.deferred = Some(only.clone());
        return;
    }
    if !open.is_empty() {
        let mut message = ChatMessage::new(Role::User, Vec::new());
        answer(&mut message, open);
        resumed.messages.push(message);
    }
}

/// The messages, the user's first, and never two of one role in a row.
fn joined(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut joined: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        match joined.last_mut() {
            Some(last) if last.role == message.role => last.content.extend(message.content),
            None if message.role == Role::Assistant => {
                joined.push(ChatMessage::user(LOST));
                joined.push(message);
            }
            Some(_) | None => joined.push(message),
        }
    }
    joined
}

/// Puts the results of `calls` first, in order; one that is missing is said to be.
pub(crate) fn answer(message: &mut ChatMessage, calls: Vec<ToolCall>) {
    let (mut results, rest): (Vec<Block>, Vec<Block>) = std::mem::take(&mut message.content)
        .into_iter()
        .partition(|block| matches!(block, Block::ToolResult(_)));
    for call in calls {
        let place = results.iter().position(
            |block| matches!(block, Block::ToolResult(result) if result.tool_use_id == call.id),
        );
        let result = match place {
            Some(place) => results.remove(place),
            None => Block::ToolResult(ToolResult::new(call.id, NOT_RUN, true)),
        };
        message.content.push(result);
    }
    message.content.extend(rest);
}

const LOST: &str = "[The beginning of this conversation is lost.]";

const NOT_RUN: &str = "The session was cut off before this call had a result. It may have run.";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(entries: &[Value]) -> String {
        let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
        lines.join("\n") + "\n"
    }

    fn user(content: &Value) -> Value {
        json!({"type": "user", "uuid": "u", "sessionId": "s", "isSidechain": false,
               "message": {"role": "user", "content": content}})
    }

    fn calls(ids: &[&str]) -> Value {
        let content: Vec<Value> = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}}))
            .collect();
        json!({"type": "assistant", "uuid": "a", "sessionId": "s", "timestamp": "1970-01-01T00:01:00.000Z",
               "message": {"role": "assistant", "content": content}})
    }

    fn result(id: &str) -> Value {
        json!([{"type": "tool_result", "tool_use_id": id, "content": "ok"}])
    }

    #[test]
    fn a_line_that_was_cut_is_skipped() {
        let mut text = lines(&[user(&json!("hello"))]);
        text.push_str("{\"type\": \"assistant\", \"mess");
        let resumed = read(&text);
        assert_eq!(resumed.messages, [ChatMessage::user("hello")]);
        assert_eq!(resumed.skipped, 1);
        assert_eq!(resumed.session_id.as_str(), "s");
    }

    #[test]
    fn a_call_that_was_cut_off_gets_a_result_that_says_so() {
        let resumed = read(&lines(&[user(&json!("go")), calls(&["t1", "t2"])]));
        let last = resumed.messages.last().unwrap();
        assert_eq!(last.role, Role::User);
        assert_eq!(last.content.len(), 2);
        assert!(
            matches!(&last.content[1], Block::ToolResult(r) if r.is_error && r.text() == NOT_RUN)
        );
        assert_eq!(resumed.last_reply, Some(60));
    }

    #[test]
    fn only_the_missing_result_is_made_up_and_it_stands_in_order() {
        let resumed = read(&lines(&[
            user(&json!("go")),
            calls(&["t1", "t2"]),
            user(&result("t2")),
            user(&json!("and now?")),
        ]));
        let last = resumed.messages.last().unwrap();
        let texts: Vec<String> = last
            .content
            .iter()
            .map(|block| match block {
                Block::ToolResult(result) => format!("{}: {}", result.tool_use_id, result.text()),
                Block::Text { text } => text.clone(),
                Block::ToolUse(_) | Block::Other(_) => panic!("{block:?}"),
            })
            .collect();
        assert_eq!(texts, [&format!("t1: {NOT_RUN}"), "t2: ok", "and now?"]);
    }

    #[test]
    fn a_transcript_that_has_lost_its_beginning_is_a_conversation_all_the_same() {
        let reply =
            json!({"type": "assistant", "message": {"role": "assistant", "content": "done"}});
        let more =
            json!({"type": "assistant", "message": {"role": "assistant", "content": "really"}});
        let resumed = read(&lines(&[
            user(&result("gone")),
            reply,
            user(&result("gone as well")),
            more,
            user(&json!("and now?")),
        ]));
        let roles: Vec<Role> = resumed
            .messages
            .iter()
            .map(|message| message.role)
            .collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
        assert_eq!(resumed.messages[0], ChatMessage::user(LOST));
        assert_eq!(resumed.messages[1].text(), "done\nreally");
    }

    #[test]
    fn what_stands_before_a_compaction_or_in_a_subagent_is_left_out() {
        let mut side = user(&json!("for the subagent"));
        side["isSidechain"] = true.into();
        let resumed = read(&lines(&[
            user(&json!("old")),
            json!({"type": "system", "subtype": "compact_boundary", "uuid": "c"}),
            user(&json!("summary")),
            side,
        ]));
        assert_eq!(resumed.messages, [ChatMessage::user("summary")]);
    }

    #[test]
    fn a_deferred_call_stays_open() {
        let resumed = read(&lines(&[
            user(&json!("go")),
            calls(&["t1"]),
            json!({"type": "system", "subtype": "tool_deferred", "toolUseId": "t1"}),
        ]));
        assert_eq!(resumed.deferred.unwrap().id.as_str(), "t1");
        assert_eq!(resumed.messages.len(), 2);
    }
}
