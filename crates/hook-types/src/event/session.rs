//! Events of a session as a whole: start, end, set-up, errors, compaction.

use super::macros::event;
use crate::number::Number;
use crate::open_enum::open_enum;

open_enum! {
    /// Why a session starts.
    SessionSource {
        /// It is new.
        Startup = "startup",
        /// An earlier one goes on.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was compacted.
        Compact = "compact",
        /// It branches off another one.
        Fork = "fork",
    }

    /// Why a session ends.
    EndReason {
        /// The conversation was cleared.
        Clear = "clear",
        /// Another session is resumed in its place.
        Resume = "resume",
        /// The user logged out.
        Logout = "logout",
        /// The user left at the prompt.
        PromptInputExit = "prompt_input_exit",
        /// Anything else.
        Unspecified = "other",
    }

    /// What asked for a set-up.
    SetupTrigger {
        /// A first set-up.
        Init = "init",
        /// Upkeep.
        Maintenance = "maintenance",
    }

    /// What asked for a compaction.
    CompactTrigger {
        /// The user.
        Manual = "manual",
        /// A full context.
        Auto = "auto",
    }

    /// What kind of error it was.
    ErrorType {
        /// The model, or the way to it.
        Model = "model",
        /// A tool, in a way that it could not report itself.
        Tool = "tool",
        /// An MCP server.
        Mcp = "mcp",
        /// A configuration file.
        Config = "config",
        /// The agent itself.
        Internal = "internal",
    }
}

event! {
    /// A session begins. What a hook adds as context stands at the conversation's start.
    SessionStart {
        needs {
            /// Why it starts.
            source: SessionSource,
        }
        may {
            /// The model in use.
            model: String,
            /// The session's title, where it was set by hand.
            session_title: String,
            /// When resumed: how long ago the last reply was.
            seconds_since_last_response: Number,
            /// When resumed: how large the context is.
            context_tokens: Number,
            /// When resumed: whether the prompt cache has probably run out.
            prompt_cache_likely_expired: bool,
            /// When resumed: what filling the cache again will cost.
            estimated_cache_write_usd: Number,
        }
    }
}

event! {
    /// A session ends. Hooks share one short budget; nothing they answer counts.
    SessionEnd {
        needs {
            /// Why it ends.
            reason: EndReason,
        }
    }
}

event! {
    /// A project is being set up, before any session.
    Setup {
        needs {
            /// What asked for it.
            trigger: SetupTrigger,
        }
    }
}

event! {
    /// The conversation is about to be summarised.
    PreCompact {
        needs {
            /// What asked for it.
            trigger: CompactTrigger,
        }
        sets {
            /// What the user wants kept; `null` where nothing was said.
            custom_instructions: Option<String>,
        }
    }
}

event! {
    /// The conversation has been summarised.
    PostCompact {
        needs {
            /// What asked for it.
            trigger: CompactTrigger,
            /// The summary.
            compact_summary: String,
        }
    }
}

event! {
    /// Something failed: the model's service, a tool that could not say so itself, a file that was
    /// needed. Hookline's own, after Opta's `error`; nothing that a hook answers changes it.
    Error {
        needs {
            /// What kind of error it was.
            error_type: ErrorType,
            /// What went wrong.
            error: String,
        }
        may {
            /// Everything else that is known of it.
            error_details: String,
            /// Whether the session ends because of it.
            fatal: bool,
        }
    }
}
