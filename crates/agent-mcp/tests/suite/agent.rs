//! An agent with a server's tools: what hooks are told, what they replace, and what they answer.
#![allow(clippy::wildcard_enum_match_arm, reason = "tests look for one kind")]

use std::sync::{Arc, Mutex};

use agent_loop::{
    Agent, AgentBuilder, Block, ChatMessage, Permissions, Scene, Scripted, ToolSource, Toolbox,
};
use agent_mcp::{Answerer, McpServers, NobodyAnswers, ServerQuestion};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_shell::ShellHook;
use hook_types::{
    Elicitation, ElicitationAction, ElicitationAnswer, ElicitationResult, Event, McpSource,
    PermissionMode, PostToolUse, PostToolUseFailure, PreToolUse,
};
use serde_json::{Value, json};

use crate::support::{server, started, until};

fn agent(servers: &McpServers, hooks: HookSet, model: &Scripted) -> AgentBuilder {
    Agent::builder()
        .model(model.clone())
        .hooks(hooks)
        .tools(Toolbox::standard().with_source(Arc::new(servers.clone())))
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
}

fn calls(calls: &[(&str, Value)]) -> Scripted {
    let calls = calls
        .iter()
        .map(|(tool, input)| Scene::call(*tool, input.clone()));
    Scripted::new(calls.chain([Scene::say("done")]))
}

/// What the model saw of its calls, in order.
fn results(model: &Scripted) -> Vec<(String, bool)> {
    let requests = model.requests();
    let messages = &requests.last().unwrap().messages;
    let blocks = messages
        .iter()
        .flat_map(|message: &ChatMessage| &message.content);
    blocks
        .filter_map(|block| match block {
            Block::ToolResult(result) => {
                let texts = result.content.iter().filter_map(Block::as_text);
                Some((texts.collect::<String>(), result.is_error))
            }
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn hooks_are_told_which_server_a_tool_comes_from_and_what_it_returned() {
    let told: Arc<Mutex<Vec<Value>>> = Arc::default();
    let (before, after) = (Arc::clone(&told), Arc::clone(&told));
    let hooks = HookSet::builder()
        .on("", move |event: PreToolUse| {
            before
                .lock()
                .unwrap()
                .push(json!([event.tool_name, event.mcp_server]));
        })
        .on("mcp__test__.*", move |event: PostToolUse| {
            after
                .lock()
                .unwrap()
                .push(json!([event.mcp_server, event.tool_response]));
        })
        .build()
        .unwrap();
    let servers = started([server("good").from_source(McpSource::Project)]).await;
    let model = calls(&[
        ("mcp__test__echo", json!({"text": "hi"})),
        ("Bash", json!({"command": "echo there", "description": "x"})),
    ]);
    agent(&servers, hooks, &model).build().run("go").await;
    let from = json!({"name": "test", "source": "project"});
    assert_eq!(
        *told.lock().unwrap(),
        [
            json!(["mcp__test__echo", from]),
            json!([from, [{"type": "text", "text": "hi"}]]),
            json!(["Bash", null]),
        ]
    );
    assert_eq!(results(&model)[0], ("hi".to_owned(), false));
    servers.close().await;
}

#[tokio::test]
async fn updated_mcp_tool_output_replaces_what_mcp_tools_return_and_nothing_else() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse",
                        "updatedMCPToolOutput": [{"type": "text", "text": "redacted"}]}});
    let hook = ShellHook::new(format!("echo '{answer}'"));
    let hooks = HookSet::builder()
        .hook::<PostToolUse>("", hook)
        .build()
        .unwrap();
    let servers = started([server("good")]).await;
    let model = calls(&[
        ("mcp__test__echo", json!({"text": "secret"})),
        ("Bash", json!({"command": "echo plain", "description": "x"})),
        ("mcp__test__fail", json!({"text": "no luck"})),
    ]);
    agent(&servers, hooks, &model).build().run("go").await;
    let seen = results(&model);
    assert_eq!(seen[0], ("redacted".to_owned(), false));
    assert!(seen[1].0.contains("plain") && !seen[1].1, "{seen:?}");
    assert_eq!(seen[2], ("no luck".to_owned(), true));
    servers.close().await;
}

