//! The complete example of the OpenCode hooks, on this engine: a registry, hooks from files and from
//! code, a blocked command, and what each hook said. It prints what that document shows; the hooks
//! have double quotes, since a variable in single quotes stays as it is written.
//!
//! ```console
//! cargo run -p hook-config --example opencode
//! ```

use std::fmt::Write;
use std::io::Write as _;

use hook_config::{Definition, HookList, Options, Places};
use hook_runner::{Fire, Runner};
use hook_shell::Host;
use hook_types::{Attempt, HookEvent, PostToolUse, PreToolUse};
use serde_json::json;

const LINE: &str = "============================================================";

fn registry(places: &Places) -> Result<HookList, Box<dyn std::error::Error>> {
    let mut registry = HookList::opencode();
    registry.load_files(places);
    let hooks = [
        Definition::opencode(
            "tool:pre_execute",
            r#"echo ">>> Executing: $OPENCODE_TOOL_NAME""#,
        )
        .description("Announce tool execution"),
        Definition::opencode(
            "tool:pre_execute:bash",
            r#"
            if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then
                echo "BLOCKED: sudo not allowed"
                exit 1
            fi
            "#,
        )
        .description("Block sudo commands"),
        Definition::opencode(
            "tool:post_execute",
            r#"echo "<<< Completed: $OPENCODE_TOOL_NAME""#,
        )
        .description("Announce tool completion"),
    ];
    for hook in hooks {
        registry
            .register(hook)
            .map_err(|problem| problem.to_string())?;
    }
    Ok(registry)
}

/// What each hook of a firing did, with the pattern that it was registered under.
fn show(
    out: &mut String,
    registry: &HookList,
    event: &HookEvent,
    attempts: &[Attempt],
) -> std::fmt::Result {
    writeln!(out, "Pre-execute results: {} hooks", attempts.len())?;
    for (hook, attempt) in registry.matching(event).zip(attempts) {
        let evidence = &attempt.reply.evidence;
        write!(
            out,
            "  {}: exit={}",
            hook.pattern(),
            evidence.exit_code.unwrap_or(-1)
        )?;
        if !attempt.should_continue() {
            write!(out, ", continue=False")?;
        }
        writeln!(out)?;
        if !evidence.stdout.trim().is_empty() {
            writeln!(out, "    stdout: {}", evidence.stdout.trim())?;
        }
    }
    Ok(())
}

/// The tour; what it prints.
pub(crate) async fn tour(places: &Places) -> Result<String, Box<dyn std::error::Error>> {
    let registry = registry(places)?;
    let loaded = registry.resolve(places, &Options::new(Host::new()));
    let runner = Runner::new(loaded.hooks);
    let mut out = String::new();

    writeln!(out, "{LINE}\nTest 1: Normal bash command")?;
    let call = PreToolUse::new("Bash", json!({"command": "ls -la"}));
    let before = runner.fire(call.clone()).await;
    show(&mut out, &registry, &call.into(), &before.attempts)?;
    let result = json!({"success": true, "output": "files..."});
    let done = PostToolUse::new("Bash", json!({"command": "ls -la"}), result);
    for attempt in &runner.fire(done).await.attempts {
        write!(out, "{}", attempt.reply.evidence.stdout)?;
    }

    writeln!(out, "\n{LINE}\nTest 2: Blocked sudo command")?;
    let call = PreToolUse::new("Bash", json!({"command": "sudo rm -rf /"}));
    let before = runner.fire(call.clone()).await;
    show(&mut out, &registry, &call.into(), &before.attempts)?;
    let blocked = before
        .attempts
        .iter()
        .filter(|attempt| !attempt.should_continue());
    writeln!(out, "\nOperation blocked by {} hook(s)!", blocked.count())?;

    writeln!(out, "\n{LINE}\nTest 3: Read operation (no blocking hooks)")?;
    let call = PreToolUse::new("Read", json!({"file_path": "/tmp/test.txt"}));
    let before = runner.fire(call.clone()).await;
    show(&mut out, &registry, &call.into(), &before.attempts)?;

    writeln!(out, "\n{LINE}\nRegistered hooks:")?;
    for hook in registry.iter() {
        let status = if hook.is_enabled() {
            "enabled"
        } else {
            "disabled"
        };
        let what = hook.describes().unwrap_or(hook.command());
        writeln!(out, "  [{status}] {}: {what}", hook.pattern())?;
    }
    runner.close(std::time::Duration::from_secs(1)).await;
    Ok(out)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let project = std::env::current_dir()?;
    let printed = tour(&Places::none().project(project)).await?;
    std::io::stdout().write_all(printed.as_bytes())?;
    Ok(())
}
