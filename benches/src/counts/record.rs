//! What was counted before: a file of lines, for people and for comparison.

use std::fmt::Write as _;

use crate::Failure;

/// What was counted, and with which compiler.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Record {
    pub(super) compiler: String,
    counts: Vec<(String, u64)>,
}

const HEAD: &str =
    "# Instructions each, counted by `cargo run --release -p hookline-benches -- counts --renew`.";

impl Record {
    pub(super) fn new(compiler: String) -> Self {
        Self {
            compiler,
            counts: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, name: &str, count: u64) {
        self.counts.push((name.to_owned(), count));
    }

    pub(super) fn get(&self, name: &str) -> Option<u64> {
        let mut counts = self.counts.iter();
        counts
            .find(|(known, _)| known == name)
            .map(|(_, count)| *count)
    }

    pub(super) fn read(path: &str) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{path}: {error}; `counts --renew` makes it"))?;
        Ok(Self::parse(&text)?)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut record = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (count, name) = line
                .trim_start()
                .split_once(' ')
                .ok_or_else(|| format!("`{line}` is no count with a name"))?;
            match count.parse() {
                Ok(count) => record.add(name, count),
                Err(_) if count == "compiler" => name.clone_into(&mut record.compiler),
                Err(_) => return Err(format!("`{count}` is no count")),
            }
        }
        Ok(record)
    }

    pub(super) fn write(&self, path: &str) -> std::io::Result<()> {
        std::fs::write(path, self.text())
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\ncompiler {}\n", self.compiler);
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{count:>8} {name}");
        }
        text
    }
}

/// One line of the table, and whether nothing has become worse.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) is_well: bool,
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few million")]
pub(super) fn line(name: &str, count: u64, on_record: Option<u64>, tolerance: f64) -> Line {
    let Some(old) = on_record else {
        return Line {
            text: format!("| {name} | {count} | | | not on record |"),
            is_well: false,
        };
    };
    let (count, old) = (count as f64, old as f64);
    let change = count / old - 1.0;
    let is_worse = count > old * (1.0 + tolerance);
    let word = if is_worse {
        "**more**"
    } else if change < -tolerance {
        "less: worth a record"
    } else {
        ""
    };
    Line {
        text: format!(
            "| {name} | {count} | {old} | {:+.1} % | {word} |",
            change * 100.0
        ),
        is_well: !is_worse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_on_record_is_read_back() {
        let mut record = Record::new("rustc 1.95.0".to_owned());
        record.add("one closure", 4321);
        record.add("ten closures", 40_000);
        assert_eq!(Record::parse(&record.text()), Ok(record));
    }

    #[test]
    fn more_than_two_per_cent_is_a_regression_and_less_is_none() {
        let of = |count| line("a", count, Some(1000), 0.02);
        assert!(of(1020).is_well);
        assert!(!of(1021).is_well);
        assert!(of(500).is_well);
        assert!(of(1021).text.contains("+2.1 %"));
    }

    #[test]
    fn what_was_never_counted_is_not_well() {
        assert!(!line("a", 1, None, 0.02).is_well);
    }

    #[test]
    fn a_record_that_cannot_be_read_says_where() {
        assert_eq!(Record::parse("x y"), Err("`x` is no count".to_owned()));
    }
}
