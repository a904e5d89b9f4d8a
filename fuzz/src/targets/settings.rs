//! The readers of settings, one a format: `hook_config::{read, parse, convert, resolve}`.
//!
//! An input is a byte that picks the format, and a file's bytes.

#![expect(clippy::expect_used, reason = "a broken promise is a panic here")]

use std::sync::{Arc, OnceLock};

use hook_config::{
    ConfigFile, Document, FileState, Format, Layer, Node, Options, Origin, Parsed, Places, Span,
    TrustEverything, convert, guess, parse, read, resolve,
};
use hook_shell::Host;
use serde_json::Value;

use super::{Target, pick, with_each_choice};
use crate::trace::Trace;

pub(super) const TARGET: Target = Target {
    name: "settings",
    about: "a settings file of each format",
    words: WORDS,
    seeds,
    check,
};

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\n",
    "//",
    "/*",
    "*/",
    "null",
    "true",
    "false",
    "1e999",
    "-1",
    "0.5",
    "\\ud800",
    "\u{feff}",
    "\"hooks\":",
    "\"PreToolUse\":",
    "\"Stop\":",
    "\"SessionEnd\":",
    "\"PreToolUs\":",
    "\"matcher\":",
    "\"Bash\"",
    "\"(\"",
    "\"*\"",
    "\"type\":\"command\"",
    "\"type\":\"http\"",
    "\"type\":\"server\"",
    "\"command\":\"x\"",
    "\"args\":[]",
    "\"timeout\":5",
    "\"if\":\"Bash(git *)\"",
    "\"once\":true",
    "\"async\":true",
    "\"shell\":\"bash\"",
    "\"onFailure\":\"block\"",
    "\"mode\":\"sequential\"",
    "\"enabled\":false",
    "\"event\":\"tool.pre\"",
    "\"event\":\"tool:pre_execute:bash\"",
    "\"background\":true",
    "\"env\":{\"A\":\"b\"}",
    "\"working_dir\":\"..\"",
    "\"stop_on_failure\":true",
    "\"disableAllHooks\":true",
    "\"tripwires\":false",
    "\"enabledPlugins\":{\"a@b\":true}",
    "\"disabledHooks\":[]",
    "\"url\":\"http://x\"",
    "{\"type\":\"command\",\"command\":\"x\"}",
    "{\"matcher\":\"Bash\",\"hooks\":[]}",
    "\"description\":\"d\"",
    "\"statusMessage\":\"s\"",
];

fn seeds() -> Vec<Vec<u8>> {
    with_each_choice(
        &[0, 1, 2, 3],
        &[
            r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5, "if": "Bash(git *)"}]}]}}"#,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a", "async": true}, {"type": "http", "url": "http://x"}]}], "PreToolUs": []}}"#,
            r#"{"tripwires": true, "hooks": {"PostToolUse": [{"mode": "sequential", "onFailure": "block", "hooks": [{"type": "server", "command": "s"}]}]}}"#,
            r#"{"hooks": [{"event": "tool.pre", "matcher": "run_command", "command": "x", "timeout": 1000, "background": false}]}"#,
            r#"{"hooks": [{"event": "tool:pre_execute:bash", "command": "x", "timeout": 2.5, "env": {"A": "b"}, "working_dir": "sub"}], "stop_on_failure": true}"#,
            "// nothing yet\n{\"hooks\": {},}\n",
        ],
    )
}

fn check(input: &[u8]) -> Trace {
    let mut trace = Trace::default();
    let Some((format, bytes)) = pick(&Format::ALL, input) else {
        return trace;
    };
    trace.saw(format);
    let document = match read("settings.json", bytes) {
        Ok(document) => document,
        Err(problem) => {
            assert!(!is_strict_json(bytes), "strict JSON is refused: {problem}");
            let place = problem.place.as_ref().expect("a problem has a place");
            assert!(place.span.end <= place.file.text().len() && !problem.message.is_empty());
            trace.saw(problem.code.as_str());
            trace.shown(problem.message.split(':').next_back());
            return trace;
        }
    };
    trace.saw(guess(&document).format);
    let text = document.file.text();
    assert!(text.is_empty() || text.get(document.root.span.range()).is_some());
    if let Ok(strict) = serde_json::from_slice::<Value>(bytes) {
        assert_eq!(
            document.root.to_value(),
            strict,
            "it says something else than strict JSON"
        );
    }
    let parsed = parse(&document, format);
    points_into_the_file(&document, &parsed);
    nothing_is_dropped(&document, format, &parsed);
    note(&mut trace, &parsed);
    what_is_converted_can_be_read(&document, format);
    is_resolved(&document, format, parsed, &mut trace);
    trace
}

