//! What the service receives, whole, and what it counts.

use agent_loop::{Agent, Price, Toolbox};
use agent_models::{Key, Settings};
use serde_json::{Value, json};

use crate::server::{Answer, Received, Server};
use crate::wire::{BOTH, Kind, Reply};

async fn asked(
    kind: Kind,
    change: impl FnOnce(&mut Settings),
) -> (Received, agent_loop::TurnResult) {
    let server = Server::answering([Answer::stream(kind.events(&Reply::say("Hello.")))]).await;
    let model = kind.model(&server.address, change);
    let agent = Agent::builder()
        .shared_model(model)
        .system_prompt("Be brief.")
        .build();
    let result = agent.run("Hello?").await;
    let mut received = server.received().remove(0);
    received.headers.remove("host");
    received.headers.remove("content-length");
    // An agent can always delegate; what tools look like is in the requests of the whole session.
    let tools = received.body.as_object_mut().unwrap().remove("tools");
    assert_eq!(tools.unwrap().as_array().unwrap().len(), 1);
    (received, result)
}

fn headers(received: &Received) -> Value {
    json!(received.headers)
}

#[tokio::test]
async fn a_request_to_the_messages_api_whole() {
    let (received, _) = asked(Kind::Anthropic, |_| ()).await;
    assert_eq!(received.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(
        headers(&received),
        json!({
            "accept": "text/event-stream",
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
            "user-agent": concat!("hookline/", env!("CARGO_PKG_VERSION")),
            "x-api-key": "sk-secret",
        })
    );
    let cached = json!({"type": "ephemeral"});
    assert_eq!(
        received.body,
        json!({
            "max_tokens": 32_000,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": cached}],
            "model": "claude-test",
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Hello?", "cache_control": cached}]}],
            "stream": true,
        })
    );
}

#[tokio::test]
async fn a_request_for_a_chat_completion_whole() {
    let (received, _) = asked(Kind::OpenAi, |settings| settings.max_tokens = Some(500)).await;
    assert_eq!(received.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(
        headers(&received),
        json!({
            "accept": "text/event-stream",
            "authorization": "Bearer sk-secret",
            "content-type": "application/json",
            "user-agent": concat!("hookline/", env!("CARGO_PKG_VERSION")),
        })
    );
    assert_eq!(
        received.body,
        json!({
            "model": "gpt-test",
            "max_tokens": 500,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello?"},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[tokio::test]
async fn a_token_is_a_bearer_and_a_server_at_home_needs_no_key() {
    let token = |settings: &mut Settings| settings.key = Some(Key::bearer("token"));
    let (received, _) = asked(Kind::Anthropic, token).await;
    assert_eq!(
        received.headers.get("authorization").map(String::as_str),
        Some("Bearer token")
    );
    assert!(!received.headers.contains_key("x-api-key"));
    for kind in BOTH {
        let (received, _) = asked(kind, |settings| settings.key = None).await;
        let secret = ["authorization", "x-api-key"];
        assert!(
            secret
                .iter()
                .all(|name| !received.headers.contains_key(*name))
        );
    }
}

#[tokio::test]
async fn tokens_are_counted_and_cost_what_the_user_says_or_nothing_that_is_known() {
    for kind in BOTH {
        let (_, result) = asked(kind, |_| ()).await;
        assert_eq!(
            (result.usage.input_tokens, result.usage.output_tokens),
            (7, 3)
        );
        assert_eq!(result.cost_usd, None);
        let price = Price {
            input: 1_000_000.0,
            output: 2_000_000.0,
            ..Price::default()
        };
        let (_, result) = asked(kind, |settings| settings.price = Some(price)).await;
        assert_eq!(result.cost_usd, Some(13.0));
    }
}

#[tokio::test]
async fn a_call_is_run_and_its_result_goes_back_under_its_id() {
    for kind in BOTH {
        let call = Reply::say("I look.").call("call_1", "Bash", json!({"command": "echo found"}));
        let server = Server::answering(
            [&call, &Reply::say("Done.")].map(|reply| Answer::stream(kind.events(reply))),
        )
        .await;
        let agent = Agent::builder()
            .shared_model(kind.model(&server.address, |_| ()))
            .tools(Toolbox::standard())
            .permissions(agent_loop::Permissions::new(
                hook_types::PermissionMode::BypassPermissions,
            ))
            .build();
        assert_eq!(agent.run("Look.").await.text, "Done.");
        let second = &server.received()[1].body;
        let messages = second["messages"].as_array().unwrap();
        let (said, got) = (&messages[messages.len() - 2], &messages[messages.len() - 1]);
        match kind {
            Kind::Anthropic => {
                assert_eq!(
                    said["content"],
                    json!([
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {"command": "echo found"}}])
                );
                assert_eq!(
                    got["content"],
                    json!([
                    {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "found"}],
                     "cache_control": {"type": "ephemeral"}}])
                );
            }
            Kind::OpenAi => {
                assert_eq!(
                    *said,
                    json!({"role": "assistant", "content": "I look.", "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {
                        "name": "Bash", "arguments": "{\"command\":\"echo found\"}"}}]})
                );
                assert_eq!(
                    *got,
                    json!({"role": "tool", "tool_call_id": "call_1", "content": "found"})
                );
            }
        }
    }
}
