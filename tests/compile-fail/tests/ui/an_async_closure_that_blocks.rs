use hook_runner::HookSet;
use hook_types::PreToolUse;

fn main() {
    let _ = HookSet::builder().on_blocking("Bash", |_: PreToolUse| async {});
}
