use std::cell::Cell;

use hook_runner::HookSet;
use hook_types::PreToolUse;

fn main() {
    let count = Cell::new(0);
    let _ = HookSet::builder().on("Bash", move |_: PreToolUse| count.set(count.get() + 1));
}
