use hook_runner::{HookSet, background};
use hook_types::{Event, PreToolUse, Stop};

fn main() {
    let _ = HookSet::builder()
        .on("Bash", |_: PreToolUse| background(async { Stop::keep_going("more") }));
}
