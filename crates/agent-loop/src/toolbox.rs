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
    sources: Vec<Known>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    schema: Schema,
    spec: ToolSpec,
    /// Whether a source has it, and may take it away.
    lent: bool,
}

/// Tools that come and go while a session runs, such as those of a server. The loop looks at them before
/// each request to the model.
///
/// ```
/// use std::sync::Arc;
/// use agent_loop::{Tool, Toolbox, ToolSource};
///
/// struct Workshop;
///
/// impl ToolSource for Workshop {
///     fn version(&self) -> u64 {
///         0
///     }
///
///     fn tools(&self) -> Vec<Arc<dyn Tool>> {
///         Vec::new()
///     }
/// }
///
/// let tools = Toolbox::standard().with_source(Arc::new(Workshop));
/// assert!(tools.names().any(|name| name == "Bash"));
/// ```
pub trait ToolSource: Send + Sync + 'static {
    /// Another number whenever the tools are not what they were.
    fn version(&self) -> u64;

    /// The tools there are now.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;
}

/// A source, and what was last seen of it.
#[derive(Clone)]
struct Known {
    source: Arc<dyn ToolSource>,
    seen: Option<u64>,
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
        let entry = Arc::new(Entry::new(tool, false));
        match self.place(&entry.spec.name) {
            Some(place) => self.tools[place] = entry,
            None => self.tools.push(entry),
        }
    }

    /// Adds whatever tools a source has, behind all others. None of them takes the place of another.
    #[must_use]
    pub fn with_source(mut self, source: Arc<dyn ToolSource>) -> Self {
        self.sources.push(Known { source, seen: None });
        self.refresh();
        self
    }

    /// Looks what the sources have now.
    pub(crate) fn refresh(&mut self) {
        let mut changed = false;
        for known in &mut self.sources {
            let now = Some(known.source.version());
            changed |= known.seen != now;
            known.seen = now;
        }
        if !changed {
            return;
        }
        self.tools.retain(|entry| !entry.lent);
        let sources = self.sources.iter();
        let lent: Vec<_> = sources.flat_map(|known| known.source.tools()).collect();
        for tool in lent {
            if self.place(tool.name()).is_none() {
                self.tools.push(Arc::new(Entry::new(tool, true)));
            }
        }
    }

    /// The same tools without the one of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.tools.retain(|entry| entry.spec.name != name);
        self
    }

    /// Keeps the tools whose names fit, of those that there are now: sources add nothing any more.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.refresh();
        self.sources.clear();
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

impl Entry {
    fn new(tool: Arc<dyn Tool>, lent: bool) -> Self {
        let spec = ToolSpec {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            input_schema: tool.input_schema(),
        };
        Self {
            schema: Schema::compile(&spec.input_schema),
            tool,
            spec,
            lent,
        }
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
