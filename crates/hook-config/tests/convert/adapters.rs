//! Commands behind the adapter.

use std::time::Duration;

use hook_config::{Adapter, Format, Rewrites, convert, parse};
use hook_types::OnFailure;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::meaning::document;

fn adapter() -> impl Strategy<Value = Adapter> {
    let text = || "[ -~\n]{0,10}";
    let some = || prop::option::of(text());
    let run = prop_oneof![
        text().prop_map(|text| vec!["sh".to_owned(), "-c".to_owned(), text]),
        prop::collection::vec(text(), 1..4),
    ];
    let flags = (
        prop::bool::ANY,
        prop::bool::ANY,
        prop::bool::ANY,
        prop::bool::ANY,
    );
    let env = prop::collection::vec(("[A-Z_]{1,5}", text()), 0..3);
    let times = prop::option::of((1..100_000_u64).prop_map(Duration::from_millis));
    (some(), some(), some(), run, flags, env, times).prop_map(
        |(matcher, condition, cwd, run, (block, background, server, closed), env, timeout)| {
            let mut adapter = Adapter::new(Format::Opta, Format::Claude, run);
            adapter.matcher = matcher;
            adapter.condition = condition;
            adapter.cwd = cwd;
            adapter.env = env;
            adapter.timeout = timeout;
            adapter.on_failure = if block {
                OnFailure::Block
            } else {
                OnFailure::Continue
            };
            adapter.background = background;
            adapter.rewrites = if block {
                Rewrites::Blocked
            } else {
                Rewrites::Answered
            };
            adapter.server = server;
            adapter.closed = closed;
            adapter.events = vec!["PostToolUse".to_owned()];
            adapter
        },
    )
}

proptest! {
    #[test]
    fn an_adapter_is_read_back_from_its_command_line(adapter in adapter()) {
        let text = adapter.to_command();
        prop_assert_eq!(Adapter::from_command(&text), Some(adapter), "{}", text);
    }

    #[test]
    fn no_other_command_is_taken_for_an_adapter(text in "[ -~]{0,30}") {
        prop_assert_eq!(Adapter::from_command(&text), None);
    }
}

#[test]
fn what_a_person_made_of_an_adapter_is_a_command_like_others() {
    let adapted = "hookline adapt --from opta --to claude -- sh -c ./x.sh";
    assert!(Adapter::from_command(adapted).is_some());
    for changed in [
        format!("{adapted} | tee log"),
        format!("cd sub && {adapted}"),
        format!("{adapted} --colour"),
        "hookline adapt --from opta -- sh -c ./x.sh".to_owned(),
        "hookline adapt --from opta --to claude --".to_owned(),
        "hookline adapt --from vim --to claude -- x".to_owned(),
        "hookline adapt --from opta --to claude --frob x -- x".to_owned(),
    ] {
        let adapter = Adapter::from_command(&changed);
        let is_same = adapter
            .as_ref()
            .is_some_and(|adapter| adapter.to_command() == changed);
        assert!(adapter.is_none() || is_same, "{changed}");
    }
}

/// The commands of a Claude file.
fn commands(file: &Value) -> Vec<String> {
    let parsed = parse(&document(file), Format::Claude);
    parsed.entries().map(hook_config::Entry::summary).collect()
}

#[test]
fn a_guard_is_closed_where_the_adapter_is_missing_and_an_agent_can_still_stop() {
    let file = json!({"hooks": [
        {"event": "tool.pre", "command": "a"},
        {"event": "stop", "command": "b"},
        {"event": "tool.post", "command": "c"},
    ]});
    let claude = convert(&document(&file), Format::Opta, Format::Claude).value;
    let closed = commands(&claude)
        .iter()
        .map(|command| command.contains("|| exit"))
        .collect::<Vec<_>>();
    assert_eq!(closed, [true, false, false, false], "{claude:#}");
}

#[test]
fn a_command_behind_an_adapter_goes_on_to_a_third_dialect_without_two_of_them() {
    let file =
        json!({"hooks": [{"event": "tool.pre", "matcher": "run_command", "command": "./x.sh"}]});
    let claude = convert(&document(&file), Format::Opta, Format::Claude).value;
    let opencode = convert(&document(&claude), Format::Claude, Format::OpenCode).value;
    let command = opencode["hooks"][0]["command"].as_str().unwrap();
    assert_eq!(
        command,
        "hookline adapt --from opta --to opencode --timeout 10 -- sh -c ./x.sh"
    );
}

#[test]
fn of_two_events_that_opta_does_not_tell_apart_the_adapter_takes_its_own() {
    let file = json!({"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}});
    let opta = convert(&document(&file), Format::Claude, Format::Opta).value;
    let command = opta["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains("--event PostToolUse "), "{command}");
    let back = convert(&document(&opta), Format::Opta, Format::Claude).value;
    assert_eq!(back, file);
}
