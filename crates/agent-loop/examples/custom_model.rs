//! A model of your own: anything that turns a request into a stream of events.
//!
//! `cargo run -p agent-loop --example custom_model`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::time::Duration;

use agent_loop::{
    Agent, AgentEvent, AgentEventKind, Block, Model, ModelError, ModelEvent, ModelRequest, Price,
    ReplyStream, Usage,
};
use async_trait::async_trait;
use hook_types::StopError;

/// Says everything backwards, word by word.
struct Backwards;

/// A reply on its way. A model over the network would hold its connection here; dropping it ends the reply.
struct Words {
    left: Vec<String>,
    usage: Option<Usage>,
}

#[async_trait]
impl Model for Backwards {
    fn name(&self) -> &'static str {
        "backwards-1"
    }

    fn context_window(&self) -> u64 {
        8_000
    }

    fn price(&self) -> Option<Price> {
        Some(Price {
            input: 1.0,
            output: 5.0,
            ..Price::default()
        })
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let last = request.messages.last();
        let heard = last.and_then(|message| message.content.iter().find_map(Block::as_text));
        let Some(heard) = heard else {
            let message = "there is nothing to say backwards";
            return Err(ModelError::new(StopError::InvalidRequest, message));
        };
        let left: Vec<String> = heard.split_whitespace().map(str::to_owned).collect();
        let tokens = left.len() as u64;
        Ok(Box::new(Words {
            left,
            usage: Some(Usage {
                input_tokens: tokens,
                output_tokens: tokens,
                ..Usage::default()
            }),
        }))
    }
}

#[async_trait]
impl ReplyStream for Words {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if let Some(word) = self.left.pop() {
            return Some(Ok(ModelEvent::Text(format!("{word} "))));
        }
        if let Some(usage) = self.usage.take() {
            return Some(Ok(ModelEvent::Usage(usage)));
        }
        None
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let agent = Agent::builder()
        .model(Backwards)
        .observer(|event: &AgentEvent| {
            if let AgentEventKind::TextDelta(text) = &event.kind {
                println!("… {text}");
            }
        })
        .build();
    let result = agent.run("the last shall be first").await;
    println!("{}", result.text);
    println!(
        "{} tokens, {:.6} USD",
        result.usage.total(),
        result.cost_usd.unwrap_or_default()
    );
}
