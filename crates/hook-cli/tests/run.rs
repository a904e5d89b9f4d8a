//! `hookline run` without a terminal: one prompt, one result, real hooks.

use crate::support::{Printed, Scratch};
use serde_json::{Value, json};

/// Refuses commands with `rm` in them.
const NO_RM: &str = "grep -q 'rm -rf' || exit 0; echo 'rm is not for agents' >&2; exit 2";
/// Holds the agent back once.
const TESTED: &str =
    "grep -q '\"stop_hook_active\":false' || exit 0; echo 'run the tests' >&2; exit 2";

fn scratch(script: &Value) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("script.json", &script.to_string());
    scratch
}

fn bash(command: &str) -> Value {
    json!({"name": "Bash", "input": {"command": command}})
}

/// Runs the script of the project, whose hooks are trusted.
fn run(scratch: &Scratch, more: &[&str]) -> Printed {
    let model = ["run", "--trust", "--model", "scripted:script.json"];
    scratch.run(&[&model, more].concat())
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let fits = |line: &&Value| line["type"] == kind || line["subtype"] == kind;
    lines.iter().filter(fits).collect()
}

#[test]
fn without_a_model_something_stands_in_and_says_what_it_is() {
    let printed = Scratch::new().run(&["run", "hello"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert!(
        printed.stdout.starts_with("I am not a model"),
        "{printed:?}"
    );
    assert_eq!(printed.stderr, "");
}

#[test]
fn a_prompt_comes_from_the_argument_or_from_stdin() {
    for (arguments, stdin) in [
        (&["run", "--model", "scripted:script.json", "say A"][..], ""),
        (&["run", "--model", "scripted:script.json"][..], "say A\n"),
        (
            &["run", "--model", "scripted:script.json", "-"][..],
            "say A\n",
        ),
    ] {
        let script = json!([{"say": "A", "expect": {"last_contains": ["say A"]}}]);
        let printed = scratch(&script).run_with(arguments, stdin);
        assert_eq!(
            (printed.stdout.as_str(), printed.code),
            ("A\n", Some(0)),
            "{printed:?}"
        );
    }
}

#[test]
fn a_hook_that_refuses_a_call_keeps_it_from_running_and_the_model_is_told() {
    let scratch = scratch(&json!([
        {"calls": [bash("touch ran; rm -rf build")]},
        {"say": "I did not.", "expect": {"last_contains": ["rm is not for agents"]}},
    ]));
    scratch.hooks(&[("PreToolUse", "Bash", NO_RM)]);
    let printed = run(&scratch, &["--permission-mode", "bypassPermissions", "go"]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("I did not.\n", Some(0)),
        "{printed:?}"
    );
    assert!(!scratch.project().join("ran").exists());
}

#[test]
fn a_hook_that_rewrites_a_call_has_the_other_one_run() {
    let scratch = scratch(&json!([
        {"calls": [bash("echo wanted > out")]},
        {"say": "Done."},
    ]));
    let rewrite = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "allow", "updatedInput": {"command": "echo rewritten > out"}}});
    scratch.hooks(&[("PreToolUse", "Bash", &format!("echo '{rewrite}'"))]);
    let printed = run(&scratch, &["go"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(scratch.read("out"), "rewritten\n");
}

#[test]
fn a_stop_hook_holds_the_agent_back() {
    let scratch = scratch(&json!([
        {"say": "Done."},
        {"say": "Tested.", "expect": {"contains": ["run the tests"]}},
    ]));
    scratch.hooks(&[("Stop", "", TESTED)]);
    let printed = run(&scratch, &["go"]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("Tested.\n", Some(0)),
        "{printed:?}"
    );
}

#[test]
fn hooks_that_nobody_approved_do_not_run_and_it_is_said_once() {
    let scratch = scratch(&json!([{"say": "Done."}]));
    scratch.hooks(&[("SessionStart", "", "touch ran"), ("Stop", "", "touch ran")]);
    let printed = scratch.run(&["run", "--model", "scripted:script.json", "go"]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("Done.\n", Some(0)),
        "{printed:?}"
    );
    assert!(!scratch.project().join("ran").exists());
    assert_eq!(printed.stderr.lines().count(), 1, "{printed:?}");
    assert!(
        printed.stderr.contains("2 hooks of this project wait"),
        "{printed:?}"
    );
    assert!(printed.stderr.contains("`hookline trust`"), "{printed:?}");
}

#[test]
fn what_needs_permission_is_refused_where_nobody_can_be_asked() {
    let script = json!([
        {"calls": [bash("touch ran")]},
        {"say": "I could not.", "expect": {"last_contains": ["nobody is there"]}},
    ]);
    let refused = scratch(&script);
    let result = run(&refused, &["--output-format", "json", "go"]).json();
    assert_eq!(
        result["permission_denials"][0]["tool_input"]["command"],
        "touch ran"
    );
    assert!(!refused.project().join("ran").exists());
    let allowed = scratch(&json!([{"calls": [bash("touch ran")]}, {"say": "Done."}]));
    assert_eq!(
        run(&allowed, &["--allow", "Bash(touch *)", "go"]).stdout,
        "Done.\n"
    );
    assert!(allowed.project().join("ran").exists());
    let denied = scratch(&json!([{"calls": [bash("touch ran")]}, {"say": "Done."}]));
    let mode = [
        "--permission-mode",
        "bypassPermissions",
        "--deny",
        "Bash(touch *)",
        "go",
    ];
    assert_eq!(run(&denied, &mode).stdout, "Done.\n");
    assert!(!denied.project().join("ran").exists());
}

#[test]
fn the_result_is_one_object() {
    let scratch = scratch(&json!([
        {"say": "All well.", "usage": {"input_tokens": 7, "output_tokens": 2}},
    ]));
    for arguments in [&["--output-format", "json", "go"][..], &["--json", "go"]] {
        let printed = run(&scratch, arguments);
        let result = printed.json();
        assert_eq!(printed.code, Some(0), "{printed:?}");
        let told = |name: &str| result[name].clone();
        assert_eq!(told("type"), "result");
        assert_eq!(told("subtype"), "success");
        assert_eq!(told("is_error"), false);
        assert_eq!(told("result"), "All well.");
        assert_eq!(told("num_turns"), 1);
        assert_eq!(told("usage")["input_tokens"], 7);
        assert!(told("session_id").as_str().is_some_and(|id| id.len() > 30));
    }
}

#[test]
fn the_stream_tells_what_happens_in_order() {
    let scratch = scratch(&json!([
        {"say": "I look.", "calls": [bash("rm -rf build")]},
        {"say": "Done."},
    ]));
    scratch.hooks(&[
        ("PreToolUse", "Bash", NO_RM),
        ("SessionStart", "", "echo hello"),
    ]);
    let printed = run(&scratch, &["--output-format", "stream-json", "go"]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let lines = printed.lines();
    let told: Vec<&str> = lines
        .iter()
        .map(|line| {
            line["subtype"]
                .as_str()
                .or(line["type"].as_str())
                .unwrap_or_default()
        })
        .collect();
    let expected = [
        "hook_started",
        "hook_response",
        "init",
        "user",
        "assistant",
        "user",
        "assistant",
        "success",
    ];
    assert_eq!(told, expected, "{printed:?}");
    assert_eq!(lines[0]["hook_event"], "SessionStart");
    assert_eq!(lines[4]["message"]["content"][1]["name"], "Bash");
    assert_eq!(lines[5]["message"]["content"][0]["is_error"], true);
    let session = &lines[2]["session_id"];
    assert!(
        lines
            .iter()
            .all(|line| line["session_id"] == *session && line["uuid"].is_string())
    );
}

#[test]
fn hook_events_are_told_when_they_are_asked_for_but_for_the_quiet_ones() {
    let scratch = scratch(&json!([
        {"calls": [bash("rm -rf build")]},
        {"say": "Done."},
    ]));
    scratch.hooks(&[
        ("PreToolUse", "Bash", NO_RM),
        ("SessionEnd", "", "echo bye > ended"),
    ]);
    let stream = [
        "--output-format",
        "stream-json",
        "--include-hook-events",
        "go",
    ];
    let printed = run(&scratch, &stream);
    let lines = printed.lines();
    let started = of_kind(&lines, "hook_started");
    let response = of_kind(&lines, "hook_response");
    let verdict = of_kind(&lines, "hook_verdict");
    assert_eq!(
        [started.len(), response.len(), verdict.len()],
        [1, 1, 1],
        "{printed:?}"
    );
    assert_eq!(started[0]["hook_name"], "PreToolUse:Bash");
    assert_eq!(started[0]["hook_id"], response[0]["hook_id"]);
    assert_eq!(
        (&response[0]["exit_code"], &response[0]["outcome"]),
        (&json!(2), &json!("success"))
    );
    assert_eq!(verdict[0]["decision"], "deny");
    assert_eq!(
        scratch.read("ended"),
        "bye\n",
        "SessionEnd ran, and was not told of"
    );
    let refused = run(&scratch, &["--include-hook-events", "go"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("--output-format stream-json"),
        "{refused:?}"
    );
}

#[test]
fn a_prompt_that_a_hook_refuses_is_exit_code_2() {
    let scratch = scratch(&json!([{"say": "never"}]));
    scratch.hooks(&[("UserPromptSubmit", "", "echo 'not on a Friday' >&2; exit 2")]);
    let printed = run(&scratch, &["deploy"]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("", Some(2)),
        "{printed:?}"
    );
    assert!(printed.stderr.contains("not on a Friday"), "{printed:?}");
    let result = run(&scratch, &["--json", "deploy"]).json();
    assert_eq!(
        (&result["is_error"], &result["ending"]),
        (&json!(true), &json!("refused"))
    );
}

#[test]
fn the_model_is_asked_as_often_as_it_may() {
    let looks = json!({"calls": [{"name": "Glob", "input": {"pattern": "*"}}]});
    let scratch = scratch(&json!([looks, looks, looks]));
    let printed = run(
        &scratch,
        &["--max-turns", "2", "--output-format", "json", "go"],
    );
    let result = printed.json();
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert_eq!(result["subtype"], "error_max_turns");
    assert_eq!(result["num_turns"], 2);
}

#[test]
fn a_model_that_fails_is_an_error_that_says_so() {
    let scratch = scratch(&json!([
        {"error": {"kind": "authentication_failed", "message": "no such key"}},
    ]));
    let printed = run(&scratch, &["go"]);
    assert_eq!(printed.code, Some(1), "{printed:?}");
    assert!(printed.stderr.contains("no such key"), "{printed:?}");
}

#[test]
fn a_session_goes_on_where_it_left_off() {
    let scratch = scratch(&json!([{"say": "Hello, Ann."}]));
    scratch.hooks(&[("SessionStart", "resume", "echo resumed >> sources")]);
    let first = run(&scratch, &["--json", "I am Ann"]).json();
    let id = first["session_id"].as_str().unwrap();
    let again =
        json!([{"say": "You are Ann.", "expect": {"contains": ["I am Ann", "Hello, Ann."]}}]);
    scratch.write("script.json", &again.to_string());
    for resume in [&["--continue"][..], &["--resume", id]] {
        let printed = run(&scratch, &[resume, &["--json", "who am I?"]].concat());
        let result = printed.json();
        assert_eq!(
            (&result["result"], &result["session_id"]),
            (&json!("You are Ann."), &json!(id)),
            "{printed:?}"
        );
    }
    assert_eq!(scratch.read("sources"), "resumed\nresumed\n");
    let unknown = run(&scratch, &["--resume", "nobody", "hi"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown
            .stderr
            .contains("no session and no transcript `nobody`"),
        "{unknown:?}"
    );
}

#[test]
fn a_deferred_call_waits_for_whoever_resumes() {
    let scratch = scratch(&json!([{"calls": [bash("echo ran > out")]}]));
    let defer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "defer", "permissionDecisionReason": "later"}});
    scratch.hooks(&[(
        "PreToolUse",
        "Bash",
        &format!("test -e go || echo '{defer}'"),
    )]);
    let printed = run(&scratch, &["--json", "go"]);
    let result = printed.json();
    assert_eq!(printed.code, Some(0), "{printed:?}");
    assert_eq!(result["stop_reason"], "tool_deferred");
    assert_eq!(
        result["deferred_tool_use"]["input"]["command"],
        "echo ran > out"
    );
    scratch
        .write("go", "")
        .write("script.json", "[{\"say\": \"It ran.\"}]");
    let printed = run(&scratch, &["--continue", "--allow", "Bash"]);
    assert_eq!(
        (printed.stdout.as_str(), printed.code),
        ("It ran.\n", Some(0)),
        "{printed:?}"
    );
    assert_eq!(scratch.read("out"), "ran\n");
}

#[test]
fn a_set_up_fires_its_hooks_and_needs_no_prompt() {
    let scratch = scratch(&json!([]));
    scratch.hooks(&[("Setup", "", "grep -o '\"trigger\":\"[a-z]*\"' >> set-up")]);
    for flag in ["--init", "--maintenance"] {
        assert_eq!(run(&scratch, &[flag]).code, Some(0), "{flag}");
    }
    assert_eq!(
        scratch.read("set-up"),
        "\"trigger\":\"init\"\n\"trigger\":\"maintenance\"\n"
    );
}

#[test]
fn what_cannot_be_done_is_said_with_what_would_help() {
    let scratch = Scratch::new();
    scratch
        .write("bad.json", "{")
        .write("odd.json", "[{\"sing\": \"la\"}]");
    let table: &[(&[&str], &str)] = &[
        (&["hi", "--model", "gpt"], "--model takes scripted:FILE"),
        (
            &["hi", "--model", "oracle:delphi"],
            "no kind of model called `oracle`",
        ),
        (
            &["hi", "--model", "scripted:"],
            "lacks what comes behind the colon",
        ),
        (
            &["hi", "--model", "scripted:none.json"],
            "none.json: No such file",
        ),
        (&["hi", "--model", "scripted:."], "cannot read"),
        (
            &["hi", "--model", "scripted:bad.json"],
            "bad.json: the script cannot be read",
        ),
        (
            &["hi", "--model", "scripted:odd.json"],
            "unknown field `sing`",
        ),
        (&["hi", "--allow", "Bash("], "Bash("),
        (
            &["hi", "--project", "nowhere"],
            "there is no such directory",
        ),
        (&["hi", "--permission-mode", "yolo"], "bypassPermissions"),
        (&["hi", "--max-turns", "0"], "--max-turns"),
        (&["--continue"], "no session of this project"),
        (&[], "there is no prompt"),
        (&["  "], "there is no prompt"),
    ];
    for (arguments, said) in table {
        let printed = scratch.run(&[&["run"], *arguments].concat());
        assert_eq!(printed.code, Some(1), "{arguments:?}: {printed:?}");
        assert!(printed.stderr.contains(said), "{arguments:?}: {printed:?}");
        assert!(!printed.stderr.contains("panicked"), "{printed:?}");
        assert_eq!(printed.stdout, "", "{arguments:?}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_session_in_good_order() {
    use std::io::Read;
    let turn = json!({"calls": [{"name": "Glob", "input": {"pattern": "*"}}], "delay_ms": 5});
    let scratch = scratch(&json!(vec![turn; 2000]));
    scratch.hooks(&[("SessionEnd", "", "echo bye > ended")]);
    let arguments = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "--output-format",
        "stream-json",
        "go",
    ];
    let mut child = scratch.command(&arguments).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{stderr}");
    assert_eq!(
        (stderr.as_str(), scratch.read("ended").as_str()),
        ("", "bye\n")
    );
}

#[test]
fn an_interrupted_start_ends_with_130_after_session_end() {
    let scratch = scratch(&json!([{"say": "never"}]));
    scratch.hooks(&[
        ("SessionStart", "", "echo started > begun; sleep 600"),
        ("SessionEnd", "", "sleep 0.3; echo ended > told"),
    ]);
    let arguments = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "-p",
        "go",
    ];
    let mut child = scratch.command(&arguments).spawn().unwrap();
    scratch.wait_for("begun");
    let process = i32::try_from(child.id()).unwrap();
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scratch.read("told"), "ended\n");
}

#[test]
fn an_interrupted_turn_ends_with_130_after_session_end() {
    use std::io::{BufRead, BufReader};
    let scratch = scratch(&json!([{"say": ["one ", "two"], "delay_ms": 100_000}]));
    scratch.hooks(&[
        ("UserInterrupt", "", "echo interrupted >> told"),
        ("SessionEnd", "", "echo ended >> told"),
    ]);
    let arguments = [
        "run",
        "--trust",
        "--model",
        "scripted:script.json",
        "--output-format",
        "stream-json",
        "go",
    ];
    let mut child = scratch.command(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let prompt = lines.find(|line| line.as_ref().unwrap().contains("\"user\""));
    assert!(prompt.is_some());
    let process = i32::try_from(child.id()).unwrap();
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let last: Value = serde_json::from_str(&lines.map(Result::unwrap).last().unwrap()).unwrap();
    assert_eq!(last["ending"], "interrupted");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(scratch.read("told"), "interrupted\nended\n");
}
