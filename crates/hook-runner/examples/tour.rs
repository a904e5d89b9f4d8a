//! Hooks that deny, rewrite, add context, hold an agent back and go on in the background, fired by
//! hand: `cargo run -p hook-runner --example tour`.
#![expect(clippy::print_stdout, reason = "a tour is for reading")]

use std::time::Duration;

use hook_runner::{Delivery, Fire, HookSet, Messages, Runner, Verdict, background, hook_fn};
use hook_types::{Event, Message, PostToolUse, PreToolUse, Stop};
use serde_json::json;

fn hooks() -> Result<HookSet, hook_runner::BuildError> {
    HookSet::builder()
        .on(
            "Bash",
            hook_fn(|call: PreToolUse| match call.command() {
                Some(command) if command.contains("sudo") => {
                    PreToolUse::deny("sudo is not allowed here")
                }
                Some(command) if command.starts_with("git push") => {
                    PreToolUse::rewrite(json!({ "command": format!("{command} --dry-run") }))
                }
                _ => PreToolUse::pass(),
            })
            .id("careful-shell"),
        )
        .on(
            "Write|Edit",
            hook_fn(|_: PostToolUse| async {
                tokio::time::sleep(Duration::from_millis(5)).await;
                PostToolUse::context("the formatter changed two lines")
            })
            .id("format"),
        )
        .on(
            "Write",
            hook_fn(|_: PostToolUse| {
                background(async {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    PostToolUse::context("all 12 tests pass")
                })
            })
            .id("test-later"),
        )
        .on(
            "",
            hook_fn(|stop: Stop| {
                if stop.stop_hook_active {
                    Stop::pass()
                } else {
                    Stop::keep_going("say what you changed")
                }
            })
            .id("summary-please"),
        )
        .on(
            "mcp__*",
            hook_fn(|_: PreToolUse| -> () { panic!("this hook is broken") }).id("broken"),
        )
        .build()
}

fn tell<E: Event>(what: &str, fired: &Verdict<E>) {
    println!("\nThe agent wants to {what}");
    for attempt in &fired.attempts {
        println!("  {:<15} {}", attempt.hook.id, attempt.reply.status);
    }
    let outcome = &fired.outcome;
    if let Some(decision) = outcome.decision_word() {
        println!(
            "  => {decision}: {}",
            outcome.reason.as_deref().unwrap_or("no reason given")
        );
    }
    if let Some(input) = &outcome.updated_input {
        println!("  => runs with {input}");
    }
    for note in &outcome.additional_context {
        println!("  => the model is told: {}", note.text);
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "progress is not told here")]
fn stream(messages: &mut Messages) {
    println!("\nThe stream of what every hook did:");
    while let Some(Delivery::Message(message)) = messages.try_next() {
        match *message {
            Message::Started(started) => println!("  {} started", started.hook.hook_name),
            Message::Response(response) => {
                println!(
                    "  {} responded: {}",
                    response.hook.hook_name, response.outcome
                );
            }
            Message::Verdict(verdict) => {
                let decision = verdict.decision.as_deref().unwrap_or("no opinion");
                println!("  {} verdict: {decision}", verdict.hook_name);
            }
            _ => {}
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), hook_runner::BuildError> {
    std::panic::set_hook(Box::new(|_| {})); // the broken hook's panic is told below
    let (runner, mut messages) = Runner::new(hooks()?).with_messages();

    let bash = |command: &str| PreToolUse::new("Bash", json!({ "command": command }));
    tell(
        "run `sudo rm -rf /srv`",
        &runner.fire(bash("sudo rm -rf /srv")).await,
    );
    tell("run `git push`", &runner.fire(bash("git push")).await);
    let write = PostToolUse::new(
        "Write",
        json!({"file_path": "src/lib.rs"}),
        json!("written"),
    );
    tell("go on after writing a file", &runner.fire(write).await);
    tell(
        "use a tool that a broken hook watches",
        &runner
            .fire(PreToolUse::new("mcp__db__query", json!({})))
            .await,
    );
    tell("stop", &runner.fire(Stop::new(false)).await);

    let Some(late) = runner.late().await else {
        return Ok(());
    };
    let said = late
        .attempt
        .reply
        .output
        .into_inner()
        .additional_context
        .unwrap_or_default();
    println!(
        "\nLater, from the background: {} says: {said}",
        late.attempt.hook.id
    );
    runner.close(Duration::from_secs(1)).await;
    stream(&mut messages);
    Ok(())
}
