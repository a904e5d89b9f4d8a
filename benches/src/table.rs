//! What is printed: a row for each side, and whether all targets are met.

use std::fmt::Write as _;

use crate::contest::{Target, Unit};
use crate::measure::Measured;
use crate::stats::Median;

pub(crate) const HEAD: &str = "\
| row | what | one time | beside the baseline | 95 % of it | target | pairs | |
|---|---|---|---|---|---|---|---|";

/// The rows so far, and those that missed.
#[derive(Default)]
pub(crate) struct Table {
    missed: Vec<String>,
}

impl Table {
    /// The rows of one contest.
    pub(crate) fn rows(&mut self, row: &str, results: &[Measured]) -> String {
        let mut text = String::new();
        for result in results {
            if !result.is_met() {
                self.missed.push(format!("{row}: {}", result.name));
            }
            let _ = writeln!(text, "{}", line(row, result));
        }
        text.trim_end().to_owned()
    }

    /// A row that cannot be measured here.
    pub(crate) fn unmeasured(&mut self, row: &str, why: &str) -> String {
        self.missed.push(format!("{row}: {why}"));
        format!("| {row} | not measured: {why} | | | | | | **missed** |")
    }

    pub(crate) fn is_met(&self) -> bool {
        self.missed.is_empty()
    }

    pub(crate) fn verdict(&self) -> String {
        if self.is_met() {
            return "\nevery target is met".to_owned();
        }
        format!("\nmissed:\n  {}", self.missed.join("\n  "))
    }
}

fn line(row: &str, result: &Measured) -> String {
    let Measured {
        name,
        unit,
        pairs,
        target,
        figure,
        ratio,
        extra,
    } = result;
    let show = |figure: f64| shown(*unit, figure);
    let (beside, interval) = match (target, ratio, extra, figure) {
        (Target::More(_), _, Some(extra), _) => (
            format!("+ {}", show(extra.middle)),
            between(extra, |figure| format!("+ {}", show(figure))),
        ),
        (Target::AtMost(_), Some(ratio), _, Some(figure)) => {
            (format!("{:.3}", ratio.middle), between(figure, show))
        }
        (_, Some(ratio), ..) => (
            format!("{:.3}", ratio.middle),
            between(ratio, |figure| format!("{figure:.3}")),
        ),
        (_, None, _, Some(figure)) => (String::new(), between(figure, show)),
        (_, None, _, None) => (String::new(), String::new()),
    };
    let verdict = match (target, result.is_met()) {
        (Target::None, _) => "",
        (_, true) => "met",
        (_, false) => "**missed**",
    };
    let one = figure.map(|figure| show(figure.middle));
    format!(
        "| {row} | {name} | {} | {beside} | {interval} | {} | {pairs} | {verdict} |",
        one.unwrap_or_default(),
        wanted(*unit, *target),
    )
}

fn between(median: &Median, show: impl Fn(f64) -> String) -> String {
    format!("{} to {}", show(median.low), show(median.high))
}

fn wanted(unit: Unit, target: Target) -> String {
    match target {
        Target::None => String::new(),
        Target::Times(limit) => format!("≤ {limit} ×"),
        Target::More(limit) => format!("≤ + {}", shown(unit, limit)),
        Target::AtMost(limit) => format!("≤ {}", shown(unit, limit)),
    }
}

fn shown(unit: Unit, figure: f64) -> String {
    match unit {
        Unit::Bytes => format!("{:.2} MB", figure / 1e6),
        Unit::Nanoseconds if figure < 1e3 => format!("{figure:.1} ns"),
        Unit::Nanoseconds if figure < 1e6 => format!("{:.2} µs", figure / 1e3),
        Unit::Nanoseconds => format!("{:.2} ms", figure / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(high: f64) -> Measured {
        let median = |middle: f64| {
            Some(Median {
                low: middle - 0.1,
                middle,
                high: middle + 0.1,
            })
        };
        Measured {
            name: "a closure".to_owned(),
            unit: Unit::Nanoseconds,
            pairs: 2000,
            target: Target::Times(5.0),
            figure: median(130.0),
            ratio: median(high - 0.1),
            extra: median(100.0),
        }
    }

    #[test]
    fn a_row_says_what_was_measured_and_what_was_wanted() {
        let mut table = Table::default();
        let row = table.rows("firing", &[measured(4.5)]);
        assert_eq!(
            row,
            "| firing | a closure | 130.0 ns | 4.400 | 4.300 to 4.500 | ≤ 5 × | 2000 | met |"
        );
        let more = Measured {
            target: Target::More(99.0),
            ..measured(4.5)
        };
        assert_eq!(
            table.rows("firing", &[more]),
            "| firing | a closure | 130.0 ns | + 100.0 ns | + 99.9 ns to + 100.1 ns | ≤ + 99.0 ns | 2000 \
             | **missed** |"
        );
        let mut table = Table::default();
        table.rows("firing", &[measured(4.5)]);
        assert!(table.is_met());
    }

    #[test]
    fn one_miss_is_named_at_the_end_and_is_a_failure() {
        let mut table = Table::default();
        table.rows("firing", &[measured(4.5), measured(5.5)]);
        assert!(!table.is_met());
        assert_eq!(table.verdict(), "\nmissed:\n  firing: a closure");
    }

    #[test]
    fn what_cannot_be_measured_is_a_failure() {
        let mut table = Table::default();
        table.unmeasured("servers-python", "there is no python3 here");
        assert!(!table.is_met());
        assert!(table.verdict().contains("there is no python3 here"));
    }
}
