//! Reads an answer's object, field by field, by the book.

use std::time::Duration;

use serde_json::{Map, Value};

use super::denial::path;
use super::keys::{self, Key};
use super::scan::Place;
use super::terminal;
use crate::decision::Decision;
use crate::diagnostic::{Code, Diagnostic};
use crate::event::object::kind_of;
use crate::event::{EventName, Field, Spelling};
use crate::output::{AsyncOutput, ElicitationAction, ElicitationAnswer, SyncOutput};
use crate::permission::PermissionUpdate;

/// An answer's object while it is read.
pub(super) struct Reader {
    event: EventName,
    pub(super) output: SyncOutput,
    /// Set where the answer is a promise to answer later.
    pub(super) promise: Option<AsyncOutput>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What keeps the answer from being taken as it stands.
    pub(super) flaw: Option<String>,
    timeout: Option<Duration>,
    content: Option<Value>,
    /// Whether something that means to be a new input is not one.
    rewrite_lost: bool,
}

impl Reader {
    pub(super) fn read(event: EventName, object: &Map<String, Value>) -> Self {
        let mut reader = Self {
            event,
            output: SyncOutput::default(),
            promise: None,
            diagnostics: Vec::new(),
            flaw: None,
            timeout: None,
            content: None,
            rewrite_lost: false,
        };
        reader.members(Place::Top, object);
        reader.pair_up();
        reader
    }

    /// Whether the answer counts as it stands and says no to a server's question.
    pub(super) fn declines(&self) -> bool {
        let answer = self.output.specific.elicitation.as_ref();
        self.flaw.is_none()
            && self.promise.is_none()
            && answer.is_some_and(|answer| answer.action != ElicitationAction::Accept)
    }

    fn members(&mut self, place: Place, object: &Map<String, Value>) {
        for (name, value) in object {
            match keys::at(place, name) {
                Some(key) => self.known(key, value),
                None => self.unknown(place, name),
            }
        }
    }

    fn known(&mut self, key: &'static Key, value: &Value) {
        if key.part.is_some_and(|part| !self.event.row().honours(part)) {
            self.not_honoured(key.place, key.name);
        } else if value.is_null() {
            // Absent, spelt out.
        } else if key.kind.fits(value) {
            self.take(key, value);
        } else {
            self.wrong_type(key, value);
        }
    }

    fn take(&mut self, key: &'static Key, value: &Value) {
        match key.place {
            Place::Top => self.take_top(key, value),
            Place::Specific => self.take_specific(key, value),
            Place::Decision => self.take_permission(key, value),
        }
    }

    fn take_top(&mut self, key: &'static Key, value: &Value) {
        match key.name {
            "continue" => self.output.proceed = value.as_bool(),
            "stopReason" => self.output.stop_reason = text(value),
            "suppressOutput" => self.output.suppress_output = value == &Value::Bool(true),
            "decision" => self.take_decision(key, value),
            "reason" if self.event.row().spelling == Spelling::Unspoken => {
                self.not_honoured(key.place, key.name);
            }
            "reason" => self.reason(value),
            "systemMessage" => self.output.system_message = text(value),
            "terminalSequence" => self.take_terminal(value),
            "async" if value == &Value::Bool(true) => self.promise = Some(AsyncOutput::default()),
            "asyncTimeout" => self.take_timeout(value),
            "hookSpecificOutput" => self.take_nested(value),
            _ => {}
        }
    }

    fn take_specific(&mut self, key: &'static Key, value: &Value) {
        let specific = &mut self.output.specific;
        match key.name {
            "permissionDecision" => self.take_permission_decision(key, value),
            "permissionDecisionReason" if self.event.row().spelling == Spelling::Unspoken => {
                self.not_honoured(key.place, key.name);
            }
            "permissionDecisionReason" => self.reason(value),
            "decision" => self.take_behavior(key, value),
            "updatedInput" if self.event.row().spelling == Spelling::Behavior => {
                self.unknown(Place::Specific, key.name);
            }
            "updatedInput" => self.output.updated_input = Some(value.clone()),
            "additionalContext" => self.output.additional_context = text(value),
            "updatedToolOutput" => self.output.updated_output = Some(value.clone()),
            "updatedMCPToolOutput" => self.output.updated_mcp_output = Some(value.clone()),
            "classifierContext" => specific.classifier_context = text(value),
            "sessionTitle" => specific.session_title = text(value),
            "suppressOriginalPrompt" => specific.suppress_original_prompt = value.as_bool(),
            "initialUserMessage" => specific.initial_user_message = text(value),
            "watchPaths" => specific.watch_paths = parse(value),
            "reloadSkills" => specific.reload_skills = value.as_bool(),
            "retry" => specific.retry = value.as_bool(),
            "content" => self.content = Some(value.clone()),
            "worktreePath" => specific.worktree_path = text(value),
            "displayContent" => specific.display_content = text(value),
            "llmRequest" => specific.llm_request = Some(value.clone()),
            "llmResponse" => specific.llm_response = Some(value.clone()),
            "toolConfig" => match parse(value) {
                Some(config) => specific.tool_config = Some(config),
                None => self.wrong_value(
                    key,
                    value,
                    "an object with `mode` (AUTO, ANY or NONE) and `allowedFunctionNames`",
                ),
            },
            "action" => match parse(value) {
                Some(action) => {
                    specific.elicitation = Some(ElicitationAnswer {
                        action,
                        content: None,
                    });
                }
                None => self.wrong_value(key, value, "`accept`, `decline` or `cancel`"),
            },
            _ => {}
        }
    }

