//! Claude settings and Hookline's own files: every field, and every mistake one at a time.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod support;

use std::time::Duration;

use hook_config::{
    Action, CommandAction, Diagnostic, Entry, Factories, Format, Parsed, Run, ServerAction,
    Severity, parse, read,
};
use hook_runner::Wait;
use hook_shell::Dialect;
use hook_types::{EventName, OnFailure};
use serde_json::{Value, json};
use support::{codes, command, settings};

fn parsed(text: &str, format: Format) -> Parsed {
    parse(&read("settings.json", text.as_bytes()).unwrap(), format)
}

/// The one entry of settings with this handler, and nothing to say about it.
fn entry(handler: &Value, format: Format) -> Entry {
    let text = settings("PreToolUse", "Bash", std::slice::from_ref(handler));
    let parsed = parsed(&text, format);
    assert_eq!(parsed.diagnostics, [], "{handler}");
    assert!(parsed.broken.is_empty(), "{handler}");
    let entries: Vec<&Entry> = parsed.entries().collect();
    assert_eq!(entries.len(), 1, "{handler}");
    entries[0].clone()
}

fn claude(handler: &Value) -> Entry {
    entry(handler, Format::Claude)
}

fn own(handler: &Value) -> Entry {
    entry(handler, Format::Hookline)
}

fn the_command(entry: &Entry) -> &CommandAction {
    if let Action::Command(command) = &entry.action {
        return command;
    }
    panic!("{entry:?} is no command");
}

mod fields {
    use super::*;

    #[test]
    fn a_command_is_read_by_a_shell() {
        let entry = claude(&command("./guard.sh --all"));
        assert_eq!(
            *the_command(&entry),
            CommandAction::shell("./guard.sh --all")
        );
        assert_eq!(entry.dialect, Dialect::Claude);
        assert_eq!(entry.listens[0].event, EventName::PreToolUse);
        assert_eq!(entry.listens[0].pattern(), "Bash");
        assert_eq!((entry.timeout, entry.on_failure), (None, None));
        assert_eq!(
            (entry.once, entry.enabled, entry.wait),
            (false, true, Wait::Awaited)
        );
    }

    #[test]
    fn args_make_it_a_program_without_a_shell_even_when_there_are_none() {
        for args in [vec![], vec!["-n", "a b"]] {
            let entry = claude(&json!({"type": "command", "command": "check", "args": args}));
            let expected = Run::Exec {
                program: "check".to_owned(),
                args: args.iter().map(ToString::to_string).collect(),
            };
            assert_eq!(the_command(&entry).run, expected);
        }
    }

    #[test]
    fn the_shell_is_bash_or_powershell() {
        for (word, program) in [("bash", "bash"), ("powershell", "pwsh")] {
            let entry = claude(&json!({"type": "command", "command": "x", "shell": word}));
            assert_eq!(the_command(&entry).shell.as_deref(), Some(program));
        }
    }

    #[test]
    fn a_timeout_is_in_seconds_and_may_have_a_fraction() {
        let entry = claude(&json!({"type": "command", "command": "x", "timeout": 1.5}));
        assert_eq!(entry.timeout, Some(Duration::from_millis(1500)));
    }

    #[test]
    fn a_condition_once_a_failure_and_a_status_message_are_kept() {
        let entry = claude(&json!({
            "type": "command", "command": "x", "if": "Bash(git *)", "once": true,
            "onFailure": "block", "statusMessage": "looking",
        }));
        assert_eq!(entry.condition.unwrap().to_string(), "Bash(git *)");
        assert!(entry.once);
        assert_eq!(entry.on_failure, Some(OnFailure::Block));
        assert_eq!(entry.status_message.as_deref(), Some("looking"));
    }

    #[test]
    fn async_goes_on_in_the_background_and_rewake_is_async_too() {
        let wait = |extra: Value| {
            let mut handler = command("x");
            handler
                .as_object_mut()
                .unwrap()
                .extend(extra.as_object().unwrap().clone());
            claude(&handler).wait
        };
        assert_eq!(wait(json!({"async": true})), Wait::Background);
        assert_eq!(wait(json!({"asyncRewake": true})), Wait::Rewake);
        assert_eq!(
            wait(json!({"async": true, "asyncRewake": true})),
            Wait::Rewake
        );
        assert_eq!(wait(json!({"async": false})), Wait::Awaited);
    }

