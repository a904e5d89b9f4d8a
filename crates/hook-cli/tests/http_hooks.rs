//! Hooks of type `http` on the command line: with the feature `network` they are asked, without it the
//! entry says what is missing.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use crate::support::Scratch;
use serde_json::json;

/// A project with one `http` hook before each Bash call.
fn scratch(url: &str) -> Scratch {
    let scratch = Scratch::new();
    let hook = json!({"type": "http", "url": url, "headers": {"X-Key": "$KEY $HOME"}, "allowedEnvVars": ["KEY"]});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}});
    scratch.write(".claude/settings.json", &settings.to_string());
    scratch
}

#[cfg(not(feature = "network"))]
#[test]
fn without_the_feature_the_entry_is_broken_and_says_how_to_mend_it() {
    let scratch = scratch("http://localhost:1/");
    let checked = scratch.run(&["check"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("no-factory"), "{checked:?}");
    assert!(checked.stdout.contains("--features network"), "{checked:?}");
    let fired = scratch.run(&["fire", "PreToolUse", "--tool", "Bash", "--trust"]);
    assert_eq!(fired.code, Some(2), "{fired:?}");
}

#[cfg(feature = "network")]
mod network {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    use serde_json::json;

    use super::scratch;

    /// A server that gives this answer to whoever asks; what it was asked.
    fn server(answer: &str) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/guard", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&asked);
        let length = answer.len();
        let said = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {length}\r\n\r\n{answer}"
        );
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                // An event ends with a brace, and no head does.
                while !request.ends_with(b"}") {
                    let mut piece = [0; 4096];
                    match stream.read(&mut piece) {
                        Ok(0) | Err(_) => break,
                        Ok(read) => request.extend_from_slice(&piece[..read]),
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                seen.lock().unwrap().push(request);
                let _ = stream.write_all(said.as_bytes());
            }
        });
        (url, asked)
    }

    const DENY: &str = r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not over HTTP"}}"#;

    #[test]
    fn fire_asks_the_hook_and_shows_the_status_and_the_answer() {
        let (url, asked) = server(DENY);
        let scratch = scratch(&url);
        let fired = scratch.run(&["fire", "PreToolUse", "--tool", "Bash", "--trust", "--json"]);
        assert_eq!(fired.code, Some(2), "{fired:?}");
        let told = fired.json();
        assert_eq!(told["outcome"]["reason"], json!("not over HTTP"));
        assert_eq!(told["hooks"][0]["kind"], json!("http"));
        assert_eq!(told["hooks"][0]["facts"]["http_status"], json!("200"));
        assert!(asked.lock().unwrap()[0].starts_with("POST /guard HTTP/1.1\r\n"));
        let shown = scratch.run(&["fire", "PreToolUse", "--tool", "Bash", "--trust"]);
        assert!(shown.stdout.contains("http_status | 200"), "{shown:?}");
    }

    #[test]
    fn explain_says_what_would_be_sent_and_sends_nothing() {
        let (url, asked) = server(DENY);
        let explained = scratch(&url).run(&[
            "explain",
            "PreToolUse",
            "--tool",
            "Bash",
            "--trust",
            "--json",
        ]);
        let hook = &explained.json()["hooks"][0];
        assert_eq!(hook["runs"], json!(format!("POST {url}")));
        assert_eq!(hook["details"]["headers"], json!("X-Key"));
        assert_eq!(hook["details"]["variables"], json!("KEY"));
        assert_eq!(hook["details"]["variables that stay empty"], json!("HOME"));
        assert!(asked.lock().unwrap().is_empty());
    }

    #[test]
    fn a_refused_address_is_explained() {
        let scratch = scratch("http://169.254.169.254/latest");
        let explained = scratch.run(&[
            "explain",
            "PreToolUse",
            "--tool",
            "Bash",
            "--trust",
            "--json",
        ]);
        let why = explained.json()["hooks"][0]["details"]["refused"].to_string();
        assert!(why.contains("allowedHttpHookAddresses"), "{why}");
    }

    #[test]
    fn check_posts_no_samples_unless_it_is_told_to() {
        let (url, asked) = server("{}");
        let scratch = scratch(&url);
        let checked = scratch.run(&["check", "--probe", "--trust"]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
        assert!(
            checked
                .stdout
                .contains("--probe-http would post samples to it"),
            "{checked:?}"
        );
        assert!(asked.lock().unwrap().is_empty());
        let checked = scratch.run(&["check", "--probe", "--probe-http", "--trust"]);
        assert_eq!(checked.code, Some(0), "{checked:?}");
        // The hook is before each Bash call: of the calls that nobody minds one is of Bash, and a guard
        // is also asked about those that many refuse, of which two are.
        let asked = asked.lock().unwrap();
        let calls = ["ls -la", "sudo rm -rf /", "git push --force origin main"];
        assert_eq!(asked.len(), calls.len(), "{asked:?}");
        for (request, call) in asked.iter().zip(calls) {
            assert!(request.contains(call), "{call}: {request}");
        }
    }
}
