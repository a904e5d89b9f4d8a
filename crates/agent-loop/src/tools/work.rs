//! What every tool needs: its input as a type, and a place where it may block.

use hook_runner::Cancellation;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::tool::{ToolContext, ToolError};

/// The input as a type. It has been checked, so that this fails only for whoever calls a tool by hand.
pub(super) fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ToolError> {
    serde_json::from_value(input).map_err(|error| {
        ToolError::new(format!("the input does not fit the tool's schema: {error}"))
    })
}

/// Does work that blocks. It is told when nobody waits for it any more: the call was cancelled, or dropped.
pub(super) async fn blocking<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&Cancellation) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let until = context.cancellation.child();
    let told = CancelOnDrop(until.clone());
    let done = tokio::task::spawn_blocking(move || work(&until)).await;
    drop(told);
    done.unwrap_or_else(|broken| Err(ToolError::new(format!("the tool broke down: {broken}"))))
}

struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
