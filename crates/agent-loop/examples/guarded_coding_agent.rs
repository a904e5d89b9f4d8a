//! A coding agent with guards: it may edit in its directory and run some commands, a hook keeps `sudo` and
//! force pushes out, another looks at what was written, a third wants the tests run before it stops.
//!
//! `cargo run -p agent-loop --example guarded_coding_agent` follows a script, without a key. With a model
//! of yours in its place it works in earnest.
#![expect(clippy::print_stdout, reason = "an example shows what happens")]
#![allow(clippy::wildcard_enum_match_arm, reason = "it shows some events only")]

use agent_loop::{Agent, AgentEvent, AgentEventKind, Permissions, Scene, Scripted, Toolbox};
use hook_runner::{HookSet, hook_fn};
use hook_types::{Event, PermissionMode, PostToolUse, PreToolUse, SessionStart, Stop};
use serde_json::json;

fn guards() -> Result<HookSet, hook_runner::BuildError> {
    HookSet::builder()
        .on("startup", |_: SessionStart| {
            SessionStart::context("Files in this project end with a newline.")
        })
        .on(
            "Bash",
            hook_fn(|call: PreToolUse| match call.command() {
                Some(command) if command.contains("sudo") => {
                    PreToolUse::deny("sudo is not allowed here; do it as yourself")
                }
                Some(command) if command.contains("--force") => PreToolUse::rewrite(
                    json!({ "command": command.replace("--force", "--dry-run") }),
                ),
                _ => PreToolUse::pass(),
            })
            .id("careful-shell"),
        )
        .on(
            "Write|Edit",
            hook_fn(|call: PostToolUse| {
                let text = call.tool_input["content"].as_str().unwrap_or("\n");
                if text.ends_with('\n') {
                    PostToolUse::pass()
                } else {
                    PostToolUse::feedback("the file does not end with a newline")
                }
            })
            .id("newline"),
        )
        .on(
            "",
            hook_fn(|stop: Stop| {
                if stop.stop_hook_active {
                    Stop::pass()
                } else {
                    Stop::keep_going("Run the script once before you stop.")
                }
            })
            .id("tests-first"),
        )
        .build()
}

/// What a model would do here.
fn script() -> Scripted {
    Scripted::new([
        Scene::say("I need root for this.")
            .and_call("Bash", json!({"command": "sudo touch hello.sh"})),
        Scene::say("Then as myself.")
            .and_call(
                "Write",
                json!({"file_path": "hello.sh", "content": "echo hello"}),
            )
            .expecting("sudo is not allowed here"),
        Scene::call(
            "Write",
            json!({"file_path": "hello.sh", "content": "echo hello\n"}),
        )
        .expecting("does not end with a newline"),
        Scene::say("The script is written."),
        Scene::call("Bash", json!({"command": "sh hello.sh"})).expecting("Run the script once"),
        Scene::say("It says hello.").expecting("hello"),
    ])
}

fn show(event: &AgentEvent) {
    match &event.kind {
        AgentEventKind::Message(message) if !message.text().is_empty() => {
            println!("{:?}: {}", message.role, message.text());
        }
        AgentEventKind::ToolStarted { name, input, .. } => println!("  runs {name} {input}"),
        AgentEventKind::ToolFinished {
            name,
            result,
            is_error,
            ..
        } => {
            let word = if *is_error { "error" } else { "result" };
            println!(
                "  {name} {word}: {}",
                result.lines().collect::<Vec<_>>().join(" / ")
            );
        }
        _ => {}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let permissions = Permissions::new(PermissionMode::AcceptEdits).allow("Bash(sh *)")?;
    let agent = Agent::builder()
        .model(script())
        .tools(Toolbox::standard())
        .hooks(guards()?)
        .permissions(permissions)
        .cwd(directory.path())
        .transcripts_in(directory.path().join("sessions"))
        .observer(show)
        .build();
    let result = agent.run("Write a script that says hello.").await;
    println!(
        "\n{} after {} requests: {}",
        result.ending.word(),
        result.requests,
        result.text
    );
    Ok(())
}
