//! `PreCompact`: may the conversation be summarised?

use super::Heard;

/// Whether the conversation is summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CompactStep {
    /// It is.
    Compact,
    /// It is not; the user is told why.
    Refuse { reason: String },
}

pub(crate) fn compact(heard: &Heard) -> CompactStep {
    if heard.outcome.is_denied() {
        return CompactStep::Refuse {
            reason: heard.why(),
        };
    }
    CompactStep::Compact
}
