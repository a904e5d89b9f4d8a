//! The Messages API: Anthropic's own, and servers that speak it.

mod reading; // events to pieces
mod request; // a request to JSON

use std::sync::Arc;

use agent_loop::{Model, ModelError, ModelRequest, Price, ReplyStream};
use async_trait::async_trait;

use crate::service::{Service, Vendor};
use crate::settings::{BadSettings, Settings};
use crate::stream::Streaming;

pub(crate) const ANTHROPIC: Vendor = Vendor {
    kind: "anthropic",
    own_address: "https://api.anthropic.com",
    base_variable: "ANTHROPIC_BASE_URL",
    key_variable: "ANTHROPIC_API_KEY",
    path: "/messages",
    context_window: 200_000,
};

/// The version of the API that is spoken here.
const VERSION: &str = "2023-06-01";

/// A model behind the Messages API: Anthropic's own, or a server that speaks it.
///
/// ```
/// use agent_loop::Model;
/// use agent_models::{Anthropic, Key, Settings};
///
/// let mut settings = Settings::new("claude-opus-5");
/// settings.key = Some(Key::api("sk-ant-…"));
/// let model = Anthropic::new(settings)?;
/// assert_eq!(model.name(), "claude-opus-5");
/// assert_eq!(model.context_window(), 1_000_000);
/// # Ok::<(), agent_models::BadSettings>(())
/// ```
#[derive(Clone, Debug)]
pub struct Anthropic {
    service: Arc<Service>,
}

impl Anthropic {
    /// A model with settings. Opens no connection.
    pub fn new(settings: Settings) -> Result<Self, BadSettings> {
        let service = Service::new(&ANTHROPIC, settings)?;
        let service = Arc::new(service);
        Ok(Self { service })
    }
}

#[async_trait]
impl Model for Anthropic {
    fn name(&self) -> &str {
        &self.service.model
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        headers.extend(self.service.key.as_ref().map(crate::Key::in_own_header));
        let reading = reading::Reader::of(&request.model);
        let body = request::body(request, self.service.max_tokens);
        let answer = self.service.post(&headers, &body).await?;
        Ok(Box::new(Streaming::new(
            Arc::clone(&self.service),
            answer,
            reading,
        )))
    }

    fn context_window(&self) -> u64 {
        self.service.context_window
    }

    fn price(&self) -> Option<Price> {
        self.service.price
    }
}
