//! The same whole session with models over HTTP: servers on this machine speak the formats of the real
//! services, streamed, and every request that they received is compared as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use agent_loop::ModelRequest;
use serde_json::{Value, json};

use crate::agent_session::{BETWEEN, renewing, shown};
use crate::server::{Answer, Received, Server};
use crate::session_story::{CONTEXT_WINDOW, Line, id, lines, play};
use crate::wire::{Kind, Reply};

/// A line of the story as the service streams it. A slow one stops in the middle: the user interrupts it.
fn answer(kind: Kind, (number, line): (usize, Line)) -> Answer {
    let reply = Reply {
        tokens: line.tokens,
        ..Reply::say(line.text)
    };
    let calls = line.calls.into_iter().enumerate();
    let reply = calls.fold(reply, |reply, (place, (name, input))| {
        reply.call(&id(number, place), name, input)
    });
    let events = kind.events(&reply);
    if !line.slow {
        return Answer::stream(events);
    }
    let heard = events.iter().position(|event| event.contains("we "));
    let upto = heard.expect("the word that is waited for") + 1;
    Answer::begin().send(&events[..upto]).hang()
}

/// Plays the story; hands over what the service received.
async fn told_by(kind: Kind, root: &Path) -> Vec<Received> {
    let answers = lines().into_iter().enumerate();
    let server = Server::answering(answers.map(|line| answer(kind, line))).await;
    let model = kind.model(&server.address, |settings| {
        settings.context_window = Some(CONTEXT_WINDOW);
    });
    play(model, root).await;
    server.closed().await; // by the interruption
    server.received()
}

/// A request as text: its head, then a line for every message and every tool. Tools that are those of the
/// request before are not told again.
fn told(request: &Received, before: Option<&Received>, root: &Path) -> String {
    let near =
        |(name, _): &(&String, &String)| !["host", "content-length"].contains(&name.as_str());
    let headers = request.headers.iter().filter(near);
    let headers: Vec<String> = headers
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let mut lines = vec![format!("{}\n{}", request.line, headers.concat())];
    for (key, value) in request.body.as_object().expect("an object") {
        let same = before.is_some_and(|before| before.body.get(key) == Some(value));
        let told = match (key.as_str(), value) {
            ("tools", Value::Array(tools)) if same => format!("{} as before", tools.len()),
            (_, Value::Array(items)) => {
                let items: Vec<String> = items.iter().map(|item| format!("\n  {item}")).collect();
                items.concat()
            }
            (_, value) => value.to_string(),
        };
        lines.push(format!("{key}: {told}\n"));
    }
    lines.concat().replace(&*root.to_string_lossy(), "$DIR")
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("e2e").join(name)
}

fn compare(told: &[String], name: &str) {
    let file = file(name);
    let expected = fs::read_to_string(&file).expect("the file of expected requests");
    let expected: Vec<&str> = expected.split(BETWEEN).collect();
    for (number, (told, expected)) in told.iter().zip(&expected).enumerate() {
        assert_eq!(told, expected, "request {}", number + 1);
    }
    assert_eq!(told.len(), expected.len());
}

async fn session(kind: Kind, name: &str) -> (Vec<Received>, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().canonicalize().expect("it is there");
    let received = told_by(kind, &root).await;
    let texts: Vec<String> = (0..received.len())
        .map(|number| {
            let before = number.checked_sub(1).map(|before| &received[before]);
            told(&received[number], before, &root)
        })
        .collect();
    if renewing() {
        fs::write(file(name), texts.join(BETWEEN)).expect("the file of expected requests");
    }
    compare(&texts, name);
    (received, directory)
}

#[tokio::test]
async fn a_whole_session_with_a_model_behind_the_messages_api() {
    let (received, directory) = session(Kind::Anthropic, "agent_session.anthropic.txt").await;

    // What the service read is what the script read, word for word.
    let root = directory.path().canonicalize().expect("it is there");
    let same: Vec<String> = received
        .iter()
        .map(|request| {
            let system = request.body.pointer("/system/0/text");
            let tools = request.body.get("tools").cloned().unwrap_or(json!([]));
            let request = json!({"model": "", "system": system, "tools": tools,
                                 "messages": request.body["messages"]});
            let request: ModelRequest = serde_json::from_value(request).expect("a request");
            shown(&request, &root)
        })
        .collect();
    compare(&same, "agent_session.txt");
}

#[tokio::test]
async fn a_whole_session_with_a_model_behind_chat_completions() {
    let (received, _) = session(Kind::OpenAi, "agent_session.openai.txt").await;
    let asked = lines().len();
    assert_eq!(received.len(), asked);
}
