//! Moments and spans that cannot overflow: a limit may be as long as its author likes.

use std::time::Duration;

use tokio::time::Instant;

/// Longer than any session.
const FAR: Duration = Duration::from_hours(24 * 365 * 30);

/// The moment `limit` after `start`.
pub(crate) fn after(start: Instant, limit: Duration) -> Instant {
    start.checked_add(limit).unwrap_or_else(|| start + FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_may_be_as_long_as_its_author_likes() {
        let now = Instant::now();
        assert!(after(now, Duration::MAX) > now + Duration::from_hours(24));
        assert_eq!(
            after(now, Duration::from_secs(1)),
            now + Duration::from_secs(1)
        );
    }
}
