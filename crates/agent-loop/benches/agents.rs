//! A thousand agents in one process: what a turn costs beside the model's part, and what an agent keeps in
//! memory. A turn is two requests and one tool call; with hooks, a closure each for `PreToolUse`,
//! `PostToolUse` and `Stop`.
//!
//! `cargo bench -p agent-loop`. A plain program: variants in turn, many rounds, medians.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(
    clippy::cast_precision_loss,
    reason = "a process has fewer than 2^52 KiB"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use agent_loop::{
    Access, Agent, Block, Model, ModelError, ModelEvent, ModelRequest, ReplyStream, Session,
    StopReason, Tool, ToolCall, ToolContext, ToolError, ToolOutput, reply_with,
};
use async_trait::async_trait;
use futures_util::future::join_all;
use hook_runner::HookSet;
use hook_types::{Event, PostToolUse, PreToolUse, Stop};
use serde_json::{Value, json};

const AGENTS: usize = 1_000;
const ROUNDS: usize = 201;

/// Calls the tool, then is content.
#[derive(Clone, Copy)]
struct Content;

#[async_trait]
impl Model for Content {
    fn name(&self) -> &'static str {
        "content"
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let last = request
            .messages
            .last()
            .and_then(|message| message.content.first());
        if matches!(last, Some(Block::ToolResult(_))) {
            return Ok(reply_with([
                ModelEvent::Text("Good.".to_owned()),
                ModelEvent::Stop(StopReason::EndTurn),
            ]));
        }
        let call = ToolCall::new("t", "Look", json!({"at": "the sky"}));
        Ok(reply_with([
            ModelEvent::ToolCall(call),
            ModelEvent::Stop(StopReason::ToolUse),
        ]))
    }
}

struct Look;

#[async_trait]
impl Tool for Look {
    fn name(&self) -> &'static str {
        "Look"
    }

    fn description(&self) -> &'static str {
        "Looks."
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}})
    }

    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    async fn call(&self, _: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("It is blue."))
    }
}

fn hooks() -> Result<HookSet, hook_runner::BuildError> {
    HookSet::builder()
        .on("Look", |_: PreToolUse| PreToolUse::pass())
        .on("Look", |_: PostToolUse| PostToolUse::context("and wide"))
        .on("", |_: Stop| Stop::pass())
        .build()
}

fn agent(hooks: HookSet) -> Agent {
    let agent = Agent::builder().model(Content).tool(Look).hooks(hooks);
    agent.without_subagents().cwd("/").build()
}

/// The model's part of a turn: two requests and their replies.
async fn bare() {
    use agent_loop::{ChatMessage, Role, ToolResult};
    let mut request = ModelRequest::default();
    request.messages = vec![ChatMessage::user("look")];
    drain(request.clone()).await;
    let result = Block::ToolResult(ToolResult::new("t", "It is blue.", false));
    request
        .messages
        .push(ChatMessage::new(Role::User, vec![result]));
    drain(request).await;
}

async fn drain(request: ModelRequest) {
    if let Ok(mut reply) = Content.stream(request).await {
        while let Some(event) = reply.next().await {
            black_box(event).ok();
        }
    }
}

async fn turn(agent: &Agent) -> Duration {
    let mut session = agent.start().await;
    let started = Instant::now();
    let result = session.prompt("look").await;
    let took = started.elapsed();
    assert!(result.is_finished());
    session.end(hook_types::EndReason::Unspecified).await;
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// What this process keeps in memory, in KiB; nothing where the system does not say.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

async fn one_at_a_time() -> Result<(), Box<dyn std::error::Error>> {
    let (plain, hooked) = (agent(HookSet::default()), agent(hooks()?));
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let started = Instant::now();
        bare().await;
        times[0].push(started.elapsed());
        times[1].push(turn(&plain).await);
        times[2].push(turn(&hooked).await);
    }
    println!("one turn, one agent at a time (median of {ROUNDS})");
    let names = [
        "the model's part alone",
        "without hooks",
        "with three hooks",
    ];
    for (name, times) in names.into_iter().zip(times) {
        println!("  {name:<24} {:>9.1} µs", median(times).as_secs_f64() * 1e6);
    }
    Ok(())
}

/// A thousand agents that have had one turn each, all alive; how long the turns took.
async fn a_thousand(hooks: HookSet) -> (Vec<Session>, Duration) {
    let agent = agent(hooks);
    let mut sessions: Vec<Session> = Vec::with_capacity(AGENTS);
    for _ in 0..AGENTS {
        sessions.push(agent.start().await);
    }
    let started = Instant::now();
    let turns = sessions.iter_mut().map(|session| session.prompt("look"));
    let results = join_all(turns).await;
    let took = started.elapsed();
    assert!(results.iter().all(agent_loop::TurnResult::is_finished));
    (sessions, took)
}

async fn end(sessions: Vec<Session>) {
    for session in sessions {
        session.end(hook_types::EndReason::Unspecified).await;
    }
}

/// What an agent keeps in memory. Comes first: later, freed memory is used again and does not show.
async fn memory() -> Result<(), Box<dyn std::error::Error>> {
    let hooks = hooks()?;
    let before = resident();
    let (sessions, _) = a_thousand(hooks).await;
    if let Some((after, before)) = resident().zip(before) {
        let each = after.saturating_sub(before) as f64 / AGENTS as f64;
        println!("{AGENTS} agents with three hooks, after one turn: {each:.1} KiB each");
    }
    end(sessions).await;
    Ok(())
}

async fn all_at_once(name: &str, hooks: &HookSet) {
    let mut times = Vec::new();
    for _ in 0..11 {
        let (sessions, took) = a_thousand(hooks.clone()).await;
        times.push(took / u32::try_from(AGENTS).unwrap_or(1));
        end(sessions).await;
    }
    let each = median(times).as_secs_f64() * 1e6;
    println!("  {name:<24} {each:>9.1} µs");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    memory().await?;
    one_at_a_time().await?;
    println!("one turn, {AGENTS} agents at once on one thread (median of 11)");
    all_at_once("without hooks", &HookSet::default()).await;
    all_at_once("with three hooks", &hooks()?).await;
    Ok(())
}
