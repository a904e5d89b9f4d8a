//! Changes to the permission rules, as hooks are offered them and as hooks ask for them.
//!
//! Their keys are camelCase in both directions, unlike the rest of an input.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::PermissionMode;
use crate::open_enum::open_enum;

open_enum! {
    /// What a rule says.
    RuleBehavior {
        /// Let it through.
        Allow = "allow",
        /// Refuse it.
        Deny = "deny",
        /// Ask the user.
        Ask = "ask",
    }

    /// Where a change is kept.
    Destination {
        /// In the user's settings.
        UserSettings = "userSettings",
        /// In the project's settings.
        ProjectSettings = "projectSettings",
        /// In the project's private settings.
        LocalSettings = "localSettings",
        /// In memory, until the session ends.
        Session = "session",
        /// With the command line's arguments.
        CliArg = "cliArg",
    }
}

/// One rule: a tool and, if need be, which of its calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "camelCase")]
pub struct PermissionRule {
    /// The tool.
    pub tool_name: String,
    /// Which calls, as in `git push *`; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_content: Option<String>,
}

/// One change to the permission rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    expecting = "expected an object"
)]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Add rules.
    AddRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where the change is kept.
        destination: Destination,
    },
    /// Replace the rules that say the same.
    ReplaceRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where the change is kept.
        destination: Destination,
    },
    /// Remove rules.
    RemoveRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// What they say.
        behavior: RuleBehavior,
        /// Where the change is kept.
        destination: Destination,
    },
    /// Change the permission mode.
    SetMode {
        /// The mode.
        mode: PermissionMode,
        /// Where the change is kept.
        destination: Destination,
    },
    /// Let the agent work in more directories.
    AddDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where the change is kept.
        destination: Destination,
    },
    /// Let the agent no longer work in directories.
    RemoveDirectories {
        /// The directories.
        directories: Vec<String>,
        /// Where the change is kept.
        destination: Destination,
    },
    /// A change that this version does not know. Kept when it is passed on; refused when a hook
    /// asks for it.
    #[serde(untagged)]
    Other(Map<String, Value>),
}
