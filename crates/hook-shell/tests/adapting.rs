//! The way back: what a dialect tells a command is understood, and what is said in a dialect is read there
//! as it was meant.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use hook_shell::Dialect;
use hook_shell::protocol::{Collected, reply};
use hook_types::wire::Extent;
use hook_types::{Base, Decision, EventName, HookEvent, SyncOutput};
use process_tree::Ending;
use serde_json::{Value, json};

const DIALECTS: [Dialect; 4] = [
    Dialect::Claude,
    Dialect::Hookline,
    Dialect::Opta,
    Dialect::OpenCode,
];

fn event(name: EventName, fields: Value) -> HookEvent {
    HookEvent::from_json(name.as_str(), fields, &Base::new("s", "/t", "/p")).unwrap()
}

fn events() -> Vec<HookEvent> {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    vec![
        event(EventName::PreToolUse, call),
        event(EventName::UserPromptSubmit, json!({"prompt": "hello"})),
        event(EventName::SessionStart, json!({"source": "startup"})),
        event(
            EventName::PostToolUse,
            json!({"tool_name": "Bash", "tool_input": {}, "tool_response": "x"}),
        ),
    ]
}

/// What an answer comes to when a command of a dialect gives it.
fn read_back(dialect: Dialect, event: &HookEvent, output: &SyncOutput) -> SyncOutput {
    let said = dialect.say(event.name(), output);
    let collected = Collected {
        ending: &Ending::Exited(said.code.into()),
        stdout: &said.stdout,
        stderr: &said.stderr,
        cut: Extent::Whole,
        limit: Duration::from_secs(1),
    };
    reply(dialect, event, &collected).output.into_inner()
}

#[test]
fn a_refusal_is_a_refusal_in_every_dialect() {
    for event in events() {
        if event.name() == EventName::SessionStart {
            continue; // nothing can be refused there
        }
        for dialect in DIALECTS {
            let read = read_back(dialect, &event, &SyncOutput::deny("not here"));
            let what = format!("{dialect:?} {}", event.name());
            assert_eq!(read.decision, Decision::Deny, "{what}");
            assert_eq!(read.reason.as_deref(), Some("not here"), "{what}");
        }
    }
}

#[test]
fn a_refusal_with_more_to_say_says_it_in_every_dialect() {
    let event = &events()[0];
    let mut output = SyncOutput::deny("no");
    output.system_message = Some("look out".to_owned());
    for dialect in DIALECTS {
        assert_eq!(read_back(dialect, event, &output), output, "{dialect:?}");
    }
}

#[test]
fn context_a_rewrite_and_a_question_come_through_in_every_dialect() {
    let [call, prompt, start, _] = &events()[..] else {
        unreachable!()
    };
    let mut context = SyncOutput::default();
    context.additional_context = Some("mind the gap".to_owned());
    let rewrite = SyncOutput::rewriting_input(Some(json!({"command": "ls -l"})));
    let mut ask = SyncOutput::default();
    ask.decision = Decision::Ask;
    ask.reason = Some("sure?".to_owned());
    for dialect in DIALECTS {
        for (event, output) in [
            (prompt, &context),
            (start, &context),
            (call, &rewrite),
            (call, &ask),
        ] {
            assert_eq!(
                &read_back(dialect, event, output),
                output,
                "{dialect:?} {}",
                event.name()
            );
        }
        let nothing = dialect.say(call.name(), &SyncOutput::default());
        assert_eq!(
            (nothing.stdout.as_str(), nothing.code),
            ("", 0),
            "{dialect:?}"
        );
    }
}

#[test]
fn a_failure_that_is_to_change_nothing_changes_nothing() {
    for event in events() {
        for dialect in DIALECTS {
            let said = dialect.fail(event.name(), "it was lost");
            let collected = Collected {
                ending: &Ending::Exited(said.code.into()),
                stdout: &said.stdout,
                stderr: &said.stderr,
                cut: Extent::Whole,
                limit: Duration::from_secs(1),
            };
            let read = reply(dialect, &event, &collected);
            assert_eq!(
                read.output,
                SyncOutput::default(),
                "{dialect:?} {}",
                event.name()
            );
            assert_eq!(read.evidence.stderr, "it was lost\n");
        }
    }
}

#[test]
fn what_is_told_in_variables_alone_is_an_event() {
    let told = |name: &str| match name {
        "OPTA_EVENT" => Some("tool.pre".to_owned()),
        "OPTA_TOOL_NAME" => Some("write_file".to_owned()),
        "OPTA_TOOL_ARGS" => Some(r#"{"path": "a.txt", "content": "x"}"#.to_owned()),
        "OPTA_SESSION_ID" => Some("s-1".to_owned()),
        "OPTA_CWD" => Some("/srv".to_owned()),
        "OPENCODE_EVENT" => Some("tool:error".to_owned()),
        "OPENCODE_TOOL_NAME" => Some("bash".to_owned()),
        "OPENCODE_TOOL_ARGS" => Some(r#"{"command": "ls"}"#.to_owned()),
        "OPENCODE_ERROR" => Some("gone".to_owned()),
        _ => None,
    };
    let opta = Dialect::Opta.hear("", told).unwrap();
    assert_eq!(opta["tool_name"], "Write");
    assert_eq!(
        opta["tool_input"],
        json!({"content": "x", "file_path": "a.txt"})
    );
    assert_eq!(
        (&opta["cwd"], &opta["session_id"]),
        (&json!("/srv"), &json!("s-1"))
    );
    let opencode = Dialect::OpenCode.hear("not JSON", told).unwrap();
    assert_eq!(opencode["hook_event_name"], "PostToolUseFailure");
    assert_eq!(
        (&opencode["tool_name"], &opencode["error"]),
        (&json!("Bash"), &json!("gone"))
    );
    assert_eq!(Dialect::Claude.hear("", told), None);
}

#[test]
fn every_event_of_opencode_is_complete_when_it_is_heard() {
    for name in EventName::ALL {
        let Some(theirs) = Dialect::OpenCode.event_name(*name) else {
            continue;
        };
        let heard = Dialect::OpenCode.hear(&json!({"type": theirs}).to_string(), |_| None);
        let read = HookEvent::from_json(name.as_str(), heard.unwrap(), &Base::default());
        assert_eq!(read.unwrap().name(), *name);
    }
    for name in EventName::ALL {
        let Some(theirs) = Dialect::Opta.event_name(*name) else {
            continue;
        };
        let told = |variable: &str| (variable == "OPTA_EVENT").then(|| theirs.to_owned());
        let heard = Dialect::Opta.hear("", told).unwrap();
        let event = heard["hook_event_name"].as_str().unwrap().to_owned();
        assert!(
            HookEvent::from_json(&event, heard, &Base::default()).is_ok(),
            "{theirs}"
        );
    }
}
