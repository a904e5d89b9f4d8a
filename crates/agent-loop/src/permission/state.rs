//! The mode, the rules and the directories of a session.

use std::path::{Path, PathBuf};

use hook_runner::matcher::RuleError;
use hook_types::{Destination, PermissionMode, PermissionUpdate, RuleBehavior};

use super::rules::{Origin, RuleBook};

/// The permission mode, the rules and the directories of a session.
///
/// ```
/// use agent_loop::Access;
/// use agent_loop::permission::{CallFacts, HookOpinion, Permissions};
/// use hook_types::PermissionMode;
/// use serde_json::json;
///
/// let permissions = Permissions::new(PermissionMode::AcceptEdits)
///     .allow("Bash(git *)")?
///     .ask("Bash(git push *)")?
///     .deny("Edit(//etc/**)")?;
/// let judge = |tool, input, access| {
///     let call = CallFacts::new(tool, &input, access, "/srv/app");
///     permissions.judge(&call, &HookOpinion::default()).word()
/// };
/// assert_eq!(judge("Write", json!({"file_path": "src/main.rs"}), Access::Edit), "allow");
/// assert_eq!(judge("Write", json!({"file_path": "/etc/passwd"}), Access::Edit), "deny");
/// assert_eq!(judge("Bash", json!({"command": "git status"}), Access::Run), "allow");
/// assert_eq!(judge("Bash", json!({"command": "git push origin"}), Access::Run), "ask");
/// # Ok::<(), hook_runner::matcher::RuleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Permissions {
    pub(super) mode: PermissionMode,
    pub(super) bypass: bool,
    pub(super) directories: Vec<PathBuf>,
    pub(super) rules: RuleBook,
    pub(super) unsaved: Vec<PermissionUpdate>,
}

impl Default for Permissions {
    fn default() -> Self {
        Self::new(PermissionMode::Default)
    }
}

impl Permissions {
    /// A mode, and no rules. Only a session that starts in `bypassPermissions`, or is told
    /// [`with_bypass`](Self::with_bypass), can enter that mode later.
    pub fn new(mode: PermissionMode) -> Self {
        let mode = plain(mode);
        Self {
            bypass: mode == PermissionMode::BypassPermissions,
            mode,
            directories: Vec::new(),
            rules: RuleBook::default(),
            unsaved: Vec::new(),
        }
    }

    /// Whether the session may enter `bypassPermissions`. Where not, a session that is in it goes back to
    /// `default`.
    #[must_use]
    pub fn with_bypass(mut self, available: bool) -> Self {
        self.bypass = available;
        if !available && self.mode == PermissionMode::BypassPermissions {
            self.mode = PermissionMode::Default;
        }
        self
    }

    /// Lets the agent edit in another directory, given as an absolute path.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.add_directory(directory.into());
        self
    }

    /// Lets calls through that fit, until the session ends.
    pub fn allow(self, rule: &str) -> Result<Self, RuleError> {
        self.with_rule(
            &RuleBehavior::Allow,
            rule,
            Origin::Kept(Destination::Session),
        )
    }

    /// Asks about calls that fit, until the session ends.
    pub fn ask(self, rule: &str) -> Result<Self, RuleError> {
        self.with_rule(&RuleBehavior::Ask, rule, Origin::Kept(Destination::Session))
    }

    /// Refuses calls that fit, until the session ends.
    pub fn deny(self, rule: &str) -> Result<Self, RuleError> {
        self.with_rule(
            &RuleBehavior::Deny,
            rule,
            Origin::Kept(Destination::Session),
        )
    }

    /// A rule, and where it came from: only changes for that place take it away again.
    pub fn with_rule(
        mut self,
        behavior: &RuleBehavior,
        rule: &str,
        origin: Origin,
    ) -> Result<Self, RuleError> {
        self.rules.add(behavior, rule, origin)?;
        Ok(self)
    }

    /// How much the agent may do without asking.
    pub fn mode(&self) -> &PermissionMode {
        &self.mode
    }

    /// Changes the mode. False, and nothing changed: that mode is not available.
    pub fn set_mode(&mut self, mode: PermissionMode) -> bool {
        let mode = plain(mode);
        if mode == PermissionMode::BypassPermissions && !self.bypass {
            return false;
        }
        self.mode = mode;
        true
    }

    /// Directories beside the working directory that the agent may edit in.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// The rules that say so, in order.
    pub fn rules(&self, behavior: &RuleBehavior) -> Vec<String> {
        self.rules.texts(behavior)
    }

    /// Changes that are to outlast the session: they are in force already, and whoever keeps the settings
    /// has to write them down. Handed out once.
    pub fn take_unsaved(&mut self) -> Vec<PermissionUpdate> {
        std::mem::take(&mut self.unsaved)
    }

    pub(super) fn add_directory(&mut self, directory: PathBuf) {
        if !self.directories.contains(&directory) {
            self.directories.push(directory);
        }
    }

    pub(super) fn remove_directory(&mut self, directory: &Path) {
        self.directories.retain(|known| known != directory);
    }
}

/// `manual` is a name for `default`.
fn plain(mode: PermissionMode) -> PermissionMode {
    if mode == PermissionMode::Manual {
        return PermissionMode::Default;
    }
    mode
}