    #[test]
    fn the_other_types_keep_their_own_fields() {
        let handlers = [
            json!({"type": "http", "url": "https://example.com/x", "headers": {"A": "$B"},
                   "allowedEnvVars": ["B"], "onFailure": "block", "timeout": 5}),
            json!({"type": "prompt", "prompt": "Is $ARGUMENTS safe?", "model": "small",
                   "continueOnBlock": true}),
            json!({"type": "agent", "prompt": "Look.", "model": "small", "once": true}),
            json!({"type": "mcp_tool", "server": "disk", "tool": "scan", "input": {"path": "${cwd}"}}),
        ];
        let shared = ["type", "onFailure", "timeout", "once"];
        for handler in handlers {
            let Action::Other { kind, fields, .. } = claude(&handler).action else {
                panic!("{handler} is another action");
            };
            let mut expected = handler.as_object().unwrap().clone();
            assert_eq!(expected["type"], kind);
            expected.retain(|key, _| !shared.contains(&key.as_str()));
            assert_eq!(fields, expected);
        }
    }

    #[test]
    fn every_type_has_the_shared_fields_and_only_some_a_failure_that_blocks() {
        let types = [
            (json!({"type": "command", "command": "x"}), true),
            (json!({"type": "http", "url": "https://example.com"}), true),
            (json!({"type": "prompt", "prompt": "x"}), false),
            (json!({"type": "agent", "prompt": "x"}), false),
            (
                json!({"type": "mcp_tool", "server": "a", "tool": "b"}),
                false,
            ),
        ];
        for (mut handler, may_block) in types {
            let shared = json!({
                "if": "Bash(git *)", "timeout": 2.5, "statusMessage": "looking", "once": true,
                "onFailure": "block",
            });
            let fields = handler.as_object_mut().unwrap();
            fields.extend(shared.as_object().unwrap().clone());
            let text = settings("PreToolUse", "Bash", std::slice::from_ref(&handler));
            let parsed = parsed(&text, Format::Claude);
            let entry = parsed.entries().next().unwrap();
            assert_eq!(entry.action.kind(), handler["type"]);
            assert_eq!(entry.condition.as_ref().unwrap().to_string(), "Bash(git *)");
            assert_eq!(entry.timeout, Some(Duration::from_millis(2500)));
            assert_eq!(entry.status_message.as_deref(), Some("looking"));
            assert!(entry.once, "{handler}");
            let blocks = may_block.then_some(OnFailure::Block);
            assert_eq!(entry.on_failure, blocks, "{handler}");
            let told: &[&str] = if may_block { &[] } else { &["useless-key"] };
            assert_eq!(codes(&parsed.diagnostics), told, "{handler}");
        }
    }

    #[test]
    fn our_own_files_have_env_cwd_enabled_description_and_servers() {
        let entry = own(&json!({
            "type": "command", "command": "x", "env": {"A": "1", "N": 2}, "cwd": "tools",
            "enabled": false, "description": "checks",
        }));
        let run = the_command(&entry);
        let env = [
            ("A".to_owned(), "1".to_owned()),
            ("N".to_owned(), "2".to_owned()),
        ];
        assert_eq!(
            (run.env.as_slice(), run.cwd.as_deref()),
            (&env[..], Some("tools".as_ref()))
        );
        assert!(!entry.enabled);
        assert_eq!(entry.description.as_deref(), Some("checks"));
        assert_eq!(entry.dialect, Dialect::Hookline);

        let entry = own(&json!({"type": "server", "command": "guardd", "timeout": 2}));
        let expected = ServerAction {
            command: "guardd".to_owned(),
            env: Vec::new(),
            cwd: None,
        };
        assert_eq!(entry.action, Action::Server(expected));
    }

