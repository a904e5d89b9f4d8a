//! What every tool needs: its input as a type, and a place where it may block.

use hook_runner::Cancellation;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::tool::{ToolContext, ToolError};

/// The input as a type. It has been checked, so that this fails only for whoever calls a tool by hand.
pub(super) fn parse<T: DeserializeOwned>(mut input: Value) -> Result<T, ToolError> {
    for field in input.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(whole) = whole_number(field) {
            *field = whole;
        }
    }
    serde_json::from_value(input).map_err(|error| {
        ToolError::new(format!("the input does not fit the tool's schema: {error}"))
    })
}

/// `2.0`, which is whole for a schema, in the form that is whole for a type.
fn whole_number(field: &Value) -> Option<Value> {
    let number = field.as_f64().filter(|_| field.is_f64())?;
    let text = format!("{number}");
    text.parse::<i64>().ok().map(Value::from)
}

/// Does work that blocks. It is told when nobody waits for it any more: the call was cancelled, or dropped.
pub(super) async fn blocking<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&Cancellation) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let until = context.cancellation.child();
    let told = CancelOnDrop(until.clone());
    let done = hook_runner::off_thread(move || work(&until)).await;
    drop(told);
    done.unwrap_or_else(|broken| Err(ToolError::new(format!("the tool broke down: {broken}"))))
}

struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
