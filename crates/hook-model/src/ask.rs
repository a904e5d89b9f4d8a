//! One request to a model, and its reply.

use std::time::Duration;

use agent_loop::{Limits, Model, ModelError, ModelEvent, ModelRequest};

/// How often a request is sent again that failed in a way that may pass.
const RETRIES: u32 = 3;

/// Asks until the reply is complete. A request that failed in a way that may pass is sent again when the
/// agent itself would send it again, as long as nothing of its reply has come and the wait is shorter than
/// the time that is `left`. The hook's deadline is over all of it.
pub(crate) async fn ask(
    model: &dyn Model,
    request: ModelRequest,
    left: Duration,
) -> Result<(), ModelError> {
    let limits = Limits {
        retries: RETRIES,
        longest_wait: left,
        ..Limits::default()
    };
    let mut tries = 0;
    loop {
        let failed = match once(model, request.clone()).await {
            Ok(()) => return Ok(()),
            Err(failed) => failed,
        };
        let wait = limits.wait_before_retry(&failed.error, tries);
        let Some(wait) = wait.filter(|_| !failed.begun) else {
            return Err(failed.error);
        };
        tries += 1;
        tokio::time::sleep(wait).await;
    }
}

struct Failed {
    error: ModelError,
    /// Whether some of the reply had come.
    begun: bool,
}

async fn once(model: &dyn Model, request: ModelRequest) -> Result<(), Failed> {
    let before = |error| Failed {
        error,
        begun: false,
    };
    let mut stream = model.stream(request).await.map_err(before)?;
    let mut begun = false;
    while let Some(next) = stream.next().await {
        let event = next.map_err(|error| Failed { error, begun })?;
        begun |= matches!(event, ModelEvent::Text(_));
    }
    Ok(())
}
