//! Whatever is in a file: no panic, no hang, and nothing that would run is dropped in silence.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;

use hook_config::{
    Format, Known, Layer, Loaded, Options, Origin, Places, open, parse, read, resolve,
};
use hook_shell::Host;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What becomes of these bytes as a file of some format.
fn loaded(bytes: &[u8], format: Format) -> Loaded {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("settings.json");
    std::fs::write(&path, bytes).unwrap();
    let file = open(&path, Origin::of(Layer::Project), Known::Format(format));
    resolve(
        vec![file],
        &Places::none().project(folder.path()),
        &Options::new(Host::new()),
    )
}

fn is_told(loaded: &Loaded) -> bool {
    !loaded.report.hooks.is_empty() || !loaded.report.diagnostics.is_empty()
}

/// Words that the formats know, and some that they do not.
fn word() -> impl Strategy<Value = String> {
    let known = [
        "hooks",
        "PreToolUse",
        "Stop",
        "preToolUse",
        "matcher",
        "type",
        "command",
        "http",
        "server",
        "prompt",
        "timeout",
        "if",
        "once",
        "async",
        "args",
        "shell",
        "bash",
        "onFailure",
        "block",
        "event",
        "tool.pre",
        "tool:*",
        "*",
        "tool:pre_execute:bash",
        "background",
        "enabled",
        "env",
        "working_dir",
        "description",
        "mode",
        "sequential",
        "enabledPlugins",
        "disableAllHooks",
        "tripwires",
        "Bash",
        "Bash(git *)",
        "(",
        "url",
        "stop_on_failure",
        "cwd",
        "x",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

/// JSON that looks like settings here and there.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A value with something in it.
fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(elements) => elements.iter().any(has_content),
        Value::Object(members) => members.values().any(has_content),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_bytes_are_hooks_or_diagnostics_or_nothing_to_say(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in Format::ALL {
            let loaded = loaded(&bytes, format);
            let blank = bytes.iter().all(u8::is_ascii_whitespace);
            prop_assert!(blank || is_told(&loaded) || read("x", &bytes).is_ok());
        }
    }

    #[test]
    fn any_text_that_starts_like_json_neither_panics_nor_hangs(text in r#"[\[\]{}:,"a-e0-9\\/* \n.u-]{0,80}"#) {
        for format in Format::ALL {
            loaded(text.as_bytes(), format);
        }
    }

    #[test]
    fn any_json_under_hooks_is_hooks_or_diagnostics_or_both(hooks in any_json()) {
        let text = json!({"hooks": hooks}).to_string();
        for format in [Format::Claude, Format::Hookline] {
            let loaded = loaded(text.as_bytes(), format);
            prop_assert!(is_told(&loaded) || !has_content(&hooks), "{} says nothing", text);
        }
        for format in [Format::Opta, Format::OpenCode] {
            loaded(text.as_bytes(), format);
        }
    }

    #[test]
    fn any_json_at_all_is_read(root in any_json()) {
        let text = root.to_string();
        for format in Format::ALL {
            let loaded = loaded(text.as_bytes(), format);
            prop_assert!(is_told(&loaded) || root.is_object(), "{} says nothing", text);
        }
    }

    #[test]
    fn every_diagnostic_points_into_its_file(hooks in any_json()) {
        let text = json!({"hooks": hooks}).to_string();
        let document = read("x.json", text.as_bytes()).unwrap();
        for format in Format::ALL {
            for problem in parse(&document, format).diagnostics {
                let place = problem.place.clone().unwrap();
                prop_assert!(place.span.start <= place.span.end);
                prop_assert!(text.get(place.span.range()).is_some());
                prop_assert!(!problem.message.is_empty());
            }
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_end_the_program() {
    for open in ["[", "{\"a\":"] {
        let text = open.repeat(100_000);
        assert_eq!(
            read("x", text.as_bytes()).unwrap_err().code.as_str(),
            "not-json"
        );
    }
}

#[test]
fn a_file_that_is_far_too_large_is_refused_unread() {
    let text = format!("{{}}{}", " ".repeat(hook_config::LARGEST_FILE));
    assert_eq!(
        read("x", text.as_bytes()).unwrap_err().code.as_str(),
        "not-json"
    );
}

#[test]
fn many_mistakes_in_one_long_line_are_told_in_good_time() {
    let started = std::time::Instant::now();
    let handlers: Vec<Value> = (0..5_000)
        .map(|_| json!({"type": "command", "é": 1}))
        .collect();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": handlers}]}}).to_string();
    let loaded = loaded(text.as_bytes(), Format::Claude);
    assert_eq!(loaded.report.diagnostics.len(), 10_000);
    let keys: serde_json::Map<String, Value> = (0..50_000)
        .map(|number| (format!("key{number}"), json!(1)))
        .collect();
    let keys = Value::Object(keys);
    for text in [keys.to_string(), json!({"hooks": keys}).to_string()] {
        assert!(is_told(&self::loaded(text.as_bytes(), Format::Hookline)));
    }
    assert!(
        started.elapsed() < std::time::Duration::from_mins(1),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let path = Path::new("/dev/zero");
    let file = open(path, Origin::of(Layer::Settings), Known::Nothing);
    assert_eq!(file.state.as_str(), "unreadable");
}

#[test]
fn what_other_programs_would_not_read_is_not_read_here() {
    let refused = [
        r#"{"a": 1 "b": 2}"#,
        r#"{"a": [1 2]}"#,
        r"{a: 1}",
        r"{'a': 1}",
        r#"{"a": 0xFF}"#,
        r#"{"a": +1}"#,
        r#"{"a": .5}"#,
        r#"{"a": NaN}"#,
        r#"{"a": "\x41"}"#,
        r#"{"a": 1} {"b": 2}"#,
        r#"{"a": 1"#,
        r#"{"a": /* 1 }"#,
        "\u{feff}\u{feff}{}",
    ];
    for text in refused {
        let problem = read("x.json", text.as_bytes()).unwrap_err();
        assert_eq!(problem.code.as_str(), "not-json", "{text}");
        let place = problem.place.as_ref().unwrap();
        assert!(place.span.start <= place.file.text().len(), "{text}");
    }
    let read_anyway = [
        "{}",
        "",
        " // nothing yet",
        "{\"a\": [1, 2,],} // end",
        "\u{feff}{}",
        "\r\n{}\r\n",
    ];
    for text in read_anyway {
        assert!(read("x.json", text.as_bytes()).is_ok(), "{text:?}");
    }
}
