//! The pure part: what rules, mode and hooks together say of a call.

use std::path::PathBuf;

use hook_types::{Decision, GrantedBy, PermissionMode, PermissionUpdate};
use serde_json::Value;

use crate::tool::Access;

/// One call, as permissions see it.
#[derive(Clone, Copy, Debug)]
pub struct CallFacts<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// What it is called with, as [`Tool::normalise`](crate::Tool::normalise) made it.
    pub tool_input: &'a Value,
    /// What the call can change.
    pub access: Access,
    /// The working directory.
    pub cwd: &'a str,
    /// The user's home directory.
    pub home: Option<&'a str>,
    /// The project's root.
    pub project_dir: &'a str,
}

/// What hooks have said of a call: the stronger of `PreToolUse` and `PermissionCheck`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOpinion {
    /// The decision. `Defer` is settled before anybody asks for permission, and counts as `Ask` here.
    pub decision: Decision,
    /// Why.
    pub reason: Option<String>,
}

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
        /// Rules that could be remembered.
        suggestions: Vec<PermissionUpdate>,
    },
    /// It must not run.
    Deny {
        /// Why, for the model.
        reason: String,
        /// The rule that says so.
        rule: Option<String>,
    },
}

/// The permission mode and the rules of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Permissions {
    /// How much the agent may do without asking.
    pub mode: PermissionMode,
    /// Directories beside the working directory that the agent may edit in.
    pub directories: Vec<PathBuf>,
}

impl Default for Permissions {
    fn default() -> Self {
        Self::new(PermissionMode::Default)
    }
}

impl Permissions {
    /// A mode, and no rules.
    pub fn new(mode: PermissionMode) -> Self {
        Self {
            mode,
            directories: Vec::new(),
        }
    }

    /// What is to happen with a call.
    pub fn judge(&self, call: &CallFacts<'_>, hooks: &HookOpinion) -> Verdict {
        let why = |default: &str| hooks.reason.clone().unwrap_or_else(|| default.to_owned());
        let ask = |reason| Verdict::Ask {
            reason,
            rule: None,
            suggestions: Vec::new(),
        };
        let harmless = matches!(call.access, Access::Own | Access::Read);
        match hooks.decision {
            Decision::Deny => Verdict::Deny {
                reason: why("a hook refused the call"),
                rule: None,
            },
            Decision::Ask | Decision::Defer => ask(why("a hook wants the user to be asked")),
            Decision::Allow => Verdict::Allow {
                by: GrantedBy::Hook,
                rule: None,
            },
            Decision::Pass if harmless || self.mode == PermissionMode::BypassPermissions => {
                Verdict::Allow {
                    by: GrantedBy::Mode,
                    rule: None,
                }
            }
            Decision::Pass => ask(format!("{} needs permission", call.tool_name)),
        }
    }

    /// Takes over a change. False where this version does not know it.
    pub fn update(&mut self, update: &PermissionUpdate) -> bool {
        let _ = &self;
        update.change().is_some()
    }
}
