//! A tool of your own: what it takes, what it can change, what the model sees of its response.
//!
//! `cargo run -p agent-loop --example custom_tool`
#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use agent_loop::{Access, Agent, Scene, Scripted, Tool, ToolContext, ToolError, ToolOutput};
use async_trait::async_trait;
use hook_runner::HookSet;
use hook_types::{Event, PostToolUse};
use serde_json::{Value, json};

/// Converts lengths.
struct Convert;

#[async_trait]
impl Tool for Convert {
    fn name(&self) -> &'static str {
        "Convert"
    }

    fn description(&self) -> &'static str {
        "Converts a length in metres to feet or miles."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "required": ["metres", "to"],
            "properties": {
                "metres": {"type": "number", "minimum": 0},
                "to": {"type": "string", "enum": ["feet", "miles"]},
            },
            "additionalProperties": false,
        })
    }

    /// It changes nothing, so nobody is asked, and calls of one reply run at once.
    fn access(&self, _: &Value) -> Access {
        Access::Read
    }

    /// The input fits the schema when this is called.
    async fn call(&self, input: Value, _: &ToolContext) -> Result<ToolOutput, ToolError> {
        let metres = input["metres"].as_f64().unwrap_or_default();
        let (unit, factor) = match input["to"].as_str() {
            Some("feet") => ("feet", 3.280_84),
            Some("miles") => ("miles", 0.000_621_371),
            _ => return Err(ToolError::new("only feet and miles are known")),
        };
        Ok(ToolOutput::structured(
            json!({"value": metres * factor, "unit": unit}),
        ))
    }

    /// What the model sees; hooks see the response itself.
    fn render(&self, response: &Value) -> Option<String> {
        let value = response.get("value")?.as_f64()?;
        Some(format!("{value:.2} {}", response.get("unit")?.as_str()?))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), hook_runner::BuildError> {
    // Hooks know the tool by its name, as they know the others.
    let hooks = HookSet::builder()
        .on("Convert", |call: PostToolUse| {
            println!("a hook sees {}", call.tool_response);
            PostToolUse::context("Round to whole numbers.")
        })
        .build()?;
    let model = Scripted::new([
        Scene::call("Convert", json!({"metres": 100, "to": "yards"})),
        Scene::call("Convert", json!({"metres": 100, "to": "feet"})).expecting("`to`"),
        Scene::say("About 328 feet.").expecting("328.08 feet"),
    ]);
    let agent = Agent::builder()
        .model(model)
        .tool(Convert)
        .hooks(hooks)
        .build();
    let result = agent.run("How far is 100 metres in feet?").await;
    println!("{}", result.text);
    Ok(())
}
