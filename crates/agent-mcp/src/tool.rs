//! A server's tool as a tool of the agent.

use std::sync::Arc;

use agent_loop::{Access, Tool, ToolContext, ToolError, ToolOutput};
use async_trait::async_trait;
use hook_types::McpServer;
use serde_json::{Map, Value};

use crate::error::CallError;
use crate::link::{Link, Patience, ToolInfo};
use crate::name::tool_name;
use crate::result::shown;

/// A server's tool. What a server says of its own tools, such as that one only reads, decides nothing.
pub(crate) struct McpTool {
    link: Arc<Link>,
    name: String,
    info: ToolInfo,
}

impl McpTool {
    pub(crate) fn new(link: &Arc<Link>, info: &ToolInfo) -> Self {
        Self {
            name: tool_name(&link.config.name, &info.name),
            link: Arc::clone(link),
            info: info.clone(),
        }
    }
}

#[async_trait]
impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.info.description
    }

    fn input_schema(&self) -> Value {
        self.info.input_schema.clone()
    }

    fn access(&self, _: &Value) -> Access {
        Access::Run
    }

    fn mcp_server(&self) -> Option<McpServer> {
        let config = &self.link.config;
        Some(McpServer::new(config.name.clone(), config.source.clone()))
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let call = self
            .link
            .call(&self.info.name, arguments(input), Patience::Waits);
        let done = tokio::select! {
            biased;
            () = context.cancellation.cancelled() => Err(CallError::Interrupted {
                server: self.link.config.name.clone(),
            }),
            done = call => done,
        };
        match done {
            Ok(result) if result.is_error => Err(ToolError::new(result.text())),
            Ok(result) => Ok(ToolOutput::structured(Value::Array(result.parts))),
            Err(error @ CallError::Interrupted { .. }) => {
                Err(ToolError::interrupted(error.to_string()))
            }
            Err(error) => Err(ToolError::new(error.to_string())),
        }
    }

    fn render(&self, response: &Value) -> Option<String> {
        Some(shown(response))
    }
}

fn arguments(input: Value) -> Map<String, Value> {
    match input {
        Value::Object(arguments) => arguments,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}
