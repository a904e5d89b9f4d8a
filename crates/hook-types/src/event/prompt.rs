//! Events around what the user says and what the user sees.

use super::macros::event;
use crate::number::Number;
use crate::open_enum::open_enum;

open_enum! {
    /// Where a prompt came from.
    PromptSource {
        /// The user typed it.
        User = "user",
        /// The program that embeds the agent sent it.
        Sdk = "sdk",
        /// The host made it.
        System = "system",
        /// A loop woke up.
        LoopWakeup = "loop_wakeup",
        /// A schedule was due.
        ScheduleWakeup = "schedule_wakeup",
        /// Something that was polled has happened.
        PollEvent = "poll_event",
    }

    /// What kind of command a prompt expands.
    ExpansionType {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }

    /// What a notification is about.
    NotificationType {
        /// A permission question has been waiting.
        PermissionPrompt = "permission_prompt",
        /// The agent has been waiting for the user.
        IdlePrompt = "idle_prompt",
        /// A login succeeded.
        AuthSuccess = "auth_success",
        /// An MCP server asks for input.
        ElicitationDialog = "elicitation_dialog",
        /// An MCP server asks the user to open an address.
        ElicitationUrlDialog = "elicitation_url_dialog",
        /// An MCP server's question is settled.
        ElicitationComplete = "elicitation_complete",
        /// The user answered an MCP server's question.
        ElicitationResponse = "elicitation_response",
        /// A background agent needs input.
        AgentNeedsInput = "agent_needs_input",
        /// A background agent is done.
        AgentCompleted = "agent_completed",
        /// Work went on after a quota was filled again.
        QuotaAutoResumeFired = "quota_auto_resume_fired",
        /// A planned resumption came too late.
        QuotaAutoResumeStale = "quota_auto_resume_stale",
        /// Planned resumptions were switched off.
        QuotaAutoResumeDisabled = "quota_auto_resume_disabled",
    }

    /// What was going on when the user interrupted.
    InterruptedDuring {
        /// The model was answering.
        Model = "model",
        /// A tool was running.
        Tool = "tool",
        /// The user was being asked for permission.
        Permission = "permission",
        /// A hook was running.
        Hook = "hook",
    }

    /// Whose message it is.
    MessageRole {
        /// The user's.
        User = "user",
        /// The model's.
        Assistant = "assistant",
        /// The host's.
        System = "system",
        /// A tool's result.
        Tool = "tool",
    }
}

event! {
    /// A prompt came in, from the user or from whatever else starts a turn.
    UserPromptSubmit {
        needs {
            /// The prompt, with pastes in place.
            prompt: String,
        }
        may {
            /// The session's title, where it was set by hand.
            session_title: String,
            /// Where the prompt came from.
            source: PromptSource,
        }
    }
}

event! {
    /// A slash command or an MCP prompt that the user typed is about to be expanded.
    UserPromptExpansion {
        needs {
            /// What kind of command it is.
            expansion_type: ExpansionType,
            /// The command's name.
            command_name: String,
            /// What follows the name.
            command_args: String,
            /// The prompt as typed.
            prompt: String,
        }
        may {
            /// Where the command is defined.
            command_source: String,
        }
    }
}

event! {
    /// The user is told something outside the conversation.
    Notification {
        needs {
            /// What the user is told.
            message: String,
            /// What it is about.
            notification_type: NotificationType,
        }
        may {
            /// The heading.
            title: String,
        }
    }
}

event! {
    /// Text of the model is about to be shown. A hook may show something else; the conversation
    /// keeps the original.
    MessageDisplay {
        needs {
            /// The turn.
            turn_id: String,
            /// The message.
            message_id: String,
            /// Which piece of the message this is, from 0.
            index: Number,
            /// Whether it is the last piece.
            r#final: bool,
            /// The text.
            delta: String,
        }
    }
}

event! {
    /// A message joined the conversation. Hookline's own, after OpenCode's `session:message`;
    /// nothing that a hook answers changes it.
    SessionMessage {
        needs {
            /// Whose message it is.
            role: MessageRole,
            /// The text, without tool calls and other parts that are not text.
            content: String,
        }
        may {
            /// The message.
            message_id: String,
        }
    }
}

event! {
    /// The user interrupted the agent. Hookline's own, after OpenCode's `user:interrupt`;
    /// nothing that a hook answers undoes it.
    UserInterrupt {
        needs {
            /// What was going on.
            during: InterruptedDuring,
        }
        may {
            /// The tool that was running.
            tool_name: String,
        }
    }
}
