//! What a line of a server says, and about which request.

use hook_runner::Input;
use hook_types::Reply;
use hook_types::wire::Extent;
use process_tree::Line;
use serde_json::{Deserializer, Value};

use super::answer::{answer, flawed_answer};

/// Something that a server said about a request.
pub(crate) enum Said<'a> {
    /// An object: its members as they are written.
    Whole {
        id: u64,
        members: Vec<(String, &'a str)>,
    },
    /// What follows an id where the line is no JSON, or was cut.
    Flawed {
        id: u64,
        text: &'a str,
        extent: Extent,
        /// Whether the line begins with it.
        first: bool,
    },
}

/// What a line says: an object, or several. In a line that is something else, whatever starts like
/// one.
pub(crate) fn said(line: &Line) -> Vec<Said<'_>> {
    let text = line.text.trim_start_matches('\u{feff}').trim();
    if line.truncated {
        return first_flawed(text, Extent::Cut).into_iter().collect();
    }
    whole(text).unwrap_or_else(|| flawed(text))
}

pub(super) fn whole(text: &str) -> Option<Vec<Said<'_>>> {
    let (mut rest, mut found) = (text, Vec::new());
    while !rest.is_empty() {
        let (members, after) = members(rest)?;
        rest = after.trim_start();
        let id = members.iter().find(|(key, _)| key == "id");
        if let Some(id) = id.and_then(|(_, id)| number(id)) {
            found.push(Said::Whole { id, members });
        }
    }
    Some(found)
}

/// The members of the object that `text` starts with, as they are written, and what follows it.
/// Equal keys are all there.
pub(super) fn members(text: &str) -> Option<(Vec<(String, &str)>, &str)> {
    let mut rest = text.strip_prefix('{')?.trim_start();
    let mut found = Vec::new();
    if let Some(after) = rest.strip_prefix('}') {
        return Some((found, after));
    }
    loop {
        let (Value::String(key), _, after) = value(rest)? else {
            return None;
        };
        let after = after.trim_start().strip_prefix(':')?;
        let (_, written, after) = value(after)?;
        found.push((key, written));
        let after = after.trim_start();
        if let Some(after) = after.strip_prefix('}') {
            return Some((found, after));
        }
        rest = after.strip_prefix(',')?;
    }
}

/// The JSON value that `text` starts with, as it is written, and what follows it.
pub(super) fn value(text: &str) -> Option<(Value, &str, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let (written, after) = text.split_at(values.byte_offset());
    Some((value, written.trim(), after))
}

pub(super) fn unquoted(written: &str) -> Option<String> {
    match value(written)?.0 {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// An id, as a number or as text.
pub(super) fn number(written: &str) -> Option<u64> {
    written
        .trim_matches('"')
        .trim_end_matches(".0")
        .parse()
        .ok()
}

pub(super) fn flawed(text: &str) -> Vec<Said<'_>> {
    let starts: Vec<usize> = text
        .match_indices('{')
        .map(|(at, _)| at)
        .filter(|at| id_and_rest(&text[*at..]).is_some())
        .collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces = starts.iter().zip(ends);
    pieces
        .filter_map(|(start, end)| {
            let mut said = first_flawed(&text[*start..end], Extent::Whole)?;
            if let Said::Flawed { first, .. } = &mut said {
                *first = *start == 0;
            }
            Some(said)
        })
        .collect()
}

pub(super) fn first_flawed(text: &str, extent: Extent) -> Option<Said<'_>> {
    let (id, text) = id_and_rest(text)?;
    Some(Said::Flawed {
        id,
        text,
        extent,
        first: true,
    })
}

/// The id that an object begins with, and what follows it.
pub(super) fn id_and_rest(text: &str) -> Option<(u64, &str)> {
    let after = text
        .strip_prefix('{')?
        .trim_start()
        .strip_prefix("\"id\"")?;
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let end = after.find(|c: char| !matches!(c, '0'..='9' | '.' | '"'))?;
    let (id, rest) = after.split_at(end);
    Some((number(id)?, rest.trim_start().trim_start_matches(',')))
}

impl Said<'_> {
    pub(crate) fn id(&self) -> u64 {
        match self {
            Self::Whole { id, .. } | Self::Flawed { id, .. } => *id,
        }
    }

    /// What it is to the one who asked; nothing where it should not count.
    pub(crate) fn reply(&self, input: &Input) -> Option<Reply> {
        match self {
            Self::Whole { members, .. } => Some(answer(input, members)),
            Self::Flawed {
                text,
                extent,
                first,
                ..
            } => flawed_answer(input, text, *extent, *first),
        }
    }
}
