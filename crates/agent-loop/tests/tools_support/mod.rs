//! A scratch directory, and tools called in it as the loop would.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_loop::{Tool, ToolContext, ToolError, ToolOutput, Toolbox};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) context: ToolContext,
    pub(crate) toolbox: Toolbox,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let context = ToolContext::standalone(folder.path().canonicalize().unwrap());
        Self {
            folder,
            context,
            toolbox: Toolbox::standard(),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Puts a file there, as somebody else than the agent would.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        self.toolbox.get(name).unwrap()
    }

    /// A call that passes the schema: normalised, checked, made.
    pub(crate) async fn call(&self, name: &str, input: Value) -> Result<ToolOutput, ToolError> {
        let tool = self.tool(name);
        let input = tool.normalise(input, &self.context);
        self.toolbox.check(name, &input).unwrap();
        tool.call(input, &self.context).await
    }

    /// What hooks see of a call that succeeds.
    pub(crate) async fn response(&self, name: &str, input: Value) -> Value {
        self.call(name, input).await.unwrap().response
    }

    /// What the model sees of a call that succeeds.
    pub(crate) async fn seen(&self, name: &str, input: Value) -> String {
        let response = self.response(name, input).await;
        self.tool(name).render(&response).unwrap()
    }

    /// What the model sees of a call that fails.
    pub(crate) async fn failure(&self, name: &str, input: Value) -> String {
        self.call(name, input).await.unwrap_err().message
    }

    pub(crate) async fn read(&self, name: &str) {
        self.response("Read", json!({"file_path": name})).await;
    }
}

/// A path as inputs have it.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
