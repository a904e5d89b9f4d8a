//! Names of things, as types: a session's id cannot be handed over where a hook's is wanted.
//!
//! Ids are strings on the wire and are never made here: making them needs randomness or a
//! clock, and this crate has neither.

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps an id that somebody else made.
            pub fn new(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether nobody has set it yet.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }
    )*};
}

id! {
    /// One run of an agent, from its start to its end.
    SessionId
    /// One registered hook. The same in every firing.
    HookId
    /// One run of a hook: ties its messages together.
    RunId
    /// One tool call.
    ToolUseId
    /// One subagent.
    AgentId
    /// One prompt and everything that follows from it.
    PromptId
    /// One message of the event stream.
    MessageId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_plain_string_on_the_wire() {
        let id = SessionId::new("s-1");
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""s-1""#);
        assert_eq!(serde_json::from_str::<SessionId>(r#""s-1""#).unwrap(), id);
        assert_eq!(id.to_string(), "s-1");
    }
}
