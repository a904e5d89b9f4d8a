use super::*;

/// A Claude matcher as Opta and OpenCode have it.
fn others(claude: &str) -> (Option<String>, Option<String>) {
    let opencode = to_opencode(EventName::PreToolUse, claude);
    (
        to_opta(EventName::PreToolUse, claude),
        opencode.map(|globs| globs.join(" ")),
    )
}

#[test]
fn a_matcher_of_claude_settings_in_other_words() {
    let cases = [
        ("Bash", Some("^(?:run_command)$"), Some("bash")),
        (
            "Edit|Write",
            Some("^(?:edit_file|multi_edit|write_file)$"),
            Some("edit write"),
        ),
        ("WebFetch", Some("^(?:WebFetch)$"), Some("WebFetch")),
        ("mcp__.*", Some("mcp__.*"), Some("*mcp__*")),
        (
            "^mcp__memory__",
            Some("^mcp__memory__"),
            Some("mcp__memory__*"),
        ),
        ("^Bash$", Some("^Bash$"), Some("bash")),
        (
            "^(?!Bash)",
            Some("^(?!(?:run_command)$).*?(?:^(?!Bash))"),
            None,
        ),
        ("Edit.*", Some("Edit.*"), Some("*Edit*")),
        ("Task", None, None), // found by two names
    ];
    for (claude, opta, opencode) in cases {
        let (as_opta, as_opencode) = others(claude);
        assert_eq!(as_opta.as_deref(), opta, "{claude} in Opta");
        assert_eq!(as_opencode.as_deref(), opencode, "{claude} in OpenCode");
    }
}

/// The first hook's matcher on `PreToolUse`, of a file.
fn claude(format: Format, hook: &serde_json::Value) -> Option<Claude> {
    let text = json!({ "hooks": [hook] }).to_string();
    let parsed = parse(&read("x.json", text.as_bytes()).unwrap(), format);
    let entry = parsed.entries().next().unwrap();
    let mut listens = entry.listens.iter();
    let listen = listens.find(|listen| listen.event == EventName::PreToolUse);
    to_claude(format, listen.unwrap())
}

#[test]
fn a_matcher_of_opta_in_the_words_of_claude_settings() {
    let cases = [
        ("run_command", "^(?:Bash)$|run_command"),
        (
            "edit_file|write_file",
            "^(?:Edit|Write)$|edit_file|write_file",
        ),
        ("mcp__.*", "mcp__.*"),
        ("my_tool", "(?:my_tool)"),
        ("^(?:run_command)$", "Bash"),
        ("^(?!run_command)", "^(?!(?:Bash)$).*?(?:^(?!run_command))"),
    ];
    for (matcher, expected) in cases {
        let hook = json!({"event": "tool.pre", "matcher": matcher, "command": "x"});
        let found = claude(Format::Opta, &hook);
        assert_eq!(found, Some(Some(expected.to_owned())), "{matcher}");
        let back = to_opta(EventName::PreToolUse, expected);
        assert_eq!(back.as_deref(), Some(matcher), "back");
    }
}

#[test]
fn a_pattern_of_opencode_in_the_words_of_claude_settings() {
    let cases = [
        ("tool:pre_execute", None),
        ("tool:pre_execute:bash", Some("Bash")),
        (
            "tool:pre_execute:bash,tool:pre_execute:write",
            Some("Bash|Write"),
        ),
        ("tool:pre_execute:mcp__*", Some("^(?:mcp__.*)$")),
        ("tool:pre_execute:b*", Some("^(?:Bash)$|^(?:b.*)$")),
        (
            "tool:pre_execute:[!b]*",
            Some("^(?!(?:Bash)$).*?(?:^(?:[^b].*)$)"),
        ),
    ];
    for (pattern, expected) in cases {
        let hook = json!({"event": pattern, "command": "x"});
        let found = claude(Format::OpenCode, &hook);
        assert_eq!(found, Some(expected.map(str::to_owned)), "{pattern}");
    }
}
