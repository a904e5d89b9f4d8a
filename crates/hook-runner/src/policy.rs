//! What a runner does where hooks leave it a choice.

use hook_types::OnFailure;

/// What happens when hooks that run at once want different things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// The last in order wins, and the others are named.
    #[default]
    LastWins,
    /// The same, and the user is asked.
    Ask,
}

/// Whether a rewritten input is judged again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recheck {
    /// It is not: hooks judged what the agent wanted.
    #[default]
    Off,
    /// The hooks that judged the old input judge the new one, once. What they rewrite then is
    /// ignored.
    On,
}

/// What a runner does where hooks leave it a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// What the failure of a hook means, where neither the hook nor its group says.
    pub on_failure: OnFailure,
    /// What happens when hooks that run at once want different things.
    pub on_conflict: OnConflict,
    /// Whether a rewritten input is judged again.
    pub recheck: Recheck,
    /// How many hooks of one firing run at once.
    pub at_once: usize,
    /// How many hooks of a session run in the background.
    pub in_background: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            on_failure: OnFailure::Continue,
            on_conflict: OnConflict::LastWins,
            recheck: Recheck::Off,
            at_once: 16,
            in_background: 64,
        }
    }
}