fn is_strict_json(bytes: &[u8]) -> bool {
    // Deeper than either reads; beyond it they may differ.
    let depth = bytes
        .iter()
        .filter(|byte| matches!(byte, b'[' | b'{'))
        .count();
    depth < 50 && serde_json::from_slice::<Value>(bytes).is_ok()
}

fn note(trace: &mut Trace, parsed: &Parsed) {
    trace.count(parsed.entries().count());
    trace.count(parsed.broken.len());
    for problem in &parsed.diagnostics {
        trace.saw(problem.code.as_str());
    }
    for entry in parsed.entries() {
        trace.saw((
            entry.action.kind(),
            entry.once,
            entry.enabled,
            entry.condition.is_some(),
        ));
    }
}

/// Every problem, entry and broken entry stands somewhere in the file.
fn points_into_the_file(document: &Document, parsed: &Parsed) {
    let text = document.file.text();
    let inside = |span: Span| text.get(span.range()).is_some();
    for problem in &parsed.diagnostics {
        let place = problem.place.as_ref().expect("a problem has a place");
        assert!(inside(place.span), "{problem:?}");
        assert!(!problem.message.is_empty());
    }
    assert!(parsed.entries().all(|entry| inside(entry.place.span)));
    assert!(parsed.broken.iter().all(|broken| inside(broken.place.span)));
    assert!(
        parsed.entries().all(|entry| !entry.listens.is_empty()),
        "an entry that hears nothing"
    );
}

/// Every handler is a hook, a broken entry, or told of.
fn nothing_is_dropped(document: &Document, format: Format, parsed: &Parsed) {
    let problems = parsed
        .diagnostics
        .iter()
        .filter_map(|problem| problem.place.as_ref());
    let told: Vec<Span> = problems
        .chain(parsed.entries().map(|entry| &entry.place))
        .chain(parsed.broken.iter().map(|broken| &broken.place))
        .map(|place| place.span)
        .collect();
    for (event, handler) in handlers(document, format) {
        let covers = |span: &Span| span.start <= handler.span.end && handler.span.start <= span.end;
        // A key that is no event is told of, with all that is below it.
        let covers = |span: &Span| covers(span) || Some(*span) == event;
        let place = document.place(handler.span);
        assert!(
            told.iter().any(covers),
            "{place} is dropped in silence: {}",
            place.text()
        );
    }
}

/// What stands where handlers stand, and where its event is named.
fn handlers(document: &Document, format: Format) -> Vec<(Option<Span>, &Node)> {
    let Some(hooks) = document.root.get("hooks") else {
        return Vec::new();
    };
    if matches!(format, Format::Opta | Format::OpenCode) {
        let list = hooks.as_array().unwrap_or_default().iter();
        return list.map(|handler| (None, handler)).collect();
    }
    let mut found = Vec::new();
    for event in hooks.as_object().unwrap_or_default() {
        let groups = event.value.as_array().unwrap_or_default().iter();
        let handlers = groups.filter_map(|group| group.get("hooks").and_then(Node::as_array));
        found.extend(
            handlers
                .flatten()
                .map(|handler| (Some(event.key_span), handler)),
        );
    }
    found
}

/// Whatever a file is converted to is a file of that format, and says what it cannot express.
fn what_is_converted_can_be_read(document: &Document, from: Format) {
    for to in Format::ALL {
        let converted = convert(document, from, to);
        let text = converted.text();
        let again = read("converted.json", text.as_bytes()).expect("what we write can be read");
        let parsed = parse(&again, to);
        assert!(
            parsed.broken.is_empty(),
            "{from:?} to {to:?} is broken: {text}: {:?}",
            parsed.broken
        );
    }
}

/// A guard that cannot be read is never just gone: the set of hooks has something in its place.
fn is_resolved(document: &Document, format: Format, parsed: Parsed, trace: &mut Trace) {
    static OPTIONS: OnceLock<Options> = OnceLock::new();
    let options =
        OPTIONS.get_or_init(|| Options::new(Host::new()).trust(Arc::new(TrustEverything)));
    let broken = parsed
        .broken
        .iter()
        .filter(|broken| !broken.listens.is_empty())
        .count();
    let switched = parsed.switches.disable_all_hooks.is_some()
        || parsed.switches.tripwires.is_some()
        || parsed.switches.allow_managed_hooks_only.is_some()
        || parsed.switches.plugins_only.is_some();
    let file = ConfigFile {
        path: "settings.json".into(),
        origin: Origin::of(Layer::User),
        format,
        state: FileState::Read,
        source: Arc::clone(&document.file),
        parsed,
    };
    let loaded = resolve(vec![file], &Places::none(), options);
    trace.count(loaded.hooks.len());
    trace.count(loaded.report.hooks.len());
    if !switched {
        assert!(
            loaded.hooks.len() >= broken,
            "broken entries vanish: {:?}",
            loaded.report
        );
    }
}
