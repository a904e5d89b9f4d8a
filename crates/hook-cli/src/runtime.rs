//! What futures run on.

use tokio::runtime::{Builder, Runtime};

use crate::failure::Failure;

/// One thread for everything: a command waits more than it works.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::invalid(format!("cannot start: {error}")))
}
