//! The one table: everything the engine must know of an event is its row here.
//!
//! From a row come the event's name, its place in [`HookEvent`](super::HookEvent), the matcher's
//! subject and, for the compiler, what a hook may answer. Adding an event is one struct in its
//! family's file, one row here and one line in `event/mod.rs`.
//!
//! The columns:
//!
//! * `subject`: what a matcher is tested against. `none`; `of(field)`; `narrow(field)`, with the
//!   narrower reading of names; `basename(field)`, narrow, on a path's last part; `model(field)`,
//!   on a model's name without its context suffix.
//! * `within`: the default deadline in seconds, or a budget that all hooks share.
//! * `block`: what a block does, and `by` where on the wire it is spelt.
//! * `stdout`: what plain text is. `exit2`: what a command's exit code 2 does.
//! * `flags`: `guard`; `timeout_blocks`; `exempt(subject)`, which no hook can block.
//! * `honours`: the parts of an answer that count, beside the block, `suppressOutput` and
//!   `terminalSequence`.

use super::erased::event_table;

event_table! {
    PreToolUse {
        subject: of(tool_name), within: each(600), block: Prevent by PermissionDecision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [Allow Ask Defer UpdatedInput AdditionalContext Continue SystemMessage]
    }
    PostToolUse {
        subject: of(tool_name), within: each(600), block: Feedback by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [AdditionalContext UpdatedToolOutput ClassifierContext Continue SystemMessage]
    }
    PostToolUseFailure {
        subject: of(tool_name), within: each(600), block: Feedback by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [AdditionalContext Continue SystemMessage]
    }
    PostToolBatch {
        subject: none, within: each(600), block: EndTurn by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [AdditionalContext Continue SystemMessage]
    }
    Notification {
        subject: of(notification_type), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [AdditionalContext]
    }
    UserPromptSubmit {
        subject: none, within: each(30), block: Prevent by Decision,
        stdout: Context, exit2: Blocks, flags: [guard],
        honours: [AdditionalContext SessionTitle SuppressOriginalPrompt Continue SystemMessage]
    }
    UserPromptExpansion {
        subject: of(command_name), within: each(600), block: Prevent by Decision,
        stdout: Context, exit2: Blocks, flags: [guard],
        honours: [AdditionalContext SuppressOriginalPrompt Continue SystemMessage]
    }
    SessionStart {
        subject: of(source), within: each(600), block: Ignore by Unspoken,
        stdout: Context, exit2: Shown, flags: [],
        honours: [AdditionalContext InitialUserMessage SessionTitle WatchPaths ReloadSkills Continue SystemMessage]
    }
    SessionEnd {
        subject: of(reason), within: shared(1_500, 60_000), block: Ignore by Unspoken,
        stdout: Ignored, exit2: Shown, flags: [],
        honours: []
    }
    Stop {
        subject: none, within: each(600), block: KeepGoing by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [AdditionalContext Continue SystemMessage]
    }
    StopFailure {
        subject: narrow(error), within: each(600), block: Ignore by Unspoken,
        stdout: Ignored, exit2: Ignored, flags: [],
        honours: []
    }
    SubagentStart {
        subject: of(agent_type), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: [AdditionalContext Continue SystemMessage]
    }
    SubagentStop {
        subject: of(agent_type), within: each(600), block: KeepGoing by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [AdditionalContext Continue SystemMessage]
    }
    PreCompact {
        subject: of(trigger), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: []
    }
    PostCompact {
        subject: of(trigger), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: []
    }
    PreModelSwitch {
        subject: model(to_model), within: each(30), block: Prevent by PermissionDecision,
        stdout: Answer, exit2: Blocks, flags: [guard timeout_blocks],
        honours: [Allow Ask Continue SystemMessage]
    }
    PostModelSwitch {
        subject: model(to_model), within: each(30), block: Ignore by Unspoken,
        stdout: Context, exit2: Shown, flags: [],
        honours: [AdditionalContext]
    }
    PermissionRequest {
        subject: of(tool_name), within: each(600), block: Prevent by Behavior,
        stdout: Answer, exit2: Ignored, flags: [guard],
        honours: [Allow UpdatedInput UpdatedPermissions Interrupt Continue SystemMessage]
    }
    PermissionDenied {
        subject: of(tool_name), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [Retry Continue SystemMessage]
    }
    Setup {
        subject: of(trigger), within: each(600), block: Ignore by Unspoken,
        stdout: Ignored, exit2: Ignored, flags: [],
        honours: []
    }
    TeammateIdle {
        subject: none, within: each(600), block: KeepGoing by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [Continue SystemMessage]
    }
    TaskCreated {
        subject: none, within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [SystemMessage]
    }
    TaskCompleted {
        subject: none, within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [],
        honours: [Continue SystemMessage]
    }
    Elicitation {
        subject: of(mcp_server_name), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [Action]
    }
    ElicitationResult {
        subject: of(mcp_server_name), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [Action]
    }
    ConfigChange {
        subject: of(source), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard exempt("policy_settings")],
        honours: []
    }
    WorktreeCreate {
        subject: none, within: each(600), block: Fail by Decision,
        stdout: Path, exit2: BlocksLikeAnyFailure, flags: [guard],
        honours: [WorktreePath]
    }
    WorktreeRemove {
        subject: none, within: each(600), block: Fail by Unspoken,
        stdout: Ignored, exit2: BlocksLikeAnyFailure, flags: [],
        honours: []
    }
    InstructionsLoaded {
        subject: of(load_reason), within: each(600), block: Ignore by Unspoken,
        stdout: Ignored, exit2: Ignored, flags: [],
        honours: []
    }
    CwdChanged {
        subject: none, within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: [WatchPaths SystemMessage]
    }
    FileChanged {
        subject: basename(file_path), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: [WatchPaths SystemMessage]
    }
    DirectoryAdded {
        subject: of(source), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
    MessageDisplay {
        subject: none, within: each(10), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [DisplayContent]
    }

    // Hookline's own, from Opta, OpenCode and Gemini.
    Error {
        subject: of(error_type), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: [SystemMessage]
    }
    PreModelRequest {
        subject: model(model), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [LlmRequest LlmResponse AdditionalContext Continue SystemMessage]
    }
    PostModelResponse {
        subject: model(model), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Shown, flags: [],
        honours: [LlmResponse Continue SystemMessage]
    }
    ModelStreamStart {
        subject: model(model), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
    ModelStreamEnd {
        subject: model(model), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
    PreToolSelection {
        subject: model(model), within: each(600), block: Prevent by Decision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [ToolConfig Continue SystemMessage]
    }
    SessionMessage {
        subject: of(role), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
    PermissionCheck {
        subject: of(tool_name), within: each(600), block: Prevent by PermissionDecision,
        stdout: Answer, exit2: Blocks, flags: [guard],
        honours: [Ask Continue SystemMessage]
    }
    PermissionGranted {
        subject: of(tool_name), within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
    UserInterrupt {
        subject: none, within: each(600), block: Ignore by Unspoken,
        stdout: Answer, exit2: Ignored, flags: [],
        honours: [SystemMessage]
    }
}
