use hook_types::{Answer, Event, Stop};

fn hook(_: Stop) -> Answer<Stop> {
    Stop::rewrite(serde_json::json!({"command": "ls"}))
}

fn main() {}
