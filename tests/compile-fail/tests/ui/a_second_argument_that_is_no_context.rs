use hook_runner::HookSet;
use hook_types::PreToolUse;

fn main() {
    let _ = HookSet::builder().on("Bash", |_: PreToolUse, _: usize| ());
}
