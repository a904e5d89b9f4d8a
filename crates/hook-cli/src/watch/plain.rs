//! Off a terminal: a line for each firing that is over, or its row for programs.

use tokio::sync::mpsc::Receiver;

use super::counts::{Change, Counts, Limits};
use super::filter::Filter;
use super::line::Line;
use super::model::Model;
use super::row;
use super::source::{Fed, Source, now};
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{Look, Tone, clean_line};

/// Prints until the stream ends.
pub(crate) fn print(
    source: Source,
    follow: bool,
    filter: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let filter = Filter::parse(filter);
    let name = source.name();
    let mut fed = source.open(follow)?;
    let mut model = Model::new(Limits::default());
    while let Some(Came { lines, at }) = next(&mut fed, &name, output)? {
        for line in lines {
            let change = model.take(line, at);
            tell(&model, change, &filter, output)?;
            if output.is_closed() {
                return Ok(());
            }
        }
    }
    let open: Vec<u64> = model
        .firings()
        .filter(|firing| !firing.is_over())
        .map(|firing| firing.number)
        .collect();
    for number in open {
        tell(&model, Change::Over(number), &filter, output)?;
    }
    let counts = model.counts();
    if counts.firings == 0 && counts.other + counts.unreadable > 0 {
        output.note("note: no line tells of a hook; was it written with --include-hook-events?");
    }
    if !output.is_json() {
        let look = Look::of(output);
        output.line(&look.paint(Tone::Faint, &summary(model.counts())))?;
    }
    Ok(())
}

/// Some lines, and when they came, if that was just now.
struct Came {
    lines: Vec<Line>,
    at: Option<u64>,
}

/// The next lines; nothing at the end.
fn next(fed: &mut Receiver<Fed>, name: &str, output: &mut Output) -> Result<Option<Came>, Failure> {
    loop {
        match fed.blocking_recv() {
            Some(Fed::Lines { lines, live }) => {
                return Ok(Some(Came {
                    lines,
                    at: live.then(now),
                }));
            }
            Some(Fed::Missing) => {
                output.note(&format!("note: waiting for {}", clean_line(name)));
            }
            Some(Fed::Anew) => {
                let note = format!(
                    "note: {} was cut, or another took its place",
                    clean_line(name)
                );
                output.note(&note);
            }
            Some(Fed::Failed(failure)) => return Err(failure),
            Some(Fed::CaughtUp) => {}
            Some(Fed::End) | None => return Ok(None),
        }
    }
}

fn tell(
    model: &Model,
    change: Change,
    filter: &Filter,
    output: &mut Output,
) -> Result<(), Failure> {
    let (number, late) = match change {
        Change::Counts | Change::Firing(_) => return Ok(()),
        Change::Over(number) => (number, false),
        Change::Late(number) => (number, true),
    };
    let firing = model.firing(number);
    let Some(firing) = firing.filter(|firing| filter.fits(firing)) else {
        return Ok(());
    };
    if output.is_json() {
        let row = row::json(firing, model.epoch());
        return output.json_text(&row.to_string());
    }
    let look = Look::of(output);
    let mut line = row::text(firing, model.epoch(), look);
    if late {
        line.push_str("  (a hook in the background has ended)");
    }
    output.line(&line)
}

/// What was counted, in a line.
pub(crate) fn summary(counts: &Counts) -> String {
    let mut words = vec![plural(counts.firings, "firing")];
    let told = counts.verdicts.iter().filter(|(word, _)| *word != "none");
    words.extend(
        told.filter(|(_, count)| **count > 0)
            .map(|(word, count)| format!("{count} {word}")),
    );
    if counts.failed > 0 {
        words.push(format!("{} failed", plural(counts.failed, "hook")));
    }
    if counts.other > 0 {
        words.push(plural(counts.other, "other line"));
    }
    if counts.unreadable > 0 {
        words.push(format!("{} unreadable", counts.unreadable));
    }
    if counts.dropped > 0 {
        words.push(format!("{} no longer kept", counts.dropped));
    }
    words.join(", ")
}

fn plural(count: u64, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}
