//! What a handful of times amounts to. Nothing is assumed of how they are spread: the middle is the
//! median, and how sure that is comes from the order of the times alone.

/// What times amount to, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) count: usize,
    pub(crate) least: f64,
    pub(crate) lower_quartile: f64,
    pub(crate) median: f64,
    pub(crate) upper_quartile: f64,
    pub(crate) most: f64,
    /// Where the median of all times that could be taken is, with at least 95 % confidence; none where
    /// there are too few to say.
    pub(crate) interval: Option<(f64, f64)>,
}

/// What times amount to; none where there are none.
pub(crate) fn summary(times: &[f64]) -> Option<Summary> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    Some(Summary {
        count: sorted.len(),
        least,
        lower_quartile: quantile(&sorted, 0.25),
        median: quantile(&sorted, 0.5),
        upper_quartile: quantile(&sorted, 0.75),
        most,
        interval: interval(&sorted),
    })
}

/// The value below which a part of sorted values lies; between two values, in proportion.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a short list"
)]
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = part * last as f64;
    let below = place.floor() as usize;
    let at = |index: usize| sorted.get(index.min(last)).copied().unwrap_or_default();
    let rest = place - place.floor();
    at(below) + rest * (at(below + 1) - at(below))
}

/// The interval between two of the sorted values that holds the median with at least 95 % confidence:
/// each time is above it or below, as a coin falls.
fn interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let count = sorted.len();
    let outside = rank(count)?;
    let (low, high) = (
        sorted.get(outside)?,
        sorted.get(count.checked_sub(outside + 1)?)?,
    );
    Some((*low, *high))
}

/// How many values at each end are outside of the interval; none where even all of them are too few.
fn rank(count: usize) -> Option<usize> {
    const TAIL: f64 = 0.025;
    // The chance that `k` of `count` coins show heads, one `k` after the other.
    let exponent = i32::try_from(count).ok()?.checked_neg()?;
    let mut chance = 2_f64.powi(exponent);
    let mut tail = chance;
    if tail > TAIL || chance == 0.0 {
        return if chance == 0.0 {
            by_normal(count)
        } else {
            None
        };
    }
    let mut outside = 0;
    for k in 1..count {
        #[expect(clippy::cast_precision_loss, reason = "counts of rounds are small")]
        let ratio = (count - k + 1) as f64 / k as f64;
        chance *= ratio;
        tail += chance;
        if tail > TAIL {
            break;
        }
        outside = k;
    }
    Some(outside)
}

/// The same for so many values that chances are too small for a number.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an approximation for more than a thousand values"
)]
fn by_normal(count: usize) -> Option<usize> {
    let count = count as f64;
    let outside = (count / 2.0 - 1.96 * count.sqrt() / 2.0).floor() - 1.0;
    (outside >= 0.0).then_some(outside as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "these are exact")]
    fn the_middle_and_the_quarters_of_a_few_times() {
        let of = |times: &[f64]| summary(times).unwrap();
        let five = of(&[5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!((five.least, five.median, five.most), (1.0, 3.0, 5.0));
        assert_eq!((five.lower_quartile, five.upper_quartile), (2.0, 4.0));
        let four = of(&[1.0, 2.0, 3.0, 10.0]);
        assert_eq!(four.median, 2.5);
        assert_eq!(of(&[7.0]).median, 7.0);
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn the_interval_is_that_of_the_tables() {
        // From tables of the sign test: how many values are cut off at each end for 95 %.
        let known = [
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (12, Some(2)),
            (20, Some(5)),
            (30, Some(9)),
            (50, Some(17)),
            (100, Some(39)),
        ];
        for (count, outside) in known {
            assert_eq!(rank(count), outside, "{count}");
        }
    }

    #[test]
    fn the_interval_of_very_many_values_is_near_the_middle() {
        let outside = rank(5000).unwrap();
        assert!((2400..2440).contains(&outside), "{outside}");
    }

    #[test]
    fn one_time_that_went_astray_moves_the_median_hardly() {
        let mut times = vec![1.0; 19];
        times.push(1000.0);
        let summary = summary(&times).unwrap();
        assert!((summary.median - 1.0).abs() < f64::EPSILON);
        assert_eq!(summary.interval, Some((1.0, 1.0)));
    }
}
