//! Names that would like to be commands, options or more words than one.

use std::fs;

use serde_json::{Value, json};

use crate::hostile::text;
use crate::support::Scratch;

const NAMES: [&str; 7] = [
    "a b  c",
    "$(touch owned)`touch owned`",
    "x; touch owned #",
    "'\"'\"; touch owned; '",
    "-n --help",
    "two\nlines && touch owned",
    "%s${HOME}~*?[a]\\",
];

#[test]
fn no_name_of_a_project_or_a_plugin_becomes_a_command_or_another_word() {
    for name in NAMES {
        let scratch = Scratch::new();
        let root = scratch.project().join(name);
        let plugin = root.join("plugin");
        fs::create_dir_all(plugin.join("hooks")).unwrap();
        fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
        fs::create_dir_all(root.join(".hookline")).unwrap();
        let shell = "printf '%s' \"$CLAUDE_PROJECT_DIR\" > \"$CLAUDE_PROJECT_DIR\"/shell; : $CLAUDE_PROJECT_DIR";
        let prints = |what: &str, to: &str| {
            json!({"type": "command", "command": "/bin/sh",
            "args": ["-c", "printf '%s' \"$1\" > \"$2\"", "sh", what, to]})
        };
        let hooks = json!({"hooks": {"Stop": [{"hooks": [
            {"type": "command", "command": shell},
            prints("${CLAUDE_PROJECT_DIR}", "${CLAUDE_PROJECT_DIR}/exec"),
        ]}]}});
        fs::write(root.join(".hookline/hooks.json"), hooks.to_string()).unwrap();
        let printed = scratch.run(&[
            "fire",
            "Stop",
            "--trust",
            "--project",
            text(&root),
            "--json",
        ]);
        assert_eq!(printed.code, Some(0), "{printed:?}");
        for told in ["shell", "exec"] {
            let told = fs::read_to_string(root.join(told)).unwrap_or_default();
            assert_eq!(told, text(&root), "{printed:?}");
        }
        assert!(!scratch.project().join("owned").exists(), "{name}");
        assert!(!root.join("owned").exists(), "{name}");
    }
}

#[test]
fn nothing_in_a_tools_input_becomes_a_command_of_a_hook() {
    for (name, value) in NAMES.iter().flat_map(|name| {
        [
            (name, json!({"command": name})),
            (name, json!({*name: name})),
        ]
    }) {
        let scratch = Scratch::new();
        let opta =
            json!({"hooks": [{"event": "tool.pre", "command": "cat > told; env > variables"}]});
        scratch.write(".opta/config.json", &opta.to_string());
        scratch.hooks(&[("PreToolUse", "", "cat > told")]);
        let input = value.to_string();
        let printed = scratch.run(&[
            "fire",
            "PreToolUse",
            "--trust",
            "--tool",
            "Bash",
            "--tool-input",
            &input,
            "--json",
        ]);
        let told: Value = serde_json::from_str(&scratch.read("told")).unwrap();
        assert_eq!(told["tool_input"], value, "{printed:?}");
        assert!(!scratch.project().join("owned").exists(), "{name}");
    }
}
