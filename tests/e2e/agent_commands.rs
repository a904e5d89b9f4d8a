//! The agent, its own tools and real commands as hooks: what only shows with processes.

use std::path::Path;
use std::time::Duration;

use agent_loop::{
    Agent, AgentBuilder, Block, Ending, Interrupt, ModelRequest, Permissions, Scene, Scripted,
    Toolbox,
};
use hook_runner::{Group, Hook, HookSet, Wait};
use hook_shell::ShellHook;
use hook_types::{
    CwdChanged, EventName, PermissionMode, PostToolUse, PreToolUse, SessionStart, UserInterrupt,
};
use serde_json::json;

fn agent(model: &Scripted, hooks: HookSet, directory: &Path) -> AgentBuilder {
    Agent::builder()
        .model(model.clone())
        .tools(Toolbox::standard())
        .hooks(hooks)
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
        .cwd(directory)
        .transcripts_in(directory.join("sessions"))
}

fn bash(command: &str) -> Scene {
    Scene::call("Bash", json!({ "command": command }))
}

/// Whether a process is there, by the number that it wrote into a file, and is no zombie.
fn is_alive(file: &Path) -> bool {
    let pid = std::fs::read_to_string(file).expect("it wrote its number");
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    status.is_ok_and(|status| !status.contains(") Z"))
}

/// Interrupts a turn once somebody has written into a file.
fn interrupt_after(file: &Path, interrupt: Interrupt) {
    let file = file.to_owned();
    tokio::spawn(async move {
        while !std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        interrupt.interrupt();
    });
}

/// What the last message of a request says, results included.
fn last(request: &ModelRequest) -> String {
    let blocks = request
        .messages
        .last()
        .map(|message| message.content.as_slice());
    let words = blocks.unwrap_or_default().iter().map(|block| match block {
        Block::Text { text } => text.clone(),
        Block::ToolResult(result) => result.text(),
        Block::ToolUse(call) => call.name.clone(),
        Block::Other(value) => value.to_string(),
    });
    words.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn what_a_session_start_hook_exports_is_set_in_later_commands() {
    let directory = tempfile::tempdir().expect("a directory");
    let export = ShellHook::new("echo 'export COLOUR=blue' >> \"$CLAUDE_ENV_FILE\"");
    let here = ShellHook::new("echo 'export HERE=there' >> \"$CLAUDE_ENV_FILE\"");
    let hooks = HookSet::builder()
        .hook::<SessionStart>("", export)
        .hook::<CwdChanged>("", here)
        .build()
        .expect("the hooks are well formed");
    let model = Scripted::new([
        bash("echo \"[$COLOUR][$HERE]\"; mkdir -p sub; cd sub"),
        bash("echo \"[$COLOUR][$HERE]\"; pwd"),
        Scene::say("ok"),
    ]);
    agent(&model, hooks, directory.path())
        .build()
        .run("go")
        .await;
    let requests = model.requests();
    assert!(
        last(&requests[1]).contains("[blue][]"),
        "{}",
        last(&requests[1])
    );
    let second = last(&requests[2]);
    assert!(second.contains("[blue][there]"), "{second}");
    assert!(second.contains("/sub"), "{second}");
}

#[tokio::test]
async fn a_hook_in_the_background_wakes_an_agent_that_has_nothing_to_do() {
    let directory = tempfile::tempdir().expect("a directory");
    let watch = "until [ -e broken ]; do sleep 0.02; done; echo 'the build broke' >&2; exit 2";
    let hook = Hook::new(EventName::PostToolUse, ShellHook::new(watch)).wait(Wait::Rewake);
    let hooks = HookSet::builder()
        .group(Group::parallel().hook(hook))
        .build()
        .expect("the hooks are well formed");
    let model = Scripted::new([bash("true"), Scene::say("ok"), Scene::say("I mend it.")]);
    let agent = agent(&model, hooks, directory.path()).build();
    let mut session = agent.start().await;
    session.prompt("go").await;
    std::fs::write(directory.path().join("broken"), "").expect("a file");
    let woken = tokio::time::timeout(Duration::from_mins(1), session.wake()).await;
    let woken = woken.expect("it wakes").expect("a turn");
    assert_eq!(woken.text, "I mend it.");
    let told = last(&model.requests()[2]);
    assert!(
        told.starts_with("<system-reminder>"),
        "nobody takes it for the user: {told}"
    );
    assert!(told.contains("the build broke"), "{told}");
}

#[tokio::test]
async fn an_interruption_ends_a_command_and_what_it_started() {
    let directory = tempfile::tempdir().expect("a directory");
    let hooks = HookSet::builder()
        .hook::<UserInterrupt>("", ShellHook::new("cat > interrupted.json"))
        .build()
        .expect("the hooks are well formed");
    let command = "echo $$ > pid; sleep 600 & echo $! > child; sleep 600";
    let model = Scripted::new([bash(command), Scene::say("ok")]);
    let agent = agent(&model, hooks, directory.path()).build();
    let mut session = agent.start().await;
    let [pid, child] = ["pid", "child"].map(|name| directory.path().join(name));
    interrupt_after(&child, session.interrupt_handle());
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Interrupted);
    assert!(!is_alive(&pid), "the command is gone");
    assert!(!is_alive(&child), "and what it started");
    let told = std::fs::read_to_string(directory.path().join("interrupted.json"));
    let told: serde_json::Value = serde_json::from_str(&told.expect("the hook ran")).expect("JSON");
    assert_eq!(told["during"], "tool");
    assert_eq!(told["tool_name"], "Bash");
    session.prompt("go on").await;
    assert!(last(&model.requests()[1]).contains("The user interrupted this call."));
}

#[tokio::test]
async fn an_interruption_ends_a_hook_and_the_call_does_not_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let hooks = HookSet::builder()
        .hook::<PreToolUse>("Bash", ShellHook::new("echo $$ > asked; sleep 600"))
        .build()
        .expect("the hooks are well formed");
    let model = Scripted::new([bash("touch ran"), Scene::say("ok")]);
    let agent = agent(&model, hooks, directory.path()).build();
    let mut session = agent.start().await;
    let asked = directory.path().join("asked");
    interrupt_after(&asked, session.interrupt_handle());
    let result = session.prompt("go").await;
    assert_eq!(result.ending, Ending::Interrupted);
    assert!(!directory.path().join("ran").exists());
    let gone = async {
        while is_alive(&asked) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let gone = tokio::time::timeout(Duration::from_mins(1), gone).await;
    gone.expect("the hook is killed");
}

#[tokio::test]
async fn a_hook_sees_what_a_tool_returned_and_the_model_sees_what_the_hook_says() {
    let directory = tempfile::tempdir().expect("a directory");
    let lint =
        "grep -q '\"filePath\":\"[^\"]*/a.txt\"' && { echo 'a.txt has no licence' >&2; exit 2; }";
    let hooks = HookSet::builder()
        .hook::<PostToolUse>("Write", ShellHook::new(lint))
        .build()
        .expect("the hooks are well formed");
    let write = json!({"file_path": "a.txt", "content": "hello\n"});
    let model = Scripted::new([Scene::call("Write", write), Scene::say("ok")]);
    agent(&model, hooks, directory.path())
        .build()
        .run("go")
        .await;
    let told = last(&model.requests()[1]);
    assert!(told.contains("a.txt has no licence"), "{told}");
}
