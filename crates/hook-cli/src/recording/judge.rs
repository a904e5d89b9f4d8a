//! Which firings of a recording come to something else today. Pure.

use std::collections::BTreeMap;

use hook_types::{Base, HookEvent};
use serde::Serialize;
use serde_json::Value;

use super::compare::{Change, Scope, What, compare, compare_late};
use super::format::{Firing, Recording};
use super::pairs::pairs;
use super::replay::Replayed;
use super::update::Edit;
use crate::firing::title;

/// What is compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Events or hooks; none: all.
    pub(crate) only: Vec<String>,
    pub(crate) scope: Scope,
}

/// A recording, then and now.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// How many firings there are, and how many of them were compared.
    pub(crate) firings: usize,
    pub(crate) compared: usize,
    pub(crate) differing: Vec<Differing>,
    /// What would make the recording fit.
    pub(crate) edits: BTreeMap<usize, Edit>,
}

/// A firing that comes to something else.
#[derive(Debug, Serialize)]
pub(crate) struct Differing {
    /// The line of the recording.
    pub(crate) line: usize,
    /// The number of the firing; none: a hook in the background.
    pub(crate) n: Option<u64>,
    /// The event and its subject.
    pub(crate) name: String,
    /// What it is about, in a few words.
    pub(crate) about: String,
    pub(crate) changes: Vec<Change>,
}

/// Compares.
pub(crate) fn judge(recording: &Recording, replayed: &Replayed, wanted: &Wanted) -> Judged {
    let mut judged = Judged {
        firings: recording.firings.len(),
        ..Judged::default()
    };
    for (firing, (then, now)) in recording.firings.iter().zip(&replayed.firings) {
        let name = name(firing);
        if !wanted.fits(&name, then.hooks.iter().chain(&now.hooks)) {
            continue;
        }
        judged.compared += 1;
        let changes = compare(then, now, wanted.scope);
        if !changes.is_empty() {
            judged.edits.insert(firing.line, Edit::Told(now.clone()));
            judged.differing.push(Differing {
                line: firing.line,
                n: Some(firing.n),
                name,
                about: about(&firing.input),
                changes,
            });
        }
    }
    judged.late(recording, replayed, wanted);
    judged
}

impl Judged {
    /// Hooks in the background: each that answered then must answer now. One that answers now and was not
    /// heard then may have been cut off by the end of the session.
    fn late(&mut self, recording: &Recording, replayed: &Replayed, wanted: &Wanted) {
        let then: Vec<Value> = recording
            .late
            .iter()
            .map(|late| late.hook.clone())
            .collect();
        let pairs = pairs(&then, &replayed.late);
        for (late, hook) in recording.late.iter().zip(&then) {
            let name = hook["name"].as_str().unwrap_or_default().to_owned();
            if !wanted.fits(&name, std::iter::once(hook)) {
                continue;
            }
            let mut both = pairs.both.iter();
            let now = both.find(|(then, _)| std::ptr::eq(*then, hook));
            let (changes, edit) = match now {
                Some((_, now)) => (
                    compare_late(hook, now, wanted.scope),
                    Edit::Late((*now).clone()),
                ),
                None => (vec![Change::gone(hook)], Edit::Remove),
            };
            if !changes.is_empty() {
                self.edits.insert(late.line, edit);
                self.differing.push(Differing {
                    line: late.line,
                    n: None,
                    name,
                    about: "in the background".to_owned(),
                    changes,
                });
            }
        }
    }
}

impl Wanted {
    /// Whether a firing is compared: its event, or one of its hooks, is asked for.
    fn fits<'a>(&self, name: &str, hooks: impl Iterator<Item = &'a Value>) -> bool {
        if self.only.is_empty() {
            return true;
        }
        let event = name.split(':').next().unwrap_or_default();
        let hooks: Vec<&Value> = hooks.collect();
        self.only.iter().any(|only| {
            let in_hook = |hook: &&Value| {
                let told = ["id", "runs", "description"];
                let mut told = told.iter().filter_map(|key| hook[*key].as_str());
                told.any(|text| text.contains(only.as_str()))
            };
            only == event || only == name || hooks.iter().any(in_hook)
        })
    }
}

