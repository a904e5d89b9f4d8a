use hook_runner::HookSet;
use hook_types::PreToolUse;

fn main() {
    let _ = HookSet::builder().on("Bash", |call: PreToolUse| async move { call.tool_name });
}
