//! The templates.

use super::{Script, Template};
use crate::dialect::Format;

/// A template whose entries and script are files of that name.
macro_rules! template {
    ($format:ident, $folder:literal, $name:literal, $description:literal) => {
        template!($format, $folder, $name, $description, &[])
    };
    ($format:ident, $folder:literal, $name:literal, $description:literal, script) => {
        template!(
            $format,
            $folder,
            $name,
            $description,
            &[Script {
                name: concat!($name, ".sh"),
                source: include_str!(concat!("../../templates/", $folder, "/", $name, ".sh")),
            }]
        )
    };
    ($format:ident, $folder:literal, $name:literal, $description:literal, $scripts:expr) => {
        Template {
            name: $name,
            format: Format::$format,
            description: $description,
            scripts: $scripts,
            entries: include_str!(concat!("../../templates/", $folder, "/", $name, ".json")),
        }
    };
}

macro_rules! hookline {
    ($name:literal, $description:literal) => {
        template!(Hookline, "hookline", $name, $description, script)
    };
}

macro_rules! opta {
    ($($rest:tt)*) => { template!(Opta, "opta", $($rest)*) };
}

macro_rules! opencode {
    ($($rest:tt)*) => { template!(OpenCode, "opencode", $($rest)*) };
}

/// All templates.
pub const TEMPLATES: &[Template] = &[
    hookline!(
        "guard-commands",
        "Refuse commands that destroy a disk, a home or the work of others"
    ),
    hookline!(
        "protect-files",
        "Refuse changes to secrets, lock files, git's own files and the hooks"
    ),
    hookline!(
        "block-secrets",
        "Refuse prompts, files and commands that hold a key or a token"
    ),
    hookline!(
        "format-on-edit",
        "Have a file's formatter put it in order when it was changed"
    ),
    hookline!(
        "git-context",
        "Tell the model about the branch and the last commits when a session starts"
    ),
    hookline!(
        "test-before-stop",
        "Send the agent back to work while the tests fail"
    ),
    hookline!("log-events", "Keep every event as a line of JSON"),
    hookline!(
        "notify",
        "Tell you on the desktop when the agent waits or is done"
    ),
    opta!(
        "block-rm",
        "Refuse to remove folders with all that is in them",
        script
    ),
    opta!("auto-lint", "Lint a file that was just changed", script),
    opta!("auto-test", "Run the tests after a change", script),
    opta!(
        "commit-at-end",
        "Commit what the session has changed when it ends"
    ),
    opencode!("log_all", "Log all events to a file"),
    opencode!(
        "notify_session_start",
        "Tell you on the desktop that a session starts"
    ),
    opencode!(
        "notify_session_end",
        "Tell you on the desktop that a session ends"
    ),
    opencode!(
        "notify_errors",
        "Tell you on the desktop that a tool has failed"
    ),
    opencode!(
        "git_auto_commit",
        "Commit everything when a file was written"
    ),
    opencode!("block_sudo", "Refuse commands with sudo"),
    opencode!(
        "load_local_env",
        "Refuse commands while .env.local cannot be loaded"
    ),
    opencode!("logging", "Log all events with their tools", script),
    opencode!(
        "validation",
        "Check Python and JSON files when they were written",
        script
    ),
    opencode!("security", "Refuse commands that destroy a machine", script),
    opencode!(
        "git_commit_file",
        "Commit the file that was written, and no other",
        script
    ),
];
