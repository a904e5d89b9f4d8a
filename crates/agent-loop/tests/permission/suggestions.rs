//! What could be remembered, so that the same call is not asked about again.

use agent_loop::Access;
use agent_loop::permission::{CallFacts, HookOpinion, Permissions, Verdict, suggest};
use hook_types::{Decision, PermissionMode};
use serde_json::{Value, json};

fn suggested(permissions: &Permissions, tool: &str, input: &Value, access: Access) -> Value {
    let call = CallFacts {
        home: Some("/home/ann"),
        ..CallFacts::new(tool, input, access, "/srv/app")
    };
    json!(suggest(permissions, &call, &HookOpinion::default()))
}

/// The contents of the rules that are suggested for a command.
fn for_command(command: &str) -> Vec<String> {
    let input = json!({ "command": command });
    let updates = suggested(&Permissions::default(), "Bash", &input, Access::Run);
    let rules = updates[0]["rules"].as_array().cloned().unwrap_or_default();
    let contents = rules
        .iter()
        .map(|rule| rule["ruleContent"].as_str().unwrap().to_owned());
    contents.collect()
}

macro_rules! commands {
    ($($name:ident: $command:expr => [$($rule:literal),*];)*) => {$(
        #[test]
        fn $name() {
            let expected: &[&str] = &[$($rule),*];
            assert_eq!(for_command($command), expected);
        }
    )*};
}

commands! {
    a_program_with_verbs_keeps_its_verb: "git push origin main" => ["git push *"];
    a_program_without_verbs_is_all_there_is: "ls -l src" => ["ls *"];
    a_script_keeps_its_name: "npm run build -- --watch" => ["npm run build *"];
    each_part_of_a_command_has_a_rule: "cd docs && git log | head" => ["cd *", "git log *", "head *"];
    the_same_part_twice_is_one_rule: "git add a && git add b" => ["git add *"];
    a_program_that_does_anything_is_taken_as_it_stands: "python3 build.py" => ["python3 build.py"];
    removing_is_taken_as_it_stands: "rm -r target" => ["rm -r target"];
    a_verb_that_runs_anything_is_taken_as_it_stands: "docker run alpine" => ["docker run alpine"];
    an_option_is_no_verb: "git -C x push" => ["git -C x push"];
    a_path_is_no_program_to_generalise: "./deploy.sh prod" => ["./deploy.sh prod"];
    a_shell_that_hides_its_commands_is_not_generalised: "eval \"$X\"" => [];
    what_cannot_be_read_has_no_rule: "echo 'unclosed" => [];
    nothing_has_no_rule: "" => [];
    too_many_parts_have_no_rule: "a; b; c; d; e; f" => [];
}

#[test]
fn an_edit_in_the_project_offers_to_accept_edits() {
    let input = json!({"file_path": "src/main.rs"});
    let updates = suggested(&Permissions::default(), "Write", &input, Access::Edit);
    assert_eq!(
        updates,
        json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}])
    );
}

#[test]
fn an_edit_elsewhere_offers_its_directory() {
    let input = json!({"file_path": "/srv/docs/a.md"});
    let add =
        json!({"type": "addDirectories", "directories": ["/srv/docs"], "destination": "session"});
    let mode = json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"});
    let updates = suggested(&Permissions::default(), "Write", &input, Access::Edit);
    assert_eq!(updates, json!([add, mode]));
    let editing = Permissions::new(PermissionMode::AcceptEdits);
    assert_eq!(
        suggested(&editing, "Write", &input, Access::Edit),
        json!([add])
    );
}

#[test]
fn nobody_is_offered_the_root_the_home_or_what_decides_what_runs() {
    for path in ["/a", "/home/ann/a", ".git/config", ".claude/settings.json"] {
        let input = json!({"file_path": path});
        let updates = suggested(&Permissions::default(), "Write", &input, Access::Edit);
        assert_eq!(updates, json!([]), "{path}");
    }
}

#[test]
fn a_page_offers_its_host_and_another_tool_itself() {
    let rule = |rule: Value| {
        json!([{"type": "addRules", "rules": [rule], "behavior": "allow",
                "destination": "localSettings"}])
    };
    let url = json!({"url": "https://ann@docs.example.com:8443/a?b#c"});
    let updates = suggested(&Permissions::default(), "WebFetch", &url, Access::Run);
    let host = json!({"toolName": "WebFetch", "ruleContent": "domain:docs.example.com"});
    assert_eq!(updates, rule(host));
    let updates = suggested(
        &Permissions::default(),
        "mcp__disk__write",
        &json!({}),
        Access::Run,
    );
    assert_eq!(updates, rule(json!({"toolName": "mcp__disk__write"})));
}

#[test]
fn nothing_is_offered_where_it_would_not_help() {
    let input = json!({"command": "git push"});
    let call = CallFacts::new("Bash", &input, Access::Run, "/srv/app");
    let ask_rule = Permissions::default().ask("Bash(git *)").unwrap();
    let asked = [
        ask_rule.judge(&call, &HookOpinion::default()),
        Permissions::default().judge(&call, &HookOpinion::new(Decision::Ask, None)),
    ];
    for verdict in asked {
        let Verdict::Ask { suggestions, .. } = verdict else {
            panic!("{verdict:?}");
        };
        assert_eq!(suggestions, []);
    }
}
