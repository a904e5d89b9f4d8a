//! What is made of many figures that a busy machine has disturbed.

/// The median, and between which values it lies with a certainty of 95 %: a fact about ranks that
/// holds whatever the noise looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Median {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl Median {
    /// The median of some figures; of none there is none. Fewer than six have no interval of 95 %:
    /// theirs is from the lowest to the highest.
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut all: Vec<f64> = figures.into_iter().collect();
        all.sort_unstable_by(f64::total_cmp);
        let below = ranks_below(all.len());
        let at = |rank: usize| all.get(rank).copied();
        let count = all.len();
        let (left, right) = (at(count.checked_sub(1)? / 2)?, at(count / 2)?);
        Some(Self {
            low: at(below)?,
            middle: f64::midpoint(left, right),
            high: at(count - 1 - below)?,
        })
    }
}

/// How many figures lie outside the interval on each side.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank among a few thousand"
)]
fn ranks_below(count: usize) -> usize {
    let reach = (0.98 * (count as f64).sqrt()).ceil() as usize;
    (count.saturating_sub(1) / 2).saturating_sub(reach)
}

/// Random enough to shuffle a handful, and the same in every run.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit
    }

    pub(crate) fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How surely the median lies between the ranks that leave so many figures outside: the chance
    /// that of `count` tosses of a coin neither side comes up `below` times or less.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand figures")]
    fn certainty(count: usize, below: usize) -> f64 {
        let ln = |number: usize| (number as f64).ln();
        let mut ln_ways = 0.0;
        let mut outside = 0.0;
        for heads in 0..=below {
            if heads > 0 {
                ln_ways += ln(count - heads + 1) - ln(heads);
            }
            outside += (ln_ways - count as f64 * std::f64::consts::LN_2).exp();
        }
        1.0 - 2.0 * outside
    }

    #[test]
    fn the_interval_holds_the_median_with_a_certainty_of_95_per_cent() {
        for count in (6..400).chain([999, 1000, 2000, 2001, 4000]) {
            let below = ranks_below(count);
            let sure = certainty(count, below);
            assert!(sure >= 0.95, "{count} figures: {sure}");
            // Nor is it much wider than it must be.
            assert!(count < 100 || sure < 0.98, "{count} figures: {sure}");
        }
    }

    #[test]
    fn the_median_is_in_the_middle_whatever_the_order() {
        let odd = Median::of([5.0, 1.0, 3.0]);
        assert_eq!(odd.map(|median| median.middle), Some(3.0));
        let even = Median::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!(even.map(|median| median.middle), Some(2.5));
        assert_eq!(Median::of([]), None);
    }

    #[test]
    fn few_figures_have_the_widest_interval() {
        let few = Median::of([2.0, 9.0, 4.0]);
        let expected = Median {
            low: 2.0,
            middle: 4.0,
            high: 9.0,
        };
        assert_eq!(few, Some(expected));
    }

    #[test]
    fn a_wild_figure_moves_neither_the_median_nor_its_interval() {
        let calm = |wild: f64| {
            let figures = (0..100).map(f64::from).chain([wild]);
            Median::of(figures).map(|median| (median.low, median.middle, median.high))
        };
        assert_eq!(calm(100.0), calm(1e12));
    }

    #[test]
    fn a_shuffle_has_everything_once_and_does_not_repeat_itself() {
        let mut dice = Dice::new();
        let orders: Vec<Vec<usize>> = (0..50).map(|_| dice.shuffled(4)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        for first in 0..4 {
            assert!(orders.iter().any(|order| order[0] == first));
        }
    }
}
