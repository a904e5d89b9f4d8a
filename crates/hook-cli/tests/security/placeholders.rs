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

/// A hook in each form that leaves what it was told beside where it was told: in `shell` and in `exec`.
fn leaves_what_it_is_told(variable: &str) -> Value {
    let shell = format!("printf '%s' \"${variable}\" > \"${variable}\"/shell; : ${variable}");
    let braces = format!("printf '%s' \"${{{variable}}}\" > \"${{{variable}}}\"/braces");
    let (what, to) = (format!("${{{variable}}}"), format!("${{{variable}}}/exec"));
    let exec = json!(["-c", "printf '%s' \"$1\" > \"$2\"", "sh", what, to]);
    json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": shell},
        {"type": "command", "command": braces},
        {"type": "command", "command": "/bin/sh", "args": exec},
    ]}]}})
}

#[test]
fn no_name_of_a_project_or_a_plugin_becomes_a_command_or_another_word() {
    for name in NAMES {
        let scratch = Scratch::new();
        let root = scratch.project().join(name);
        fs::create_dir_all(root.join(".hookline")).unwrap();
        let hooks = leaves_what_it_is_told("CLAUDE_PROJECT_DIR");
        fs::write(root.join(".hookline/hooks.json"), hooks.to_string()).unwrap();
        let plugin = scratch.home().join(name);
        fs::create_dir_all(plugin.join("hooks")).unwrap();
        let hooks = leaves_what_it_is_told("CLAUDE_PLUGIN_ROOT");
        fs::write(plugin.join("hooks/hooks.json"), hooks.to_string()).unwrap();
        let claude = scratch.home().join(".claude");
        fs::create_dir_all(claude.join("plugins")).unwrap();
        let installed = json!({"version": 2, "plugins": {"p@m": [
            {"scope": "user", "installPath": text(&plugin), "version": "1.0.0"}]}});
        let list = claude.join("plugins/installed_plugins.json");
        fs::write(list, installed.to_string()).unwrap();
        let enabled = json!({"enabledPlugins": {"p@m": true}}).to_string();
        fs::write(claude.join("settings.json"), enabled).unwrap();
        let fire = ["fire", "Stop", "--trust", "--project", text(&root)];
        let printed = scratch.run(&[&fire[..], &["--json"]].concat());
        assert_eq!(printed.code, Some(0), "{printed:?}");
        for place in [&root, &plugin] {
            for form in ["shell", "braces", "exec"] {
                let told = fs::read_to_string(place.join(form)).unwrap_or_default();
                assert_eq!(told, text(place), "{form}: {printed:?}");
            }
        }
        for place in [&root, &plugin, &scratch.project(), &scratch.home()] {
            assert!(!place.join("owned").exists(), "{name}");
        }
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
        let opta = json!({"hooks": [{"event": "tool.pre",
            "command": "printf '%s' \"$OPTA_TOOL_ARGS\" > told-opta; : $OPTA_TOOL_ARGS"}]});
        scratch.write(".opta/config.json", &opta.to_string());
        scratch.hooks(&[("PreToolUse", "", "cat > told")]);
        let input = value.to_string();
        let tool = ["--tool", "Bash", "--tool-input", &input];
        let fire = ["fire", "PreToolUse", "--trust", "--json"];
        let printed = scratch.run(&[&fire[..], &tool].concat());
        let told = |file: &str| serde_json::from_str::<Value>(&scratch.read(file)).unwrap();
        assert_eq!(told("told")["tool_input"], value, "{printed:?}");
        assert_eq!(told("told-opta"), value, "{printed:?}");
        assert!(!scratch.project().join("owned").exists(), "{name}");
    }
}
