//! What a tool handed back: kept as it is for hooks, in bounds, and as text for the model. Pure.

use serde_json::{Map, Value, json};

use crate::name::clip;

/// How many parts of a result are kept.
const MOST_PARTS: usize = 1000;

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    /// The parts of the result: what hooks see as `tool_response`. Binary data is left out, and said.
    pub parts: Vec<Value>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Whether some of its text was left out.
    pub cut: bool,
}

impl CallResult {
    /// Reads a result of `tools/call`, with at most so many characters of text.
    pub(crate) fn read(mut result: Value, longest: usize) -> Self {
        let is_error = result.get("isError") == Some(&Value::Bool(true));
        let content = result.get_mut("content").map(Value::take);
        let parts = match content {
            Some(Value::Array(parts)) => parts,
            Some(Value::Null) | None => Vec::new(),
            Some(other) => vec![text_part(other.to_string())],
        };
        let mut kept = Kept::new(longest);
        let has_text = parts.iter().any(|part| part["type"] == "text");
        for part in parts {
            kept.add(part);
        }
        // Whoever sends structured content is to send it as text too; not everybody does.
        let structured = result.get("structuredContent");
        if let Some(structured) = structured.filter(|value| !has_text && !value.is_null()) {
            kept.add(text_part(structured.to_string()));
        }
        let (parts, cut) = kept.finish();
        Self {
            parts,
            is_error,
            cut,
        }
    }

    /// What the model sees.
    pub fn text(&self) -> String {
        joined(&self.parts)
    }
}

/// Parts that fit, one after the other.
struct Kept {
    parts: Vec<Value>,
    room: usize,
    left_out: usize,
    cut: bool,
}

impl Kept {
    fn new(room: usize) -> Self {
        Self {
            parts: Vec::new(),
            room,
            left_out: 0,
            cut: false,
        }
    }

    fn add(&mut self, part: Value) {
        if self.parts.len() >= MOST_PARTS || self.room == 0 {
            self.left_out += 1;
            return;
        }
        let part = match part {
            Value::Object(part) => self.fit(without_data(part)),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)) => text_part(self.take(&other.to_string())),
        };
        self.parts.push(part);
    }

    fn fit(&mut self, mut part: Map<String, Value>) -> Value {
        if part.get("type") == Some(&json!("text"))
            && let Some(Value::String(text)) = part.get_mut("text")
        {
            *text = self.take(text);
            return Value::Object(part);
        }
        if let Some(Value::String(text)) =
            part.get_mut("resource").and_then(|it| it.get_mut("text"))
        {
            *text = self.take(text);
            return Value::Object(part);
        }
        let length = Value::Object(part.clone()).to_string().chars().count();
        if length > self.room {
            self.cut = true;
            return text_part(format!("[a part of {length} characters is left out]"));
        }
        self.room -= length;
        Value::Object(part)
    }

    fn take(&mut self, text: &str) -> String {
        let clipped = clip(text, self.room);
        let length = text.chars().count();
        self.cut |= length > self.room;
        self.room = self.room.saturating_sub(length);
        clipped
    }

    /// The parts, and whether something is missing.
    fn finish(mut self) -> (Vec<Value>, bool) {
        if self.left_out > 0 {
            let note = format!("[+{} more parts, which are left out]", self.left_out);
            self.parts.push(text_part(note));
        }
        (self.parts, self.cut || self.left_out > 0)
    }
}

