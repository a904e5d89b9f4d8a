//! Questions, answered with a key.

use agent_loop::{Approval, Approver, Question};
use async_trait::async_trait;
use hook_types::PermissionUpdate;
use serde_json::Value;

use super::display::{Display, Show};
use super::story::summary;
use crate::render::{Look, Tone, behind, clean, clean_line, indent};
use crate::terminal::{Key, Keyboard};

/// A person at a terminal.
pub(crate) struct AtTerminal {
    keyboard: Keyboard,
    display: Display,
    look: Look,
    /// One question at a time.
    turn: tokio::sync::Mutex<()>,
}

/// What a key means.
enum Answer {
    Yes,
    Always,
    No,
    Stop,
}

#[async_trait]
impl Approver for AtTerminal {
    async fn ask(&self, question: &Question) -> Approval {
        let _turn = self.turn.lock().await;
        // What was typed before the question was there is no answer to it.
        self.keyboard.forget().await;
        let remember = for_this_session(&question.suggestions);
        let mut asked = Asked::new(self, question, &remember);
        let answer = self.answer(!remember.is_empty()).await;
        asked.answered(self.look, &answer);
        approval(&answer, remember)
    }
}

impl AtTerminal {
    /// Somebody who looks at this display and presses these keys.
    pub(crate) fn new(keyboard: Keyboard, display: Display, look: Look) -> Self {
        Self {
            keyboard,
            display,
            look,
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Waits for a key that is an answer.
    async fn answer(&self, can_remember: bool) -> Answer {
        loop {
            let Some(key) = self.keyboard.next().await else {
                return Answer::Stop;
            };
            let letter = if let Key::Char(c) = key {
                Some(c.to_ascii_lowercase())
            } else {
                None
            };
            match letter {
                Some('y') => return Answer::Yes,
                Some('a') if can_remember => return Answer::Always,
                Some('n') => return Answer::No,
                Some('s') => return Answer::Stop,
                None if key == Key::Escape => return Answer::Stop,
                _ => {}
            }
        }
    }
}

fn approval(answer: &Answer, remember: Vec<PermissionUpdate>) -> Approval {
    match answer {
        Answer::Yes => Approval::allow(),
        Answer::Always => Approval::Allow {
            input: None,
            remember,
        },
        Answer::No => Approval::Deny {
            message: None,
            interrupt: false,
        },
        Answer::Stop => Approval::Deny {
            message: None,
            interrupt: true,
        },
    }
}

/// A question on the screen. It goes when it is answered, or when nobody asks any more.
struct Asked<'a> {
    display: &'a Display,
    answer: String,
}

impl<'a> Asked<'a> {
    fn new(person: &'a AtTerminal, question: &Question, remember: &[PermissionUpdate]) -> Self {
        let look = person.look;
        let what = clean(&summary(&question.tool_input)).into_owned();
        let title = format!("May {} run?", clean_line(&question.tool_name));
        let mut lines = vec![format!(
            "{} {}\n",
            look.mark(Tone::Odd),
            look.paint(Tone::Strong, &title)
        )];
        lines.push(indent(&what, "    "));
        let why = look.paint(Tone::Faint, &behind(&question.reason, "    "));
        lines.push(format!("    {why}\n"));
        // What is cut where there is little room is the rule, and no key.
        let mut keys = String::from("  [y] yes   [n] no   [s] no, and stop");
        if !remember.is_empty() {
            keys.push_str("   [a] always in this session: ");
            keys.push_str(&rules(remember));
        }
        person.display.show(Show::Question { lines, keys });
        Self {
            display: &person.display,
            answer: String::new(),
        }
    }

    fn answered(&mut self, look: Look, answer: &Answer) {
        let (tone, word) = match answer {
            Answer::Yes => (Tone::Good, "yes"),
            Answer::Always => (Tone::Good, "always in this session"),
            Answer::No => (Tone::Bad, "no"),
            Answer::Stop => (Tone::Bad, "no, and stop"),
        };
        self.answer = format!("    {} {}\n", look.mark(tone), look.paint(tone, word));
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let answer = std::mem::take(&mut self.answer);
        self.display.show(Show::Answered(answer));
    }
}

/// Suggestions as they are taken here: for this session, whatever file they were meant for.
fn for_this_session(suggestions: &[PermissionUpdate]) -> Vec<PermissionUpdate> {
    let here = |update: &PermissionUpdate| {
        let mut update = serde_json::to_value(update).ok()?;
        update["destination"] = "session".into();
        serde_json::from_value(update).ok()
    };
    suggestions.iter().filter_map(here).collect()
}

/// What would be remembered, in a few words.
fn rules(updates: &[PermissionUpdate]) -> String {
    let words = updates.iter().map(|update| {
        let fields = serde_json::to_value(update).unwrap_or_default();
        let list = |name: &str| fields.get(name).and_then(Value::as_array).cloned();
        if let Some(rules) = list("rules") {
            let rules = rules.iter().map(rule);
            return rules.collect::<Vec<_>>().join(", ");
        }
        if let Some(mode) = fields.get("mode").and_then(Value::as_str) {
            return format!("mode {mode}");
        }
        let directories = list("directories").unwrap_or_default();
        let directories = directories.iter().filter_map(Value::as_str);
        directories.collect::<Vec<_>>().join(", ")
    });
    let words = words.collect::<Vec<_>>().join(", ");
    clean(&words).replace(['\n', '\t'], " ")
}

fn rule(rule: &Value) -> String {
    let text = |name: &str| rule.get(name).and_then(Value::as_str);
    let tool = text("toolName").unwrap_or_default();
    match text("ruleContent") {
        Some(content) => format!("{tool}({content})"),
        None => tool.to_owned(),
    }
}
