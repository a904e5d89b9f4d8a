//! What is to happen with a call.

use hook_types::{GrantedBy, PermissionUpdate};

/// What is to happen with a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It may run.
    Allow {
        /// Who let it through.
        by: GrantedBy,
        /// The rule that did.
        rule: Option<String>,
    },
    /// Somebody must be asked.
    Ask {
        /// Why, for whoever is asked.
        reason: String,
        /// The rule that says so.
        rule: Option<String>,
        /// Rules that could be remembered, so that the same call is not asked about again.
        suggestions: Vec<PermissionUpdate>,
        /// Who may answer.
        whom: Whom,
    },
    /// The run ends here, so that somebody else can decide and resume it.
    Defer {
        /// Why.
        reason: Option<String>,
    },
    /// It must not run.
    Deny {
        /// Why, for the model.
        reason: String,
        /// The rule that says so.
        rule: Option<String>,
        /// Who refused it.
        by: DeniedBy,
    },
}

impl Verdict {
    /// `allow`, `ask`, `defer` or `deny`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Allow { .. } => "allow",
            Self::Ask { .. } => "ask",
            Self::Defer { .. } => "defer",
            Self::Deny { .. } => "deny",
        }
    }

    /// The rule that decided.
    pub fn rule(&self) -> Option<&str> {
        match self {
            Self::Allow { rule, .. } | Self::Ask { rule, .. } | Self::Deny { rule, .. } => {
                rule.as_deref()
            }
            Self::Defer { .. } => None,
        }
    }
}

/// Who may answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Whom {
    /// `PermissionRequest` hooks, then the approver.
    Anybody,
    /// `PermissionRequest` hooks alone: the mode is `dontAsk`. Where they are silent, it is a no.
    HooksOnly,
}

/// Who refused a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeniedBy {
    /// A hook: it knows of it already.
    Hook,
    /// A deny rule.
    Rule,
    /// The permission mode.
    Mode,
    /// Nobody: there was nobody to say yes.
    Absence,
    /// The user, or whoever answers for the user.
    User,
}

impl DeniedBy {
    /// Whether `PermissionDenied` is fired: where nobody was asked and no hook said it.
    pub fn fires_permission_denied(self) -> bool {
        match self {
            Self::Rule | Self::Mode | Self::Absence => true,
            Self::Hook | Self::User => false,
        }
    }
}
