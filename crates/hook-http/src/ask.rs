//! The request, and what came back.

use std::sync::Arc;

use hook_runner::Input;
use hook_types::Status;
use hook_types::wire::Extent;
use http_client::{Client, End, Error, ErrorKind, Request, Response, Url};

use crate::network::Network;

/// How often a request is sent on.
const MOST_REDIRECTS: usize = 5;

/// The headers of a response that people are shown. Others may be secrets, such as `set-cookie`.
const SHOWN: [&str; 7] = [
    "content-type",
    "content-length",
    "content-encoding",
    "location",
    "retry-after",
    "server",
    "x-request-id",
];

/// How much of a header is shown, in characters.
const LONGEST_HEADER: usize = 200;

/// The event as a body: the text that all hooks of the firing share.
struct Shared(Arc<Input>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.json().as_bytes()
    }
}

/// What is asked, and of whom.
pub(crate) struct Ask<'a> {
    pub(crate) network: &'a Network,
    pub(crate) url: &'a Url,
    pub(crate) headers: Vec<(&'a str, String)>,
    pub(crate) input: Arc<Input>,
    pub(crate) body_limit: usize,
}

/// What has come so far: what a time that is over leaves behind.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) head: Option<Head>,
    pub(crate) body: Vec<u8>,
}

/// The head of a response.
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) encoding: Option<String>,
    /// The status and some headers, for people.
    pub(crate) facts: Vec<(String, String)>,
}

/// How a response ended that began.
pub(crate) struct Ended {
    pub(crate) extent: Extent,
    pub(crate) fault: Option<String>,
}

impl Ask<'_> {
    /// Posts the event, and reads the response into `seen`. The status is that of a hook of which
    /// nothing came back.
    pub(crate) async fn ask(self, seen: &mut Seen) -> Result<Ended, Status> {
        if let Some(why) = self.network.refuses(self.url) {
            return Err(Status::LaunchFailed(why));
        }
        let client = self.network.client().map_err(Status::LaunchFailed)?;
        let mut url = self.url.clone();
        for _ in 0..MOST_REDIRECTS {
            let mut response = self.send(client, &url).await?;
            let next = next(&url, &response, self.network);
            let Some(Ok(next)) = next else {
                seen.head = Some(head(&response));
                let end = response.read_into(&mut seen.body, self.body_limit).await;
                let mut ended = ended(end);
                ended.fault = next.and_then(Result::err).or(ended.fault);
                return Ok(ended);
            };
            url = next;
        }
        let why = format!("the server sent the request on more than {MOST_REDIRECTS} times");
        Err(Status::Failed(why))
    }

    async fn send(&self, client: &Client, url: &Url) -> Result<Response, Status> {
        let request = self.request(url).map_err(Status::LaunchFailed)?;
        client.send(request).await.map_err(|error| not_sent(&error))
    }

    fn request(&self, url: &Url) -> Result<Request, String> {
        let mut request = Request::post(url.clone())
            .header("content-type", "application/json")
            .map_err(|error| error.to_string())?;
        for (name, value) in &self.headers {
            request = request
                .header(name, value)
                .map_err(|error| error.to_string())?;
        }
        Ok(request.body(Shared(Arc::clone(&self.input))))
    }
}

fn not_sent(error: &Error) -> Status {
    match error.kind() {
        ErrorKind::Refused | ErrorKind::Setup => Status::LaunchFailed(error.to_string()),
        ErrorKind::UnknownHost
        | ErrorKind::Unreachable
        | ErrorKind::ConnectTimeout
        | ErrorKind::ReadTimeout
        | ErrorKind::Broken
        | _ => Status::Failed(error.to_string()),
    }
}

fn ended(end: End) -> Ended {
    let (extent, fault) = match end {
        End::Complete => (Extent::Whole, None),
        End::Cut => (Extent::Cut, None),
        End::Failed(error) => (Extent::Whole, Some(error.to_string())),
    };
    Ended { extent, fault }
}

/// Where a response sends the request; why it is not sent there; nothing where it is an answer.
fn next(from: &Url, response: &Response, network: &Network) -> Option<Result<Url, String>> {
    let location = response.header("location")?;
    let next = redirect(from, response.status(), location)?;
    Some(next.and_then(|to| match network.refuses(&to) {
        Some(why) => Err(format!("the server sends the request to {to}: {why}")),
        None => Ok(to),
    }))
}

