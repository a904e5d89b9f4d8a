//! One request over HTTP: sent, and its head read.

use std::time::SystemTime;

use agent_loop::{ModelError, Price, Trouble};
use http_client::{Client, Error, ErrorKind, Request, Response, Url};
use serde_json::Value;
use tokio::time::{Duration, Instant, timeout};

use crate::catalogue::known;
use crate::failure::Refusal;
use crate::key::Key;
use crate::patience::Patience;
use crate::retry_after::retry_after;
use crate::settings::{BadSettings, Settings};

/// A vendor, and whoever speaks like it.
#[derive(Debug)]
pub(crate) struct Vendor {
    /// What stands before the colon of `--model`.
    pub(crate) kind: &'static str,
    pub(crate) own_address: &'static str,
    pub(crate) base_variable: &'static str,
    pub(crate) key_variable: &'static str,
    /// What comes behind the base address.
    pub(crate) path: &'static str,
    /// How many tokens fit where nobody says.
    pub(crate) context_window: u64,
}

/// A model of a vendor's at an address.
#[derive(Debug)]
pub(crate) struct Service {
    vendor: &'static Vendor,
    pub(crate) model: String,
    pub(crate) key: Option<Key>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) context_window: u64,
    pub(crate) price: Option<Price>,
    pub(crate) patience: Patience,
    /// Whether it is the vendor's own service.
    pub(crate) own: bool,
    url: Url,
    client: Client,
}

/// How much of an answer that is an error is read, and for how long.
const ERROR_BYTES: usize = 64 << 10;
const ERROR_TIME: Duration = Duration::from_secs(10);

impl Service {
    pub(crate) fn new(vendor: &'static Vendor, settings: Settings) -> Result<Self, BadSettings> {
        let url = address(vendor, settings.base_url.as_deref())?;
        let own = address(vendor, None)?.host() == url.host();
        if own && settings.key.is_none() {
            return Err(BadSettings::NoKey {
                service: url.to_string(),
                variable: vendor.key_variable,
            });
        }
        if let Some(key) = &settings.key {
            let (name, value) = key.as_bearer();
            let sent = Request::post(url.clone()).header(name, &value);
            sent.map_err(|_| BadSettings::BadKey {
                variable: vendor.key_variable,
            })?;
        }
        let client = Client::builder().proxies(settings.proxies).build();
        let known = known(&settings.model);
        Ok(Self {
            vendor,
            key: settings.key,
            max_tokens: settings.max_tokens,
            context_window: settings
                .context_window
                .or(known.map(|known| known.context_window))
                .unwrap_or(vendor.context_window),
            // What others take for a model of that name nobody knows.
            price: settings
                .price
                .or(known.filter(|_| own).map(|known| known.price)),
            patience: settings.patience,
            model: settings.model,
            own,
            url,
            client: client.map_err(|why| BadSettings::NoClient(why.to_string()))?,
        })
    }

    /// Sends a request; comes back with an answer that is a stream of events, and with the time at
    /// which it must be over.
    pub(crate) async fn post(
        &self,
        headers: &[(&str, String)],
        body: &Value,
    ) -> Result<(Response, Instant), ModelError> {
        let end = Instant::now() + self.patience.whole;
        let mut request = Request::post(self.url.clone()).body(body.to_string());
        let common = [
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream".to_owned()),
        ];
        for (name, value) in common.iter().chain(headers) {
            request = request
                .header(name, value)
                .map_err(|why| self.place(ModelError::of(Trouble::BadRequest, why.to_string())))?;
        }
        let start = self.patience.start.min(self.patience.whole);
        let response = match timeout(start, self.client.send(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.place(no_answer(&error))),
            Err(_) => {
                let message = format!("no answer within {start:?}");
                return Err(self.place(ModelError::of(Trouble::TimedOut, message)));
            }
        };
        self.judge(response).await.map(|response| (response, end))
    }

