//! Events around a tool call.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::macros::event;
use crate::id::ToolUseId;
use crate::number::Number;
use crate::open_enum::open_enum;

open_enum! {
    /// Where an MCP server was configured. A value that is not listed must never be taken for
    /// `sdk`, which is the host's own.
    McpSource {
        /// By the program that embeds the agent.
        Sdk = "sdk",
        /// By a plugin.
        Plugin = "plugin",
        /// In the user's own files.
        User = "user",
        /// In the project's files.
        Project = "project",
        /// In the project's private files.
        Local = "local",
        /// While the session ran.
        Dynamic = "dynamic",
        /// By policy.
        Managed = "managed",
        /// By the organisation.
        Enterprise = "enterprise",
        /// By the user's account.
        Claudeai = "claudeai",
        /// By a subagent's definition.
        Agent = "agent",
    }
}

/// The MCP server that a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[non_exhaustive]
pub struct McpServer {
    /// The server's name.
    pub name: String,
    /// Where it was configured.
    pub source: McpSource,
    /// Fields that this version does not know.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl McpServer {
    /// A server and where it was configured.
    pub fn new(name: impl Into<String>, source: impl Into<McpSource>) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            extra: Map::new(),
        }
    }
}

/// One call of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct BatchedCall {
    /// The tool.
    pub tool_name: String,
    /// What it was called with.
    pub tool_input: Value,
    /// The call.
    pub tool_use_id: ToolUseId,
    /// What the model sees of the result: text or content blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_response: Option<Value>,
    /// Fields that this version does not know.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl BatchedCall {
    /// A call of a batch.
    pub fn new(
        tool_name: impl Into<String>,
        tool_input: Value,
        tool_use_id: impl Into<ToolUseId>,
        tool_response: Option<Value>,
    ) -> Self {
        Self {
            tool_name: tool_name.into(),
            tool_input,
            tool_use_id: tool_use_id.into(),
            tool_response,
            extra: Map::new(),
        }
    }
}

event! {
    /// A tool is about to run. A hook may deny it, ask the user, let it through, or change its
    /// input.
    ///
    /// ```
    /// use hook_types::{Event, PreToolUse};
    /// use serde_json::json;
    ///
    /// let call = PreToolUse::new("Bash", json!({"command": "sudo rm -rf /"}));
    /// assert_eq!(call.command(), Some("sudo rm -rf /"));
    /// let answer = PreToolUse::deny("sudo is not allowed here");
    /// # let _ = answer;
    /// ```
    PreToolUse {
        needs {
            /// The tool; `mcp__server__tool` for an MCP server's.
            tool_name: String,
            /// What it will be called with.
            tool_input: Value as object,
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
    /// A tool has run. A hook may add context, replace what the model sees, or object.
    PostToolUse {
        needs {
            /// The tool.
            tool_name: String,
            /// What it was called with.
            tool_input: Value as object,
            /// What it returned.
            tool_response: Value,
        }
        sets {
            /// The call.
            tool_use_id: ToolUseId,
        }
        may {
            /// How long the tool took, without prompts and hooks.
            duration_ms: Number,
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}

event! {
    /// A tool was started and failed. Not fired for a call that was denied, invalid or cancelled.
    PostToolUseFailure {
        needs {
            /// The tool.
            tool_name: String,
            /// What it was called with.
            tool_input: Value as object,
            /// What went wrong, as the model sees it.
            error: String,
        }
        sets {
            /// The call.
            tool_use_id: ToolUseId,
        }
        may {
            /// Whether the user interrupted it.
            is_interrupt: bool,
            /// How long the tool took, without prompts and hooks.
            duration_ms: Number,
            /// The server that an MCP tool comes from.
            mcp_server: McpServer,
        }
    }
}

event! {
    /// All calls of one model reply are done; the next request to the model comes after this.
    PostToolBatch {
        needs {
            /// The calls, in the order the model made them.
            tool_calls: Vec<BatchedCall>,
        }
    }
}

event! {
    /// The model is about to be told which tools there are. Hookline's own; it carries what
    /// Gemini's `BeforeToolSelection` carries. A hook may narrow the choice or refuse the turn.
    PreToolSelection {
        needs {
            /// The model that will choose.
            model: String,
            /// The tools that it will be offered.
            tool_names: Vec<String>,
            /// The request as it stands: `model`, `messages`, `config`, `toolConfig`.
            llm_request: Value as object,
        }
    }
}

/// The shell command of a tool call, where it has one.
fn command(input: &Value) -> Option<&str> {
    input.get("command")?.as_str()
}

/// The file that a tool call is about, where it is about one.
fn file_path(input: &Value) -> Option<&str> {
    ["file_path", "notebook_path", "path"]
        .iter()
        .find_map(|key| input.get(key)?.as_str())
}

macro_rules! tool_call {
    ($($event:ident)*) => {$(
        impl $event {
            /// The shell command of the call, where it has one.
            pub fn command(&self) -> Option<&str> {
                command(&self.tool_input)
            }

            /// The file that the call is about, where it is about one.
            pub fn file_path(&self) -> Option<&str> {
                file_path(&self.tool_input)
            }
        }
    )*};
}

tool_call!(PreToolUse PostToolUse PostToolUseFailure);
