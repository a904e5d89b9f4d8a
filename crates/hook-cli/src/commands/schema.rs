//! `hookline schema`: JSON Schemas of what hooks are told and may answer.

use clap::Args;
use hook_types::{EventName, schema};
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

/// JSON Schemas (draft 2020-12) of what hooks are told and may answer.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline schema                        every event, in a line each
  hookline schema PreToolUse             what a hook is told, and what it may answer
  hookline schema PreToolUse --answer    only what it may answer
  hookline schema --all > schemas.json   everything, for an editor or a validator")]
pub(crate) struct Schema {
    /// The event, such as `PreToolUse`.
    event: Option<String>,
    /// Only what a hook is told.
    #[arg(long, conflicts_with = "answer")]
    input: bool,
    /// Only what a hook may answer.
    #[arg(long)]
    answer: bool,
    /// The schemas of all events.
    #[arg(long, conflicts_with = "event")]
    all: bool,
}

pub(crate) fn run(asked: &Schema, output: &mut Output) -> Result<Exit, Failure> {
    match &asked.event {
        Some(name) => output.json(&of(super::event_named(name)?, asked))?,
        None if asked.all => {
            let all = EventName::ALL
                .iter()
                .map(|event| (event.to_string(), of(*event, asked)));
            output.json(&Value::Object(all.collect::<Map<_, _>>()))?;
        }
        None => list(output)?,
    }
    Ok(Exit::Done)
}

fn of(event: EventName, asked: &Schema) -> Value {
    match (asked.input, asked.answer) {
        (true, _) => schema::input(event),
        (_, true) => schema::answer(event),
        _ => json!({"input": schema::input(event), "answer": schema::answer(event)}),
    }
}

/// The column of the descriptions.
const ABOUT: usize = 21;

fn list(output: &mut Output) -> Result<(), Failure> {
    let about = |event: EventName| {
        let text = schema::input(event)["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        text.split_inclusive(". ")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    if output.is_json() {
        let rows = EventName::ALL
            .iter()
            .map(|event| json!({"event": event, "description": about(*event)}));
        return output.json(&rows.collect::<Vec<_>>());
    }
    for event in EventName::ALL {
        let line = format!("{:<20} {}\n", event.to_string(), about(*event));
        output.prose_at(ABOUT, &line)?;
    }
    Ok(())
}