    #[test]
    fn a_matcher_entry_is_a_parallel_group_and_our_own_files_may_say_otherwise() {
        use hook_config::StopOnFailure;
        use hook_runner::Mode;
        let text = settings("Stop", "", &[command("a"), command("b")]);
        let group = &parsed(&text, Format::Claude).groups[0];
        assert_eq!((group.mode, group.entries.len()), (Mode::Parallel, 2));

        let text = json!({"hooks": {"Stop": [{
            "mode": "sequential", "timeout": 9, "onFailure": "block", "stopOnFailure": true,
            "hooks": [command("a")],
        }]}});
        let group = &parsed(&text.to_string(), Format::Hookline).groups[0];
        assert_eq!(group.mode, Mode::Sequential);
        assert_eq!(group.timeout, Some(Duration::from_secs(9)));
        assert_eq!(group.on_failure, Some(OnFailure::Block));
        assert_eq!(group.stop_on_failure, StopOnFailure::Always);
    }

    #[test]
    fn the_narrow_reading_of_names_holds_for_the_events_that_have_it() {
        let text = settings("StopFailure", "rate-limit", &[command("x")]);
        let parsed = parsed(&text, Format::Claude);
        let matcher = &parsed.entries().next().unwrap().listens[0].matcher;
        assert!(
            matcher.matches("a rate-limit was hit").is_match(),
            "a hyphen makes it a regex"
        );
    }

    #[test]
    fn comments_and_trailing_commas_and_other_settings_are_no_problem() {
        let text = r#"{
            // mine
            "$schema": "https://example.com/settings.json",
            "permissions": {"allow": ["Bash(ls)"]},
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x",},],},],},
        }"#;
        let parsed = parsed(text, Format::Claude);
        assert_eq!(parsed.diagnostics, []);
        assert_eq!(parsed.entries().count(), 1);
    }

    #[test]
    fn an_entry_knows_its_line_and_column() {
        let text = "{\"hooks\": {\"Stop\": [{\"hooks\": [\n  {\"type\": \"command\", \"command\": \"é\"},  {\"type\": \"command\", \"command\": \"b\"}\n]}]}}";
        let parsed = parsed(text, Format::Claude);
        let places: Vec<String> = parsed
            .entries()
            .map(|entry| entry.place.to_string())
            .collect();
        assert_eq!(places, ["settings.json:2:3", "settings.json:2:41"]);
    }
}

/// What settings amount to once they are loaded: diagnostics of reading and of making alike.
fn problems(text: &str, format: Format) -> Vec<Diagnostic> {
    let scene = support::Scene::new();
    let path = if format == Format::Hookline {
        "project/.hookline/hooks.json"
    } else {
        "project/.claude/settings.json"
    };
    scene.write(path, text);
    scene.load().report.diagnostics
}

/// A mistake in one handler is one diagnostic with this code, at this text, with this suggestion; and
/// the handlers around it live.
fn mistake(bad: &Value, format: Format, expected: (&str, &str, Option<&str>)) {
    let handlers = [command("before"), bad.clone(), command("after")];
    let text = settings("PreToolUse", "Bash", &handlers);
    let found = problems(&text, format);
    let told: Vec<(&str, &str, Option<&str>)> = found
        .iter()
        .map(|problem| {
            let place = problem.place.as_ref().unwrap();
            (
                problem.code.as_str(),
                place.text(),
                problem.suggestion.as_deref(),
            )
        })
        .collect();
    assert_eq!(told, [expected], "{bad}");
    let parsed = parsed(&text, format);
    let commands: Vec<String> = parsed.entries().map(Entry::summary).collect();
    assert!(commands.contains(&"before".to_owned()), "{commands:?}");
    assert!(commands.contains(&"after".to_owned()), "{commands:?}");
}

mod mistakes {
    use super::*;

    #[test]
    fn a_type_in_the_wrong_case() {
        let bad = json!({"type": "Command", "command": "x"});
        mistake(
            &bad,
            Format::Claude,
            ("unknown-type", "\"Command\"", Some("\"command\"")),
        );
    }

    #[test]
    fn a_type_that_nobody_knows() {
        let bad = json!({"type": "webhook", "url": "x"});
        mistake(&bad, Format::Claude, ("unknown-type", "\"webhook\"", None));
    }

