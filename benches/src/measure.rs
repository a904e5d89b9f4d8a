//! Everybody in turn, in a new order each round, so that a busy machine hurts all of them alike.

use crate::contest::{Contest, Side, Target, Unit};
use crate::stats::{Dice, Median};

/// Fewer have no interval of 95 %.
const FEWEST: usize = 6;

/// What became of one side.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) pairs: usize,
    pub(crate) target: Target,
    /// What one time took.
    pub(crate) figure: Option<Median>,
    /// The same over the baseline's turn of the same round; none for the baseline itself.
    pub(crate) ratio: Option<Median>,
    /// The same less the baseline's turn of the same round.
    pub(crate) extra: Option<Median>,
}

impl Measured {
    /// Whether the upper end of the interval is within the target.
    pub(crate) fn is_met(&self) -> bool {
        let within = |median: Option<Median>, limit: f64| median.is_some_and(|it| it.high <= limit);
        match self.target {
            Target::None => true,
            Target::Times(limit) => within(self.ratio, limit),
            Target::More(limit) => within(self.extra, limit),
            Target::AtMost(limit) => within(self.figure, limit),
        }
    }
}

/// Measures a contest, with its number of pairs divided by `share`.
pub(crate) fn measure(contest: Contest, share: usize) -> Vec<Measured> {
    let Contest {
        unit,
        pairs,
        baseline,
        sides,
    } = contest;
    let pairs = (pairs / share).max(FEWEST.min(pairs));
    let compared = baseline.is_some();
    let mut sides: Vec<Side> = baseline.into_iter().chain(sides).collect();
    let figures = take_turns(&mut sides, pairs);
    let base = compared.then(|| figures[0].clone());
    let result = |(place, (side, figures)): (usize, (Side, Vec<f64>))| {
        let base = base.as_ref().filter(|_| place > 0);
        let beside = |compare: fn(f64, f64) -> f64| {
            let pairs = figures.iter().zip(base?);
            Median::of(pairs.map(|(own, base)| compare(*own, *base)))
        };
        Measured {
            name: side.name,
            unit,
            pairs,
            target: side.target,
            ratio: beside(|own, base| own / base),
            extra: beside(|own, base| own - base),
            figure: Median::of(figures.iter().copied()),
        }
    };
    sides
        .into_iter()
        .zip(figures)
        .enumerate()
        .map(result)
        .collect()
}

fn take_turns(sides: &mut [Side], pairs: usize) -> Vec<Vec<f64>> {
    let mut figures = vec![Vec::with_capacity(pairs); sides.len()];
    let mut dice = Dice::new();
    for round in 0..=pairs {
        // Shuffled, for what ran before leaves its traces: in caches, in threads that look for work.
        for which in dice.shuffled(sides.len()) {
            let figure = (sides[which].sample)();
            // The first round only warms up.
            if round > 0 {
                figures[which].push(figure);
            }
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// A machine that gets slower and slower: what it does to one side, it does to the other.
    fn contest(target: f64) -> Contest {
        let turn = Rc::new(Cell::new(0.0));
        let side = move |cost: f64| {
            let turn = Rc::clone(&turn);
            move || {
                turn.set(turn.get() + 1.0);
                cost * 1000.0_f64.mul_add(100.0, turn.get())
            }
        };
        Contest::of_times(100)
            .beside(Side::new("base", side(1.0)))
            .side(Side::new("twice", side(2.0)).target(Target::Times(target)))
    }

    #[test]
    fn what_slows_both_alike_does_not_change_their_ratio() {
        let results = measure(contest(2.01), 1);
        let ratio = results[1].ratio.unwrap();
        assert!((1.99..2.01).contains(&ratio.middle), "{ratio:?}");
        assert!(results[0].ratio.is_none());
        assert!(results.iter().all(Measured::is_met));
        assert_eq!(results[1].pairs, 100);
    }

    #[test]
    fn a_target_is_missed_by_the_upper_end_of_the_interval() {
        let results = measure(contest(1.999), 1);
        assert!(!results[1].is_met());
    }

    #[test]
    fn a_share_of_the_pairs_is_still_enough_for_an_interval() {
        assert_eq!(measure(contest(2.01), 50)[0].pairs, FEWEST);
        assert_eq!(measure(contest(2.01), 10)[0].pairs, 10);
    }
}
