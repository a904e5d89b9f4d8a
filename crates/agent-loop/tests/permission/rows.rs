//! The rules with names, on real commands and paths.

use agent_loop::Access;
use agent_loop::permission::{CallFacts, HookOpinion, Permissions, Verdict};
use hook_types::Decision::{self, Allow, Ask, Deny, Pass};
use hook_types::PermissionMode::{
    self, AcceptEdits, Auto, BypassPermissions, Default, DontAsk, Manual, Plan,
};
use serde_json::{Value, json};

struct Row {
    mode: PermissionMode,
    allow: &'static str,
    ask: &'static str,
    deny: &'static str,
    hooks: Decision,
}

/// A mode and nothing else: `nowhere` is a tool that is never called.
fn mode(mode: PermissionMode) -> Row {
    Row {
        mode,
        allow: "nowhere",
        ask: "nowhere",
        deny: "nowhere",
        hooks: Pass,
    }
}

impl Row {
    fn allow(self, allow: &'static str) -> Self {
        Self { allow, ..self }
    }

    fn ask(self, ask: &'static str) -> Self {
        Self { ask, ..self }
    }

    fn deny(self, deny: &'static str) -> Self {
        Self { deny, ..self }
    }

    fn hook(self, hooks: Decision) -> Self {
        Self { hooks, ..self }
    }

    fn judge(&self, (tool, input, access): &(&str, Value, Access)) -> Verdict {
        let permissions = Permissions::new(self.mode.clone())
            .with_directory("/srv/docs")
            .allow(self.allow)
            .and_then(|made| made.ask(self.ask))
            .and_then(|made| made.deny(self.deny))
            .unwrap();
        let call = CallFacts {
            home: Some("/home/ann"),
            ..CallFacts::new(tool, input, *access, "/srv/app")
        };
        permissions.judge(&call, &HookOpinion::new(self.hooks, None))
    }
}

fn bash(command: &str) -> (&'static str, Value, Access) {
    ("Bash", json!({ "command": command }), Access::Run)
}

fn write(path: &str) -> (&'static str, Value, Access) {
    ("Write", json!({ "file_path": path }), Access::Edit)
}

fn read(path: &str) -> (&'static str, Value, Access) {
    ("Read", json!({ "file_path": path }), Access::Read)
}

fn note() -> (&'static str, Value, Access) {
    ("TaskCreate", json!({"subject": "x"}), Access::Own)
}

macro_rules! rows {
    ($($name:ident: $row:expr, $call:expr => $word:literal;)*) => {$(
        #[test]
        fn $name() {
            let verdict = $row.judge(&$call);
            assert_eq!(verdict.word(), $word, "{verdict:?}");
        }
    )*};
}

