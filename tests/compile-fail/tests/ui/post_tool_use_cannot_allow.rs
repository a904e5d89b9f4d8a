use hook_types::{Answer, Event, PostToolUse};

fn hook(_: PostToolUse) -> Answer<PostToolUse> {
    PostToolUse::allow()
}

fn main() {}
