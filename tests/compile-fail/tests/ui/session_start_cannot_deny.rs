use hook_types::{Answer, Event, SessionStart};

fn hook(_: SessionStart) -> Answer<SessionStart> {
    SessionStart::deny("not today")
}

fn main() {}
