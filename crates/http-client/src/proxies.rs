//! Who stands between a request and its host.

use std::fmt;

use reqwest::{NoProxy, Proxy};

use crate::error::Error;

/// Never behind a proxy: nobody else can reach these for us.
const NEAR: &str = "localhost,127.0.0.0/8,::1";

/// The proxies that requests go through.
///
/// ```
/// use http_client::{Client, Proxies};
///
/// let environment = [("HTTPS_PROXY", "http://proxy.example:3128"), ("NO_PROXY", "example.org")];
/// let client = Client::builder().proxies(Proxies::from_variables(environment)).build();
/// assert!(client.is_ok());
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    http: Option<Named>,
    https: Option<Named>,
    exempt: String,
}

/// A proxy, and the variable that names it.
type Named = (&'static str, String);

impl Proxies {
    /// Every request goes straight to its host.
    pub fn none() -> Self {
        Self::default()
    }

    /// What the usual variables say: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in small
    /// or capital letters; where both are set, the small ones count. An empty one counts as absent.
    /// This machine itself is never asked for through a proxy.
    pub fn from_variables<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let mut said = [const { None }; SPELLINGS.len()];
        for (name, value) in variables {
            let known = SPELLINGS.iter().position(|known| *known == name.as_ref());
            if let Some(slot) = known.and_then(|index| said.get_mut(index)) {
                *slot = Some(value.as_ref().to_owned()).filter(|value| !value.is_empty());
            }
        }
        let [
            http,
            http_capital,
            https,
            https_capital,
            all,
            all_capital,
            no,
            no_capital,
        ] = said;
        let all = named("all_proxy", all).or(named("ALL_PROXY", all_capital));
        let http = named("http_proxy", http).or(named("HTTP_PROXY", http_capital));
        let https = named("https_proxy", https).or(named("HTTPS_PROXY", https_capital));
        Self {
            http: http.or_else(|| all.clone()),
            https: https.or(all),
            exempt: no.or(no_capital).unwrap_or_default(),
        }
    }

    pub(crate) fn apply(
        &self,
        mut builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, Error> {
        builder = builder.no_proxy(); // not what the process's environment says
        let exempt = NoProxy::from_string(&format!("{NEAR},{}", self.exempt));
        if let Some(named) = &self.http {
            builder = builder.proxy(made(named, |url| Proxy::http(url))?.no_proxy(exempt.clone()));
        }
        if let Some(named) = &self.https {
            builder = builder.proxy(made(named, |url| Proxy::https(url))?.no_proxy(exempt));
        }
        Ok(builder)
    }
}

const SPELLINGS: [&str; 8] = [
    "http_proxy",
    "HTTP_PROXY",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
];

fn named(variable: &'static str, url: Option<String>) -> Option<Named> {
    url.map(|url| (variable, url))
}

/// What a proxy may speak. One without a scheme speaks `http`.
const SPOKEN: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// A proxy that cannot be used is an error: without it, requests would go straight to their hosts.
fn made(
    (variable, url): &Named,
    kind: impl FnOnce(&str) -> reqwest::Result<Proxy>,
) -> Result<Proxy, Error> {
    // The URL may hold a password, and is not told.
    let bad = || {
        Error::setup(format_args!(
            "`{variable}` does not hold the URL of a proxy"
        ))
    };
    let (scheme, _) = url.split_once("://").unwrap_or(("http", url));
    if !SPOKEN.contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(bad());
    }
    kind(url).map_err(|_| bad())
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = |named: &Option<Named>| named.as_ref().map(|(variable, _)| *variable);
        f.debug_struct("Proxies")
            .field("http", &variable(&self.http))
            .field("https", &variable(&self.https))
            .field("exempt", &self.exempt)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_count_before_capital_ones_and_special_before_all() {
        let proxies = Proxies::from_variables([
            ("HTTP_PROXY", "http://capital:1"),
            ("http_proxy", "http://small:1"),
            ("ALL_PROXY", "socks5://all:1"),
            ("https_proxy", ""),
            ("HOME", "/home/me"),
        ]);
        assert_eq!(
            proxies.http,
            Some(("http_proxy", "http://small:1".to_owned()))
        );
        assert_eq!(
            proxies.https,
            Some(("ALL_PROXY", "socks5://all:1".to_owned()))
        );
    }

    #[test]
    fn what_people_see_holds_no_password() {
        let proxies = Proxies::from_variables([("HTTP_PROXY", "http://me:secret@proxy:1")]);
        assert!(!format!("{proxies:?}").contains("secret"));
        let bad = Proxies::from_variables([("HTTP_PROXY", "gopher://me:secret@proxy:1")]);
        let error = crate::Client::builder().proxies(bad).build().unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(error.to_string().contains("HTTP_PROXY"), "{error}");
    }
}
