//! What is kept out of recordings is kept out wherever it stands.

use serde_json::json;

use crate::support::Scratch;

#[test]
fn a_secret_is_kept_out_of_inputs_answers_outputs_names_of_fields_and_files() {
    let key = format!("ghp_{}", "a1B2".repeat(9));
    let scratch = Scratch::new();
    let says = json!({"systemMessage": format!("saw {key}"), "reason": key, "decision": "block"});
    scratch.write("says.json", &says.to_string());
    scratch.hooks(&[
        ("PreToolUse", "", "cat says.json"),
        (
            "PreToolUse",
            "",
            &format!("echo {key}; echo {key} >&2; exit 1"),
        ),
    ]);
    scratch.write("notes.txt", &format!("the key is {key}\n"));
    let input = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": format!("curl -H 'token: {key}'"), &key: {&key: [&key]}}});
    let printed = scratch.run_with(
        &[
            "record",
            "kept.jsonl",
            "--trust",
            "--redact",
            "secrets",
            "--with-file",
            "notes.txt",
        ],
        &input.to_string(),
    );
    assert_eq!(printed.code, Some(0), "{printed:?}");
    let kept = scratch.read("kept.jsonl");
    assert!(
        kept.contains("<redacted>") && kept.contains("the key is <redacted>"),
        "{kept}"
    );
    assert!(!kept.contains(&key), "{kept}");
}

#[test]
fn what_explains_a_hook_tells_no_value_of_a_variable() {
    let scratch = Scratch::new();
    let hook = json!({"type": "command", "command": "true", "env": {"DEPLOY_TOKEN": "hunter2"}});
    scratch.write(
        ".hookline/hooks.json",
        &json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string(),
    );
    let told = [("SERVICE_PASSWORD", "hunter3")];
    for words in [
        &["explain", "Stop", "--trust"][..],
        &["list", "--trust"],
        &["fire", "Stop", "--trust"],
    ] {
        for form in [&[][..], &["--json"]] {
            let printed = scratch.run_in(&[words, form].concat(), "", &told);
            let all = format!("{}{}", printed.stdout, printed.stderr);
            assert!(
                !all.contains("hunter2") && !all.contains("hunter3"),
                "{all}"
            );
        }
    }
    let explained = scratch.run(&["explain", "Stop", "--trust"]).stdout;
    assert!(explained.contains("DEPLOY_TOKEN"), "{explained}");
}