impl Change {
    /// The hook does not answer any more.
    fn gone(hook: &Value) -> Self {
        Self {
            hook: hook["id"].as_str().map(str::to_owned),
            what: What::Gone,
            field: "status".to_owned(),
            wanted: hook["status"].clone(),
            now: Value::Null,
        }
    }
}

/// The event and its subject.
pub(crate) fn name(firing: &Firing) -> String {
    let input = firing.input.clone();
    let event = HookEvent::from_json(firing.event.as_str(), input, &Base::default());
    event.map_or_else(|_| firing.event.to_string(), |event| title(&event))
}

/// What a firing is about: the command, the file, the prompt.
fn about(input: &Value) -> String {
    let call = &input["tool_input"];
    let of_call = ["command", "file_path", "pattern", "url", "prompt"];
    let of_call = of_call.iter().map(|key| &call[*key]);
    let own = ["prompt", "last_assistant_message", "message", "file_path"];
    let own = own.iter().map(|key| &input[*key]);
    let mut texts = of_call.chain(own).filter_map(Value::as_str);
    texts.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::format::{Header, Late, Told};
    use super::*;

    fn told(decision: &str) -> Told {
        let hook = json!({"id": "hooks.json:5", "name": "PreToolUse:Bash", "runs": "guard.sh", "status": decision});
        Told {
            outcome: json!({"decision": decision, "decided_by": "hooks.json:5"}),
            hooks: vec![hook],
        }
    }

    fn recording() -> Recording {
        let firing = |line: usize, command: &str| Firing {
            line,
            n: line as u64,
            event: hook_types::EventName::PreToolUse,
            input: json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"}),
            files: serde_json::Map::new(),
            told: told("deny"),
        };
        let header = Header {
            made_from: "run".into(),
            interactive: false,
            model: None,
            redact: Vec::new(),
        };
        Recording {
            header,
            firings: vec![firing(2, "rm"), firing(3, "ls")],
            late: vec![Late {
                line: 4,
                hook: json!({"id": "ci", "name": "PostToolUse:Write", "status": "answered"}),
            }],
            cut: None,
        }
    }

    fn replayed(second: &str, late: &[Value]) -> Replayed {
        Replayed {
            firings: vec![(told("deny"), told("deny")), (told("deny"), told(second))],
            late: late.to_vec(),
        }
    }

    #[test]
    fn a_firing_that_comes_to_the_same_is_not_told_of() {
        let ci = json!({"id": "ci", "name": "PostToolUse:Write", "status": "answered"});
        let judged = judge(&recording(), &replayed("allow", &[ci]), &Wanted::default());
        assert_eq!((judged.firings, judged.compared), (2, 2));
        let lines: Vec<_> = judged.differing.iter().map(|one| one.line).collect();
        assert_eq!(lines, [3]);
        assert_eq!(judged.differing[0].name, "PreToolUse:Bash");
        assert_eq!(judged.differing[0].about, "ls");
        let changes = judged.differing[0].changes.iter();
        let fields: Vec<_> = changes.map(|change| change.field.as_str()).collect();
        assert_eq!(fields, ["decision", "status"]);
        assert_eq!(judged.edits.keys().copied().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn an_answer_from_the_background_that_does_not_come_is_missed_and_one_more_is_not() {
        let more = [
            json!({"id": "ci", "name": "PostToolUse:Write", "status": "answered"}),
            json!({"id": "other", "name": "PostToolUse:Write", "status": "answered"}),
        ];
        let judged = judge(&recording(), &replayed("deny", &more), &Wanted::default());
        assert!(judged.differing.is_empty());
        let judged = judge(
            &recording(),
            &replayed("deny", &more[1..]),
            &Wanted::default(),
        );
        assert_eq!(judged.differing[0].changes[0].what, What::Gone);
        assert_eq!(judged.edits.get(&4), Some(&Edit::Remove));
    }

    #[test]
    fn only_what_is_asked_for_is_compared() {
        for (only, compared) in [
            ("PreToolUse", 2),
            ("PreToolUse:Bash", 2),
            ("guard", 2),
            ("Stop", 0),
        ] {
            let wanted = Wanted {
                only: vec![only.to_owned()],
                ..Wanted::default()
            };
            let judged = judge(&recording(), &replayed("allow", &[]), &wanted);
            assert_eq!(judged.compared, compared, "{only}");
        }
    }
}
