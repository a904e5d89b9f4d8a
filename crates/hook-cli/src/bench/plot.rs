//! Boxes in a terminal: where half of the times lie, the median in it, and how far the rest goes.

use super::statistics::Summary;

/// The signs that a plot is made of.
#[derive(Clone, Copy, Debug)]
struct Signs {
    line: char,
    middle: char,
    median: char,
    more: char,
    mark: char,
}

const SYMBOLS: Signs = Signs {
    line: '─',
    middle: '█',
    median: '┃',
    more: '→',
    mark: '┴',
};
const PLAIN: Signs = Signs {
    line: '-',
    middle: '=',
    median: '|',
    more: '>',
    mark: '+',
};

/// A plot of many summaries on one axis, a row each, then the axis.
pub(crate) struct Plot {
    signs: Signs,
    width: usize,
    /// The end of the axis, in milliseconds.
    end: f64,
}

impl Plot {
    /// A plot of so many columns. Its axis ends a little behind the largest box: a time that went
    /// astray must not press all boxes into one column.
    pub(crate) fn new(summaries: &[Summary], width: usize, symbols: bool) -> Self {
        let boxes = summaries.iter().map(|summary| summary.upper_quartile);
        let largest = boxes.fold(0.0, f64::max);
        Self {
            signs: if symbols { SYMBOLS } else { PLAIN },
            width: width.max(10),
            end: round_up((largest * 1.15).max(0.001)),
        }
    }

    /// The row of a summary.
    pub(crate) fn row(&self, summary: &Summary) -> String {
        let at = |time: f64| self.column(time);
        let mut row = vec![' '; self.width];
        let mut fill = |from: f64, to: f64, sign: char| {
            for place in row.iter_mut().take(at(to) + 1).skip(at(from)) {
                *place = sign;
            }
        };
        fill(summary.least, summary.most, self.signs.line);
        fill(
            summary.lower_quartile,
            summary.upper_quartile,
            self.signs.middle,
        );
        fill(summary.median, summary.median, self.signs.median);
        if summary.most > self.end
            && let Some(last) = row.last_mut()
        {
            *last = self.signs.more;
        }
        let row: String = row.into_iter().collect();
        row.trim_end().to_owned()
    }

    /// The axis: a line with marks, and what they stand for.
    pub(crate) fn axis(&self) -> [String; 2] {
        let marks = [0.0, self.end / 2.0, self.end];
        let mut line = vec![self.signs.line; self.width];
        let mut words = vec![' '; self.width];
        for mark in marks {
            let column = self.column(mark);
            if let Some(place) = line.get_mut(column) {
                *place = self.signs.mark;
            }
            let word = label(mark);
            let from = column.min(self.width.saturating_sub(word.chars().count()));
            for (place, letter) in words.iter_mut().skip(from).zip(word.chars()) {
                *place = letter;
            }
        }
        let text = |row: Vec<char>| row.into_iter().collect::<String>().trim_end().to_owned();
        [text(line), text(words)]
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a column of a terminal"
    )]
    fn column(&self, time: f64) -> usize {
        let last = self.width - 1;
        let part = (time / self.end).clamp(0.0, 1.0);
        ((part * last as f64).round() as usize).min(last)
    }
}

fn label(time: f64) -> String {
    if time == 0.0 {
        "0".to_owned()
    } else {
        super::report::milliseconds(time)
    }
}

/// The next of 1, 2, 3, 4, 5, 6, 8 and 10, at any power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let step = steps
        .into_iter()
        .find(|step| step * power >= value * 0.999_999);
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::super::statistics::summary;
    use super::*;

    fn drawn(width: usize, symbols: bool) -> String {
        let lists: [&[f64]; 3] = [
            &[1.0, 1.1, 1.2, 1.3, 1.4],
            &[4.0, 5.0, 6.0, 7.0, 9.0],
            &[2.0, 2.0, 2.0, 2.0, 40.0],
        ];
        let summaries: Vec<Summary> = lists.iter().map(|times| summary(times).unwrap()).collect();
        let plot = Plot::new(&summaries, width, symbols);
        let rows = summaries.iter().map(|summary| plot.row(summary));
        rows.chain(plot.axis()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn boxes_stand_where_the_times_are() {
        let rows = [
            "    █┃─",
            "                ────████┃████────────",
            "        ┃───────────────────────────────→",
            "┴───────────────────┴───────────────────┴",
            "0                   5.00 ms       10.0 ms",
        ];
        assert_eq!(drawn(41, true), rows.join("\n"));
    }

    #[test]
    fn without_symbols_there_are_letters() {
        let rows = [
            "    =|-",
            "                ----====|====--------",
            "        |------------------------------->",
            "+-------------------+-------------------+",
            "0                   5.00 ms       10.0 ms",
        ];
        assert_eq!(drawn(41, false), rows.join("\n"));
        assert!(drawn(30, false).is_ascii());
    }

    #[test]
    fn no_row_is_wider_than_it_may_be() {
        for width in [10, 20, 41, 160] {
            let widest = drawn(width, true)
                .lines()
                .map(|row| row.chars().count())
                .max();
            assert!(widest <= Some(width), "{width}: {widest:?}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these are exact")]
    fn an_axis_ends_at_a_round_number() {
        let ends = [0.7, 1.0, 8.05, 43.0, 130.0].map(round_up);
        assert_eq!(ends, [0.8, 1.0, 10.0, 50.0, 200.0]);
    }
}