#[tokio::test]
async fn an_error_of_a_tool_is_a_failure_for_hooks_and_the_model() {
    let told: Arc<Mutex<Vec<String>>> = Arc::default();
    let errors = Arc::clone(&told);
    let hooks = HookSet::builder()
        .on("", move |event: PostToolUseFailure| {
            errors.lock().unwrap().push(event.error);
        })
        .build()
        .unwrap();
    let servers = started([server("good")]).await;
    let model = calls(&[
        ("mcp__test__fail", json!({"text": "no disk"})),
        ("mcp__test__die", json!({})),
        ("mcp__test__echo", json!({"text": "again"})),
    ]);
    agent(&servers, hooks, &model).build().run("go").await;
    let seen = results(&model);
    assert_eq!(seen[0], ("no disk".to_owned(), true));
    assert!(
        seen[1].1 && seen[1].0.contains("it exited with code 3"),
        "{seen:?}"
    );
    assert_eq!(seen[2], ("again".to_owned(), false));
    servers.close().await;
    let told = told.lock().unwrap();
    assert_eq!((told.len(), told[0].as_str()), (2, "no disk"));
}

#[tokio::test]
async fn a_call_needs_permission_whatever_its_server_says() {
    let servers = started([server("good")]).await;
    let call = [("mcp__test__echo", json!({"text": "hi"}))];
    let (model, allowed) = (calls(&call), calls(&call));
    let ask = Permissions::default();
    let hooks = HookSet::default();
    agent(&servers, hooks.clone(), &model)
        .permissions(ask)
        .build()
        .run("go")
        .await;
    assert!(results(&model)[0].1, "nobody gave permission");
    let rule = Permissions::default().allow("mcp__test__echo").unwrap();
    agent(&servers, hooks, &allowed)
        .permissions(rule)
        .build()
        .run("go")
        .await;
    assert_eq!(results(&allowed)[0], ("hi".to_owned(), false));
    servers.close().await;
}

#[tokio::test]
async fn an_input_that_does_not_fit_the_schema_never_reaches_the_server() {
    let servers = started([server("good")]).await;
    let model = calls(&[("mcp__test__echo", json!({"text": 5}))]);
    agent(&servers, HookSet::default(), &model)
        .build()
        .run("go")
        .await;
    let seen = results(&model);
    assert!(seen[0].1 && seen[0].0.contains("text"), "{seen:?}");
    servers.close().await;
}

#[tokio::test]
async fn a_tool_that_came_later_is_offered_with_the_next_request() {
    let servers = started([server("good")]).await;
    let model = Scripted::new([
        Scene::call("mcp__test__grow", json!({})),
        Scene::say("one"),
        Scene::call("mcp__test__grown", json!({})),
        Scene::say("two"),
    ]);
    let agent = agent(&servers, HookSet::default(), &model).build();
    let mut session = agent.session().start().await;
    session.prompt("go").await;
    let has_grown = || {
        servers
            .tools()
            .iter()
            .any(|tool| tool.name() == "mcp__test__grown")
    };
    until("the new tool", has_grown).await;
    session.prompt("go on").await;
    assert_eq!(results(&model)[1], ("at your service".to_owned(), false));
    session.end(hook_types::EndReason::Unspecified).await;
    servers.close().await;
}

/// Somebody who answers the same to every question, and remembers them.
struct Person(ElicitationAction, Value, Mutex<Vec<ServerQuestion>>);

#[async_trait]
impl Answerer for Person {
    async fn answer(&self, question: &ServerQuestion) -> ElicitationAnswer {
        self.2.lock().unwrap().push(question.clone());
        ElicitationAnswer {
            action: self.0,
            content: Some(self.1.clone()),
        }
    }
}

fn person(action: ElicitationAction) -> Arc<Person> {
    Arc::new(Person(action, json!({"name": "Bob"}), Mutex::default()))
}

