//! What opens the door.

use std::fmt;

/// A key, which nobody sees.
///
/// ```
/// use agent_models::Key;
///
/// assert_eq!(format!("{:?}", Key::api("sk-secret")), "Key::Api");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Form);

#[derive(Clone, PartialEq, Eq)]
enum Form {
    Api(String),
    Bearer(String),
}

impl Key {
    /// A key as the service hands it out.
    pub fn api(key: impl Into<String>) -> Self {
        Self(Form::Api(key.into()))
    }

    /// A token that stands behind `Authorization: Bearer`, whatever the service's own keys do.
    pub fn bearer(token: impl Into<String>) -> Self {
        Self(Form::Bearer(token.into()))
    }

    /// The header that carries it, where the service's own keys stand in `x-api-key`.
    pub(crate) fn in_own_header(&self) -> (&'static str, String) {
        match &self.0 {
            Form::Api(key) => ("x-api-key", key.clone()),
            Form::Bearer(_) => self.as_bearer(),
        }
    }

    /// The header that carries it, where all keys are bearers.
    pub(crate) fn as_bearer(&self) -> (&'static str, String) {
        let (Form::Api(key) | Form::Bearer(key)) = &self.0;
        ("authorization", format!("Bearer {key}"))
    }

    /// A text without the key in it.
    pub(crate) fn hide(&self, text: &str) -> String {
        let (Form::Api(key) | Form::Bearer(key)) = &self.0;
        text.replace(key, "[the key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Form::Api(_) => "Key::Api",
            Form::Bearer(_) => "Key::Bearer",
        })
    }
}
