//! From an entry of a file to a hook.

use std::sync::Arc;

use hook_config::{Action, Entry, Factory, Setting};
use hook_runner::Handler;
use serde_json::{Map, Value};

use super::McpToolHook;
use crate::servers::McpServers;

/// Makes hooks of type `mcp_tool`.
///
/// ```
/// use agent_mcp::{McpServers, McpToolFactory};
/// use hook_config::Factories;
///
/// let factories = Factories::new().with("mcp_tool", McpToolFactory::new(&McpServers::none()));
/// assert!(factories.knows("mcp_tool"));
/// ```
#[derive(Clone, Debug)]
pub struct McpToolFactory(McpServers);

impl McpToolFactory {
    /// For these servers.
    pub fn new(servers: &McpServers) -> Self {
        Self(servers.clone())
    }
}

impl Factory for McpToolFactory {
    fn make(&self, entry: &Entry, _: &Setting<'_>) -> Result<Arc<dyn Handler>, String> {
        let Action::Other { fields, .. } = &entry.action else {
            return Err("the entry is of another type".to_owned());
        };
        let text = |key: &str| {
            let text = fields.get(key).and_then(Value::as_str);
            text.ok_or_else(|| format!("`{key}` is missing: a text"))
        };
        let input = match fields.get("input") {
            None => Map::new(),
            Some(Value::Object(input)) => input.clone(),
            Some(_) => return Err("`input` must be an object".to_owned()),
        };
        let hook = McpToolHook::new(&self.0, text("server")?, text("tool")?)
            .input(Value::Object(input))
            .dialect(entry.dialect);
        Ok(Arc::new(hook))
    }
}