rows! {
    // modes
    default_asks_about_commands: mode(Default), bash("ls") => "ask";
    default_asks_about_edits: mode(Default), write("a") => "ask";
    default_lets_reading_through: mode(Default), read("a") => "allow";
    default_lets_notes_through: mode(Default), note() => "allow";
    manual_is_default: mode(Manual), bash("ls") => "ask";
    auto_asks_where_there_is_no_classifier: mode(Auto), bash("ls") => "ask";
    an_unknown_mode_asks: mode("tomorrow's".into()), bash("ls") => "ask";
    accept_edits_edits_here: mode(AcceptEdits), write("src/a") => "allow";
    accept_edits_edits_in_added_directories: mode(AcceptEdits), write("/srv/docs/a") => "allow";
    accept_edits_asks_about_edits_elsewhere: mode(AcceptEdits), write("/srv/other/a") => "ask";
    accept_edits_asks_about_edits_one_up: mode(AcceptEdits), write("../a") => "ask";
    accept_edits_asks_about_git: mode(AcceptEdits), write(".git/config") => "ask";
    accept_edits_asks_about_settings: mode(AcceptEdits), write(".claude/settings.json") => "ask";
    accept_edits_asks_about_hooks: mode(AcceptEdits), write(".hookline/hooks.json") => "ask";
    accept_edits_asks_about_commands: mode(AcceptEdits), bash("touch a") => "ask";
    plan_reads: mode(Plan), read("a") => "allow";
    plan_takes_notes: mode(Plan), note() => "allow";
    plan_edits_nothing: mode(Plan), write("a") => "deny";
    plan_runs_nothing: mode(Plan), bash("ls") => "deny";
    plan_is_not_moved_by_a_rule: mode(Plan).allow("Bash"), bash("ls") => "deny";
    plan_is_not_moved_by_a_hook: mode(Plan).hook(Allow), bash("ls") => "deny";
    plan_does_not_ask_where_a_rule_would: mode(Plan).ask("Bash"), bash("ls") => "deny";
    bypass_runs_commands: mode(BypassPermissions), bash("rm -rf /") => "allow";
    bypass_edits_anything: mode(BypassPermissions), write("/etc/passwd") => "allow";
    bypass_edits_settings: mode(BypassPermissions), write(".claude/settings.json") => "allow";
    dont_ask_asks_hooks: mode(DontAsk), bash("ls") => "ask";
    dont_ask_reads: mode(DontAsk), read("a") => "allow";
    dont_ask_runs_what_a_rule_allows: mode(DontAsk).allow("Bash(ls *)"), bash("ls -l") => "allow";

    // deny rules
    deny_beats_bypass: mode(BypassPermissions).deny("Bash(rm *)"), bash("rm x") => "deny";
    deny_beats_a_hooks_allow: mode(Default).deny("Bash(rm *)").hook(Allow), bash("rm x") => "deny";
    deny_beats_a_hooks_ask: mode(Default).deny("Bash(rm *)").hook(Ask), bash("rm x") => "deny";
    deny_beats_an_ask_rule: mode(Default).deny("Bash(rm *)").ask("Bash"), bash("rm x") => "deny";
    deny_beats_an_allow_rule: mode(Default).deny("Bash(rm *)").allow("Bash"), bash("rm x") => "deny";
    deny_beats_accept_edits: mode(AcceptEdits).deny("Edit(src/**)"), write("src/a") => "deny";
    deny_covers_reading: mode(BypassPermissions).deny("Read(~/.ssh/**)"), read("~/.ssh/id") => "deny";
    deny_covers_notes: mode(Default).deny("TaskCreate"), note() => "deny";
    deny_finds_a_part_of_a_command: mode(BypassPermissions).deny("Bash(rm *)"), bash("ls && rm x") => "deny";
    deny_finds_a_command_behind_another: mode(BypassPermissions).deny("Bash(rm *)"), bash("sudo rm x") => "deny";
    deny_of_another_command_says_nothing: mode(BypassPermissions).deny("Bash(rm *)"), bash("ls") => "allow";
    a_deny_rule_that_may_fit_asks: mode(BypassPermissions).deny("Bash(rm *)"), bash("$X y") => "ask";
    a_deny_rule_that_may_fit_asks_over_a_hooks_allow:
        mode(Default).deny("Bash(rm *)").hook(Allow), bash("$X y") => "ask";
    a_deny_rule_that_may_fit_asks_over_an_allow_rule:
        mode(Default).deny("Bash(rm *)").allow("Bash"), bash("$X y") => "ask";

    // ask rules
    ask_beats_bypass: mode(BypassPermissions).ask("Bash(git push *)"), bash("git push") => "ask";
    ask_beats_a_hooks_allow: mode(Default).ask("Bash(git push *)").hook(Allow), bash("git push") => "ask";
    ask_beats_an_allow_rule: mode(Default).ask("Bash(git push *)").allow("Bash"), bash("git push") => "ask";
    ask_beats_accept_edits: mode(AcceptEdits).ask("Edit(src/**)"), write("src/a") => "ask";
    ask_covers_reading: mode(Default).ask("Read(*.env)"), read("prod.env") => "ask";
    an_ask_rule_that_may_fit_asks: mode(BypassPermissions).ask("Bash(git push *)"), bash("git $X") => "ask";

    // hooks
    a_hooks_deny_beats_bypass: mode(BypassPermissions).hook(Deny), bash("ls") => "deny";
    a_hooks_deny_beats_an_allow_rule: mode(Default).allow("Bash").hook(Deny), bash("ls") => "deny";
    a_hooks_deny_covers_reading: mode(Default).hook(Deny), read("a") => "deny";
    a_hooks_ask_is_honoured_in_bypass: mode(BypassPermissions).hook(Ask), bash("ls") => "ask";
    a_hooks_ask_is_honoured_in_accept_edits: mode(AcceptEdits).hook(Ask), write("a") => "ask";
    a_hooks_ask_is_honoured_in_auto: mode(Auto).hook(Ask), read("a") => "ask";
    a_hooks_ask_beats_an_allow_rule: mode(Default).allow("Bash").hook(Ask), bash("ls") => "ask";
    a_hooks_allow_lets_through: mode(Default).hook(Allow), bash("ls") => "allow";
    a_hooks_allow_edits_elsewhere: mode(Default).hook(Allow), write("/srv/other/a") => "allow";
    a_hooks_allow_does_not_edit_hooks: mode(Default).hook(Allow), write(".hookline/hooks.json") => "ask";
    a_hooks_allow_reads_settings: mode(Default).hook(Allow), read(".claude/settings.json") => "allow";

    // allow rules
    an_allow_rule_lets_through: mode(Default).allow("Bash(git *)"), bash("git status") => "allow";
    an_allow_rule_needs_every_part: mode(Default).allow("Bash(git *)"), bash("git status && ls") => "ask";
    an_allow_rule_that_may_fit_does_not: mode(Default).allow("Bash(git push *)"), bash("git $X") => "ask";
    an_allow_rule_for_another_tool_does_not: mode(Default).allow("Edit"), bash("ls") => "ask";
    an_allow_rule_names_protected_files: mode(AcceptEdits).allow("Edit(.claude/**)"), write(".claude/a") => "allow";
    an_allow_rule_for_a_server: mode(Default).allow("mcp__disk"),
        ("mcp__disk__write", json!({}), Access::Run) => "allow";
}

#[test]
fn plan_mode_says_what_to_do_instead() {
    let Verdict::Deny { reason, .. } = mode(Plan).judge(&write("a")) else {
        panic!("plan mode lets an edit through");
    };
    assert!(
        reason.contains("plan mode is on") && reason.contains("present it"),
        "{reason}"
    );
}

#[test]
fn a_rule_that_only_may_fit_says_so() {
    let Verdict::Ask { reason, rule, .. } = mode(BypassPermissions)
        .deny("Bash(rm *)")
        .judge(&bash("$X y"))
    else {
        panic!("nobody is asked");
    };
    assert!(
        reason.contains("`Bash(rm *)` may be about this call"),
        "{reason}"
    );
    assert_eq!(rule.as_deref(), Some("Bash(rm *)"));
}
