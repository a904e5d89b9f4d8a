//! One request: its answer as JSON, or who gave it up.

use rmcp::model::{CancelledNotificationParam, ClientRequest, RequestId, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// The connection is over.
    Over,
    /// It could not be sent.
    Unsent(String),
    /// The server answered with an error.
    Refused(String),
}

/// Asks, and hands back whatever is answered. The server is told when the future is dropped.
pub(super) async fn ask(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
) -> Result<Value, NoAnswer> {
    let options = PeerRequestOptions::no_options();
    let sent = peer.send_cancellable_request(request, options).await;
    let handle = sent.map_err(no_answer)?;
    let mut abandoned = Abandoned {
        peer,
        id: Some(handle.id.clone()),
    };
    let result = handle.await_response().await;
    abandoned.id = None;
    let result = result.map_err(no_answer)?;
    Ok(as_json(&result))
}

fn as_json(result: &ServerResult) -> Value {
    // What the SDK could not read it hands on as it is.
    if let ServerResult::CustomResult(custom) = result {
        return custom.0.clone();
    }
    serde_json::to_value(result).unwrap_or_default()
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the SDK may have more of them tomorrow"
)]
fn no_answer(error: ServiceError) -> NoAnswer {
    match error {
        ServiceError::McpError(error) => NoAnswer::Refused(error.message.into_owned()),
        ServiceError::TransportSend(error) => NoAnswer::Unsent(chain(&*error.error)),
        ServiceError::TransportClosed => NoAnswer::Over,
        other => NoAnswer::Refused(other.to_string()),
    }
}

/// An error with what is behind it.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        behind = error.source();
    }
    text
}

/// A request that nobody waits for any more: the server is told.
struct Abandoned<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(id), Ok(runtime)) = (self.id.take(), runtime) {
            let peer = self.peer.clone();
            let given_up = CancelledNotificationParam::new(Some(id), None);
            runtime.spawn(async move { peer.notify_cancelled(given_up).await });
        }
    }
}
