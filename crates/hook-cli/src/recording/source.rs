//! Lines from elsewhere, and the events that can be told from them. Pure.

use clap::ValueEnum;
use serde_json::Value;

use super::conversation::Conversation;
use super::format::is_header;

/// What lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// What hooks are told: one input a line.
    Inputs,
    /// What `run --output-format stream-json` and the SDK print.
    StreamJson,
    /// A transcript of Claude's, or of ours.
    Transcript,
    /// A recording: its inputs are fired anew.
    Recording,
}

impl Kind {
    /// Its name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::StreamJson => "stream-json",
            Self::Transcript => "transcript",
            Self::Recording => "recording",
        }
    }

    /// What a line is, by what is in it.
    fn of(line: &Value) -> Option<Self> {
        if line["hook_event_name"].is_string() {
            Some(Self::Inputs)
        } else if is_header(line) || line["type"] == "firing" || line["type"] == "late" {
            Some(Self::Recording)
        } else if line["sessionId"].is_string() || line["parentUuid"].is_string() {
            Some(Self::Transcript)
        } else if line["type"].is_string() {
            Some(Self::StreamJson)
        } else {
            None
        }
    }
}

/// An event that can be fired, and the line that tells of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) line: usize,
    pub(crate) input: Value,
}

/// A line that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    pub(crate) line: usize,
    pub(crate) why: String,
}

/// What was read.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// What most of it is: what the first line is that is understood.
    pub(crate) kind: Option<Kind>,
    pub(crate) told: Vec<Told>,
    pub(crate) odd: Vec<Odd>,
}

/// Reads lines. What they are is seen line by line, unless somebody says it.
pub(crate) fn read_lines(text: &str, said: Option<Kind>) -> Source {
    let mut read = Source {
        kind: said,
        ..Source::default()
    };
    let mut conversation = Conversation::default();
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let mut last = 0;
    for (index, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        last = index + 1;
        let taken = parse(text, said).and_then(|(kind, value)| {
            read.guess(kind);
            take(kind, value, &mut conversation)
        });
        match taken {
            Ok(inputs) => read.tell(last, inputs),
            Err(why) => read.odd.push(Odd { line: last, why }),
        }
    }
    conversation.finish();
    read.tell(last, conversation.drain());
    read
}

impl Source {
    /// Some lines of a transcript look like those of a stream.
    fn guess(&mut self, kind: Kind) {
        match (self.kind, kind) {
            (None, _) | (Some(Kind::StreamJson), Kind::Transcript) => self.kind = Some(kind),
            (Some(_), _) => {}
        }
    }

    fn tell(&mut self, line: usize, inputs: Vec<Value>) {
        let told = inputs.into_iter().map(|input| Told { line, input });
        self.told.extend(told);
    }
}

fn parse(text: &str, said: Option<Kind>) -> Result<(Kind, Value), String> {
    let value: Value =
        serde_json::from_str(text).map_err(|why| format!("it is not JSON: {why}"))?;
    if !value.is_object() {
        return Err("it is no JSON object".to_owned());
    }
    let unknown = || "it has neither `hook_event_name` nor `type`".to_owned();
    let kind = said.or_else(|| Kind::of(&value)).ok_or_else(unknown)?;
    Ok((kind, value))
}

/// The events that a line tells of.
fn take(
    kind: Kind,
    mut line: Value,
    conversation: &mut Conversation,
) -> Result<Vec<Value>, String> {
    match kind {
        Kind::Inputs => input(line).map(|input| vec![input]),
        Kind::Recording if is_header(&line) || line["type"] == "late" => Ok(Vec::new()),
        Kind::Recording => input(line["input"].take()).map(|input| vec![input]),
        Kind::StreamJson | Kind::Transcript => {
            conversation.take(&line)?;
            Ok(conversation.drain())
        }
    }
}

