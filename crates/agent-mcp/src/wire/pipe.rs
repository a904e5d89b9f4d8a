//! A process as the SDK sees it: messages in, messages out.

use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use tokio::sync::mpsc;

use super::fate::Fate;

/// A message that did not get out.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unsent(String);

/// The near ends of a process.
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(super) incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    pub(super) outgoing: mpsc::Sender<String>,
    pub(super) fate: Fate,
}

impl Transport<RoleClient> for Pipe {
    type Error = Unsent;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let fate = self.fate.clone();
        async move {
            let line = serde_json::to_string(&message).map_err(|why| Unsent(why.to_string()))?;
            let sent = outgoing.send(line).await;
            sent.map_err(|_| Unsent(fate.why()))
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.incoming.close();
        Ok(())
    }
}
