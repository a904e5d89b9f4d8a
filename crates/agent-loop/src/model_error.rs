//! Why there is no reply, or no whole one.

use std::fmt;
use std::time::Duration;

use hook_types::StopError;

/// Why there is no reply, or no whole one.
///
/// ```
/// use agent_loop::{ModelError, Trouble};
///
/// let error = ModelError::of(Trouble::BadKey, "invalid x-api-key")
///     .at("anthropic:claude-opus-5 at https://api.anthropic.com/v1/messages")
///     .remedy("set ANTHROPIC_API_KEY to a key that is valid there");
/// assert_eq!(
///     error.to_string(),
///     "authentication_failed: invalid x-api-key (anthropic:claude-opus-5 at \
///      https://api.anthropic.com/v1/messages); set ANTHROPIC_API_KEY to a key that is valid there",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct ModelError {
    /// What kind of error, in the words of the `StopFailure` event.
    pub kind: StopError,
    /// What went wrong, where more is known than the kind.
    pub trouble: Option<Trouble>,
    /// What the service said.
    pub message: String,
    /// Which model, and where it was asked.
    pub place: Option<String>,
    /// What would help.
    pub remedy: Option<String>,
    /// Whether it is worth asking again.
    pub transient: bool,
    /// When, if the service says so.
    pub retry_after: Option<Duration>,
}

/// What went wrong with a request to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// The key is missing or wrong.
    BadKey,
    /// The key is good, and may not do this.
    NotAllowed,
    /// The bill is not paid.
    Unpaid,
    /// There is no such model there.
    NoSuchModel,
    /// The conversation is larger than what the model can hold.
    ContextTooLong,
    /// The service refuses the request, for another reason.
    BadRequest,
    /// Too many requests.
    RateLimited,
    /// The service has too much to do.
    Overloaded,
    /// The service failed.
    ServiceFailed,
    /// Nobody answers there.
    Unreachable,
    /// The service said nothing for too long.
    TimedOut,
    /// The reply ended in the middle.
    StreamCut,
    /// The reply cannot be read.
    BadReply,
    /// The reply is larger than a reply may be.
    ReplyTooLarge,
}

impl Trouble {
    /// The word of the `StopFailure` event for it.
    pub fn kind(self) -> StopError {
        match self {
            Self::BadKey | Self::NotAllowed => StopError::AuthenticationFailed,
            Self::Unpaid => StopError::BillingError,
            Self::NoSuchModel => StopError::ModelNotFound,
            Self::ContextTooLong | Self::BadRequest => StopError::InvalidRequest,
            Self::RateLimited => StopError::RateLimit,
            Self::Overloaded => StopError::Overloaded,
            Self::ServiceFailed
            | Self::Unreachable
            | Self::TimedOut
            | Self::StreamCut
            | Self::BadReply
            | Self::ReplyTooLarge => StopError::ServerError,
        }
    }
}

impl ModelError {
    /// An error of a kind, and what the service said.
    pub fn new(kind: StopError, message: impl Into<String>) -> Self {
        Self {
            kind,
            trouble: None,
            message: message.into(),
            place: None,
            remedy: None,
            transient: false,
            retry_after: None,
        }
    }

    /// An error of which it is known what went wrong, and what the service said.
    pub fn of(trouble: Trouble, message: impl Into<String>) -> Self {
        Self {
            trouble: Some(trouble),
            ..Self::new(trouble.kind(), message)
        }
    }

    /// Says which model it was, and where it was asked.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Says what would help.
    #[must_use]
    pub fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = Some(text.into());
        self
    }

    /// Says that it is worth asking again.
    #[must_use]
    pub fn transient(mut self) -> Self {
        self.transient = true;
        self
    }

    /// Says when it is worth asking again.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self.transient()
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        if let Some(place) = &self.place {
            write!(f, " ({place})")?;
        }
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}
