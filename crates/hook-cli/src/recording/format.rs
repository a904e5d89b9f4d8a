//! A recording as a file: one JSON object a line. Pure.
//!
//! ```text
//! {"type": "hookline_recording", "version": 1, "made_from": "run", …}      first, once
//! {"type": "firing", "n": 1, "event": …, "input": {…}, "outcome": {…}, "hooks": […]}
//! {"type": "late", "hook": {…}}                                            a hook in the background is done
//! ```

use hook_types::EventName;
use serde_json::{Map, Value, json};

use super::redact::Redact;

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;
const RECORDING: &str = "hookline_recording";

/// What a recording says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// What it was made from.
    pub(crate) made_from: String,
    /// Whether somebody could be asked.
    pub(crate) interactive: bool,
    /// The model, where it is known.
    pub(crate) model: Option<String>,
    /// What is kept out of it: patterns, and names of sets of them.
    pub(crate) redact: Vec<String>,
}

impl Header {
    /// Its line.
    pub(crate) fn line(&self) -> Value {
        let mut line = json!({"type": RECORDING, "version": VERSION, "hookline": env!("CARGO_PKG_VERSION"),
               "made_from": self.made_from, "interactive": self.interactive, "model": self.model});
        if !self.redact.is_empty() {
            line["redact"] = json!(self.redact);
        }
        line
    }
}

/// A file of firings.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) header: Header,
    /// In the order in which they were fired.
    pub(crate) firings: Vec<Firing>,
    /// In the order in which they came.
    pub(crate) late: Vec<Late>,
    /// The number of the last line, where it was cut.
    pub(crate) cut: Option<usize>,
}

/// One event that was fired, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Firing {
    /// The line that it stands in.
    pub(crate) line: usize,
    /// When it was fired.
    pub(crate) n: u64,
    pub(crate) event: EventName,
    pub(crate) input: Value,
    /// Files that are there since: their text, or nothing where they are gone.
    pub(crate) files: Map<String, Value>,
    pub(crate) told: Told,
}

/// What came of a firing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) outcome: Value,
    pub(crate) hooks: Vec<Value>,
}

/// What a hook in the background said in the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Late {
    pub(crate) line: usize,
    pub(crate) hook: Value,
}

/// A line that is not the first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    Firing(Firing),
    Late(Late),
}

impl Firing {
    /// Its line.
    pub(crate) fn line(&self) -> Value {
        let mut line =
            json!({"type": "firing", "n": self.n, "event": self.event, "input": self.input});
        if !self.files.is_empty() {
            line["files"] = Value::Object(self.files.clone());
        }
        self.told.put_into(&mut line);
        line
    }
}

impl Told {
    /// Puts it into a firing's line, in the place of what is there.
    pub(crate) fn put_into(&self, line: &mut Value) {
        line["outcome"] = self.outcome.clone();
        line["hooks"] = Value::from(self.hooks.clone());
    }
}

impl Told {
    /// Keeps secrets out of it.
    pub(crate) fn redact(&mut self, redact: &Redact) {
        self.outcome = redact.apply(&self.outcome);
        for hook in &mut self.hooks {
            *hook = redact.apply(hook);
        }
    }
}

impl Late {
    /// Its line.
    pub(crate) fn line(hook: &Value) -> Value {
        json!({"type": "late", "hook": hook})
    }
}

/// Why a file is no recording that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("it is empty")]
    Empty,
    #[error("it is no recording: its first line has no `\"type\": \"{RECORDING}\"`")]
    NoRecording,
    #[error("it has version {0}, and this hookline reads version {VERSION}")]
    Version(Value),
    #[error("line {line}: {why}")]
    Line { line: usize, why: String },
}

impl FormatError {
    /// What would help.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Empty | Self::NoRecording => {
                "`hookline record NEW.jsonl --from FILE` makes a recording of hook inputs, of a \
                 stream, or of a transcript"
            }
            Self::Version(_) => "use the hookline that made it, or record it anew",
            Self::Line { .. } => "mend the line, or take it out",
        }
        .to_owned()
    }
}

/// Whether a line is the first of a recording.
pub(crate) fn is_header(line: &Value) -> bool {
    line["type"] == RECORDING
}

/// Reads a recording. A last line that was cut, as when the session was killed, is left out.
pub(crate) fn read(text: &str) -> Result<Recording, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.split_inclusive('\n').enumerate();
    let (_, first) = lines.next().ok_or(FormatError::Empty)?;
    let mut recording = Recording {
        header: header(first)?,
        firings: Vec::new(),
        late: Vec::new(),
        cut: None,
    };
    for (index, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let line = index + 1;
        match serde_json::from_str::<Value>(text) {
            Ok(value) => recording
                .take(line, value)
                .map_err(|why| FormatError::Line { line, why })?,
            Err(_) if !text.ends_with('\n') => recording.cut = Some(line),
            Err(error) => {
                let why = format!("it is not JSON: {error}");
                return Err(FormatError::Line { line, why });
            }
        }
    }
    recording.firings.sort_by_key(|firing| firing.n);
    Ok(recording)
}

