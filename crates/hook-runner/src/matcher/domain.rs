//! Hosts of URLs: `domain:example.com`, `domain:*.example.com`.

use super::truth::Truth;

/// A host, or all hosts below one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Host(String),
    Below(String),
}

impl Domain {
    /// `None` if the content names no domain.
    pub(super) fn parse(content: &str) -> Option<Self> {
        let host = normal(content.strip_prefix("domain:")?.trim());
        match host.strip_prefix("*.") {
            Some(parent) if is_host(parent) => Some(Self::Below(parent.to_owned())),
            Some(_) => None,
            None => is_host(&host).then_some(Self::Host(host)),
        }
    }

    /// A URL without a readable host is unknown.
    pub(super) fn judge(&self, url: &str) -> Truth {
        let Some(host) = host_of(url) else {
            return Truth::Unknown;
        };
        match self {
            Self::Host(expected) => (host == *expected).into(),
            Self::Below(parent) => host
                .strip_suffix(parent.as_str())
                .is_some_and(|rest| rest.ends_with('.'))
                .into(),
        }
    }
}

fn host_of(url: &str) -> Option<String> {
    let url = url.trim();
    // Without a scheme, clients take the text for a host and put `https://` before it.
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    // Browsers and HTTP clients read a backslash as a slash: `http://good\@bad` is at `good`.
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = normal(without_port(host));
    is_host(&host).then_some(host)
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        Some(_) | None => host,
    }
}

fn normal(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_lowercase()
}

/// Percent escapes, blanks and control characters could hide another host.
fn is_host(host: &str) -> bool {
    !host.is_empty()
        && host
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '[' | ']'))
}
