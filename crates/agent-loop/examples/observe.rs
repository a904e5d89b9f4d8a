//! Watching an agent from another task: text as it comes, tools, hooks, and the result, from one stream.
//! Then the user has seen enough, and interrupts.
//!
//! `cargo run -p agent-loop --example observe`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]
#![allow(clippy::wildcard_enum_match_arm, reason = "it shows some events only")]

use std::time::Duration;

use agent_loop::{
    Access, Agent, AgentEventKind, AgentEvents, Arrival, Interrupt, Scene, Scripted, Tool,
    ToolContext, ToolError, ToolOutput,
};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::{EndReason, Event, Message, PostToolUse};
use serde_json::{Value, json};

struct Clock;

#[async_trait]
impl Tool for Clock {
    fn name(&self) -> &'static str {
        "Clock"
    }

    fn description(&self) -> &'static str {
        "Says what time it is."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object"})
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("half past four"))
    }
}

/// Prints what happens, and interrupts once the model has begun to ramble.
async fn watch(mut events: AgentEvents, interrupt: Interrupt) {
    while let Some(arrival) = events.next().await {
        let event = match arrival {
            Arrival::Event(event) => event,
            Arrival::Missed(count) => {
                println!("[{count} events missed]");
                continue;
            }
            _ => continue,
        };
        match event.kind {
            AgentEventKind::TextDelta(text) => {
                println!("text      {text}");
                if text.contains("rambling") {
                    interrupt.interrupt();
                }
            }
            AgentEventKind::ToolStarted { name, .. } => println!("tool      {name} starts"),
            AgentEventKind::ToolFinished { name, result, .. } => {
                println!("tool      {name}: {result}");
            }
            AgentEventKind::Hook(message) => {
                if let Message::Response(response) = *message {
                    println!(
                        "hook      {} ended: {}",
                        response.hook.hook_name, response.outcome
                    );
                }
            }
            AgentEventKind::HookSays { hook, text, .. } => {
                println!("hook      {hook} says: {text}");
            }
            AgentEventKind::TurnFinished(result) => println!("turn      {}", result.ending.word()),
            AgentEventKind::SessionEnded(reason) => println!("session   ended: {reason}"),
            _ => {}
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let hooks = HookSet::builder()
        .on("Clock", |_: PostToolUse| {
            PostToolUse::pass().with_message("the clock is slow")
        })
        .build()?;
    let model = Scripted::new([
        Scene::call("Clock", json!({})),
        Scene::say("It is half past four."),
        Scene::say("I could go on rambling about this for ever and ever and ever")
            .slowly(Duration::from_millis(50)),
    ]);
    let agent = Agent::builder()
        .model(model)
        .tool(Clock)
        .hooks(hooks)
        .build();

    let mut session = agent.start().await;
    let watching = tokio::spawn(watch(session.events(), session.interrupt_handle()));
    session.prompt("What time is it?").await;
    session.prompt("Tell me more.").await;
    session.end(EndReason::PromptInputExit).await;
    watching.await?;
    Ok(())
}