/// Where a redirect leads, if a hook is followed there: on the same host, with the same method, and
/// never from https to http.
fn redirect(from: &Url, status: u16, location: &str) -> Option<Result<Url, String>> {
    let keeps_method = match status {
        307 | 308 => true,
        301..=303 => false,
        _ => return None,
    };
    let to = match from.join(location) {
        Ok(to) => to,
        Err(error) => {
            return Some(Err(format!(
                "the server sends the request nowhere: {error}"
            )));
        }
    };
    let why = if !keeps_method {
        format!("status {status} would have it asked again without the event; 307 and 308 keep it")
    } else if !stays(from, &to) {
        "that is another host, and headers may hold secrets".to_owned()
    } else {
        return Some(Ok(to));
    };
    Some(Err(format!(
        "the server sends the request to {to}, where it does not go: {why}"
    )))
}

/// Whether a URL is of the same origin as another, or the same host's with TLS.
fn stays(from: &Url, to: &Url) -> bool {
    let usual = |url: &Url| url.port() == if url.scheme() == "https" { 443 } else { 80 };
    let same = from.scheme() == to.scheme() && from.port() == to.port();
    let safer = from.scheme() == "http" && to.scheme() == "https" && usual(from) && usual(to);
    from.host() == to.host() && !to.has_credentials() && (same || safer)
}

fn head(response: &Response) -> Head {
    let clip = |value: &str| value.chars().take(LONGEST_HEADER).collect();
    let status = ("http_status".to_owned(), response.status().to_string());
    let shown = response.headers().filter(|(name, _)| SHOWN.contains(name));
    let shown = shown.map(|(name, value)| (name.to_owned(), clip(&value)));
    Head {
        status: response.status(),
        encoding: response.header("content-encoding").map(str::to_owned),
        facts: std::iter::once(status).chain(shown).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(from: &str, status: u16, to: &str) -> Option<Result<String, String>> {
        let led = redirect(&Url::parse(from).unwrap(), status, to);
        led.map(|led| led.map(|url| url.as_str().to_owned()))
    }

    #[test]
    fn a_redirect_on_the_same_host_is_followed() {
        for (from, to, leads_to) in [
            ("http://a.test/x", "/y?z", "http://a.test/y?z"),
            (
                "http://a.test:8080/x",
                "http://A.test.:8080/y",
                "http://a.test.:8080/y",
            ),
            ("http://a.test/x", "https://a.test/x", "https://a.test/x"),
            ("https://a.test/x", "//a.test/y", "https://a.test/y"),
        ] {
            assert_eq!(
                lead(from, 307, to),
                Some(Ok(leads_to.to_owned())),
                "{from} {to}"
            );
            assert_eq!(
                lead(from, 308, to),
                Some(Ok(leads_to.to_owned())),
                "{from} {to}"
            );
        }
    }

    #[test]
    fn a_redirect_elsewhere_is_not() {
        for (from, to) in [
            ("http://a.test/x", "http://b.test/x"),
            ("http://a.test/x", "//b.test/x"),
            ("http://a.test/x", "http://a.test:8080/x"),
            ("http://a.test:8080/x", "https://a.test/x"),
            ("https://a.test/x", "http://a.test/x"),
            ("http://a.test/x", "http://me:secret@a.test/x"),
            ("http://a.test/x", "file:///etc/passwd"),
            ("http://a.test/x", "http://"),
        ] {
            let led = lead(from, 307, to);
            assert!(matches!(led, Some(Err(_))), "{from} {to}: {led:?}");
        }
    }

    #[test]
    fn a_redirect_that_drops_the_event_is_not_followed() {
        for status in [301, 302, 303] {
            let Some(Err(why)) = lead("http://a.test/x", status, "/y") else {
                panic!("{status}");
            };
            assert!(why.contains("without the event"), "{why}");
        }
        assert_eq!(lead("http://a.test/x", 304, "/y"), None);
        assert_eq!(lead("http://a.test/x", 200, "/y"), None);
    }
}
