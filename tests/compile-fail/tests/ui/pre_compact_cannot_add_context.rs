use hook_types::{Answer, Event, PreCompact};

fn hook(_: PreCompact) -> Answer<PreCompact> {
    PreCompact::deny("later").with_context("and this")
}

fn main() {}
