use hook_runner::HookSet;
use hook_types::{Event, PreToolUse, Stop};

fn main() {
    let _ = HookSet::builder().on("Bash", |_: PreToolUse| Stop::keep_going("more"));
}
