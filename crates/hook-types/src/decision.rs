//! How strongly a hook spoke.

use std::fmt;

/// What a hook decided, from the weakest to the strongest. Combining decisions is `max`.
///
/// ```
/// use hook_types::Decision;
///
/// let hooks = [Decision::Allow, Decision::Deny, Decision::Pass, Decision::Ask];
/// assert_eq!(hooks.into_iter().max(), Some(Decision::Deny));
/// assert_eq!(Decision::default(), Decision::Pass);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// No opinion: things take their normal course.
    #[default]
    Pass,
    /// Go ahead without asking the user. Never stronger than a rule that denies or asks.
    Allow,
    /// Ask the user.
    Ask,
    /// End the run here, so that somebody else can decide and resume it.
    Defer,
    /// Do not. What that means for an event is its [`Effect`](crate::event::Effect).
    Deny,
}

impl Decision {
    /// The decision's word where the contract speaks of permission, nothing for no opinion.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Pass => None,
            Self::Allow => Some("allow"),
            Self::Ask => Some("ask"),
            Self::Defer => Some("defer"),
            Self::Deny => Some("deny"),
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word().unwrap_or("no opinion"))
    }
}

#[cfg(test)]
mod tests {
    use super::Decision::{self, Allow, Ask, Defer, Deny, Pass};

    #[test]
    fn deny_beats_defer_beats_ask_beats_allow_beats_no_opinion() {
        let weakest_first = [Pass, Allow, Ask, Defer, Deny];
        assert!(weakest_first.is_sorted());
        for (i, weaker) in weakest_first.iter().enumerate() {
            for stronger in &weakest_first[i..] {
                assert_eq!(weaker.max(stronger), stronger);
                assert_eq!(stronger.max(weaker), stronger);
            }
        }
    }

    #[test]
    fn only_no_opinion_has_no_word() {
        let wordless: Vec<Decision> = [Pass, Allow, Ask, Defer, Deny]
            .into_iter()
            .filter(|d| d.word().is_none())
            .collect();
        assert_eq!(wordless, [Pass]);
    }
}
