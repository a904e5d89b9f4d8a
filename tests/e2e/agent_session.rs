//! A whole session: a scripted model, our own tools, and real commands as hooks. Every request that the
//! model received is compared as a whole.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{
    Agent, AgentEvent, AgentEventKind, Block, ChatMessage, Ending, ModelRequest, Permissions, Role,
    Scene, Scripted, Toolbox,
};
use hook_runner::{HookSet, Runner};
use hook_shell::ShellHook;
use hook_types::{
    EndReason, PermissionMode, PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop,
    UserPromptSubmit,
};
use serde_json::json;

/// A guard that forbids `rm`, and has drafts made final.
const GUARD: &str = r#"
input=$(cat)
case $input in
  *'rm -rf'*) echo 'rm is not allowed here' >&2; exit 2 ;;
  *'echo draft'*) echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "echo final"}}}' ;;
esac
"#;

/// Holds the agent back once.
const HOLD: &str = r"
[ -e held ] && exit 0
touch held
echo 'run the tests first' >&2
exit 2
";

/// Answers at once that it will answer, and answers when a file appears.
const LATE: &str = r#"
echo '{"async": true}'
until [ -e go ]; do sleep 0.02; done
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "lint: clean"}}'
"#;

fn hooks() -> HookSet {
    HookSet::builder()
        .hook::<SessionStart>("", ShellHook::new("echo 'branch: main'"))
        .hook::<UserPromptSubmit>("", ShellHook::new("echo 'it is Monday'"))
        .hook::<PreToolUse>("Bash", ShellHook::new(GUARD))
        .hook::<PostToolUse>("Write", ShellHook::new(LATE))
        .hook::<Stop>("", ShellHook::new(HOLD))
        .hook::<SessionEnd>("", ShellHook::new("touch ended"))
        .build()
        .expect("the hooks are well formed")
}

fn script() -> Scripted {
    let read = |name: &str| json!({ "file_path": name });
    let task = json!({"description": "look", "prompt": "Look for dragons."});
    Scripted::new([
        Scene::say("I read both.")
            .and_call("Read", read("a.txt"))
            .and_call("Read", read("b.txt")),
        Scene::call("Bash", json!({"command": "rm -rf build"})),
        Scene::call("Bash", json!({"command": "echo draft"})),
        Scene::call(
            "Write",
            json!({"file_path": "notes.txt", "content": "all well\n"}),
        ),
        Scene::say("Done."),
        Scene::say("Tested."),
        Scene::call("Agent", task),
        Scene::say("No dragons."),
        Scene::say("There are none.").using(900, 10),
        Scene::say("The user has notes and no dragons."),
        Scene::say("Next we will go home").slowly(Duration::from_millis(100)),
        Scene::say("Very well."),
    ])
    .with_context_window(1_000)
}

/// What stands between two requests in the file of expected ones.
const BETWEEN: &str = "\n=====\n\n";

/// `UPDATE=1 cargo test -p e2e agent_session` writes the file anew; read the difference before you keep it.
#[expect(
    clippy::disallowed_methods,
    reason = "a test is at the edge, and this one renews what it checks"
)]
fn renewing() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// A request as text, whole; the directory's name left out.
fn shown(request: &ModelRequest, directory: &Path) -> String {
    let messages: String = request.messages.iter().map(message).collect();
    let text = format!("system: {}\n{messages}", request.system);
    text.replace(&*directory.to_string_lossy(), "$DIR")
}

fn message(message: &ChatMessage) -> String {
    let who = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let blocks = message.content.iter().map(|block| match block {
        Block::Text { text } => format!("[{who}] {text}\n"),
        Block::ToolUse(call) => format!("[call {}] {} {}\n", call.id, call.name, call.input),
        Block::ToolResult(result) => {
            let word = if result.is_error { "error" } else { "result" };
            format!("[{word} {}] {}\n", result.tool_use_id, result.text())
        }
        Block::Other(value) => format!("[other] {value}\n"),
    });
    blocks.collect()
}

#[tokio::test]
async fn a_whole_session_with_real_commands() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().canonicalize().expect("it is there");
    fs::write(root.join("a.txt"), "alpha\n").expect("a file");
    fs::write(root.join("b.txt"), "beta\n").expect("a file");
    let model = script();
    let runner = Runner::new(hooks());
    let (sent, mut deltas) = tokio::sync::mpsc::unbounded_channel();
    let agent = Agent::builder()
        .model(model.clone())
        .tools(Toolbox::standard())
        .runner(Arc::new(runner.clone()))
        .system_prompt("Be brief.")
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
        .cwd(&root)
        .transcripts_in(root.join("sessions"))
        .observer(move |event: &AgentEvent| {
            if let AgentEventKind::TextDelta(text) = &event.kind {
                let _ = sent.send(text.clone());
            }
        })
        .build();

    let mut session = agent.start().await;
    let first = session.prompt("Set things up.").await;
    assert_eq!(first.ending, Ending::Finished);
    assert_eq!(first.denials.len(), 1);

    fs::write(root.join("go"), "").expect("a file");
    while runner.in_background() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(
        session.prompt("Look for dragons.").await.text,
        "There are none."
    );

    let interrupt = session.interrupt_handle();
    let waiting = tokio::spawn(async move {
        while let Some(text) = deltas.recv().await {
            if text == "we " {
                interrupt.interrupt();
            }
        }
    });
    assert_eq!(
        session.prompt("What next?").await.ending,
        Ending::Interrupted
    );
    assert_eq!(session.prompt("Go home.").await.text, "Very well.");
    session.end(EndReason::PromptInputExit).await;
    assert!(root.join("ended").exists(), "SessionEnd has run");
    assert_eq!(
        fs::read_to_string(root.join("notes.txt")).expect("it was written"),
        "all well\n"
    );
    waiting.abort();

    let requests = model.requests();
    let shown: Vec<String> = requests
        .iter()
        .map(|request| shown(request, &root))
        .collect();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/e2e/agent_session.txt");
    if renewing() {
        fs::write(file, shown.join(BETWEEN)).expect("the file of expected requests");
    }
    let expected = fs::read_to_string(file).expect("the file of expected requests");
    let expected: Vec<&str> = expected.split(BETWEEN).collect();
    for (number, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
        assert_eq!(shown, expected, "request {}", number + 1);
    }
    assert_eq!(shown.len(), expected.len(), "{}", shown.join(BETWEEN));
}