fn header(line: &str) -> Result<Header, FormatError> {
    let value: Value = serde_json::from_str(line).map_err(|_| FormatError::NoRecording)?;
    if !is_header(&value) {
        return Err(FormatError::NoRecording);
    }
    if value["version"] != VERSION {
        return Err(FormatError::Version(value["version"].clone()));
    }
    Ok(Header {
        made_from: value["made_from"].as_str().unwrap_or_default().to_owned(),
        interactive: value["interactive"].as_bool().unwrap_or(false),
        model: value["model"].as_str().map(str::to_owned),
        redact: redact(&value["redact"])?,
    })
}

/// What is kept out. What cannot be read could not be kept out any longer.
fn redact(value: &Value) -> Result<Vec<String>, FormatError> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    serde_json::from_value(value.clone()).map_err(|_| FormatError::Line {
        line: 1,
        why: "`redact` is no list of patterns".to_owned(),
    })
}

impl Recording {
    fn take(&mut self, line: usize, value: Value) -> Result<(), String> {
        match entry(line, value)? {
            Entry::Firing(firing) => self.firings.push(firing),
            Entry::Late(late) => self.late.push(late),
        }
        Ok(())
    }
}

/// Reads a line that is not the first.
pub(crate) fn entry(line: usize, mut value: Value) -> Result<Entry, String> {
    match value["type"].as_str() {
        Some("firing") => firing(line, &mut value).map(Entry::Firing),
        Some("late") if value["hook"].is_object() => Ok(Entry::Late(Late {
            line,
            hook: value["hook"].take(),
        })),
        _ => Err("it is neither a firing nor a late answer".to_owned()),
    }
}

fn firing(line: usize, value: &mut Value) -> Result<Firing, String> {
    let event = value["event"].as_str().ok_or("it has no `event`")?;
    let event = event
        .parse()
        .map_err(|_| format!("there is no event `{event}`"))?;
    let n = value["n"].as_u64().ok_or("it has no number `n`")?;
    let object = |value: &mut Value, key: &str| {
        let field = Some(value[key].take()).filter(Value::is_object);
        field.ok_or_else(|| format!("it has no object `{key}`"))
    };
    let input = object(value, "input")?;
    let outcome = object(value, "outcome")?;
    let hooks = value["hooks"].as_array_mut().map(std::mem::take);
    let hooks = hooks.filter(|hooks| hooks.iter().all(Value::is_object));
    let hooks = hooks.ok_or("it has no list `hooks`")?;
    let files = value["files"].as_object_mut().map(std::mem::take);
    let files = files.unwrap_or_default();
    Ok(Firing {
        line,
        n,
        event,
        input,
        files,
        told: Told { outcome, hooks },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Value]) -> String {
        let lines = lines.iter().map(|line| format!("{line}\n"));
        lines.collect()
    }

    fn head() -> Value {
        let header = Header {
            made_from: "run".into(),
            interactive: true,
            model: None,
            redact: Vec::new(),
        };
        header.line()
    }

    fn line(n: u64) -> Value {
        json!({"type": "firing", "n": n, "event": "Stop", "input": {"stop_hook_active": false},
               "outcome": {}, "hooks": []})
    }

    #[test]
    fn what_is_written_is_read_back_and_stands_in_the_order_of_firing() {
        let recording = read(&text(&[
            head(),
            line(2),
            line(1),
            Late::line(&json!({"id": "a"})),
        ]));
        let recording = recording.unwrap();
        assert!(recording.header.interactive);
        let order: Vec<_> = recording.firings.iter().map(|f| (f.n, f.line)).collect();
        assert_eq!(order, [(1, 3), (2, 2)]);
        assert_eq!(recording.firings[0].line(), line(1));
        assert_eq!(recording.late[0].hook, json!({"id": "a"}));
        assert_eq!(recording.cut, None);
    }

    #[test]
    fn a_file_of_a_session_that_was_killed_is_read_up_to_its_last_whole_line() {
        let whole = text(&[head(), line(1), line(2)]);
        for cut in whole.len() - 40..whole.len() - 1 {
            let recording = read(&whole[..cut]).unwrap();
            assert_eq!((recording.firings.len(), recording.cut), (1, Some(3)));
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_line() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error(""), FormatError::Empty);
        assert_eq!(error("{}\n"), FormatError::NoRecording);
        assert_eq!(error("hello\n"), FormatError::NoRecording);
        let mut newer = head();
        newer["version"] = json!(2);
        assert_eq!(error(&text(&[newer])), FormatError::Version(json!(2)));
        for (odd, why) in [
            ("{\"type\": \"firing\"\n", "line 2: it is not JSON"),
            ("[1]\n", "line 2: it is neither a firing nor a late answer"),
            (
                "{\"type\": \"firing\", \"event\": \"Stoop\"}\n",
                "line 2: there is no event `Stoop`",
            ),
            (
                "{\"type\": \"firing\", \"event\": \"Stop\"}\n",
                "line 2: it has no number `n`",
            ),
        ] {
            let message = error(&format!("{}\n{odd}", head())).to_string();
            assert!(message.starts_with(why), "{message}");
        }
    }
}
