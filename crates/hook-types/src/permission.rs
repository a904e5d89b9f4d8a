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
    /// Fields that this version does not know.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl PermissionRule {
    /// A rule for the calls of a tool that fit `content`; none: for all of them.
    pub fn new(tool_name: impl Into<String>, content: Option<&str>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: content.map(str::to_owned),
            extra: Map::new(),
        }
    }
}

/// What one change to the permission rules says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionChange {
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
}

impl PermissionChange {
    /// Whether every word in it is one that this version knows.
    fn is_known(&self) -> bool {
        let kept = |destination: &Destination| !matches!(destination, Destination::Other(_));
        match self {
            Self::AddRules {
                behavior,
                destination,
                ..
            }
            | Self::ReplaceRules {
                behavior,
                destination,
                ..
            }
            | Self::RemoveRules {
                behavior,
                destination,
                ..
            } => !matches!(behavior, RuleBehavior::Other(_)) && kept(destination),
            Self::SetMode { mode, destination } => {
                !matches!(mode, PermissionMode::Other(_)) && kept(destination)
            }
            Self::AddDirectories { destination, .. }
            | Self::RemoveDirectories { destination, .. } => kept(destination),
        }
    }
}

/// One change to the permission rules as it stands on the wire. One that this version does not know
/// is kept when it is passed on, and refused when a hook asks for it.
///
/// ```
/// use hook_types::{Destination, PermissionChange, PermissionMode, PermissionUpdate};
///
/// let change = PermissionChange::SetMode {
///     mode: PermissionMode::Plan,
///     destination: Destination::Session,
/// };
/// let update = PermissionUpdate::from(change.clone());
/// assert_eq!(update.change(), Some(change));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PermissionUpdate(Map<String, Value>);

impl PermissionUpdate {
    /// What it says, if this version knows it.
    pub fn change(&self) -> Option<PermissionChange> {
        let value = Value::Object(self.0.clone());
        PermissionChange::deserialize(value)
            .ok()
            .filter(PermissionChange::is_known)
    }
}

impl From<PermissionChange> for PermissionUpdate {
    fn from(change: PermissionChange) -> Self {
        // A change is text and lists of text: it always serialises to an object.
        let value = serde_json::to_value(change).unwrap_or_default();
        Self(value.as_object().cloned().unwrap_or_default())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for PermissionUpdate {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PermissionUpdate".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        PermissionChange::json_schema(generator)
    }
}
