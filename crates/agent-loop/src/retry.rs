//! When a request that failed is sent again.

use std::time::Duration;

use uuid::Uuid;

use crate::limits::Limits;
use crate::model_error::ModelError;

/// How long to wait before the first try after a failure, where the service does not say.
const FIRST: Duration = Duration::from_millis(500);

impl Limits {
    /// How long to wait before a request is sent again that has failed, and was sent again `tries` times
    /// before; none: not again.
    ///
    /// It is as long as the service says, and a little longer. Where it says nothing, it is half a second at
    /// first and twice as long each time; a part of it is left to chance, so that many who failed at once
    /// do not come back at once.
    ///
    /// ```
    /// use std::time::Duration;
    /// use agent_loop::{Limits, ModelError, Trouble};
    ///
    /// let limits = Limits::default();
    /// let busy = ModelError::of(Trouble::Overloaded, "busy").transient();
    /// assert!(limits.wait_before_retry(&busy, 0).is_some_and(|wait| wait <= Duration::from_millis(500)));
    /// assert_eq!(limits.wait_before_retry(&busy, limits.retries), None);
    /// let wrong = ModelError::of(Trouble::BadKey, "no such key");
    /// assert_eq!(limits.wait_before_retry(&wrong, 0), None);
    /// ```
    pub fn wait_before_retry(&self, error: &ModelError, tries: u32) -> Option<Duration> {
        if !error.transient || tries >= self.retries {
            return None;
        }
        wait(error.retry_after, tries, self.longest_wait, chance())
    }
}

/// The wait; `chance` is between 0 and 1.
fn wait(said: Option<Duration>, tries: u32, longest: Duration, chance: f64) -> Option<Duration> {
    if let Some(said) = said {
        // Whoever is not waited for may ask for more than a duration can hold.
        let all = || said.saturating_add(said.mul_f64(0.1 * chance));
        return (said <= longest).then(|| all().min(longest));
    }
    let doubled = FIRST.saturating_mul(2_u32.saturating_pow(tries));
    Some(doubled.min(longest).mul_f64(0.5 + 0.5 * chance))
}

/// A number between 0 and 1, by chance.
fn chance() -> f64 {
    let [.., high, low] = Uuid::now_v7().into_bytes();
    f64::from(u16::from_be_bytes([high, low])) / f64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_mins(1);

    #[test]
    fn where_the_service_says_nothing_the_wait_doubles_up_to_a_limit() {
        let waits = [0, 1, 2, 6, 7, 40].map(|tries| {
            let least = wait(None, tries, LONGEST, 0.0).unwrap();
            let most = wait(None, tries, LONGEST, 1.0).unwrap();
            (least.as_millis(), most.as_millis())
        });
        assert_eq!(
            waits,
            [
                (250, 500),
                (500, 1_000),
                (1_000, 2_000),
                (16_000, 32_000),
                (30_000, 60_000),
                (30_000, 60_000),
            ]
        );
    }

    #[test]
    fn what_the_service_says_is_never_cut_short() {
        let said = Duration::from_secs(7);
        assert_eq!(wait(Some(said), 3, LONGEST, 0.0), Some(said));
        assert_eq!(
            wait(Some(said), 0, LONGEST, 1.0),
            Some(Duration::from_millis(7_700))
        );
        assert_eq!(
            wait(Some(LONGEST), 0, LONGEST, 1.0),
            Some(LONGEST),
            "and is never longer than the limit"
        );
        assert_eq!(wait(Some(2 * LONGEST), 0, LONGEST, 0.0), None);
    }

    #[test]
    fn a_service_that_asks_for_ages_is_not_waited_for() {
        for said in [
            Duration::from_secs(18_000_000_000_000_000_001),
            Duration::MAX,
        ] {
            assert_eq!(wait(Some(said), 0, LONGEST, 1.0), None);
        }
        let ever = Duration::MAX;
        assert_eq!(wait(Some(ever), 0, ever, 1.0), Some(ever));
    }

    #[test]
    fn chance_is_between_nothing_and_all() {
        let mut seen: Vec<f64> = (0..100).map(|_| chance()).collect();
        assert!(seen.iter().all(|number| (0.0..=1.0).contains(number)));
        seen.dedup();
        assert!(seen.len() > 50, "{seen:?}");
    }
}
