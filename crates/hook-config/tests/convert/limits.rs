//! What cannot be expressed, row by row.

use hook_config::{Became, Format, Rewrites, convert, convert_as};
use serde_json::{Value, json};

use crate::meaning::document;

/// What is said about a file: what became of which field.
fn remarks(file: &Value, from: Format, to: Format) -> Vec<(String, String)> {
    let remarks = convert(&document(file), from, to).remarks;
    let said = remarks
        .iter()
        .map(|remark| (remark.field.clone(), remark.became.to_string()));
    said.collect()
}

/// A hook of our own file on an event.
#[expect(clippy::needless_pass_by_value, reason = "tables read better")]
fn ours(event: &str, hook: Value) -> Value {
    json!({"hooks": {event: [{"hooks": [hook]}]}})
}

#[expect(clippy::needless_pass_by_value, reason = "tables read better")]
fn command(more: Value) -> Value {
    let mut hook = json!({"type": "command", "command": "./x.sh", "timeout": 5});
    for (key, value) in more.as_object().unwrap() {
        hook[key] = value.clone();
    }
    hook
}

/// A name, a file, from where to where, and what is said of which field.
type Row = (
    &'static str,
    Value,
    Format,
    Format,
    &'static [(&'static str, &'static str)],
);

#[test]
fn every_row_of_the_table_is_so() {
    use Format::{Claude, Hookline, OpenCode, Opta};
    let pre = "PreToolUse";
    let rows: Vec<Row> = vec![
        (
            "ours in Claude's",
            ours(pre, command(json!({}))),
            Hookline,
            Claude,
            &[],
        ),
        (
            "a Stop hook of ours",
            ours("Stop", command(json!({}))),
            Hookline,
            Claude,
            &[("command", "wrapped")],
        ),
        (
            "variables",
            ours(pre, command(json!({"env": {"A": "b"}}))),
            Hookline,
            Claude,
            &[("command", "wrapped")],
        ),
        (
            "variables in OpenCode's",
            ours(pre, command(json!({"env": {"A": "b"}}))),
            Hookline,
            OpenCode,
            &[("answer", "approximated"), ("command", "wrapped")],
        ),
        (
            "a directory",
            ours(pre, command(json!({"cwd": "a"}))),
            Hookline,
            Claude,
            &[("command", "wrapped")],
        ),
        (
            "a server",
            ours(pre, json!({"type": "server", "command": "x"})),
            Hookline,
            Claude,
            &[("command", "wrapped"), ("type", "approximated")],
        ),
        (
            "switched off",
            ours(pre, command(json!({"enabled": false}))),
            Hookline,
            Claude,
            &[("enabled", "dropped")],
        ),
        (
            "switched off in Opta's",
            ours(pre, command(json!({"enabled": false}))),
            Hookline,
            Opta,
            &[
                ("answer", "approximated"),
                ("command", "wrapped"),
                ("enabled", "approximated"),
            ],
        ),
        (
            "once",
            ours(pre, command(json!({"once": true}))),
            Claude,
            OpenCode,
            &[
                ("answer", "approximated"),
                ("command", "wrapped"),
                ("once", "approximated"),
            ],
        ),
        (
            "a rewake",
            ours("Stop", command(json!({"asyncRewake": true}))),
            Claude,
            Opta,
            &[("asyncRewake", "refused")],
        ),
        (
            "async",
            ours("PostToolUse", command(json!({"async": true}))),
            Claude,
            OpenCode,
            &[("command", "wrapped"), ("async", "approximated")],
        ),
        (
            "a status",
            ours(pre, command(json!({"statusMessage": "m"}))),
            Claude,
            OpenCode,
            &[
                ("answer", "approximated"),
                ("command", "wrapped"),
                ("statusMessage", "dropped"),
            ],
        ),
        (
            "a long time",
            ours(pre, command(json!({"timeout": 300}))),
            Claude,
            Opta,
            &[
                ("answer", "approximated"),
                ("timeout", "approximated"),
                ("command", "wrapped"),
            ],
        ),
        (
            "a guard's event",
            ours("PreCompact", command(json!({}))),
            Claude,
            Opta,
            &[("event", "refused")],
        ),
        (
            "another event",
            ours("Notification", command(json!({}))),
            Claude,
            Opta,
            &[("event", "dropped")],
        ),
        (
            "a guard's event that is in the background",
            ours("PreCompact", command(json!({"async": true}))),
            Claude,
            Opta,
            &[("event", "dropped")],
        ),
        (
            "http on a guard",
            ours(pre, json!({"type": "http", "url": "https://example.org"})),
            Claude,
            OpenCode,
            &[("type", "refused")],
        ),
        (
            "http elsewhere",
            ours(
                "SessionStart",
                json!({"type": "http", "url": "https://example.org"}),
            ),
            Claude,
            OpenCode,
            &[("type", "dropped")],
        ),
        (
            "a model's request",
            json!({"hooks": [{"event": "llm:pre_request", "command": "x"}]}),
            OpenCode,
            Claude,
            &[("event", "refused")],
        ),
        (
            "an error",
            json!({"hooks": [{"event": "error", "command": "x"}]}),
            Opta,
            Claude,
            &[("event", "dropped")],
        ),
        (
            "two in order",
            json!({"hooks": [{"event": "tool.pre", "command": "a"}, {"event": "tool.pre", "command": "b"}]}),
            Opta,
            Claude,
            &[
                ("command", "wrapped"),
                ("mode", "approximated"),
                ("command", "wrapped"),
            ],
        ),
        (
            "an unknown key",
            json!({"hooks": [{"event": "tool.pre", "command": "a", "colour": "red"}]}),
            Opta,
            Hookline,
            &[("unknown-key", "dropped")],
        ),
        (
            "a broken hook",
            json!({"hooks": [{"event": "tool.pre", "comand": "a"}]}),
            Opta,
            Hookline,
            &[("missing-key", "refused")],
        ),
        (
            "all off",
            json!({"disableAllHooks": true, "hooks": {}}),
            Claude,
            Opta,
            &[("disableAllHooks", "approximated")],
        ),
        (
            "a plugin's command",
            ours(
                pre,
                json!({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}),
            ),
            Claude,
            Hookline,
            &[("command", "approximated")],
        ),
        (
            "tripwires",
            json!({"tripwires": false, "hooks": {}}),
            Hookline,
            Claude,
            &[("tripwires", "dropped")],
        ),
    ];
    for (name, file, from, to, expected) in rows {
        let mut said = remarks(&file, from, to);
        said.sort();
        let expected = expected
            .iter()
            .map(|(field, became)| ((*field).to_owned(), (*became).to_owned()));
        let mut expected: Vec<(String, String)> = expected.collect();
        expected.sort();
        assert_eq!(said, expected, "{name}");
    }
}