    #[test]
    fn a_type_that_nothing_here_can_run() {
        let bad = json!({"type": "prompt", "prompt": "ok?"});
        mistake(&bad, Format::Claude, ("no-factory", "\"prompt\"", None));
    }

    #[test]
    fn a_server_in_claude_settings() {
        let bad = json!({"type": "server", "command": "x"});
        mistake(&bad, Format::Claude, ("unknown-type", "\"server\"", None));
    }

    #[test]
    fn a_missing_type_or_command() {
        let bad = json!({"command": "x"});
        mistake(
            &bad,
            Format::Claude,
            ("missing-key", &bad.to_string(), None),
        );
        let bad = json!({"type": "command"});
        mistake(
            &bad,
            Format::Claude,
            ("missing-key", &bad.to_string(), None),
        );
    }

    #[test]
    fn a_missing_key_that_is_there_with_a_slip_is_one_message() {
        let bad = json!({"type": "command", "comand": "x"});
        mistake(
            &bad,
            Format::Claude,
            ("missing-key", "\"comand\"", Some("\"command\"")),
        );
        let text = r#"{"hooks": {"PreToolUse": [{"hook": []}]}}"#;
        let expected = (
            "missing-key",
            "\"hook\"",
            Some("\"hooks\""),
            &[EventName::PreToolUse][..],
        );
        around(text, expected);
        assert_eq!(parsed(text, Format::Claude).diagnostics.len(), 1);
    }

    #[test]
    fn an_empty_command() {
        let bad = json!({"type": "command", "command": "  "});
        mistake(&bad, Format::Claude, ("wrong-value", "\"  \"", None));
    }

    #[test]
    fn a_command_that_no_program_can_be_told() {
        let bad = json!({"type": "command", "command": "true\u{0}x"});
        let text = settings("PreToolUse", "Bash", &[bad]);
        let parsed = parsed(&text, Format::Claude);
        assert_eq!(codes(&parsed.diagnostics), ["wrong-value"]);
        assert_eq!(parsed.broken.len(), 1);
    }

    #[test]
    fn a_handler_that_is_no_object() {
        mistake(
            &json!("./x.sh"),
            Format::Claude,
            ("wrong-type", "\"./x.sh\"", None),
        );
    }

    #[test]
    fn a_timeout_that_is_no_time() {
        for (timeout, suggestion) in [
            (json!(0), None),
            (json!(-3), None),
            (json!("30"), Some("30")),
            (json!("soon"), None),
            (json!(true), None),
        ] {
            let bad = json!({"type": "command", "command": "x", "timeout": timeout});
            let written = timeout.to_string();
            mistake(&bad, Format::Claude, ("bad-timeout", &written, suggestion));
        }
    }

    #[test]
    fn a_timeout_that_looks_like_milliseconds() {
        let odd = json!({"type": "command", "command": "x", "timeout": 5000});
        mistake(&odd, Format::Claude, ("milliseconds", "5000", Some("5")));
    }

    #[test]
    fn a_condition_that_is_no_rule() {
        let bad = json!({"type": "command", "command": "x", "if": "Bash(git *"});
        mistake(
            &bad,
            Format::Claude,
            ("bad-condition", "\"Bash(git *\"", None),
        );
    }

    #[test]
    fn a_list_of_strings_that_is_none_is_told_by_what_is_in_it() {
        for (key, value, expected) in [
            (
                "args",
                json!(["a", 1]),
                "`args` must be a list of strings, not a list with a number in it",
            ),
            (
                "env",
                json!({"A": 1, "B": ["x"]}),
                "`env` must be an object of strings, not an object with a list in it",
            ),
            (
                "env",
                json!("A=1"),
                "`env` must be an object of strings, not a string",
            ),
        ] {
            let mut bad = command("x");
            bad[key] = value;
            let text = settings("PreToolUse", "Bash", &[bad]);
            let found = problems(&text, Format::Hookline);
            let messages: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
            assert_eq!(messages, [expected]);
        }
    }

