//! Which URLs are admitted: `allowedHttpHookUrls`.
//!
//! A pattern is matched part by part, so that no wildcard for a host reaches into the path:
//! `https://*.example.org/*` does not admit `https://elsewhere.test/.example.org/`.

use http_client::Url;

/// Whether a pattern admits a URL.
///
/// `*` stands for any text within its part: the scheme, the host with its port, the path with its
/// query. A pattern without a scheme admits both; one that ends with the host and a `*` admits every
/// path. Hosts are compared without regard to case and to a dot at their end.
pub(crate) fn admits(pattern: &str, url: &Url) -> bool {
    let (scheme, rest) = pattern.split_once("://").unwrap_or(("*", pattern));
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None if rest.ends_with('*') => (rest, "*"),
        None => (rest, "/"),
    };
    fits(&scheme.to_ascii_lowercase(), url.scheme())
        && authorities(url).any(|known| fits(&plain(authority), &known))
        && fits(path, &path_of(url))
}

/// The host with its port, and without it where it goes without saying.
fn authorities(url: &Url) -> impl Iterator<Item = String> {
    let host = url.host().to_string();
    let usual = if url.scheme() == "https" { 443 } else { 80 };
    let full = format!("{host}:{}", url.port());
    let short = (url.port() == usual).then_some(host);
    short.into_iter().chain([full])
}

fn path_of(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// A host of a pattern in lower case, without the dot that may end it.
fn plain(authority: &str) -> String {
    let lower = authority.to_ascii_lowercase();
    match lower.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            format!("{}:{port}", host.strip_suffix('.').unwrap_or(host))
        }
        _ => lower.strip_suffix('.').unwrap_or(&lower).to_owned(),
    }
}

/// Whether a text is what a pattern with `*` stands for. Takes no more than the product of their
/// lengths.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    // The first place where a part fits leaves the most for those after it.
    let found = middle.iter().try_fold(rest, |rest, part| {
        let at = rest.find(part)?;
        rest.get(at + part.len()..)
    });
    found.is_some_and(|rest| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn admitted(pattern: &str, url: &str) -> bool {
        admits(pattern, &Url::parse(url).unwrap())
    }

    #[test]
    fn what_a_pattern_admits() {
        for (pattern, url) in [
            ("*", "https://example.org/a?b"),
            ("https://example.org/*", "https://example.org/hooks/stop"),
            ("https://example.org/hooks", "https://example.org/hooks"),
            ("https://example.org", "https://example.org/"),
            ("https://example.org/*", "https://EXAMPLE.org./hooks"),
            ("https://Example.ORG./*", "https://example.org/hooks"),
            ("https://Example.ORG.:8443/*", "https://example.org:8443/"),
            ("HTTPS://example.org/*", "https://example.org/"),
            ("https://*.example.org/*", "https://a.b.example.org/x"),
            ("https://example.org:443/*", "https://example.org/x"),
            ("http://localhost:*", "http://localhost:4000/guard?x=1"),
            ("http://localhost:*/guard", "http://localhost:4000/guard"),
            ("http://[::1]:*/*", "http://[::1]:4000/guard"),
            ("http://127.0.0.1/*", "http://0x7f.1/x"),
            ("example.org/*", "http://example.org/x"),
            ("https://example.org/*/stop", "https://example.org/a/b/stop"),
        ] {
            assert!(admitted(pattern, url), "{pattern} {url}");
        }
    }

    #[test]
    fn what_a_pattern_does_not_admit() {
        for (pattern, url) in [
            ("https://example.org/*", "http://example.org/"),
            (
                "https://example.org/*",
                "https://example.org.elsewhere.test/",
            ),
            ("https://example.org/*", "https://example.org:8443/"),
            (
                "https://*.example.org/*",
                "https://elsewhere.test/.example.org/",
            ),
            (
                "https://*.example.org/*",
                "https://elsewhere.test/?.example.org/",
            ),
            ("https://*.example.org/*", "https://example.org/"),
            (
                "https://example.org/*",
                "https://example.org@elsewhere.test/",
            ),
            (
                "https://example.org/hooks/*",
                "https://example.org/hooks/../secret",
            ),
            (
                "https://example.org/hooks/*",
                "https://example.org/hooks/%2e%2e/secret",
            ),
            ("https://example.org/hooks", "https://example.org/Hooks"),
            ("https://example.org/hooks", "https://example.org/hooks?x"),
            ("https://example.org", "https://example.org/x"),
            ("", "https://example.org/"),
        ] {
            assert!(!admitted(pattern, url), "{pattern} {url}");
        }
    }

    proptest! {
        #[test]
        fn a_star_stands_for_any_text(pattern in "[ab*]{0,12}", text in "[ab]{0,12}") {
            let expected = slow(pattern.as_bytes(), text.as_bytes());
            prop_assert_eq!(fits(&pattern, &text), expected);
        }
    }

    /// The same by trying everything.
    fn slow(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            ([b'*', rest @ ..], _) => (0..=text.len()).any(|skip| slow(rest, &text[skip..])),
            ([first, pattern @ ..], [same, text @ ..]) if first == same => slow(pattern, text),
            _ => false,
        }
    }
}