#[test]
fn a_rewrite_can_be_made_a_refusal_where_agents_may_know_exit_codes_alone() {
    let file = ours("PreToolUse", command(json!({})));
    for to in [Format::Opta, Format::OpenCode] {
        let converted = convert_as(&document(&file), Format::Claude, to, Rewrites::Blocked);
        let became: Vec<Became> = converted
            .remarks
            .iter()
            .map(|remark| remark.became)
            .collect();
        assert_eq!(became, [Became::Wrapped], "nothing is only nearly the same");
        let command = converted.value["hooks"][0]["command"].as_str().unwrap();
        assert!(command.contains("--rewrites block"), "{command}");
    }
    let claude = convert_as(
        &document(&file),
        Format::Hookline,
        Format::Claude,
        Rewrites::Blocked,
    );
    assert!(claude.remarks.is_empty(), "there a rewrite is what it was");
}

#[test]
fn a_hook_that_could_refuse_is_never_left_out_without_being_refused() {
    // Every event that the contract knows, in every target.
    for event in hook_types::EventName::ALL {
        let file = ours(event.as_str(), command(json!({})));
        for to in Format::ALL {
            let converted = convert(&document(&file), Format::Hookline, to);
            let there = converted.value.to_string().contains("./x.sh");
            let row = event.row();
            if !there && row.effect != hook_types::Effect::Ignore {
                assert!(converted.refuses(), "{event} in {}", to.as_str());
            }
            let became: Vec<Became> = converted
                .remarks
                .iter()
                .map(|remark| remark.became)
                .collect();
            assert!(there || !became.is_empty(), "{event} is gone in silence");
        }
    }
}

#[test]
fn a_remark_names_the_hook_its_place_and_what_it_means() {
    let file =
        json!({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "./x.sh"}]}]}});
    let converted = convert(&document(&file), Format::Claude, Format::Opta);
    let remark = &converted.remarks[0];
    assert_eq!(remark.hook.as_deref(), Some("./x.sh"));
    assert_eq!(remark.event.as_deref(), Some("PreCompact"));
    assert_eq!(remark.place.to_string(), "hooks.json:1:35");
    assert_eq!(
        remark.why,
        "there is no event like PreCompact in Opta, and the hook could refuse or rewrite"
    );
}