    fn take_permission(&mut self, key: &'static Key, value: &Value) {
        match key.name {
            "behavior" => match value.as_str() {
                Some("allow") => self.output.decision = Decision::Allow,
                Some("deny") => self.output.decision = Decision::Deny,
                _ => self.wrong_value(key, value, "`allow` or `deny`"),
            },
            "message" => self.reason(value),
            "updatedInput" => self.output.updated_input = Some(value.clone()),
            "updatedPermissions" => match parse::<Vec<PermissionUpdate>>(value) {
                Some(updates) if updates.iter().all(|update| update.change().is_some()) => {
                    self.output.specific.updated_permissions = Some(updates);
                }
                _ => self.wrong_value(key, value, "an array of permission updates"),
            },
            "interrupt" => self.output.specific.interrupt = value.as_bool(),
            _ => {}
        }
    }

    /// The top-level `decision`: `block`, and for tool calls the older `approve`.
    fn take_decision(&mut self, key: &'static Key, value: &Value) {
        let row = self.event.row();
        match (value.as_str(), row.spelling) {
            (Some("block"), Spelling::Decision | Spelling::PermissionDecision) => {
                self.output.decision = Decision::Deny;
            }
            (Some("approve"), Spelling::PermissionDecision) if row.honours(Field::Allow) => {
                self.output.decision = self.output.decision.max(Decision::Allow);
            }
            (Some("approve"), Spelling::Decision) => {}
            (Some("block" | "approve"), _) => self.not_honoured(key.place, key.name),
            _ => self.wrong_value(key, value, "`block`"),
        }
    }

    fn take_permission_decision(&mut self, key: &'static Key, value: &Value) {
        let row = self.event.row();
        if row.spelling != Spelling::PermissionDecision {
            return self.not_honoured(key.place, key.name);
        }
        match value.as_str().and_then(|word| row.permission_word(word)) {
            Some(decision) => self.output.decision = self.output.decision.max(decision),
            None => self.wrong_value(key, value, &permission_words(self.event)),
        }
    }

    /// `hookSpecificOutput.decision`, which only a permission request has.
    fn take_behavior(&mut self, key: &'static Key, value: &Value) {
        match value.as_object() {
            _ if self.event.row().spelling != Spelling::Behavior => {
                self.not_honoured(key.place, key.name);
            }
            Some(decision) if decision.contains_key("behavior") => {
                self.members(Place::Decision, decision);
            }
            _ => self.wrong_value(key, value, "an object with `behavior`"),
        }
    }

    /// `hookSpecificOutput`: it must say that it is this event's.
    fn take_nested(&mut self, value: &Value) {
        let Some(specific) = value.as_object() else {
            return;
        };
        match specific.get("hookEventName").and_then(Value::as_str) {
            Some(name) if name == self.event.as_str() => self.members(Place::Specific, specific),
            Some(other) => {
                let message = format!(
                    "`hookSpecificOutput` is that of `{other}`, but the hook was asked about `{}`",
                    self.event
                );
                self.flawed(
                    Diagnostic::new(Code::OtherEvent, message),
                    "hookSpecificOutput.hookEventName",
                );
            }
            None => {
                let message = format!(
                    "`hookSpecificOutput` must say whose it is: add `\"hookEventName\": \"{}\"`",
                    self.event
                );
                self.flawed(
                    Diagnostic::new(Code::MissingEventName, message),
                    "hookSpecificOutput.hookEventName",
                );
            }
        }
    }

    fn take_terminal(&mut self, value: &Value) {
        match value.as_str() {
            Some(sequence) if terminal::is_harmless(sequence) => {
                self.output.terminal_sequence = Some(sequence.to_owned());
            }
            _ => self.diagnostics.push(
                Diagnostic::new(
                    Code::TerminalSequence,
                    "`terminalSequence` may only set a title, notify or ring; it is ignored",
                )
                .at("terminalSequence"),
            ),
        }
    }

