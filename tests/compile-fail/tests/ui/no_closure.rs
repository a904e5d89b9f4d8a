use hook_runner::HookSet;

fn main() {
    let _ = HookSet::builder().on("Bash", "./lint.sh");
}
