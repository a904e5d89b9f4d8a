//! Events of files, directories and settings.

use super::macros::event;
use crate::open_enum::open_enum;

open_enum! {
    /// Which settings changed.
    ConfigSource {
        /// The user's.
        UserSettings = "user_settings",
        /// The project's.
        ProjectSettings = "project_settings",
        /// The project's private ones.
        LocalSettings = "local_settings",
        /// The policy's. No hook can keep these from taking effect.
        PolicySettings = "policy_settings",
        /// A skill.
        Skills = "skills",
    }

    /// Whose instructions they are.
    MemoryType {
        /// The user's.
        User = "User",
        /// The project's.
        Project = "Project",
        /// The project's private ones.
        Local = "Local",
        /// The policy's.
        Managed = "Managed",
    }

    /// Why instructions were read.
    LoadReason {
        /// The session starts.
        SessionStart = "session_start",
        /// The agent went into a directory that has some.
        NestedTraversal = "nested_traversal",
        /// A file matched a rule's paths.
        PathGlobMatch = "path_glob_match",
        /// Another file includes them.
        Include = "include",
        /// The conversation was compacted.
        Compact = "compact",
    }

    /// What happened to a file.
    FileChange {
        /// It changed.
        Change = "change",
        /// It is new.
        Add = "add",
        /// It is gone.
        Unlink = "unlink",
    }

    /// How a directory came to be added.
    DirectorySource {
        /// The user asked for it.
        SlashCommand = "slash_command",
        /// The program that embeds the agent did.
        RegisterRepoRoot = "register_repo_root",
    }
}

event! {
    /// A settings file changed on disk. A hook may keep the change from taking effect.
    ConfigChange {
        needs {
            /// Which settings.
            source: ConfigSource,
        }
        may {
            /// The file.
            file_path: String,
        }
    }
}

event! {
    /// A worktree is needed. The hook makes it, in place of git, and says where it is.
    WorktreeCreate {
        needs {
            /// What it is to be called.
            name: String,
        }
    }
}

event! {
    /// A worktree that a hook made is no longer needed. The hook removes it.
    WorktreeRemove {
        needs {
            /// Where it is.
            worktree_path: String,
        }
    }
}

event! {
    /// Instructions for the agent were read from a file.
    InstructionsLoaded {
        needs {
            /// The file.
            file_path: String,
            /// Whose they are.
            memory_type: MemoryType,
            /// Why they were read.
            load_reason: LoadReason,
        }
        may {
            /// The paths that they are meant for.
            globs: Vec<String>,
            /// The file that led to them.
            trigger_file_path: String,
            /// The file that includes them.
            parent_file_path: String,
        }
    }
}

event! {
    /// A shell command changed the agent's working directory.
    CwdChanged {
        needs {
            /// Where the agent was.
            old_cwd: String,
            /// Where it is.
            new_cwd: String,
        }
    }
}

event! {
    /// A watched file changed on disk.
    FileChanged {
        needs {
            /// The file.
            file_path: String,
            /// What happened to it.
            event: FileChange,
        }
    }
}

event! {
    /// The agent may work in one more directory.
    DirectoryAdded {
        needs {
            /// The directory.
            directory: String,
            /// How it came to be added.
            source: DirectorySource,
        }
    }
}
