//! What is known of a server.

use std::fmt;

/// What is known of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerStatus {
    /// Nobody has started it yet.
    Idle,
    /// It may not be started, and why.
    NotAllowed(String),
    /// It is being started.
    Connecting,
    /// It can be used.
    Connected {
        /// How many tools it has.
        tools: usize,
    },
    /// It wants whoever calls to sign in, which nobody does here.
    NeedsAuth(String),
    /// It could not be started, or died. The next call starts it again.
    Failed(String),
    /// It was ended for good.
    Closed,
}

impl ServerStatus {
    /// The word for it, as the published stream has it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Idle | Self::Connecting => "pending",
            Self::NotAllowed(_) | Self::Closed => "disabled",
            Self::Connected { .. } => "connected",
            Self::NeedsAuth(_) => "needs-auth",
            Self::Failed(_) => "failed",
        }
    }
}

/// A few words for people.
impl fmt::Display for ServerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("not started"),
            Self::NotAllowed(why) => write!(f, "not started: {why}"),
            Self::Connecting => f.write_str("connecting"),
            Self::Connected { tools: 1 } => f.write_str("connected, 1 tool"),
            Self::Connected { tools } => write!(f, "connected, {tools} tools"),
            Self::NeedsAuth(why) => write!(f, "needs a sign-in: {why}"),
            Self::Failed(why) => write!(f, "failed: {why}"),
            Self::Closed => f.write_str("ended"),
        }
    }
}