    fn take_timeout(&mut self, value: &Value) {
        let seconds = value.as_f64().map(|milliseconds| milliseconds / 1000.0);
        self.timeout = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if self.timeout.is_none() {
            let message = "`asyncTimeout` must be a number of milliseconds; it is ignored";
            let diagnostic = Diagnostic::new(Code::WrongValue, message);
            self.diagnostics.push(diagnostic.at("asyncTimeout"));
        }
    }

    /// A reason: the first that is not empty.
    fn reason(&mut self, value: &Value) {
        if self.output.reason.is_none() {
            self.output.reason = text(value);
        }
    }

    /// What can only be judged when all members have been read.
    fn pair_up(&mut self) {
        match &mut self.promise {
            Some(promise) => promise.timeout = self.timeout,
            None if self.timeout.is_some() => {
                self.no_effect("`asyncTimeout` means nothing without `async: true`");
            }
            None => {}
        }
        if self.rewrite_lost && self.output.decision == Decision::Allow {
            // The hook meant to allow something else than what would now run.
            let lost = "an `allow` whose new input could not be read allows nothing";
            self.flaw.get_or_insert_with(|| lost.to_owned());
        }
        let denies = self.output.decision == Decision::Deny;
        if denies && self.output.updated_input.take().is_some() {
            self.no_effect("`updatedInput` means nothing beside a refusal");
        }
        if !denies && self.take_interrupt() == Some(true) {
            self.no_effect("`interrupt` means nothing but beside a refusal");
        }
        if self.output.specific.elicitation.is_some()
            && let Some(answer) = &mut self.output.specific.elicitation
        {
            answer.content = self.content.take();
        }
        if self.output.decision == Decision::Defer {
            let input = self.output.updated_input.take().is_some();
            let context = self.output.additional_context.take().is_some();
            if input || context {
                self.no_effect(
                    "`updatedInput` and `additionalContext` mean nothing beside `defer`",
                );
            }
        }
    }

    fn take_interrupt(&mut self) -> Option<bool> {
        // Asked first: taking from what is not there makes room for it.
        self.output.specific.interrupt?;
        self.output.specific.interrupt.take()
    }

    fn unknown(&mut self, place: Place, name: &str) {
        let here = path(place, name);
        let (code, message, suggestion) = if let Some(key) = keys::elsewhere(place, name) {
            let there = full_path(key);
            let message = format!("`{here}` is ignored: it belongs elsewhere in the answer");
            (Code::Misplaced, message, Some(there))
        } else {
            let message = format!("no answer to {} has a key `{here}`", self.event);
            (
                Code::UnknownKey,
                message,
                keys::meant(self.event, name).map(str::to_owned),
            )
        };
        let about_input = |there: &String| there.ends_with("updatedInput");
        self.rewrite_lost |= suggestion.as_ref().is_some_and(about_input);
        let mut diagnostic = Diagnostic::new(code, message).at(here);
        diagnostic.suggestion = suggestion;
        self.diagnostics.push(diagnostic);
    }

    fn no_effect(&mut self, message: &str) {
        self.diagnostics
            .push(Diagnostic::new(Code::NoEffect, message));
    }

    fn not_honoured(&mut self, place: Place, name: &str) {
        let here = path(place, name);
        let message = format!("{} does not honour `{here}`; it is ignored", self.event);
        self.diagnostics
            .push(Diagnostic::new(Code::NotHonoured, message).at(here));
    }

    fn wrong_type(&mut self, key: &Key, value: &Value) {
        let here = full_path(key);
        let message = format!(
            "`{here}`: expected {}, found {}",
            key.kind.expected(),
            kind_of(value)
        );
        self.flawed(Diagnostic::new(Code::WrongType, message), &here);
    }

    fn wrong_value(&mut self, key: &Key, value: &Value, expected: &str) {
        let here = full_path(key);
        let found = match value {
            Value::String(text) => format!("`{}`", crate::text::clip(text, 40)),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => kind_of(value).to_owned(),
        };
        let message = format!("`{here}`: expected {expected}, found {found}");
        self.flawed(Diagnostic::new(Code::WrongValue, message), &here);
    }

    fn flawed(&mut self, diagnostic: Diagnostic, at: &str) {
        self.flaw.get_or_insert_with(|| diagnostic.message.clone());
        self.diagnostics.push(diagnostic.at(at));
    }
}

fn permission_words(event: EventName) -> String {
    let row = event.row();
    let words = [
        (Field::Allow, "`allow`"),
        (Field::Ask, "`ask`"),
        (Field::Defer, "`defer`"),
    ];
    let honoured = words
        .iter()
        .filter(|(field, _)| row.honours(*field))
        .map(|(_, word)| *word);
    honoured.chain(["`deny`"]).collect::<Vec<_>>().join(", ")
}

fn full_path(key: &Key) -> String {
    match key.place {
        Place::Top | Place::Specific => path(key.place, key.name),
        Place::Decision => format!("hookSpecificOutput.decision.{}", key.name),
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
