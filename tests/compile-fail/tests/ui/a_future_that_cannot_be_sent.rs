use std::rc::Rc;

use hook_runner::HookSet;
use hook_types::PreToolUse;

fn main() {
    let _ = HookSet::builder().on("Bash", |_: PreToolUse| async {
        let count = Rc::new(1);
        std::future::ready(()).await;
        drop(count);
    });
}