    #[test]
    fn wrong_types_and_words() {
        for (key, value, code, suggestion) in [
            ("args", json!("-n"), "wrong-type", None),
            ("args", json!([1]), "wrong-type", None),
            ("once", json!("yes"), "wrong-type", None),
            ("async", json!(1), "wrong-type", None),
            ("if", json!(true), "wrong-type", None),
            ("shell", json!("Bash"), "wrong-value", Some("\"bash\"")),
            ("shell", json!("fish"), "wrong-value", None),
            (
                "onFailure",
                json!("Block"),
                "wrong-value",
                Some("\"block\""),
            ),
            ("onFailure", json!(true), "wrong-type", None),
        ] {
            let mut bad = command("x");
            bad[key] = value.clone();
            mistake(&bad, Format::Claude, (code, &value.to_string(), suggestion));
        }
    }

    #[test]
    fn a_text_for_people_of_the_wrong_type_breaks_nothing() {
        let mut odd = command("x");
        odd["statusMessage"] = json!(7);
        mistake(&odd, Format::Claude, ("wrong-type", "7", None));
        let text = settings("PreToolUse", "", &[odd]);
        let parsed = parsed(&text, Format::Claude);
        assert_eq!(parsed.entries().count(), 1);
        assert_eq!(parsed.diagnostics[0].severity, Severity::Warning);
    }

    #[test]
    fn keys_that_nobody_knows() {
        for (key, suggestion) in [
            ("comand_", Some("\"command\"")),
            ("time_out", Some("\"timeout\"")),
            ("onfailure", Some("\"onFailure\"")),
            ("asyncRewak", Some("\"asyncRewake\"")),
            ("zebra", None),
        ] {
            let mut odd = command("x");
            odd[key] = json!(1);
            let written = format!("\"{key}\"");
            mistake(&odd, Format::Claude, ("unknown-key", &written, suggestion));
        }
    }

    #[test]
    fn keys_that_do_nothing_there() {
        for (key, value) in [
            ("url", json!("https://example.com")),
            ("prompt", json!("x")),
            ("env", json!({})),
            ("cwd", json!("x")),
            ("enabled", json!(false)),
        ] {
            let mut odd = command("x");
            odd[key] = value;
            mistake(
                &odd,
                Format::Claude,
                ("useless-key", &format!("\"{key}\""), None),
            );
        }
        let odd = json!({"type": "command", "command": "x", "args": [], "shell": "bash"});
        mistake(&odd, Format::Claude, ("useless-key", "\"shell\"", None));
        let odd = json!({"type": "command", "command": "x", "async": true, "onFailure": "block"});
        mistake(&odd, Format::Claude, ("useless-key", "\"onFailure\"", None));
    }

    #[test]
    fn fields_of_our_own_of_the_wrong_type() {
        for (key, value) in [
            ("env", json!(["A"])),
            ("cwd", json!(1)),
            ("enabled", json!("no")),
        ] {
            let mut bad = command("x");
            bad[key] = value.clone();
            mistake(
                &bad,
                Format::Hookline,
                ("wrong-type", &value.to_string(), None),
            );
        }
    }

    #[test]
    fn fields_of_the_other_types() {
        for (bad, code, at) in [
            (
                json!({"type": "http", "url": "example.com"}),
                "wrong-value",
                "\"example.com\"",
            ),
            (
                json!({"type": "http", "url": "https://e.com", "headers": {"A": []}}),
                "wrong-type",
                "{\"A\":[]}",
            ),
            (
                json!({"type": "prompt", "prompt": "x", "model": 4}),
                "wrong-type",
                "4",
            ),
            (
                json!({"type": "mcp_tool", "server": "a", "tool": "b", "input": 4}),
                "wrong-type",
                "4",
            ),
        ] {
            let text = settings("PreToolUse", "Bash", &[bad]);
            let parsed = parsed(&text, Format::Claude);
            assert_eq!(codes(&parsed.diagnostics), [code]);
            assert_eq!(parsed.diagnostics[0].place.as_ref().unwrap().text(), at);
            assert_eq!(parsed.broken.len(), 1);
        }
    }

