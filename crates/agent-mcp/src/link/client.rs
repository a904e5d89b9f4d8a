//! What servers can ask of us, and tell us.

use std::sync::Arc;

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability,
    ErrorData, FormElicitationCapability, Implementation, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::Notify;

use crate::elicit::Reception;

/// The near end of a connection.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) server: String,
    pub(super) reception: Reception,
    /// The list of tools is not what it was.
    pub(super) tools_changed: Arc<Notify>,
}

impl ClientHandler for Client {
    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.reception.answer(&self.server, asked).await)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let asks = ElicitationCapability::new()
            .with_form(FormElicitationCapability::new())
            .with_url(UrlElicitationCapability::new());
        let mut can = ClientCapabilities::default();
        can.elicitation = Some(asks);
        let name = Implementation::new("hookline", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(can, name)
    }
}
