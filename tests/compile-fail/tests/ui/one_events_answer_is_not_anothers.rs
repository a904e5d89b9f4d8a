use hook_types::{Answer, Event, PreToolUse, Stop};

fn hook(_: PreToolUse) -> Answer<PreToolUse> {
    Stop::keep_going("more")
}

fn main() {}
