//! What a service's errors mean: pure, from a status and a body, or from an error in the stream.

use std::time::Duration;

use agent_loop::{ModelError, Trouble};
use hook_types::StopError;
use serde_json::Value;

use crate::pieces::text;

/// An answer that is an error.
#[derive(Debug, Default)]
pub(crate) struct Refusal<'a> {
    /// The status; none where the error came in the stream.
    pub(crate) status: Option<u16>,
    /// What the body says.
    pub(crate) body: &'a str,
    /// When the service wants to be asked again.
    pub(crate) wait: Option<Duration>,
    /// Whether it wants to be asked again at all, where it says so.
    pub(crate) again: Option<bool>,
}

impl Refusal<'_> {
    /// What it means.
    pub(crate) fn error(&self) -> ModelError {
        let words = Words::of(self.body);
        let trouble = trouble(self.status, &words);
        let mut error = ModelError::of(trouble, words.message(self.status));
        if let Some(kind) = kind(trouble, &words) {
            error.kind = kind;
        }
        error.transient = self.again.unwrap_or_else(|| passes(self.status, trouble));
        error.retry_after = self.wait.filter(|_| error.transient);
        error
    }
}

/// What a body says.
#[derive(Debug, Default)]
struct Words {
    /// `error.type` and `error.code`, in small letters.
    names: Vec<String>,
    said: String,
}

/// How much of a body is told.
const TOLD: usize = 500;

impl Words {
    fn of(body: &str) -> Self {
        let Ok(value) = serde_json::from_str::<Value>(body) else {
            return Self {
                names: Vec::new(),
                said: short(body),
            };
        };
        // Most services have an object in `error`; some a text, and some have none around it.
        let error = value.get("error").filter(|error| !error.is_null());
        let error = error.unwrap_or(&value);
        let names = ["/type", "/code"].map(|path| text(error, path).to_lowercase());
        let said = ["", "/message", "/detail", "/error"];
        let said = said.into_iter().map(|path| text(error, path));
        let said = said.into_iter().find(|said| !said.is_empty());
        Self {
            names: names.into(),
            said: short(said.unwrap_or(body)),
        }
    }

    fn named(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }

    fn says(&self, parts: &[&str]) -> bool {
        let said = self.said.to_lowercase();
        parts.iter().any(|part| said.contains(part))
    }

    fn message(&self, status: Option<u16>) -> String {
        match (status, self.said.as_str()) {
            (Some(status), "") => format!("status {status}, and no word more"),
            (None, "") => "an error without a word".to_owned(),
            (Some(status), said) => format!("{said} [status {status}]"),
            (None, said) => said.to_owned(),
        }
    }
}

/// A text on one line, and not too long.
fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut told: String = line.chars().take(TOLD).collect();
    if told.len() < line.len() {
        told.push('…');
    }
    told
}

/// By its words, where they are clear; else by its status.
fn trouble(status: Option<u16>, words: &Words) -> Trouble {
    named_trouble(status, words).unwrap_or(match status {
        Some(401) => Trouble::BadKey,
        Some(402) => Trouble::Unpaid,
        Some(403) => Trouble::NotAllowed,
        Some(413) => Trouble::ContextTooLong,
        Some(429) => Trouble::RateLimited,
        Some(503 | 529) => Trouble::Overloaded,
        Some(500..) | None => Trouble::ServiceFailed,
        Some(_) => Trouble::BadRequest,
    })
}

fn named_trouble(status: Option<u16>, words: &Words) -> Option<Trouble> {
    NAMED
        .iter()
        .find(|(_, names, parts)| {
            words.named(names) || (status.is_none_or(|status| status < 500) && words.says(parts))
        })
        .map(|(trouble, _, _)| *trouble)
        .or_else(|| {
            let model = status == Some(404) && words.says(&["model"]);
            model.then_some(Trouble::NoSuchModel)
        })
}

/// What services call their troubles (`type` and `code`), and how some of them put it in words.
const NAMED: &[(Trouble, &[&str], &[&str])] = &[
    (
        Trouble::ContextTooLong,
        &[
            "context_length_exceeded",
            "exceed_context_size_error",
            "request_too_large",
        ],
        &[
            "prompt is too long",
            "maximum context length",
            "exceeds the available context size",
            "exceed context limit",
        ],
    ),
    (
        Trouble::NoSuchModel,
        &["model_not_found"],
        &["model not found", "try pulling it first"],
    ),
    (
        Trouble::Unpaid,
        &["insufficient_quota", "billing_error"],
        &["credit balance is too low"],
    ),
    (
        Trouble::BadKey,
        &["authentication_error", "invalid_api_key"],
        &[],
    ),
    (
        Trouble::NotAllowed,
        &["permission_error"],
        &["must be verified"],
    ),
    (
        Trouble::RateLimited,
        &["rate_limit_error", "rate_limit_exceeded"],
        &[],
    ),
    (Trouble::Overloaded, &["overloaded_error"], &[]),
    (
        Trouble::ServiceFailed,
        &["api_error", "server_error", "timeout_error"],
        &[],
    ),
    (Trouble::BadRequest, &["invalid_request_error"], &[]),
];

/// Where the `StopFailure` event has a finer word.
fn kind(trouble: Trouble, words: &Words) -> Option<StopError> {
    if !matches!(trouble, Trouble::NotAllowed | Trouble::BadKey) {
        return None;
    }
    let finer = [
        (StopError::OauthOrgNotAllowed, "oauth authentication is"),
        (StopError::VerificationRequired, "must be verified"),
        (StopError::AccountOnHold, "on hold"),
    ];
    let mut finer = finer.into_iter();
    finer.find_map(|(kind, part)| words.says(&[part]).then_some(kind))
}

/// Whether a trouble may pass by itself.
fn passes(status: Option<u16>, trouble: Trouble) -> bool {
    matches!(
        trouble,
        Trouble::RateLimited | Trouble::Overloaded | Trouble::ServiceFailed
    ) && status != Some(501)
        || status == Some(408)
}

#[cfg(test)]
mod tests;
