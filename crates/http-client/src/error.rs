//! Why there is no answer.

use std::error::Error as StdError;
use std::fmt;

use crate::guard::Refused;

/// Why there is no answer, or only the beginning of one.
#[derive(Debug, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Error {
    kind: ErrorKind,
    detail: String,
}

/// Of which kind the trouble is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The client cannot be made: a proxy or a certificate is not what it should be.
    Setup,
    /// The guard refused an address.
    Refused,
    /// The name of the host means nothing.
    UnknownHost,
    /// Nobody answers there, or not with a certificate that can be believed.
    Unreachable,
    /// Connecting took too long.
    ConnectTimeout,
    /// The other side said nothing for too long.
    ReadTimeout,
    /// What came is not HTTP, or ended too early.
    Broken,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Setup => "no client can be made",
            Self::Refused => "the address is refused",
            Self::UnknownHost => "the host is not known",
            Self::Unreachable => "no connection",
            Self::ConnectTimeout => "no connection in time",
            Self::ReadTimeout => "the connection went silent",
            Self::Broken => "the connection broke",
        })
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { kind, detail }
    }

    pub(crate) fn setup(detail: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Setup, detail.to_string())
    }

    /// Of which kind the trouble is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What happened, without the kind.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        // The URL may hold a password, and whoever asked knows it.
        let error = error.without_url();
        let refused = causes(&error).find_map(|cause| cause.downcast_ref::<Refused>());
        if let Some(Refused(why)) = refused {
            return Self::new(ErrorKind::Refused, why);
        }
        let kind = match (error.is_connect(), error.is_timeout()) {
            _ if error.is_builder() => ErrorKind::Setup,
            (true, true) => ErrorKind::ConnectTimeout,
            (false, true) => ErrorKind::ReadTimeout,
            (true, false) if names_the_host(&error) => ErrorKind::UnknownHost,
            (true, false) => ErrorKind::Unreachable,
            (false, false) => ErrorKind::Broken,
        };
        Self::new(kind, telling(&error))
    }
}

fn names_the_host(error: &reqwest::Error) -> bool {
    error.is_dns() || causes(error).any(|cause| cause.to_string() == "dns error")
}

fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// What only says that there was an error.
const HOLLOW: [&str; 4] = [
    "client error",
    "error decoding",
    "error reading a body",
    "error sending",
];

/// The causes that say something.
fn telling(error: &reqwest::Error) -> String {
    let mut causes: Vec<String> = causes(error).map(ToString::to_string).collect();
    causes.dedup();
    let hollow = |text: &str| HOLLOW.iter().any(|hollow| text.starts_with(hollow));
    let said: Vec<String> = causes
        .iter()
        .filter(|text| !hollow(text))
        .cloned()
        .collect();
    let said = if said.is_empty() { causes } else { said };
    said.join(": ")
}

/// Why a header cannot be sent. The value is not told: it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHeader {
    /// The name is none.
    #[error("`{name}` is not the name of a header")]
    Name {
        /// The name.
        name: String,
    },
    /// The value holds a line break or another control character.
    #[error("the value of the header `{name}` holds a line break or another control character")]
    Value {
        /// The header's name.
        name: String,
    },
}
