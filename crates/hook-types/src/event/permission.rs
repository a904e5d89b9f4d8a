//! Events around the question whether a tool call may happen.

use serde_json::Value;

use super::macros::event;
use super::tool::McpServer;
use crate::id::ToolUseId;
use crate::open_enum::open_enum;
use crate::permission::PermissionUpdate;

open_enum! {
    /// Who let a call through.
    GrantedBy {
        /// An allow rule.
        Rule = "rule",
        /// The permission mode.
        Mode = "mode",
        /// A hook.
        Hook = "hook",
        /// The user.
        User = "user",
    }
}

event! {
    /// The user is about to be asked, or a call that cannot ask is about to be refused. A hook
    /// answers in the user's place.
    PermissionRequest {
        needs {
            /// The tool.
            tool_name: String,
            /// What it will be called with.
            tool_input: Value as object,
        }
        may {
            /// Rules that the user could be offered to remember.
            permission_suggestions: Vec<PermissionUpdate>,
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}

event! {
    /// A call was refused without asking anybody.
    PermissionDenied {
        needs {
            /// The tool.
            tool_name: String,
            /// What it would have been called with.
            tool_input: Value as object,
            /// Why.
            reason: String,
        }
        sets {
            /// The call.
            tool_use_id: ToolUseId,
        }
        may {
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}

event! {
    /// The permission rules are about to be read for a call. Hookline's own, after OpenCode's
    /// `permission:check`: a hook may refuse the call or have the user asked, whatever the
    /// rules say.
    PermissionCheck {
        needs {
            /// The tool.
            tool_name: String,
            /// What it will be called with.
            tool_input: Value as object,
        }
        sets {
            /// The call.
            tool_use_id: ToolUseId,
        }
        may {
            /// What the rules alone would say: `allow`, `ask` or `deny`.
            perm_level: String,
            /// The rule that says so.
            perm_rule: String,
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}

event! {
    /// A call was let through. Hookline's own, after OpenCode's `permission:granted`; nothing
    /// that a hook answers changes it.
    PermissionGranted {
        needs {
            /// The tool.
            tool_name: String,
            /// What it will be called with.
            tool_input: Value as object,
            /// Who let it through.
            granted_by: GrantedBy,
        }
        sets {
            /// The call.
            tool_use_id: ToolUseId,
        }
        may {
            /// The rule that let it through.
            perm_rule: String,
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}
