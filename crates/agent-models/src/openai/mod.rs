//! Chat completions: OpenAI's own, and the many servers that speak them.

mod reading; // chunks to pieces
mod request; // a request to JSON

use std::sync::Arc;

use agent_loop::{Model, ModelError, ModelRequest, Price, ReplyStream};
use async_trait::async_trait;

use crate::service::{Service, Vendor};
use crate::settings::{BadSettings, Settings};
use crate::stream::Streaming;

pub(crate) const OPENAI: Vendor = Vendor {
    kind: "openai",
    own_address: "https://api.openai.com/v1",
    base_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
    path: "/chat/completions",
    context_window: 128_000,
};

/// A model behind the chat completions: OpenAI's own, or a server that speaks them, such as Ollama, vLLM
/// and llama.cpp.
///
/// ```
/// use agent_loop::Model;
/// use agent_models::{OpenAi, Settings};
///
/// let mut settings = Settings::new("llama3.2");
/// settings.base_url = Some("http://localhost:11434/v1".to_owned());
/// settings.context_window = Some(8_192);
/// let model = OpenAi::new(settings)?;
/// assert_eq!(model.name(), "llama3.2");
/// assert!(model.price().is_none());
/// # Ok::<(), agent_models::BadSettings>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenAi {
    service: Arc<Service>,
}

impl OpenAi {
    /// A model with settings. Opens no connection.
    pub fn new(settings: Settings) -> Result<Self, BadSettings> {
        let service = Service::new(&OPENAI, settings)?;
        let service = Arc::new(service);
        Ok(Self { service })
    }
}

#[async_trait]
impl Model for OpenAi {
    fn name(&self) -> &str {
        &self.service.model
    }

    async fn stream(&self, request: ModelRequest) -> Result<Box<dyn ReplyStream>, ModelError> {
        let key = self.service.key.as_ref().map(crate::Key::as_bearer);
        let headers: Vec<_> = key.into_iter().collect();
        // OpenAI's own models know the limit by another name than everybody else.
        let limit = if self.service.own {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        let body = request::body(request, limit, self.service.max_tokens);
        let answer = self.service.post(&headers, &body).await?;
        Ok(Box::new(Streaming::new(
            Arc::clone(&self.service),
            answer,
            reading::Reader::default(),
        )))
    }

    fn context_window(&self) -> u64 {
        self.service.context_window
    }

    fn price(&self) -> Option<Price> {
        self.service.price
    }
}