/// An input that can be read.
fn input(input: Value) -> Result<Value, String> {
    match hook_types::HookEvent::parse(input.clone()) {
        Ok(_) => Ok(input),
        Err(why) => Err(why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(lines: &[Value]) -> String {
        let lines = lines.iter().map(|line| format!("{line}\n"));
        lines.collect()
    }

    /// The events with what matters of them.
    fn told(read: &Source) -> Vec<String> {
        let tells = |told: &Told| {
            let input = &told.input;
            let about = [
                "prompt",
                "tool_use_id",
                "stop_hook_active",
                "source",
                "agent_id",
                "error",
            ];
            let about = about.iter().filter(|key| !input[**key].is_null());
            let about = about.map(|key| input[*key].to_string());
            let words = std::iter::once(input["hook_event_name"].as_str().unwrap().to_owned());
            words
                .chain(about)
                .collect::<Vec<_>>()
                .join(" ")
                .replace('"', "")
        };
        read.told.iter().map(tells).collect()
    }

    fn message(kind: &str, content: &Value) -> Value {
        json!({"type": kind, "sessionId": "s-1", "cwd": "/srv/app", "isSidechain": false,
               "message": {"role": kind, "content": content}})
    }

    fn call(id: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}})
    }

    fn result(id: &str, text: &str, is_error: bool) -> Value {
        json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error})
    }

    #[test]
    fn a_transcript_tells_of_prompts_calls_results_and_ends_of_turns() {
        let mut structured = message("user", &json!([result("t1", "a", false)]));
        structured["toolUseResult"] = json!({"stdout": "a"});
        let lines = [
            json!({"type": "summary", "summary": "x", "leafUuid": "y"}),
            message("user", &json!("Tidy up.")),
            message(
                "assistant",
                &json!([{"type": "text", "text": "I look."}, call("t1"), call("t2"), call("t3")]),
            ),
            structured,
            message(
                "user",
                &json!([result("t2", "PreToolUse:Bash hook error: no", true)]),
            ),
            message("user", &json!([result("t3", "Exit code 1", true)])),
            message("assistant", &json!([{"type": "text", "text": "Done."}])),
            message(
                "user",
                &json!("<system-reminder>\nrun the tests\n</system-reminder>"),
            ),
            message("assistant", &json!([{"type": "text", "text": "Really."}])),
            message("user", &json!([{"type": "text", "text": "Thanks."}])),
            message("user", &json!("[Request interrupted by user]")),
        ];
        let read = read_lines(&text(&lines), None);
        assert_eq!(read.kind, Some(Kind::Transcript));
        assert_eq!(read.odd, []);
        assert_eq!(
            told(&read),
            [
                "SessionStart startup",
                "UserPromptSubmit Tidy up.",
                "PreToolUse t1",
                "PreToolUse t2",
                "PreToolUse t3",
                "PostToolUse t1",
                "PostToolUseFailure t3 Exit code 1",
                "Stop false",
                "Stop true",
                "UserPromptSubmit Thanks.",
            ]
        );
        let response = read.told.iter().find(|told| told.line == 4).unwrap();
        assert_eq!(response.input["tool_response"], json!({"stdout": "a"}));
        assert!(
            read.told
                .iter()
                .all(|told| hook_types::HookEvent::parse(told.input.clone()).is_ok())
        );
    }

    #[test]
    fn a_stream_tells_of_the_same_and_of_subagents_and_compactions() {
        let line = |kind: &str, content: Value, parent: Value| {
            json!({"type": kind, "session_id": "s", "uuid": "u", "parent_tool_use_id": parent,
                   "message": {"role": kind, "content": content}})
        };
        let lines = [
            json!({"type": "system", "subtype": "init", "cwd": "/srv", "session_id": "s", "permissionMode": "plan"}),
            json!({"type": "system", "subtype": "hook_started", "session_id": "s"}),
            line("assistant", json!([call("t1")]), Value::Null),
            line("assistant", json!([call("t2")]), json!("t1")),
            line("user", json!([result("t2", "a", false)]), json!("t1")),
            line(
                "assistant",
                json!([{"type": "text", "text": "found"}]),
                json!("t1"),
            ),
            json!({"type": "system", "subtype": "compact_boundary", "session_id": "s", "compact_metadata": {"trigger": "manual"}}),
            line(
                "assistant",
                json!([{"type": "text", "text": "Done."}]),
                Value::Null,
            ),
            json!({"type": "result", "subtype": "success", "session_id": "s"}),
        ];
        let read = read_lines(&text(&lines), None);
        assert_eq!((read.kind, read.odd.len()), (Some(Kind::StreamJson), 0));
        assert_eq!(
            told(&read),
            [
                "SessionStart startup",
                "PreToolUse t1",
                "PreToolUse t2 t1",
                "PostToolUse t2 t1",
                "PreCompact",
                "SessionStart compact",
                "Stop false",
            ]
        );
        assert_eq!(read.told[1].input["permission_mode"], "plan");
    }

    #[test]
    fn inputs_are_taken_as_they_are_and_a_line_that_is_not_understood_is_told_with_its_number() {
        let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false, "mine": 1});
        let lines = format!(
            "{stop}\n\n{{\"half\n[1]\n{{\"a\": 1}}\n{}\n{}\n{stop}",
            json!({"hook_event_name": "Stoop"}),
            json!({"type": "novelty"}),
        );
        let read = read_lines(&lines, None);
        assert_eq!(read.kind, Some(Kind::Inputs));
        let numbers: Vec<_> = read.told.iter().map(|told| told.line).collect();
        assert_eq!(numbers, [1, 8]);
        assert_eq!(read.told[0].input, stop);
        let odd: Vec<_> = read.odd.iter().map(|odd| odd.line).collect();
        assert_eq!(odd, [3, 4, 5, 6, 7]);
        assert!(read.odd[4].why.contains("novelty"), "{:?}", read.odd[4]);
    }

    #[test]
    fn what_lines_are_can_be_said() {
        let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
        let read = read_lines(&text(std::slice::from_ref(&stop)), Some(Kind::Transcript));
        assert_eq!((read.told.len(), read.odd.len()), (0, 1));
        let recording = [
            json!({"type": "hookline_recording", "version": 1}),
            json!({"type": "firing", "input": stop}),
        ];
        let read = read_lines(&text(&recording), None);
        assert_eq!((read.kind, read.told.len()), (Some(Kind::Recording), 1));
    }
}