    #[test]
    fn keys_of_our_own_file_are_checked_at_its_top() {
        let found = problems(r#"{"hook": {}}"#, Format::Hookline);
        assert_eq!(codes(&found), ["unknown-key"]);
        assert_eq!(found[0].suggestion.as_deref(), Some("\"hooks\""));
    }

    #[test]
    fn of_the_many_keys_of_claude_settings_only_a_misspelt_hooks_is_told() {
        let found = problems(r#"{"Hooks": {}, "theme": "dark"}"#, Format::Claude);
        assert_eq!(codes(&found), ["unknown-key"]);
        assert_eq!(found[0].suggestion.as_deref(), Some("\"hooks\""));
    }
}

/// A mistake around the handlers: its code, the text it is at, the suggestion, and the events on which
/// the entry is broken.
fn around(text: &str, expected: (&str, &str, Option<&str>, &[EventName])) {
    let parsed = parsed(text, Format::Claude);
    let problem = &parsed.diagnostics[0];
    let place = problem.place.as_ref().unwrap();
    let (code, at, suggestion, events) = expected;
    assert_eq!(problem.code.as_str(), code, "{text}");
    assert_eq!(place.text(), at, "{text}");
    assert_eq!(problem.suggestion.as_deref(), suggestion, "{text}");
    let broken = parsed.broken.iter().flat_map(|broken| &broken.listens);
    let broken: Vec<EventName> = broken.map(|listen| listen.event).collect();
    assert_eq!(broken, events, "{text}");
}

mod mistakes_around_handlers {
    use super::*;
    use EventName::{PreToolUse, Stop};

    const HANDLER: &str = r#"[{"hooks": [{"type": "command", "command": "x"}]}]"#;

    #[test]
    fn an_event_in_the_wrong_case_is_broken_where_it_was_meant() {
        let text = format!(r#"{{"hooks": {{"preToolUse": {HANDLER}}}}}"#);
        let suggestion = Some("\"PreToolUse\"");
        around(
            &text,
            ("unknown-event", "\"preToolUse\"", suggestion, &[PreToolUse]),
        );
    }

    #[test]
    fn an_event_of_another_system_is_told_by_our_name() {
        let text = format!(r#"{{"hooks": {{"BeforeTool": {HANDLER}}}}}"#);
        let suggestion = Some("\"PreToolUse\"");
        around(
            &text,
            ("unknown-event", "\"BeforeTool\"", suggestion, &[PreToolUse]),
        );
    }

    #[test]
    fn an_event_that_nobody_knows_is_told_and_no_more() {
        let text = format!(r#"{{"hooks": {{"Elephant": {HANDLER}}}}}"#);
        around(&text, ("unknown-event", "\"Elephant\"", None, &[]));
    }

    #[test]
    fn a_misspelt_event_says_so_once_however_many_hooks_it_has() {
        let two = r#"[{"hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "y"}]}]"#;
        let parsed = parsed(
            &format!(r#"{{"hooks": {{"Stopp": {two}}}}}"#),
            Format::Claude,
        );
        assert_eq!(codes(&parsed.diagnostics), ["unknown-event"]);
        assert_eq!(parsed.broken.len(), 2);
        assert_eq!(parsed.entries().count(), 0);
    }

    #[test]
    fn a_matcher_that_is_no_pattern_breaks_its_hooks_for_all_subjects() {
        let text = settings("PreToolUse", "*.ts", &[command("x")]);
        around(&text, ("bad-matcher", "\"*.ts\"", None, &[PreToolUse]));
        assert!(
            parsed(&text, Format::Claude).broken[0].listens[0]
                .matcher
                .is_all()
        );
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": ["Bash"], "hooks": [{"type": "command", "command": "x"}]}]}}"#;
        around(text, ("wrong-type", "[\"Bash\"]", None, &[PreToolUse]));
    }

    #[test]
    fn a_broken_hook_is_broken_for_its_matcher_alone() {
        let text = settings("PreToolUse", "Edit|Write", &[json!({"type": "command"})]);
        assert_eq!(
            parsed(&text, Format::Claude).broken[0].listens[0].pattern(),
            "Edit|Write"
        );
    }

    #[test]
    fn a_matcher_where_there_is_nothing_to_match_is_told_and_ignored() {
        let text = settings("Stop", "Bash", &[command("x")]);
        around(&text, ("useless-matcher", "\"Bash\"", None, &[]));
        let parsed = parsed(&text, Format::Claude);
        assert!(parsed.entries().next().unwrap().listens[0].matcher.is_all());
    }

    #[test]
    fn a_condition_where_there_is_no_tool_call() {
        let handler = json!({"type": "command", "command": "x", "if": "Bash(ls)"});
        let text = settings("Stop", "", &[handler]);
        around(&text, ("no-condition", "\"Bash(ls)\"", None, &[Stop]));
    }

    #[test]
    fn a_hook_that_stands_one_level_too_high() {
        let text = r#"{"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}"#;
        around(
            text,
            (
                "missing-key",
                r#"{"type": "command", "command": "x"}"#,
                None,
                &[PreToolUse],
            ),
        );
    }

    #[test]
    fn an_event_that_is_no_list() {
        let text = r#"{"hooks": {"PreToolUse": {"hooks": []}}}"#;
        around(
            text,
            ("wrong-type", r#"{"hooks": []}"#, None, &[PreToolUse]),
        );
    }

    #[test]
    fn hooks_that_are_no_object_are_broken_on_every_guard() {
        let guards: Vec<EventName> = EventName::ALL
            .iter()
            .copied()
            .filter(|event| event.row().guard)
            .collect();
        let text = r#"{"hooks": [{"event": "tool.pre", "command": "x"}]}"#;
        let at = r#"[{"event": "tool.pre", "command": "x"}]"#;
        around(text, ("wrong-type", at, None, &guards));
        around(r#"{"hooks": []}"#, ("wrong-type", "[]", None, &[]));
    }

    #[test]
    fn events_beside_hooks_are_told_and_not_forgotten() {
        let text = format!(r#"{{"PreToolUse": {HANDLER}}}"#);
        around(&text, ("misplaced", "\"PreToolUse\"", None, &[PreToolUse]));
    }

    #[test]
    fn an_event_that_stands_twice_is_read_twice() {
        let text = format!(r#"{{"hooks": {{"Stop": {HANDLER}, "Stop": {HANDLER}}}}}"#);
        let parsed = parsed(&text, Format::Claude);
        assert_eq!(parsed.entries().count(), 2);
        assert_eq!(codes(&parsed.diagnostics), ["duplicate-key"]);
    }

    #[test]
    fn a_key_that_stands_twice_counts_as_it_stands_last() {
        let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "command": "b"}]}]}}"#;
        let parsed = parsed(text, Format::Claude);
        assert_eq!(codes(&parsed.diagnostics), ["duplicate-key"]);
        assert_eq!(parsed.entries().next().unwrap().summary(), "b");
    }

    #[test]
    fn what_is_switched_off_is_no_broken_guard() {
        let text = json!({"hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "enabled": false}]},
            {"enabled": false, "hooks": [{"type": "command"}]},
        ]}});
        let parsed = parsed(&text.to_string(), Format::Hookline);
        assert_eq!(parsed.diagnostics.len(), 2);
        assert!(parsed.broken.is_empty());
    }
}

#[test]
fn a_type_of_your_own_has_a_factory_of_your_own() {
    use hook_config::{Setting, load};
    use hook_runner::Handler;
    use std::sync::Arc;

    let scene = support::Scene::new();
    let handler = json!({"type": "make", "target": "lint", "timeout": 4});
    scene.write(
        "project/.claude/settings.json",
        settings("Stop", "", &[handler]),
    );
    let factories = Factories::new().with("make", |entry: &Entry, _: &Setting<'_>| {
        let Action::Other { fields, .. } = &entry.action else {
            return Err("no fields".to_owned());
        };
        let target = fields["target"].as_str().ok_or("`target` is missing")?;
        Ok(Arc::new(hook_shell::ShellHook::exec("make", [target])) as Arc<dyn Handler>)
    });
    let loaded = load(&scene.places(), &support::options().factories(factories));
    assert_eq!(loaded.report.diagnostics, []);
    let (hook, _) = loaded.hooks.hooks().next().unwrap();
    assert_eq!(hook.describe().summary, "make lint");
    assert_eq!(hook.get_timeout(), Some(Duration::from_secs(4)));
}
