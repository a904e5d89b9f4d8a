//! Where a request goes.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An `http` or `https` URL with a host, in its normal form.
///
/// Addresses are read as browsers read them, so that no spelling hides one:
///
/// ```
/// use http_client::{Host, Url};
///
/// let metadata = Host::Address([169, 254, 169, 254].into());
/// for spelling in ["http://169.254.169.254", "http://2852039166", "http://0xa9.254.43518/"] {
///     assert_eq!(Url::parse(spelling).unwrap().host(), metadata);
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Url(url::Url);

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name, in lower case, without the dot that may end it.
    Name(String),
    /// An address. One of version 4 in the clothes of version 6 is one of version 4.
    Address(IpAddr),
}

/// Why a text is no URL that a request can be sent to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadUrl {
    /// It is no URL at all.
    #[error("`{text}` is not a URL: {why}")]
    Syntax {
        /// The text.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// Something other than HTTP is spoken there.
    #[error("`{text}` is neither http nor https")]
    Scheme {
        /// The text.
        text: String,
    },
}

impl Url {
    /// Reads a URL.
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let parsed = url::Url::parse(text).map_err(|error| BadUrl::Syntax {
            text: text.to_owned(),
            why: error.to_string(),
        })?;
        Self::of(parsed, text)
    }

    fn of(parsed: url::Url, text: &str) -> Result<Self, BadUrl> {
        // A URL of these two schemes has a host, or is not a URL.
        if matches!(parsed.scheme(), "http" | "https") {
            Ok(Self(parsed))
        } else {
            let text = text.to_owned();
            Err(BadUrl::Scheme { text })
        }
    }

    /// What a link on this page leads to.
    ///
    /// ```
    /// use http_client::Url;
    ///
    /// let hooks = Url::parse("https://example.org/hooks/stop").unwrap();
    /// assert_eq!(hooks.join("../stop").unwrap().as_str(), "https://example.org/stop");
    /// assert!(hooks.join("file:///etc/passwd").is_err());
    /// ```
    pub fn join(&self, link: &str) -> Result<Self, BadUrl> {
        let joined = self.0.join(link).map_err(|error| BadUrl::Syntax {
            text: link.to_owned(),
            why: error.to_string(),
        })?;
        Self::of(joined, link)
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// Who is asked.
    pub fn host(&self) -> Host {
        match self.0.host() {
            Some(url::Host::Ipv4(address)) => Host::Address(address.into()),
            Some(url::Host::Ipv6(address)) => Host::Address(unmapped(address)),
            Some(url::Host::Domain(name)) => Host::Name(plain(name)),
            None => Host::Name(String::new()),
        }
    }

    /// The port, spelled out or not.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// The path, which begins with `/`.
    pub fn path(&self) -> &str {
        self.0.path()
    }

    /// What stands behind `?`.
    pub fn query(&self) -> Option<&str> {
        self.0.query()
    }

    /// The whole of it. It may hold a password.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether a name or a password stands before the host.
    pub fn has_credentials(&self) -> bool {
        !self.0.username().is_empty() || self.0.password().is_some()
    }

    pub(crate) fn inner(&self) -> url::Url {
        self.0.clone()
    }
}

/// A name in lower case, without the dot that ends it.
fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// The address of version 4 inside one of version 6, if there is one.
pub(crate) fn unmapped(address: Ipv6Addr) -> IpAddr {
    let [0, 0, 0, 0, 0, 0, high, low] = address.segments() else {
        return address.to_canonical();
    };
    // `::1.2.3.4`, the form before `::ffff:1.2.3.4`. `::` and `::1` are not of it.
    if high == 0 {
        return address.into();
    }
    let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
    Ipv4Addr::new(a, b, c, d).into()
}

/// Without a name, a password, a query or a fragment: for people and logs.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = self.0.origin().ascii_serialization();
        write!(f, "{origin}{}", self.0.path())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

impl FromStr for Url {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        Self::parse(text)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V6(address)) => write!(f, "[{address}]"),
            Self::Address(IpAddr::V4(address)) => write!(f, "{address}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host {
        Url::parse(text).unwrap().host()
    }

    #[test]
    fn no_spelling_hides_an_address() {
        let loopback = Host::Address(Ipv4Addr::LOCALHOST.into());
        for spelling in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://[::ffff:127.0.0.1]/",
            "http://[::127.0.0.1]/",
            "http://１２７.0.0.1/",
            "http://user:secret@127.0.0.1/",
        ] {
            assert_eq!(host(spelling), loopback, "{spelling}");
        }
        assert_eq!(
            host("http://[::1]/"),
            Host::Address(Ipv6Addr::LOCALHOST.into())
        );
    }

    #[test]
    fn a_name_is_lower_case_and_has_no_last_dot() {
        let name = Host::Name("metadata.google.internal".to_owned());
        assert_eq!(host("http://Metadata.GOOGLE.internal./x"), name);
    }

    #[test]
    fn what_people_see_holds_no_secret() {
        let url = Url::parse("https://me:secret@example.org:8443/a/b?token=secret#secret").unwrap();
        assert_eq!(url.to_string(), "https://example.org:8443/a/b");
        assert_eq!(format!("{url:?}"), "Url(https://example.org:8443/a/b)");
        assert!(url.has_credentials());
    }

    #[test]
    fn only_http_is_spoken() {
        let error = Url::parse("file:///etc/passwd").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`file:///etc/passwd` is neither http nor https"
        );
        assert!(matches!(
            Url::parse("not a url"),
            Err(BadUrl::Syntax { .. })
        ));
    }
}
