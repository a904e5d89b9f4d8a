//! Changes to the mode, the rules and the directories, as users and hooks ask for them.

use std::path::PathBuf;

use hook_types::{
    Destination, PermissionChange, PermissionMode, PermissionRule, PermissionUpdate, RuleBehavior,
};

use super::rules::{MAX_RULES, Origin};
use super::state::Permissions;

/// Why a change, or a part of it, was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateProblem {
    /// It says something that this version does not know.
    #[error("a change to the permissions is not one that is known, and was not made")]
    Unknown,
    /// A rule is not one.
    #[error("the rule `{rule}` was not taken over: {problem}")]
    Rule {
        /// The rule.
        rule: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There are too many rules.
    #[error("the rule `{rule}` was not taken over: there are {MAX_RULES} rules already")]
    TooManyRules {
        /// The rule.
        rule: String,
    },
    /// The mode cannot be entered in this session.
    #[error("the mode `{mode}` was not entered: it was not available when the session started")]
    Mode {
        /// The mode.
        mode: String,
    },
    /// A directory that could be anywhere.
    #[error("the directory `{directory}` was not taken over: it has to be an absolute path")]
    Directory {
        /// The directory.
        directory: String,
    },
}

impl Permissions {
    /// Makes a change. What is kept beyond the session can be had from
    /// [`take_unsaved`](Self::take_unsaved). What could not be done is said; the rest is done.
    ///
    /// ```
    /// use agent_loop::permission::Permissions;
    /// use hook_types::{Destination, PermissionChange, PermissionRule, RuleBehavior};
    ///
    /// let mut permissions = Permissions::default();
    /// let change = PermissionChange::AddRules {
    ///     rules: vec![PermissionRule::new("Bash", Some("git push *"))],
    ///     behavior: RuleBehavior::Allow,
    ///     destination: Destination::LocalSettings,
    /// };
    /// assert!(permissions.update(&change.into()).is_empty());
    /// assert_eq!(permissions.rules(&RuleBehavior::Allow), ["Bash(git push *)"]);
    /// assert_eq!(permissions.take_unsaved().len(), 1);
    /// ```
    pub fn update(&mut self, update: &PermissionUpdate) -> Vec<UpdateProblem> {
        let Some(change) = update.change() else {
            return vec![UpdateProblem::Unknown];
        };
        let mut problems = Vec::new();
        if let Some(made) = self.make(change, &mut problems) {
            self.keep(&made);
        }
        problems
    }

    /// What of a change was made, where anything was.
    fn make(
        &mut self,
        change: PermissionChange,
        problems: &mut Vec<UpdateProblem>,
    ) -> Option<PermissionChange> {
        match change {
            PermissionChange::SetMode { mode, destination } => {
                self.enter(mode, destination, problems)
            }
            PermissionChange::AddDirectories {
                directories,
                destination,
            } => self.add_directories(directories, destination, problems),
            PermissionChange::RemoveDirectories {
                ref directories, ..
            } => {
                for directory in directories {
                    self.remove_directory(directory.as_ref());
                }
                Some(change)
            }
            PermissionChange::AddRules {
                rules,
                behavior,
                destination,
            } => {
                let rules = self.add(rules, &behavior, &destination, problems);
                (!rules.is_empty()).then_some(PermissionChange::AddRules {
                    rules,
                    behavior,
                    destination,
                })
            }
            PermissionChange::ReplaceRules {
                rules,
                behavior,
                destination,
            } => {
                let origin = Origin::Kept(destination.clone());
                self.rules.clear(&behavior, &origin);
                let rules = self.add(rules, &behavior, &destination, problems);
                Some(PermissionChange::ReplaceRules {
                    rules,
                    behavior,
                    destination,
                })
            }
            PermissionChange::RemoveRules {
                ref rules,
                ref behavior,
                ref destination,
            } => {
                let origin = Origin::Kept(destination.clone());
                for rule in rules {
                    self.rules.remove(behavior, &text_of(rule), &origin);
                }
                Some(change)
            }
            _ => {
                problems.push(UpdateProblem::Unknown);
                None
            }
        }
    }

    fn add_directories(
        &mut self,
        directories: Vec<String>,
        destination: Destination,
        problems: &mut Vec<UpdateProblem>,
    ) -> Option<PermissionChange> {
        let directories = absolute(directories, problems);
        for directory in &directories {
            self.add_directory(PathBuf::from(directory));
        }
        (!directories.is_empty()).then_some(PermissionChange::AddDirectories {
            directories,
            destination,
        })
    }

    fn enter(
        &mut self,
        mode: PermissionMode,
        destination: Destination,
        problems: &mut Vec<UpdateProblem>,
    ) -> Option<PermissionChange> {
        if !self.set_mode(mode.clone()) {
            let mode = mode.to_string();
            problems.push(UpdateProblem::Mode { mode });
            return None;
        }
        // Nobody shall find that mode switched on the next day.
        (mode != PermissionMode::BypassPermissions)
            .then_some(PermissionChange::SetMode { mode, destination })
    }

    fn add(
        &mut self,
        rules: Vec<PermissionRule>,
        behavior: &RuleBehavior,
        destination: &Destination,
        problems: &mut Vec<UpdateProblem>,
    ) -> Vec<PermissionRule> {
        let mut added = Vec::new();
        for rule in rules {
            let text = text_of(&rule);
            if self.rules.is_full() {
                problems.push(UpdateProblem::TooManyRules { rule: text });
                continue;
            }
            let origin = Origin::Kept(destination.clone());
            match self.rules.add(behavior, &text, origin) {
                Ok(()) => added.push(rule),
                Err(error) => problems.push(UpdateProblem::Rule {
                    rule: text,
                    problem: error.to_string(),
                }),
            }
        }
        added
    }

    fn keep(&mut self, change: &PermissionChange) {
        let update = PermissionUpdate::from(change.clone());
        if outlasts_the_session(change) && !self.unsaved.contains(&update) {
            self.unsaved.push(update);
        }
    }
}

fn absolute(directories: Vec<String>, problems: &mut Vec<UpdateProblem>) -> Vec<String> {
    let (absolute, relative): (Vec<String>, Vec<String>) = directories
        .into_iter()
        .partition(|directory| directory.starts_with('/'));
    let relative = relative.into_iter();
    problems.extend(relative.map(|directory| UpdateProblem::Directory { directory }));
    absolute
}

fn outlasts_the_session(change: &PermissionChange) -> bool {
    let (PermissionChange::AddRules { destination, .. }
    | PermissionChange::ReplaceRules { destination, .. }
    | PermissionChange::RemoveRules { destination, .. }
    | PermissionChange::SetMode { destination, .. }
    | PermissionChange::AddDirectories { destination, .. }
    | PermissionChange::RemoveDirectories { destination, .. }) = change
    else {
        return false;
    };
    match destination {
        Destination::UserSettings | Destination::ProjectSettings | Destination::LocalSettings => {
            true
        }
        Destination::Session | Destination::CliArg | Destination::Other(_) => false,
    }
}

/// The rule as it is written: `Tool` or `Tool(content)`.
pub(super) fn text_of(rule: &PermissionRule) -> String {
    match &rule.rule_content {
        None => rule.tool_name.clone(),
        Some(content) => format!("{}({content})", rule.tool_name),
    }
}
