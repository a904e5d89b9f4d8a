//! The tools of one agent, by name.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::model::ToolSpec;
use crate::tool::Tool;
use crate::tools::schema::{InvalidInput, Schema};

/// The tools of one agent, in order. Cheap to clone.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<Entry>>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    schema: Schema,
    spec: ToolSpec,
}

impl Toolbox {
    /// No tools.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a tool, in place of one of the same name.
    #[must_use]
    pub fn with(mut self, tool: impl Tool) -> Self {
        self.add(Arc::new(tool));
        self
    }

    /// Adds a tool, in place of one of the same name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        let spec = ToolSpec {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            input_schema: tool.input_schema(),
        };
        let schema = Schema::compile(&spec.input_schema);
        let entry = Arc::new(Entry { tool, schema, spec });
        match self.place(&entry.spec.name) {
            Some(place) => self.tools[place] = entry,
            None => self.tools.push(entry),
        }
    }

    /// The same tools without the one of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.tools.retain(|entry| entry.spec.name != name);
        self
    }

    /// Keeps the tools whose names fit.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.tools.retain(|entry| keep(&entry.spec.name));
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.tools.iter().position(|entry| entry.spec.name == name)
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.place(name).map(|place| &self.tools[place].tool)
    }

    /// The tools' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|entry| entry.spec.name.as_str())
    }

    /// The tools as the model is told of them.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|entry| entry.spec.clone()).collect()
    }

    /// Whether an input is one that the tool takes. A tool that is not there takes none.
    pub fn check(&self, name: &str, input: &Value) -> Result<(), InvalidInput> {
        match self.place(name) {
            Some(place) => self.tools[place].schema.check(input),
            None => Err(InvalidInput::no_such_tool(name, self.names())),
        }
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
