//! From one dialect to another, with real processes: the verdicts stay.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use crate::support::{Printed, Scratch, binary};
use serde_json::{Value, json};

const DIALECTS: [&str; 4] = ["claude", "opta", "opencode", "hookline"];

/// A call that one of the hooks below is for, and what the verdict must be.
struct Case {
    arguments: &'static [&'static str],
    decision: Option<&'static str>,
    updated: Option<Value>,
    context: Option<&'static str>,
}

/// A deny by exit code, a deny in JSON, a rewrite, context, and a hook that takes too long; each for
/// calls of its own.
fn commands(deny_code: u8) -> [(&'static str, String); 5] {
    [
        ("mcp__memory__create_entities", format!("echo 'no memory' | tee /dev/stderr; exit {deny_code}")),
        ("Edit", answer(r#"{"permissionDecision": "deny", "permissionDecisionReason": "no edits"}"#)),
        ("Read", answer(r#"{"updatedInput": {"file_path": "other.txt"}}"#)),
        ("", r#"printf '%s' '{"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "mind the gap"}}'"#.to_owned()),
        ("Grep", "sleep 60".to_owned()),
    ]
}

fn answer(specific: &str) -> String {
    let inner = specific.trim_start_matches('{');
    format!(r#"printf '%s' '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", {inner}}}'"#)
}

/// Only the hook that takes too long has little time: the machine may be busy.
fn limit(tool: &str) -> u32 {
    if tool.eq_ignore_ascii_case("grep") {
        1
    } else {
        30
    }
}

/// A file of a dialect with these hooks.
fn file(dialect: &str) -> Value {
    match dialect {
        "claude" | "hookline" => {
            let hooks = commands(2).map(|(tool, command)| {
                json!({"matcher": tool, "hooks": [{"type": "command", "command": command, "timeout": limit(tool)}]})
            });
            let [exit, json, rewrite, context, late] = hooks;
            json!({"hooks": {"PreToolUse": [exit, json, rewrite, late], "UserPromptSubmit": [context]}})
        }
        "opta" => {
            let names = ["mcp__memory", "edit_file", "read_file", "", "Grep"];
            let hooks = commands(1).into_iter().zip(names).map(|((_, command), name)| {
                if name.is_empty() {
                    json!({"event": "prompt.pre", "command": command, "timeout": limit(name) * 1000})
                } else {
                    json!({"event": "tool.pre", "matcher": name, "command": command, "timeout": limit(name) * 1000})
                }
            });
            json!({"hooks": hooks.collect::<Vec<_>>()})
        }
        _ => {
            let names = ["mcp__memory*", "edit", "read", "", "grep"];
            let hooks = commands(1)
                .into_iter()
                .zip(names)
                .map(|((_, command), name)| {
                    let event = match name {
                        "" => "user:prompt_submit".to_owned(),
                        name => format!("tool:pre_execute:{name}"),
                    };
                    json!({"event": event, "command": command, "timeout": limit(name)})
                });
            json!({"hooks": hooks.collect::<Vec<_>>()})
        }
    }
}

/// What each call must come to: a hook that takes too long blocks in Opta and OpenCode alone.
fn cases(from: &str) -> Vec<Case> {
    let late = matches!(from, "opta" | "opencode").then_some("deny");
    let case = |arguments, decision| Case {
        arguments,
        decision,
        updated: None,
        context: None,
    };
    vec![
        case(
            &["PreToolUse", "--tool", "mcp__memory__create_entities"],
            Some("deny"),
        ),
        case(&["PreToolUse", "--tool", "Edit"], Some("deny")),
        Case {
            updated: Some(json!({"file_path": "other.txt"})),
            ..case(&["PreToolUse", "--tool", "Read"], None)
        },
        Case {
            context: Some("mind the gap"),
            ..case(&["UserPromptSubmit"], None)
        },
        case(&["PreToolUse", "--tool", "Grep"], late),
        case(&["PreToolUse", "--tool", "Bash"], None),
    ]
}

/// Runs the binary with itself on the path.
fn run(scratch: &Scratch, arguments: &[&str]) -> Printed {
    let folder = binary().parent().unwrap().display().to_string();
    let path = format!("{folder}:/usr/local/bin:/usr/bin:/bin");
    scratch.run_in(arguments, "", &[("PATH", &path)])
}

/// Converts and checks, then fires at the result and looks.
fn keeps_its_verdicts(from: &str, to: &str) {
    let scratch = Scratch::new();
    scratch.write("from.json", &format!("{:#}", file(from)));
    let converted = run(
        &scratch,
        &[
            "convert",
            "from.json",
            "--from",
            from,
            "--to",
            to,
            "--check",
            "--json",
            "--output",
            "to.json",
        ],
    );
    let report = converted.json();
    assert_eq!(converted.code, Some(0), "{from} to {to}: {report:#}");
    let checked = report["checked"].as_array().unwrap();
    assert!(
        checked.len() >= 10,
        "each hook alone, and all together: {report:#}"
    );
    for sample in checked {
        assert_eq!(sample["differences"], json!([]), "{sample:#}");
        assert_eq!(sample["unseen"], Value::Null, "{sample:#}");
    }
    // A file of ours is told by its name.
    let settings = if to == "hookline" {
        ".hookline/to.json"
    } else {
        "to.json"
    };
    scratch.write(settings, &scratch.read("to.json"));
    for case in cases(from) {
        comes_to(&scratch, settings, &case, &format!("{from} to {to}"));
    }
}

/// Fires at the hooks of a file, and looks what it comes to.
fn comes_to(scratch: &Scratch, settings: &str, case: &Case, what: &str) {
    let common = ["--no-user", "--json", "--settings", settings];
    let fired = run(scratch, &[&["fire"], case.arguments, &common].concat());
    let outcome = &fired.json()["outcome"];
    let what = format!("{what}, {:?}: {outcome:#}", case.arguments);
    assert_eq!(outcome["decision"].as_str(), case.decision, "{what}");
    assert_eq!(outcome["updated_input"], json!(case.updated), "{what}");
    let context = outcome["additional_context"][0]["text"].as_str();
    assert_eq!(context, case.context, "{what}");
}

macro_rules! directions {
    ($($name:ident: $from:literal => [$($to:literal),*];)*) => {$(
        #[test]
        fn $name() {
            for to in [$($to),*] {
                assert!(DIALECTS.contains(&to) && DIALECTS.contains(&$from));
                keeps_its_verdicts($from, to);
            }
        }
    )*};
}

directions! {
    claude_hooks_keep_their_verdicts_everywhere: "claude" => ["opta", "opencode", "hookline"];
    opta_hooks_keep_their_verdicts_everywhere: "opta" => ["claude", "opencode", "hookline"];
    opencode_hooks_keep_their_verdicts_everywhere: "opencode" => ["claude", "opta", "hookline"];
    hooks_of_our_own_keep_their_verdicts_everywhere: "hookline" => ["claude", "opta", "opencode"];
}

// ===== what the check finds =====

#[test]
fn rewrites_that_built_on_each_other_are_found_to_differ() {
    let scratch = Scratch::new();
    let rewrite = |command: &str| {
        answer(&format!(
            r#"{{"updatedInput": {{"command": "{command}"}}}}"#
        ))
    };
    let second = format!(
        "case \"$OPTA_TOOL_ARGS\" in *first*) {};; esac",
        rewrite("second")
    );
    let file = json!({"hooks": [
        {"event": "tool.pre", "matcher": "run_command", "command": rewrite("first")},
        {"event": "tool.pre", "matcher": "run_command", "command": second},
    ]});
    scratch.write("from.json", &file.to_string());
    let checked = run(
        &scratch,
        &["convert", "from.json", "--to", "claude", "--check"],
    );
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let found = "all hooks together on PreToolUse:Bash: updatedInput was {\"command\":\"second\"} and is {\"command\":\"first\"}";
    assert!(checked.stderr.contains(found), "{}", checked.stderr);
    // In our own files they run in order, and nothing differs.
    let ours = run(
        &scratch,
        &["convert", "from.json", "--to", "hookline", "--check"],
    );
    assert_eq!(ours.code, Some(0), "{ours:?}");
}

#[test]
fn a_hook_that_cannot_be_started_proves_nothing_and_that_is_said() {
    let scratch = Scratch::new();
    let file = json!({"hooks": [{"event": "tool.pre", "command": "./guard.sh"}]});
    scratch.write(".opta/config.json", &file.to_string());
    scratch.write("guard.sh", "echo no >&2; exit 1\n");
    let file = scratch.project().join("guard.sh");
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let asked = ["convert", ".opta/config.json", "--to", "claude", "--check"];
    let elsewhere = run(&scratch, &asked);
    assert!(
        elsewhere
            .stderr
            .contains("nothing was seen of what it does"),
        "{elsewhere:?}"
    );
    let here = run(&scratch, &[&asked[..], &["--check-in", "."]].concat());
    assert!(!here.stderr.contains("nothing was seen"), "{here:?}");
    assert!(here.stderr.contains("the same verdicts"), "{here:?}");
}

#[test]
fn a_rewrite_is_a_refusal_where_that_was_asked_for() {
    let scratch = Scratch::new();
    scratch.write("from.json", &file("claude").to_string());
    let asked = [
        "convert",
        "from.json",
        "--to",
        "opta",
        "--block-rewrites",
        "--check",
        "--output",
        "to.json",
    ];
    let converted = run(&scratch, &asked);
    assert_eq!(converted.code, Some(0), "{converted:?}");
    let fire = [
        "fire",
        "PreToolUse",
        "--tool",
        "Read",
        "--no-user",
        "--settings",
        "to.json",
    ];
    let fired = run(&scratch, &fire);
    assert_eq!(fired.code, Some(2), "{fired:?}");
    assert!(
        fired.stdout.contains("the hook wants to change this"),
        "{fired:?}"
    );
}

// ===== files =====

const OPTA: &str = r#"{"hooks": [
  {"event": "tool.pre", "matcher": "run_command", "command": "./guard.sh", "timeout": 5000},
  {"event": "session.end", "command": "git commit -am done", "background": true},
  {"event": "error", "command": "echo \"$OPTA_ERROR\""}
]}
"#;

#[test]
fn the_report_is_on_stderr_and_the_result_on_stdout() {
    let scratch = Scratch::new();
    scratch.write(".opta/config.json", OPTA);
    let converted = scratch.run(&["convert", ".opta/config.json", "--to", "claude"]);
    assert_eq!(converted.code, Some(0));
    insta::assert_snapshot!("convert_result", converted.stdout);
    insta::assert_snapshot!("convert_report", converted.stderr);
    let json = scratch.run(&["convert", ".opta/config.json", "--to", "claude", "--json"]);
    insta::assert_snapshot!("convert_for_programs", json.stdout);
    assert_eq!(json.stderr, "");
}

#[test]
fn a_guard_that_cannot_be_expressed_is_refused_and_nothing_is_written() {
    let scratch = Scratch::new();
    let file = json!({"hooks": {
        "PreCompact": [{"hooks": [{"type": "command", "command": "./keep.sh"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "./tests.sh", "timeout": 5}]}],
    }});
    scratch.write("settings.json", &file.to_string());
    let asked = ["convert", "settings.json", "--to", "opta"];
    let refused = scratch.run(&asked);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!("convert_refused", refused.stderr);
    let to_file = scratch.run(&[&asked[..], &["--output", "out.json"]].concat());
    assert_eq!(
        (to_file.code, scratch.read("out.json").as_str()),
        (Some(1), "")
    );
    let partial = scratch.run(&[&asked[..], &["--partial", "--output", "out.json"]].concat());
    assert_eq!(
        partial.code,
        Some(1),
        "a refusal is an error, whatever is written"
    );
    assert!(scratch.read("out.json").contains("./tests.sh"));
    assert!(!scratch.read("out.json").contains("./keep.sh"));
}

const SETTINGS: &str = "{\n  // mine\n  \"model\": \"small\"\n}\n";

/// Converts into settings that are there.
fn into_settings(scratch: &Scratch, how: &[&str]) -> Printed {
    let asked = [
        "convert",
        ".opta/config.json",
        "--to",
        "claude",
        "--output",
        ".claude/settings.json",
    ];
    scratch.run(&[&asked[..], how].concat())
}

#[test]
fn a_file_that_is_there_is_left_alone_unless_somebody_says_otherwise() {
    let scratch = Scratch::new();
    scratch
        .write(".opta/config.json", OPTA)
        .write(".claude/settings.json", SETTINGS);
    let refused = into_settings(&scratch, &[]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--merge adds to it"), "{refused:?}");
    assert_eq!(scratch.read(".claude/settings.json"), SETTINGS);
    assert_eq!(into_settings(&scratch, &["--force"]).code, Some(0));
    assert!(!scratch.read(".claude/settings.json").contains("mine"));
}

#[test]
fn hooks_are_added_to_a_file_once_and_the_rest_of_it_stays() {
    let scratch = Scratch::new();
    scratch
        .write(".opta/config.json", OPTA)
        .write(".claude/settings.json", SETTINGS);
    let merged = into_settings(&scratch, &["--merge"]);
    assert_eq!(merged.code, Some(0), "{merged:?}");
    let text = scratch.read(".claude/settings.json");
    for part in ["// mine", "\"model\": \"small\"", "./guard.sh"] {
        assert!(text.contains(part), "{text}");
    }
    let again = into_settings(&scratch, &["--merge"]);
    assert!(again.stderr.contains("all of it is in"), "{again:?}");
    assert_eq!(
        scratch.read(".claude/settings.json"),
        text,
        "nothing is there twice"
    );
}

#[test]
fn what_is_only_nearly_the_same_is_an_error_for_the_strict() {
    let scratch = Scratch::new();
    scratch.write(".opta/config.json", OPTA);
    let strict = scratch.run(&["convert", ".opta/config.json", "--to", "claude", "--strict"]);
    assert_eq!(strict.code, Some(1), "an event was dropped");
    let ours = scratch.run(&[
        "convert",
        ".opta/config.json",
        "--to",
        "hookline",
        "--strict",
    ]);
    assert_eq!(ours.code, Some(0), "everything can be expressed");
}

#[test]
fn a_file_comes_from_stdin_and_its_shape_tells_its_dialect() {
    let scratch = Scratch::new();
    let back = scratch.run_with(&["convert", "-", "--to", "hookline", "--json"], OPTA);
    assert_eq!(back.json()["from"], "opta");
    let ours = back.json()["result"].to_string();
    let again = scratch.run_with(&["convert", "-", "--to", "opta", "--json"], &ours);
    assert_eq!(again.json()["from"], "hookline");
    assert_eq!(
        again.json()["result"],
        serde_json::from_str::<Value>(OPTA).unwrap()
    );
    let no_json = scratch.run_with(&["convert", "-", "--to", "opta"], "{");
    assert_eq!(no_json.code, Some(1));
    assert!(no_json.stderr.contains("not JSON"), "{no_json:?}");
}

// ===== the adapter by itself =====

#[test]
fn a_guard_whose_adapter_is_missing_is_closed() {
    let scratch = Scratch::new();
    let file = json!({"hooks": [{"event": "tool.pre", "command": "exit 0"}, {"event": "stop", "command": "exit 0"}]});
    scratch.write("from.json", &file.to_string());
    scratch.run(&[
        "convert",
        "from.json",
        "--to",
        "claude",
        "--output",
        "to.json",
    ]);
    let fire = |event: &str, path: &str| {
        let arguments = ["fire", event, "--no-user", "--settings", "to.json"];
        scratch.run_in(&arguments, "", &[("PATH", path)]).code
    };
    // The shell is there, and nothing else.
    assert_eq!(
        fire("PreToolUse", "/nowhere"),
        Some(2),
        "nobody judged the call"
    );
    assert_eq!(fire("Stop", "/nowhere"), Some(0), "nobody is trapped");
    let folder = binary().parent().unwrap().display().to_string();
    assert_eq!(
        fire("PreToolUse", &format!("{folder}:/usr/bin:/bin")),
        Some(0)
    );
}

#[test]
fn nobody_waits_for_an_agent_that_tells_everything_in_variables_and_leaves_stdin_open() {
    let scratch = Scratch::new();
    let mut child = scratch
        .command(&[
            "adapt", "--from", "claude", "--to", "opta", "--", "sh", "-c", "exit 2",
        ])
        .env("OPTA_EVENT", "tool.pre")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let open = child.stdin.take(); // and nothing is written
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(open);
}

#[test]
fn an_agent_that_tells_everything_in_variables_is_understood() {
    let scratch = Scratch::new();
    let hook = "grep -q 'rm -rf' && { echo 'no rm -rf' >&2; exit 2; }; exit 0";
    let adapted = |command: &str| {
        let arguments = format!("{{\"command\": \"{command}\"}}");
        let told = [
            ("OPTA_EVENT", "tool.pre"),
            ("OPTA_TOOL_NAME", "run_command"),
            ("OPTA_TOOL_ARGS", arguments.as_str()),
        ];
        let run = [
            "adapt", "--from", "claude", "--to", "opta", "--", "sh", "-c", hook,
        ];
        scratch.run_in(&run, "", &told)
    };
    let refused = adapted("rm -rf build");
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (Some(2), "no rm -rf\n")
    );
    assert_eq!(adapted("ls").code, Some(0));
}