/// What a server was told that asked the user, by way of its tool.
async fn asked(tool: &str, hooks: HookSet, user: Arc<dyn Answerer>) -> Value {
    let servers = started([server("good")]).await;
    let model = calls(&[(&format!("mcp__test__{tool}"), json!({}))]);
    let agent = agent(&servers, hooks, &model).build();
    let mut session = agent.session().start().await;
    servers.answered_by(session.host(), user);
    session.prompt("go").await;
    session.end(hook_types::EndReason::Unspecified).await;
    servers.close().await;
    serde_json::from_str(&results(&model)[0].0).unwrap()
}

fn says<E: Event>(answer: &Value) -> HookSet {
    let hook = ShellHook::new(format!("echo '{answer}'"));
    HookSet::builder().hook::<E>("test", hook).build().unwrap()
}

#[tokio::test]
async fn a_question_is_put_to_the_user() {
    let user = person(ElicitationAction::Accept);
    let told = asked("ask", HookSet::default(), user.clone()).await;
    assert_eq!(
        told,
        json!({"action": "accept", "content": {"name": "Bob"}})
    );
    let questions = user.2.lock().unwrap();
    assert_eq!(questions.len(), 1);
    assert_eq!(
        (questions[0].server.as_str(), questions[0].message.as_str()),
        ("test", "Who are you?")
    );
    let schema = questions[0].schema.as_ref().unwrap();
    assert_eq!(schema["properties"]["name"]["type"], "string");
}

#[tokio::test]
async fn what_the_user_did_not_accept_has_no_content() {
    let told = asked(
        "ask",
        HookSet::default(),
        person(ElicitationAction::Decline),
    )
    .await;
    assert_eq!(told, json!({"action": "decline"}));
    let told = asked("ask", HookSet::default(), Arc::new(NobodyAnswers)).await;
    assert_eq!(told, json!({"action": "cancel"}));
}

#[tokio::test]
async fn an_address_to_open_is_a_question_too() {
    let user = person(ElicitationAction::Accept);
    let told = asked("open", HookSet::default(), user.clone()).await;
    assert_eq!(told["action"], "accept");
    let questions = user.2.lock().unwrap();
    assert_eq!(questions[0].url.as_deref(), Some("https://example.org/in"));
    assert_eq!(questions[0].id.as_deref(), Some("e1"));
}

#[tokio::test]
async fn an_elicitation_hook_answers_in_the_users_place() {
    let user = person(ElicitationAction::Decline);
    let answer = json!({"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept",
                        "content": {"name": "Ada"}}});
    let told = asked("ask", says::<Elicitation>(&answer), user.clone()).await;
    assert_eq!(
        told,
        json!({"action": "accept", "content": {"name": "Ada"}})
    );
    assert_eq!(user.2.lock().unwrap().len(), 0, "nobody was asked");
}

#[tokio::test]
async fn an_elicitation_hook_that_blocks_declines() {
    let user = person(ElicitationAction::Accept);
    let hooks = HookSet::builder()
        .hook::<Elicitation>("test", ShellHook::new("exit 2"))
        .build()
        .unwrap();
    let told = asked("ask", hooks, user.clone()).await;
    assert_eq!(told, json!({"action": "decline"}));
    assert_eq!(user.2.lock().unwrap().len(), 0, "nobody was asked");
}

#[tokio::test]
async fn an_elicitation_result_hook_has_the_last_word() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "ElicitationResult",
                        "action": "accept", "content": {"name": "checked"}}});
    let hooks = says::<ElicitationResult>(&answer);
    let told = asked("ask", hooks, person(ElicitationAction::Accept)).await;
    assert_eq!(
        told,
        json!({"action": "accept", "content": {"name": "checked"}})
    );
    let blocks = HookSet::builder()
        .hook::<ElicitationResult>("test", ShellHook::new("exit 2"))
        .build()
        .unwrap();
    let told = asked("ask", blocks, person(ElicitationAction::Accept)).await;
    assert_eq!(told, json!({"action": "decline"}));
}

#[tokio::test]
async fn without_a_session_questions_are_closed() {
    let servers = started([server("good")]).await;
    let told = crate::support::call(&servers, "ask", json!({}))
        .await
        .text();
    assert_eq!(told, r#"{"action": "cancel"}"#);
    servers.close().await;
}
