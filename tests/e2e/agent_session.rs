//! A whole session: a scripted model, our own tools, and real commands as hooks. Every request that the
//! model received is compared as a whole.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use agent_loop::{Block, ChatMessage, ModelRequest, Role, Scene, Scripted, ToolChoice};

use crate::session_story::{CONTEXT_WINDOW, Line, SLOWLY, lines, play};

fn script() -> Scripted {
    Scripted::new(lines().into_iter().map(scene)).with_context_window(CONTEXT_WINDOW)
}

fn scene(line: Line) -> Scene {
    let (read, written) = line.tokens;
    let calls = line.calls.into_iter();
    let scene = calls.fold(Scene::say(line.text), |scene, (name, input)| {
        scene.and_call(name, input)
    });
    let scene = scene.using(read, written);
    if line.slow {
        scene.slowly(SLOWLY)
    } else {
        scene
    }
}

/// What stands between two requests in the file of expected ones.
pub(crate) const BETWEEN: &str = "\n=====\n\n";

/// `UPDATE=1 cargo test -p e2e agent_session` writes the file anew; read the difference before you keep it.
#[expect(
    clippy::disallowed_methods,
    reason = "a test is at the edge, and this one renews what it checks"
)]
pub(crate) fn renewing() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

/// A request as text, whole, but for what tools say of themselves; the directory's name left out.
pub(crate) fn shown(request: &ModelRequest, directory: &Path) -> String {
    let messages: String = request.messages.iter().map(message).collect();
    let tools: Vec<&str> = request.tools.iter().map(|tool| &*tool.name).collect();
    let text = format!(
        "system: {}\ntools: {}\n{messages}",
        request.system,
        tools.join(" ")
    );
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
    let model = script();
    play(Arc::new(model.clone()), &root).await;

    let requests = model.requests();
    let plain = |request: &ModelRequest| {
        request.tool_choice == ToolChoice::Auto && request.config.is_empty()
    };
    assert!(requests.iter().all(plain), "{requests:?}");
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
