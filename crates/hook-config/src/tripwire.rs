//! Stands where a hook cannot: fails whenever the hook would have run, and says why.

use std::sync::Arc;

use async_trait::async_trait;
use hook_runner::{Description, Handler, HookContext, Input};
use hook_types::{HookKind, Reply, Status};

/// A hook that always fails. With `onFailure: block`, a guard is blocked by it.
#[derive(Clone, Debug)]
pub(crate) struct Tripwire {
    why: String,
}

impl Tripwire {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

#[async_trait]
impl Handler for Tripwire {
    async fn handle(&self, _: Arc<Input>, _: &HookContext) -> Reply {
        Reply::with_status(Status::LaunchFailed(self.why.clone()))
    }

    fn describe(&self) -> Description {
        Description::new(HookKind::Other("broken".to_owned()), self.why.clone())
    }
}
