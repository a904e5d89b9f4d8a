//! What hooks cost, for people and for programs.

use serde_json::{Value, json};

use super::measure::Bout;
use super::plot::Plot;
use super::statistics::{Summary, summary};
use crate::render::{Add, Look, Tone, clean_line, first_line};

/// The widest name that a row begins with.
const NAME: usize = 34;
/// An interval is wide when it is wider than this part of what it is about…
const WIDE: f64 = 0.25;
/// …and wider than this, in milliseconds.
const NARROW: f64 = 0.5;

/// One who took part, and what the times amount to.
struct Row<'a> {
    bout: &'a Bout,
    times: Summary,
    /// What it costs beyond the empty command of the same round.
    beside: Option<Summary>,
}

impl Row<'_> {
    /// Whether nobody can say well what it costs.
    fn is_unsure(&self) -> bool {
        if self.bout.kind() == "background" {
            return false; // nobody waits for it
        }
        let sure = |summary: &Summary, of: f64| {
            summary.interval.is_some_and(|(low, high)| {
                let width = high - low;
                width <= NARROW || width <= WIDE * of.abs()
            })
        };
        let of = self.times.median;
        !self
            .beside
            .as_ref()
            .map_or_else(|| sure(&self.times, of), |beside| sure(beside, of))
    }
}

fn rows(bouts: &[Bout]) -> Vec<Row<'_>> {
    let empty = bouts
        .first()
        .map(|bout| bout.times.as_slice())
        .unwrap_or_default();
    let row = |bout| -> Option<Row<'_>> {
        let bout: &Bout = bout;
        let of_hook = bout.hook.is_some();
        let beside = bout
            .times
            .iter()
            .zip(empty)
            .map(|(time, empty)| time - empty);
        let beside: Vec<f64> = beside.collect();
        Some(Row {
            bout,
            times: summary(&bout.times)?,
            beside: summary(&beside).filter(|_| of_hook),
        })
    };
    bouts.iter().filter_map(row).collect()
}

/// For people.
pub(crate) fn text(bouts: &[Bout], load: Option<f64>, look: Look) -> String {
    let rows = rows(bouts);
    let mut text = String::new();
    let rounds = rows.first().map_or(0, |row| row.times.count);
    if rows.len() > 1 {
        text.add(format!(
            "{rounds} round{}: each fires every hook once, and `true` through the same engine\n\n",
            if rounds == 1 { "" } else { "s" }
        ));
        text.add(table(&rows, look));
        text.add("\n");
        text.add(boxes(&rows, look));
    }
    for bout in bouts.iter().filter(|bout| bout.not_run.is_some()) {
        let why = bout.not_run.as_deref().unwrap_or_default();
        text.add(format!(
            "{} {} was not run: {}\n",
            look.mark(Tone::Odd),
            clean_line(&bout.id),
            clean_line(why)
        ));
    }
    for note in notes(&rows, load) {
        text.add(format!("{} {}\n", look.mark(Tone::Odd), clean_line(&note)));
    }
    text
}

