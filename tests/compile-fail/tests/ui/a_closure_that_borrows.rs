use hook_runner::HookSet;
use hook_types::{Event, PreToolUse};

fn main() {
    let forbidden = String::from("sudo");
    let _ = HookSet::builder().on("Bash", |call: PreToolUse| {
        if call.command() == Some(&forbidden) { PreToolUse::deny("no") } else { PreToolUse::pass() }
    });
}