    /// Lets pass what is a stream of events.
    async fn judge(&self, mut response: Response) -> Result<Response, ModelError> {
        let media = response.header("content-type").unwrap_or("").to_owned();
        let is_stream = !["application/json", "text/html"]
            .iter()
            .any(|other| media.starts_with(other));
        let status = response.status();
        if status == 200 && is_stream {
            return Ok(response);
        }
        let wait = retry_after(|name| response.header(name), SystemTime::now());
        let again = match response.header("x-should-retry") {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        };
        let moved = response.header("location").map(str::to_owned);
        let mut bytes = Vec::new();
        // What has come by then is told.
        let _ = timeout(ERROR_TIME, response.read_into(&mut bytes, ERROR_BYTES)).await;
        let body = String::from_utf8_lossy(&bytes);
        if status == 200 && !body.contains("\"error\"") {
            let message = format!("the answer is no stream of events but {media}");
            return Err(self.place(ModelError::of(Trouble::BadReply, message)));
        }
        let refusal = Refusal {
            status: Some(status),
            body: &body,
            wait,
            again,
        };
        let mut error = refusal.error();
        if let Some(moved) = moved.filter(|_| (300..400).contains(&status)) {
            error.message = format!("{}; it points to {moved}", error.message);
        }
        Err(self.place(error))
    }

    /// Says where an error happened and what would help, and nothing of the key.
    pub(crate) fn place(&self, error: ModelError) -> ModelError {
        let mut error = match error.trouble.filter(|_| error.remedy.is_none()) {
            Some(trouble) => error.remedy(self.remedy(trouble)),
            None => error,
        };
        if let Some(key) = &self.key {
            error.message = key.hide(&error.message);
        }
        error.at(format!(
            "{}:{} at {}",
            self.vendor.kind, self.model, self.url
        ))
    }

    fn remedy(&self, trouble: Trouble) -> String {
        let Vendor {
            key_variable,
            base_variable,
            ..
        } = self.vendor;
        match trouble {
            Trouble::BadKey => format!("set {key_variable} to a key that is valid there"),
            Trouble::NotAllowed => "use a key that may use this model, or another model".to_owned(),
            Trouble::Unpaid => "see to the billing of the account".to_owned(),
            Trouble::NoSuchModel => {
                format!(
                    "name a model that is there; {} lists them",
                    self.models_url()
                )
            }
            Trouble::ContextTooLong => "summarise the conversation or begin a new one; with \
                HOOKLINE_CONTEXT_WINDOW set to what the model holds, it is summarised in time"
                .to_owned(),
            Trouble::RateLimited | Trouble::Overloaded | Trouble::ServiceFailed => {
                "try again later".to_owned()
            }
            Trouble::Unreachable => {
                format!("see that a server runs there, or set {base_variable} to one that does")
            }
            Trouble::TimedOut | Trouble::StreamCut => "ask again".to_owned(),
            Trouble::ReplyTooLarge => {
                "ask for less at a time, or set HOOKLINE_MAX_TOKENS".to_owned()
            }
            Trouble::BadRequest | Trouble::BadReply | _ => {
                format!("see that {base_variable} names a server that speaks this API")
            }
        }
    }

    /// Where the service lists its models.
    fn models_url(&self) -> String {
        let url = self.url.to_string();
        let base = url.strip_suffix(self.vendor.path).unwrap_or(&url);
        format!("{base}/models")
    }
}

/// The address that requests go to. A base address without a path has `/v1` for one.
fn address(vendor: &'static Vendor, base: Option<&str>) -> Result<Url, BadSettings> {
    let base = base.unwrap_or(vendor.own_address).trim_end_matches('/');
    let bad = |why: String| BadSettings::BadUrl {
        variable: vendor.base_variable,
        why,
        example: vendor.own_address,
    };
    let url = Url::parse(base).map_err(|why| bad(why.to_string()))?;
    let version = if url.path() == "/" { "/v1" } else { "" };
    let whole = format!("{base}{version}{}", vendor.path);
    Url::parse(&whole).map_err(|why| bad(why.to_string()))
}