/// The columns, those that give way first where there is little room last.
fn table(rows: &[Row<'_>], look: Look) -> String {
    let interval = |summary: Option<&Summary>| match summary.map(|summary| summary.interval) {
        Some(Some((low, high))) => format!("{} to {}", number(low), number(high)),
        Some(None) => "too few".to_owned(),
        None => String::new(),
    };
    let head = [
        "hook",
        "median",
        "beside true",
        "95 %",
        "fired at",
        "95 % of the median",
    ];
    let mut cells = vec![head.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| {
        let beside = row.beside.as_ref();
        [
            first_line(&row.bout.id, NAME),
            milliseconds(row.times.median),
            beside
                .map(|beside| signed(beside.median))
                .unwrap_or_default(),
            interval(beside),
            clean_line(&row.bout.what()).into_owned(),
            interval(Some(&row.times)),
        ]
    }));
    let width = |column: usize| {
        let cells = cells.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths = [0, 1, 2, 3, 4, 5].map(width);
    let needed = |columns: usize| widths[..columns].iter().sum::<usize>() + 2 * columns;
    let columns = (4..=head.len())
        .rev()
        .find(|columns| needed(*columns) <= look.width);
    let columns = columns.unwrap_or(4);
    let mut text = String::new();
    for (number, row) in cells.iter().enumerate() {
        let cells = row.iter().zip(widths).take(columns).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 | 4 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        let line = if number == 0 {
            look.paint(Tone::Faint, line)
        } else {
            line.to_owned()
        };
        text.add(format!("{line}\n"));
    }
    text
}

fn boxes(rows: &[Row<'_>], look: Look) -> String {
    let summaries: Vec<Summary> = rows.iter().map(|row| row.times).collect();
    let name = |row: &Row<'_>| first_line(&row.bout.id, NAME.min(look.width / 3));
    let margin = rows
        .iter()
        .map(|row| name(row).chars().count())
        .max()
        .unwrap_or(0);
    let width = look.width.saturating_sub(margin + 3);
    let plot = Plot::new(&summaries, width, look.has_symbols());
    let mut text = String::new();
    for row in rows {
        text.add(format!(
            "{:<margin$}  {}\n",
            name(row),
            plot.row(&row.times)
        ));
    }
    for line in plot.axis() {
        text.add(format!("{:<margin$}  {line}\n", ""));
    }
    text.add("\n");
    text
}

/// What has to be said with the figures.
fn notes(rows: &[Row<'_>], load: Option<f64>) -> Vec<String> {
    let mut notes = Vec::new();
    if rows.len() < 2 {
        return vec!["nothing was measured".to_owned()];
    }
    for row in rows {
        let Row { bout, times, .. } = row;
        if bout.failures > 0 {
            let why = bout.failure.as_deref().unwrap_or_default();
            let many = times.count;
            notes.push(format!(
                "{} in {} of {many} rounds: {why}",
                bout.id, bout.failures
            ));
        }
        match bout.kind().as_str() {
            "background" => notes.push(format!(
                "{} runs in the background: the time is what the agent waits for, not what it takes",
                bout.id
            )),
            "server" => notes.push(format!(
                "{} is a server: the time is that of a request, without its start",
                bout.id
            )),
            _ => {}
        }
    }
    let unsure = rows
        .iter()
        .filter(|row| row.is_unsure() && row.bout.hook.is_some());
    let unsure: Vec<&str> = unsure.map(|row| row.bout.id.as_str()).collect();
    let whom = match unsure.as_slice() {
        [] => None,
        [one] => Some(format!("what {one} costs")),
        more => Some(format!("what {} of the hooks cost", more.len())),
    };
    if let (Some(whom), Some(row)) = (whom, rows.first()) {
        let more = (row.times.count * 4).max(20);
        notes.push(format!("too much noise to say {whom}: try --rounds {more}"));
    }
    if let Some(load) = load {
        notes.push(format!(
            "the load average is {load:.1}: other work is in these times, too"
        ));
    }
    notes
}

/// For programs.
pub(crate) fn json(bouts: &[Bout], load: Option<f64>) -> Value {
    let rows = rows(bouts);
    let one = |row: &Row<'_>| {
        let bout = row.bout;
        json!({
            "hook": bout.id,
            "sample": bout.sample,
            "event": bout.event(),
            "kind": bout.kind(),
            "failures": bout.failures,
            "failure": bout.failure,
            "ms": figures(&row.times),
            "beside_empty_ms": row.beside.as_ref().map(figures),
            "unsure": row.is_unsure(),
        })
    };
    let mut all = rows.iter().map(one);
    let empty = all.next().unwrap_or(Value::Null);
    let not_run = bouts.iter().filter_map(|bout| {
        let why = bout.not_run.as_ref()?;
        Some(json!({"hook": bout.id, "why": why}))
    });
    json!({
        "rounds": rows.first().map_or(0, |row| row.times.count),
        "load_average": load,
        "empty": empty,
        "hooks": all.collect::<Vec<_>>(),
        "not_run": not_run.collect::<Vec<_>>(),
        "notes": notes(&rows, None),
    })
}

fn figures(summary: &Summary) -> Value {
    json!({
        "least": summary.least,
        "lower_quartile": summary.lower_quartile,
        "median": summary.median,
        "upper_quartile": summary.upper_quartile,
        "most": summary.most,
        "interval_95": summary.interval.map(|(low, high)| [low, high]),
    })
}

/// A time with its unit.
pub(super) fn milliseconds(time: f64) -> String {
    format!("{} ms", number(time))
}

fn signed(time: f64) -> String {
    format!(
        "{}{}",
        if time < 0.0 { "" } else { "+" },
        milliseconds(time)
    )
}

/// A number of milliseconds, as exact as makes sense.
fn number(time: f64) -> String {
    match time.abs() {
        size if size < 0.1 => format!("{time:.3}"),
        size if size < 10.0 => format!("{time:.2}"),
        size if size < 100.0 => format!("{time:.1}"),
        _ => format!("{time:.0}"),
    }
}
