//! How an entry is written never matters; what it says, and what its script says, always does.

use hook_config::trust::Digest;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::sandbox::{SETTINGS, Sandbox};

const SCRIPT: &str = "check.sh";

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    matcher: &'static str,
    command: String,
    timeout: u32,
    is_async: bool,
    script: String,
}

fn said() -> impl Strategy<Value = Said> {
    let matcher = prop::sample::select(vec!["Bash", "Edit", "Edit|Write", "mcp__.*"]);
    let timeout = prop::sample::select(vec![600_u32, 5, 60]);
    ("[a-z]{1,6}", matcher, timeout, any::<bool>(), "[a-z ]{0,8}").prop_map(
        |(word, matcher, timeout, is_async, script)| Said {
            matcher,
            command: format!("sh \"$CLAUDE_PROJECT_DIR\"/{SCRIPT} {word}"),
            timeout,
            is_async,
            script,
        },
    )
}

/// How it is written.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "all of them are independent")]
struct Written {
    spells_defaults: bool,
    is_reversed: bool,
    is_last: bool,
    is_pretty: bool,
    is_local: bool,
}

fn written() -> impl Strategy<Value = Written> {
    any::<[bool; 5]>().prop_map(
        |[spells_defaults, is_reversed, is_last, is_pretty, is_local]| Written {
            spells_defaults,
            is_reversed,
            is_last,
            is_pretty,
            is_local,
        },
    )
}

fn entry(said: &Said, written: &Written) -> Value {
    let mut fields = vec![("type", json!("command")), ("command", json!(said.command))];
    if said.timeout != 600 || written.spells_defaults {
        fields.push(("timeout", json!(said.timeout)));
    }
    if said.is_async || written.spells_defaults {
        fields.push(("async", json!(said.is_async)));
    }
    if written.is_reversed {
        fields.reverse();
    }
    let fields = fields
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    Value::Object(fields.collect::<Map<String, Value>>())
}

/// The digests of the one entry that names the script: of the entry, and of all.
fn digests(said: &Said, written: &Written) -> (Digest, Digest) {
    let sandbox = Sandbox::new();
    sandbox.write(SCRIPT, &said.script);
    let other = json!({"matcher": "Read", "hooks": [{"type": "command", "command": "true"}]});
    let this = json!({"matcher": said.matcher, "hooks": [entry(said, written)]});
    let groups = if written.is_last {
        [other, this]
    } else {
        [this, other]
    };
    let file = json!({"hooks": {"PreToolUse": groups}});
    let mut text = file.to_string();
    if written.is_pretty {
        text = format!(
            "// a comment\n{}\n",
            serde_json::to_string_pretty(&file).unwrap()
        );
    }
    let name = if written.is_local {
        ".claude/settings.local.json"
    } else {
        SETTINGS
    };
    sandbox.write(name, &text);
    let reviews = sandbox.reviews(&sandbox.trust());
    let review = reviews
        .iter()
        .find(|review| review.case().summary().contains(SCRIPT))
        .unwrap();
    // The project's path is a part of what is covered, and each sandbox has its own.
    let contents = review.fingerprint().files.iter();
    let contents: Vec<String> = contents.map(|file| format!("{:?}", file.content)).collect();
    (
        review.case().digest(),
        Digest::of(contents.join("\n").as_bytes()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn how_an_entry_is_written_never_matters(said in said(), one in written(), other in written()) {
        prop_assert_eq!(digests(&said, &one), digests(&said, &other));
    }

    #[test]
    fn what_it_says_always_does(one in said(), other in said(), written in written()) {
        prop_assume!(one != other);
        prop_assert_ne!(digests(&one, &written), digests(&other, &written));
    }

    #[test]
    fn any_command_at_all_has_a_fingerprint(command in any::<String>()) {
        let sandbox = Sandbox::with_command(&command);
        for review in sandbox.reviews(&sandbox.trust()) {
            prop_assert_eq!(review.fingerprint().entry, review.case().digest());
        }
    }

    #[test]
    fn every_change_of_a_script_changes_the_whole(before in any::<Vec<u8>>(), after in any::<Vec<u8>>()) {
        prop_assume!(before != after);
        let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/check.sh");
        std::fs::write(sandbox.project(SCRIPT), before).unwrap();
        let first = sandbox.fingerprint().whole;
        std::fs::write(sandbox.project(SCRIPT), after).unwrap();
        prop_assert_ne!(sandbox.fingerprint().whole, first);
    }
}
