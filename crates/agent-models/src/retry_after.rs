//! When a service wants to be asked again.

use std::time::{Duration, SystemTime};

/// The wait that the headers of an answer ask for: `retry-after` in seconds or as a date, and
/// `retry-after-ms`, which is more exact where it is there.
pub(crate) fn retry_after<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    let exact = header("retry-after-ms").and_then(|text| number(text)?.checked_div(1_000));
    exact.or_else(|| header("retry-after").and_then(|text| read(text, now)))
}

fn read(text: &str, now: SystemTime) -> Option<Duration> {
    number(text).or_else(|| {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        // A time that has passed is now.
        Some(date.duration_since(now).unwrap_or_default())
    })
}

/// So many seconds, which may have a fraction.
fn number(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_fractions_and_dates_are_read_and_nothing_else() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (text, wait) in [
            ("7", Some(7_000)),
            (" 1.5 ", Some(1_500)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30_000)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("-3", None),
            ("NaN", None),
            ("inf", None),
            ("1e300", None),
            ("soon", None),
            ("", None),
        ] {
            let said = |name: &str| (name == "retry-after").then_some(text);
            let wait = wait.map(Duration::from_millis);
            assert_eq!(retry_after(said, now), wait, "{text:?}");
        }
    }

    #[test]
    fn milliseconds_are_more_exact() {
        let said = |name: &str| match name {
            "retry-after-ms" => Some("250"),
            "retry-after" => Some("1"),
            _ => None,
        };
        let wait = retry_after(said, SystemTime::UNIX_EPOCH);
        assert_eq!(wait, Some(Duration::from_millis(250)));
    }
}
