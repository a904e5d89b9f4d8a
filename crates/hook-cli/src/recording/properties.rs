//! What holds of names, whatever a session says.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::names::Names;

/// Somewhere on a disk, and who is there.
#[derive(Clone, Debug)]
struct Session {
    project: String,
    home: String,
    tmp: String,
    id: String,
    call: String,
    took: u64,
    at: String,
}

impl Session {
    fn names(&self, input: &Value) -> Names {
        let mut names = Names::default()
            .place("project", &self.project)
            .place("home", &self.home)
            .place("tmp", &self.tmp);
        names.learn(input);
        names
    }

    /// A text with the things of this session in the place of words in capitals.
    fn say(&self, text: &str) -> String {
        text.replace("PROJECT", &self.project)
            .replace("HOME", &self.home)
            .replace("TMP", &self.tmp)
            .replace("SESSION", &self.id)
            .replace("CALL", &self.call)
            .replace("TIME", &self.at)
    }

    fn input(&self, text: &str) -> Value {
        json!({"hook_event_name": "PostToolUse", "session_id": self.id, "tool_use_id": self.call,
               "transcript_path": format!("{}/t/{}.jsonl", self.home, self.id), "cwd": self.project,
               "tool_name": "Bash", "tool_input": {"command": self.say(text)}, "duration_ms": self.took})
    }

    fn answer(&self, text: &str) -> Value {
        json!({"reason": self.say(text), "hooks": [{"stderr": self.say(text)}]})
    }
}

fn session() -> impl Strategy<Value = Session> {
    let word = "[a-z]{3,8}";
    (
        word,
        word,
        word,
        // Without a digit it would be no id that a machine made up.
        "[0-9a-f]{11}[0-9]",
        "[0-9]{6}",
        0..9999_u64,
        10..59_u8,
    )
        .prop_map(|(user, app, scratch, id, call, took, second)| Session {
            project: format!("/home/{user}/src/{app}"),
            home: format!("/home/{user}"),
            tmp: format!("/var/tmp-{scratch}"),
            id: format!("session-{id}"),
            call: format!("toolu_{call}"),
            took,
            at: format!("2026-11-16T10:20:{second}Z"),
        })
}

/// Words that a session's things stand in the middle of, and signs that stand around them.
fn text(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word = proptest::sample::select(words);
    let sign = proptest::sample::select(vec![" ", "/", "\"", ":", "\n", "(", "=", "<", ">", ", "]);
    proptest::collection::vec((word, sign), 0..12).prop_map(|pairs| {
        let said = pairs.iter().map(|(word, sign)| format!("{word}{sign}"));
        said.collect()
    })
}

const OF_A_SESSION: &[&str] = &[
    "PROJECT", "HOME", "TMP", "SESSION", "CALL", "src", "a.rs", "no rm", "é", "1", "<b>", "--",
    "x y",
];
const OF_AN_ANSWER: &[&str] = &[
    "PROJECT",
    "HOME",
    "TMP",
    "SESSION",
    "CALL",
    "TIME",
    "src",
    "refused at",
];
const OF_ANYTHING: &[&str] = &[
    "/home/ann/src/app",
    "/home/ann",
    "/tmp",
    "<project>",
    "<call-2>",
    "<time>",
    "s-01234567",
    "toolu_000001",
    "toolu_0000012",
    "2026-11-16T10:20:30Z",
    "took 3 s",
    "0.5s",
    "/tmp/tmp.x1",
    "ü",
    "<",
    "project",
];

proptest! {
    #[test]
    fn what_is_put_back_is_what_was_there(session in session(), text in text(OF_A_SESSION)) {
        let mut input = session.input(&text);
        let names = session.names(&input);
        let recorded = names.input(&input);
        input["duration_ms"] = json!(0);
        prop_assert_eq!(names.restore(&recorded), input);
    }

    #[test]
    fn a_recording_can_be_moved_and_comes_back(here in session(), there in session(), text in text(OF_A_SESSION)) {
        let recorded = here.names(&here.input(&text)).input(&here.input(&text));
        let names = there.names(&there.input(&text));
        let moved = names.restore(&recorded);
        prop_assert_eq!(names.input(&moved), recorded);
    }

    #[test]
    fn two_runs_of_the_same_are_the_same(one in session(), other in session(), said in text(OF_A_SESSION), answer in text(OF_AN_ANSWER)) {
        let [first, second] = [&one, &other].map(|session| {
            let names = session.names(&session.input(&said));
            let input = names.input(&session.input(&said));
            let answer = names.answer(&session.answer(&answer), &input);
            (input, answer)
        });
        prop_assert_eq!(first, second);
    }

    #[test]
    fn once_is_enough(text in text(OF_ANYTHING), other in text(OF_ANYTHING)) {
        let input = json!({"session_id": "s-01234567", "tool_use_id": "toolu_000001", "prompt": other});
        let mut names = Names::default()
            .place("project", "/home/ann/src/app/")
            .place("home", "/home/ann")
            .place("tmp", "/tmp");
        names.learn(&input);
        let recorded = names.input(&input);
        prop_assert_eq!(names.input(&recorded), recorded.clone());
        let answer = names.answer(&json!({"reason": text}), &recorded);
        prop_assert_eq!(names.answer(&answer, &recorded), answer);
    }
}
