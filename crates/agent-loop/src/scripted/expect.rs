//! What a request must be like.

use serde::Deserialize;

use crate::conversation::{Block, ChatMessage};
use crate::model::ModelRequest;

/// What a request must be like. An empty one fits every request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Expectation {
    /// Texts that stand somewhere in the messages.
    pub contains: Vec<String>,
    /// Texts that stand nowhere in the messages.
    pub lacks: Vec<String>,
    /// Texts that stand in the last message.
    pub last_contains: Vec<String>,
    /// Texts that do not stand in the last message.
    pub last_lacks: Vec<String>,
    /// Texts that stand in the system prompt.
    pub system_contains: Vec<String>,
    /// Texts that do not stand in the system prompt.
    pub system_lacks: Vec<String>,
    /// Tools that are offered.
    pub tools: Vec<String>,
    /// Tools that are not offered.
    pub no_tools: Vec<String>,
    /// How many messages there are.
    pub messages: Option<usize>,
}

impl Expectation {
    /// What is wrong with a request; nothing where it fits.
    pub fn problem(&self, request: &ModelRequest) -> Option<String> {
        let all: String = request.messages.iter().map(words).collect();
        let last: String = request.messages.last().map(words).unwrap_or_default();
        let offered = |tool: &String| request.tools.iter().any(|spec| spec.name == *tool);
        let wrong_tool = || {
            let missing = self.tools.iter().find(|tool| !offered(tool));
            let surplus = self.no_tools.iter().find(|tool| offered(tool));
            let missing = missing.map(|tool| format!("the tool {tool} is not offered"));
            missing.or_else(|| surplus.map(|tool| format!("the tool {tool} is offered")))
        };
        let wrong_count = || {
            let expected = self.messages?;
            let found = request.messages.len();
            (expected != found).then(|| format!("it has {found} messages, not {expected}"))
        };
        wrong("the messages", &all, &self.contains, &self.lacks)
            .or_else(|| {
                wrong(
                    "the last message",
                    &last,
                    &self.last_contains,
                    &self.last_lacks,
                )
            })
            .or_else(|| {
                let system = &request.system;
                wrong(
                    "the system prompt",
                    system,
                    &self.system_contains,
                    &self.system_lacks,
                )
            })
            .or_else(wrong_tool)
            .or_else(wrong_count)
    }
}

fn wrong(place: &str, text: &str, contains: &[String], lacks: &[String]) -> Option<String> {
    let missing = contains.iter().find(|wanted| !text.contains(*wanted));
    let surplus = lacks.iter().find(|unwanted| text.contains(*unwanted));
    let missing = missing.map(|wanted| format!("`{wanted}` is not in {place}:\n{text}"));
    missing.or_else(|| surplus.map(|unwanted| format!("`{unwanted}` is in {place}:\n{text}")))
}

/// A message as text: what is said, called and returned.
fn words(message: &ChatMessage) -> String {
    let words = message.content.iter().map(|block| match block {
        Block::Text { text } => format!("{text}\n"),
        Block::ToolUse(call) => format!("{} {}\n", call.name, call.input),
        Block::ToolResult(result) => format!("{}\n", result.text()),
        Block::Other(value) => format!("{value}\n"),
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_not_as_expected_is_told_apart_and_says_why() {
        let request = ModelRequest {
            system: "be kind".into(),
            messages: vec![ChatMessage::user("one"), ChatMessage::assistant("two")],
            ..ModelRequest::default()
        };
        let table: &[(&str, Option<&str>)] = &[
            (
                r#"{"contains": ["one", "two"], "lacks": ["three"], "messages": 2}"#,
                None,
            ),
            (
                r#"{"contains": ["three"]}"#,
                Some("`three` is not in the messages"),
            ),
            (
                r#"{"last_contains": ["one"]}"#,
                Some("`one` is not in the last message"),
            ),
            (
                r#"{"system_lacks": ["kind"]}"#,
                Some("`kind` is in the system prompt"),
            ),
            (
                r#"{"tools": ["Bash"]}"#,
                Some("the tool Bash is not offered"),
            ),
            (r#"{"messages": 3}"#, Some("it has 2 messages, not 3")),
        ];
        for (expectation, problem) in table {
            let expectation: Expectation = serde_json::from_str(expectation).unwrap();
            let found = expectation.problem(&request);
            match problem {
                None => assert_eq!(found, None),
                Some(problem) => assert!(found.unwrap().starts_with(problem), "{problem}"),
            }
        }
    }
}
