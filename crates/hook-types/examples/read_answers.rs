//! What hooks are told, what they answer, and what is made of it: `cargo run -p hook-types --example read_answers`.
#![expect(clippy::print_stdout, reason = "a tour is for reading")]

use hook_types::wire::{Extent, Form, read};
use hook_types::{Answer, Base, Event, EventName, HookEvent, PreToolUse};
use serde_json::json;

fn no_sudo(call: &PreToolUse) -> Answer<PreToolUse> {
    if call
        .command()
        .is_some_and(|command| command.starts_with("sudo "))
    {
        PreToolUse::deny("sudo is not allowed here")
    } else {
        PreToolUse::pass()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut call = PreToolUse::new("Bash", json!({"command": "sudo rm -rf /srv"}));
    call.base
        .fill_from(&Base::new("s-1", "/tmp/s-1.jsonl", "/srv"));

    println!("The agent wants to run a tool. A command hook reads on stdin:\n");
    println!(
        "{}\n",
        serde_json::to_string_pretty(&HookEvent::from(call.clone()))?
    );
    println!(
        "A Rust hook answers, and on the wire that is:\n\n{}\n",
        no_sudo(&call).to_json()
    );

    println!("What a command prints is read with care:\n");
    for printed in [
        r#"{"decision": "block", "reason": "no"}"#,
        "loading profile...\n{\"decision\": \"block\"}\ngoodbye",
        r#"{"permissionDecision": "deny", "score": NaN}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "modifiedToolInput": {}}}"#,
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": "ls"}}"#,
        "[10:54] hello",
    ] {
        let reading = read(EventName::PreToolUse, printed, Extent::Whole);
        let verdict = match &reading.form {
            Form::Nothing => "nothing".to_owned(),
            Form::Text(_) => "plain text".to_owned(),
            Form::Answer(_) => format!("an answer: {}", reading.decision()),
            Form::Bad(problem) => format!("a failure: {problem}"),
        };
        println!("  {}\n    {verdict}", printed.replace('\n', "\n  "));
        for diagnostic in &reading.diagnostics {
            println!("    {diagnostic}");
        }
        println!();
    }
    Ok(())
}