fn text_part(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

/// Says how much binary data there is, in its place.
fn without_data(mut part: Map<String, Value>) -> Map<String, Value> {
    let resource = part.get_mut("resource").and_then(Value::as_object_mut);
    if let Some(resource) = resource {
        replace(resource, "blob");
    }
    replace(&mut part, "data");
    part
}

fn replace(part: &mut Map<String, Value>, key: &str) {
    if let Some(Value::String(data)) = part.remove(key) {
        part.insert("bytes".to_owned(), json!(data.len() / 4 * 3));
    }
}

/// A response as the model sees it: parts, a result with parts, a text; anything else as JSON.
pub(crate) fn shown(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Array(parts) if parts.iter().all(|part| part["type"].is_string()) => joined(parts),
        Value::Object(result) => match result.get("content") {
            Some(Value::Array(parts)) => joined(parts),
            _ => response.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => response.to_string(),
    }
}

fn joined(parts: &[Value]) -> String {
    let texts: Vec<String> = parts.iter().map(part_text).collect();
    texts.join("\n")
}

fn part_text(part: &Value) -> String {
    let field = |name: &str| part[name].as_str().unwrap_or_default();
    match field("type") {
        "text" => field("text").to_owned(),
        kind @ ("image" | "audio") => placeholder(kind, &[field("mimeType")], &part["bytes"]),
        "resource" => {
            let resource = &part["resource"];
            let of = |name: &str| resource[name].as_str().unwrap_or_default();
            match resource["text"].as_str() {
                Some(text) => format!("[resource: {}]\n{text}", of("uri")),
                None => placeholder("resource", &[of("uri"), of("mimeType")], &resource["bytes"]),
            }
        }
        "resource_link" => {
            let words = [field("name"), field("uri"), field("description")];
            placeholder("resource link", &words, &Value::Null)
        }
        _ => part.to_string(),
    }
}

fn placeholder(kind: &str, words: &[&str], bytes: &Value) -> String {
    let words = words.iter().filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(ToString::to_string).collect();
    if let Some(bytes) = bytes.as_u64() {
        words.push(format!("{bytes} bytes"));
    }
    if words.is_empty() {
        return format!("[{kind}]");
    }
    format!("[{kind}: {}]", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(result: Value) -> String {
        CallResult::read(result, 1000).text()
    }

    #[test]
    fn each_kind_of_part_as_the_model_sees_it() {
        let rows = [
            (json!({"type": "text", "text": "hello"}), "hello"),
            (
                json!({"type": "image", "data": "AAAABBBB", "mimeType": "image/png"}),
                "[image: image/png, 6 bytes]",
            ),
            (
                json!({"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}),
                "[audio: audio/wav, 3 bytes]",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}),
                "[resource: file:///a]\ninside",
            ),
            (
                json!({"type": "resource", "resource": {"uri": "file:///a", "blob": "AAAA"}}),
                "[resource: file:///a, 3 bytes]",
            ),
            (
                json!({"type": "resource_link", "name": "a", "uri": "file:///a"}),
                "[resource link: a, file:///a]",
            ),
            (
                json!({"type": "later", "x": 1}),
                r#"{"type":"later","x":1}"#,
            ),
            (json!("no part"), "\"no part\""),
        ];
        for (part, want) in rows {
            assert_eq!(text(json!({"content": [part]})), want);
        }
    }

    #[test]
    fn binary_data_is_kept_from_hooks_and_the_model() {
        let result =
            json!({"content": [{"type": "image", "data": "A".repeat(400), "mimeType": "x"}]});
        let result = CallResult::read(result, 1000);
        assert_eq!(
            result.parts,
            [json!({"type": "image", "mimeType": "x", "bytes": 300})]
        );
    }

    #[test]
    fn structured_content_is_shown_where_no_text_says_it() {
        let structured = json!({"a": [1, 2]});
        let alone = json!({"content": [], "structuredContent": structured});
        assert_eq!(text(alone), r#"{"a":[1,2]}"#);
        let both = json!({"content": [{"type": "text", "text": "a: 1, 2"}], "structuredContent": structured});
        assert_eq!(text(both), "a: 1, 2");
    }

    #[test]
    fn text_beyond_the_limit_is_left_out_and_that_is_said() {
        let part = json!({"type": "text", "text": "12345678"});
        let result = CallResult::read(json!({"content": [part, part, part]}), 10);
        assert_eq!(
            result.text(),
            "12345678\n12… [+6 characters]\n[+1 more parts, which are left out]"
        );
        assert!(result.cut);
        let whole = CallResult::read(json!({"content": [part]}), 8);
        assert!(!whole.cut);
        let parts = vec![json!({"type": "text", "text": ""}); 3000];
        let result = CallResult::read(json!({"content": parts}), 10);
        assert_eq!((result.parts.len(), result.cut), (MOST_PARTS + 1, true));
        let long = json!({"type": "resource_link", "name": "n".repeat(500), "uri": "x"});
        let result = CallResult::read(json!({"content": [long]}), 100);
        assert!(
            result.text().starts_with("[a part of 5") && result.cut,
            "{}",
            result.text()
        );
    }

    #[test]
    fn only_true_is_an_error() {
        for (value, want) in [
            (json!(true), true),
            (json!(false), false),
            (json!("yes"), false),
        ] {
            assert_eq!(
                CallResult::read(json!({"isError": value}), 9).is_error,
                want
            );
        }
    }

    #[test]
    fn what_a_hook_puts_in_its_place_is_shown_whatever_it_is() {
        let part = json!({"type": "text", "text": "new"});
        let rows = [
            (json!("new"), "new"),
            (json!([part]), "new"),
            (json!({"content": [part]}), "new"),
            (json!({"x": 1}), r#"{"x":1}"#),
            (json!([1]), "[1]"),
            (json!(7), "7"),
        ];
        for (response, want) in rows {
            assert_eq!(shown(&response), want);
        }
    }
}