/// There is no answer, and nothing of one was seen.
fn no_answer(error: &Error) -> ModelError {
    let trouble = match error.kind() {
        ErrorKind::Setup | ErrorKind::Refused => Trouble::BadRequest,
        ErrorKind::ReadTimeout => Trouble::TimedOut,
        ErrorKind::UnknownHost
        | ErrorKind::Unreachable
        | ErrorKind::ConnectTimeout
        | ErrorKind::Broken
        | _ => Trouble::Unreachable,
    };
    let mut told = ModelError::of(trouble, error.to_string());
    // A name that means nothing, or an address that is refused, will be so again.
    told.transient = matches!(
        error.kind(),
        ErrorKind::Unreachable | ErrorKind::ConnectTimeout | ErrorKind::Broken
    );
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anthropic::ANTHROPIC;
    use crate::openai::OPENAI;

    #[test]
    fn a_base_address_may_have_a_path_or_none() {
        for (vendor, base, whole) in [
            (&ANTHROPIC, None, "https://api.anthropic.com/v1/messages"),
            (
                &ANTHROPIC,
                Some("http://localhost:4000"),
                "http://localhost:4000/v1/messages",
            ),
            (
                &ANTHROPIC,
                Some("http://localhost:4000/"),
                "http://localhost:4000/v1/messages",
            ),
            (
                &ANTHROPIC,
                Some("https://gate.example/v1"),
                "https://gate.example/v1/messages",
            ),
            (
                &ANTHROPIC,
                Some("https://gate.example/anthropic/v1/"),
                "https://gate.example/anthropic/v1/messages",
            ),
            (&OPENAI, None, "https://api.openai.com/v1/chat/completions"),
            (
                &OPENAI,
                Some("http://localhost:11434"),
                "http://localhost:11434/v1/chat/completions",
            ),
            (
                &OPENAI,
                Some("http://localhost:8080/v1"),
                "http://localhost:8080/v1/chat/completions",
            ),
            (
                &OPENAI,
                Some("https://x.example/openai/deployments/d"),
                "https://x.example/openai/deployments/d/chat/completions",
            ),
        ] {
            assert_eq!(address(vendor, base).unwrap().as_str(), whole, "{base:?}");
        }
        let told = address(&OPENAI, Some("localhost:11434"))
            .unwrap_err()
            .to_string();
        assert!(
            told.contains("OPENAI_BASE_URL") && told.contains("https://"),
            "{told}"
        );
    }

    #[test]
    fn the_vendor_itself_wants_a_key_and_has_a_price_and_others_need_not() {
        let own = Service::new(&ANTHROPIC, Settings::new("claude-opus-5"));
        let told = own.unwrap_err().to_string();
        assert!(told.contains("ANTHROPIC_API_KEY"), "{told}");
        let settings = Settings {
            key: Some(Key::api("k")),
            ..Settings::new("claude-opus-5-20260724")
        };
        let own = Service::new(&ANTHROPIC, settings.clone()).unwrap();
        assert_eq!(own.price.map(|price| price.output), Some(25.0));
        assert_eq!(own.context_window, 1_000_000);
        let base_url = Some("http://127.0.0.1:1".to_owned());
        let other = Settings {
            base_url,
            key: None,
            ..settings
        };
        let other = Service::new(&ANTHROPIC, other).unwrap();
        assert_eq!(other.price, None);
    }

    #[test]
    fn a_key_that_cannot_be_sent_is_told_before_anything_is_sent_and_is_not_shown() {
        let key = Some(Key::api("sk-secret\r\nx: y"));
        let settings = Settings {
            key,
            ..Settings::new("m")
        };
        let told = Service::new(&OPENAI, settings).unwrap_err().to_string();
        assert!(told.contains("OPENAI_API_KEY"), "{told}");
        assert!(!told.contains("secret"), "{told}");
    }
}
