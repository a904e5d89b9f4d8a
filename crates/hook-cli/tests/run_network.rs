//! `hookline run` with a model over the network: with the feature against a server on this machine, without
//! it an error that says how to build it in.

use crate::support::{Printed, Scratch};

fn run(scratch: &Scratch, model: &str, variables: &[(&str, &str)]) -> Printed {
    scratch.run_in(&["run", "--model", model, "hello"], "", variables)
}

#[cfg(not(feature = "network"))]
#[test]
fn without_the_feature_the_error_says_how_to_build_it_in() {
    for model in ["anthropic:claude-opus-5", "openai:gpt-5"] {
        let printed = run(&Scratch::new(), model, &[("ANTHROPIC_API_KEY", "k")]);
        assert_eq!(printed.code, Some(1), "{printed:?}");
        assert!(
            printed
                .stderr
                .contains("cargo install --path crates/hook-cli --features network"),
            "{printed:?}"
        );
    }
}

#[cfg(feature = "network")]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot set its scene has failed"
)]
mod with_the_feature {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;

    use super::{Scratch, run};

    /// Answers one request with that; hands over its first line.
    fn server(answer: String) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            let mut lines = Vec::new();
            let length = loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line == "\r\n" {
                    let lengths = lines.iter().find_map(|line: &String| {
                        let line = line.to_lowercase();
                        line.strip_prefix("content-length: ")?
                            .trim()
                            .parse::<usize>()
                            .ok()
                    });
                    break lengths.unwrap();
                }
                lines.push(line);
            };
            reader.read_exact(&mut vec![0; length]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            lines[0].trim_end().to_owned()
        });
        (address, serving)
    }

    fn stream(events: &[&str]) -> String {
        let events: Vec<String> = events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect();
        let events = events.concat();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
        )
    }

    #[test]
    fn a_model_behind_the_messages_api_answers_and_costs_what_the_user_says() {
        let (address, serving) = server(stream(&[
            r#"{"type": "message_start", "message": {"usage": {"input_tokens": 1000000, "output_tokens": 1}}}"#,
            r#"{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}"#,
            r#"{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Good day."}}"#,
            r#"{"type": "content_block_stop", "index": 0}"#,
            r#"{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1000000}}"#,
            r#"{"type": "message_stop"}"#,
        ]));
        let scratch = Scratch::new();
        let variables = [
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("HOOKLINE_PRICE", "3,15"),
        ];
        let arguments = ["run", "--model", "anthropic:claude-test", "--json", "hello"];
        let printed = scratch.run_in(&arguments, "", &variables);
        assert_eq!(printed.code, Some(0), "{printed:?}");
        let result = printed.json();
        assert_eq!(result["result"], "Good day.");
        assert_eq!(result["total_cost_usd"], 18.0);
        assert_eq!(serving.join().unwrap(), "POST /v1/messages HTTP/1.1");
    }

    #[test]
    fn a_model_behind_chat_completions_answers_without_a_key() {
        let (address, serving) = server(stream(&[
            r#"{"choices": [{"index": 0, "delta": {"content": "Good day."}, "finish_reason": "stop"}]}"#,
            "[DONE]",
        ]));
        let printed = run(
            &Scratch::new(),
            "openai:llama3.2",
            &[("OPENAI_BASE_URL", &address)],
        );
        assert_eq!(
            (printed.stdout.as_str(), printed.code),
            ("Good day.\n", Some(0)),
            "{printed:?}"
        );
        assert_eq!(
            serving.join().unwrap(),
            "POST /v1/chat/completions HTTP/1.1"
        );
    }

    #[test]
    fn without_a_key_the_error_names_the_variable_before_anything_is_asked() {
        for (model, variable) in [
            ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY"),
            ("openai:gpt-5", "OPENAI_API_KEY"),
        ] {
            let printed = run(&Scratch::new(), model, &[]);
            assert_eq!(printed.code, Some(1), "{printed:?}");
            assert!(printed.stderr.contains(variable), "{printed:?}");
        }
    }

    #[test]
    fn a_service_that_refuses_ends_the_run_with_what_would_help() {
        let body = r#"{"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}"#;
        let head = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
        let (address, serving) = server(format!("{head}{body}"));
        let variables = [
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("ANTHROPIC_API_KEY", "sk-secret"),
        ];
        let printed = run(&Scratch::new(), "anthropic:claude-opus-5", &variables);
        assert_eq!(printed.code, Some(1), "{printed:?}");
        let said = printed.stderr.contains("invalid x-api-key")
            && printed.stderr.contains("set ANTHROPIC_API_KEY");
        assert!(said, "{printed:?}");
        assert!(!format!("{printed:?}").contains("sk-secret"));
        serving.join().unwrap();
    }
}
