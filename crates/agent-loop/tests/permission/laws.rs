//! What holds for any rules and any command.

use agent_loop::Access;
use agent_loop::permission::{CallFacts, Followed, HookOpinion, Permissions, Rewrite, Verdict};
use hook_runner::matcher::{Call, Purpose, Rule, Truth};
use hook_types::{Decision, PermissionMode};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

const RULES: [&str; 16] = [
    "Bash",
    "Bash(git *)",
    "Bash(git push *)",
    "Bash(ls *)",
    "Bash(rm *)",
    "Bash(cd *)",
    "Bash(npm test)",
    "Edit",
    "Edit(src/**)",
    "Edit(//etc/**)",
    "Read(~/.ssh/**)",
    "Write(*.env)",
    "WebFetch(domain:example.com)",
    "mcp__disk",
    "Deploy(prod)",
    "*",
];

const COMMANDS: [&str; 13] = [
    "git log",
    "git push origin main",
    "git status && ls",
    "cd docs && git log | head",
    "rm -rf /",
    "npm test",
    "$RUN it",
    "git $WHAT",
    "sudo git push",
    "bash -c 'rm x; ls'",
    "echo $(git rev-parse HEAD)",
    "cat 'unclosed",
    "",
];

const PATHS: [&str; 8] = [
    "src/main.rs",
    "/etc/passwd",
    "~/.ssh/id_rsa",
    "prod.env",
    ".git/config",
    "/srv/app/notes.md",
    "../beside",
    "/srv/docs/a",
];

#[derive(Clone, Debug)]
struct Made {
    tool: &'static str,
    input: Value,
    access: Access,
}

impl Made {
    fn facts(&self) -> CallFacts<'_> {
        CallFacts {
            home: Some("/home/ann"),
            ..CallFacts::new(self.tool, &self.input, self.access, "/srv/app")
        }
    }

    fn truth(&self, rule: &str, purpose: Purpose) -> Truth {
        let call = Call {
            tool_name: self.tool,
            tool_input: &self.input,
            cwd: "/srv/app",
            home: Some("/home/ann"),
            project_root: Some("/srv/app"),
        };
        Rule::parse(rule).unwrap().judge(&call, purpose)
    }

    fn changes(&self) -> bool {
        matches!(self.access, Access::Edit | Access::Run)
    }
}

fn calls() -> impl Strategy<Value = Made> {
    let made = |tool, input, access| Made {
        tool,
        input,
        access,
    };
    prop_oneof![
        4 => select(&COMMANDS[..])
            .prop_map(move |command| made("Bash", json!({"command": command}), Access::Run)),
        3 => (select(vec!["Edit", "Write"]), select(&PATHS[..]))
            .prop_map(move |(tool, path)| made(tool, json!({"file_path": path}), Access::Edit)),
        1 => select(&PATHS[..])
            .prop_map(move |path| made("Read", json!({"file_path": path}), Access::Read)),
        1 => Just(made("WebFetch", json!({"url": "https://example.com/a"}), Access::Run)),
        1 => Just(made("mcp__disk__write", json!({"path": "x"}), Access::Run)),
        1 => Just(made("Deploy", json!({"to": "prod"}), Access::Run)),
        1 => Just(made("TaskCreate", json!({}), Access::Own)),
    ]
}

#[derive(Clone, Debug, Default)]
struct Rules {
    allow: Vec<&'static str>,
    ask: Vec<&'static str>,
    deny: Vec<&'static str>,
}

fn rules() -> impl Strategy<Value = Rules> {
    let some = || prop::collection::vec(select(&RULES[..]), 0..4);
    (some(), some(), some()).prop_map(|(allow, ask, deny)| Rules { allow, ask, deny })
}

fn modes() -> impl Strategy<Value = PermissionMode> {
    select(PermissionMode::KNOWN).prop_map(PermissionMode::from)
}

fn opinions() -> impl Strategy<Value = HookOpinion> {
    let decisions = vec![
        Decision::Pass,
        Decision::Allow,
        Decision::Ask,
        Decision::Defer,
        Decision::Deny,
    ];
    let rewrites = vec![Rewrite::None, Rewrite::WithAllow, Rewrite::Apart];
    (select(decisions), select(rewrites)).prop_map(|(decision, rewrite)| HookOpinion {
        rewrite,
        ..HookOpinion::new(decision, None)
    })
}

fn permissions(mode: &PermissionMode, rules: &Rules) -> Permissions {
    let mut made = Permissions::new(mode.clone()).with_directory("/srv/docs");
    for rule in &rules.allow {
        made = made.allow(rule).unwrap();
    }
    for rule in &rules.ask {
        made = made.ask(rule).unwrap();
    }
    for rule in &rules.deny {
        made = made.deny(rule).unwrap();
    }
    made
}

/// How strict a verdict is.
fn strictness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow { .. } => 0,
        Verdict::Ask { .. } => 1,
        Verdict::Defer { .. } => 2,
        Verdict::Deny { .. } => 3,
    }
}

fn allows(verdict: &Verdict) -> bool {
    strictness(verdict) == 0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_deny_rule_always_denies(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
    ) {
        let verdict = permissions(&mode, &rules).judge(&call.facts(), &hooks);
        let covered = rules.deny.iter().map(|rule| call.truth(rule, Purpose::Restrict)).max();
        match covered {
            Some(Truth::Yes) => prop_assert_eq!(verdict.word(), "deny"),
            Some(Truth::Unknown) => prop_assert!(!allows(&verdict)),
            Some(Truth::No) | None => {}
        }
    }

    #[test]
    fn a_hooks_deny_always_denies(mode in modes(), rules in rules(), call in calls()) {
        let hooks = HookOpinion::new(Decision::Deny, None);
        let verdict = permissions(&mode, &rules).judge(&call.facts(), &hooks);
        prop_assert_eq!(verdict.word(), "deny");
    }

    #[test]
    fn nothing_lets_a_call_through_that_an_ask_rule_may_be_about(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
    ) {
        let verdict = permissions(&mode, &rules).judge(&call.facts(), &hooks);
        let asked = rules.ask.iter().any(|rule| call.truth(rule, Purpose::Restrict) != Truth::No);
        prop_assert!(!(asked && allows(&verdict)));
    }

    #[test]
    fn a_hooks_ask_is_never_passed_over(mode in modes(), rules in rules(), call in calls()) {
        let hooks = HookOpinion::new(Decision::Ask, None);
        let verdict = permissions(&mode, &rules).judge(&call.facts(), &hooks);
        prop_assert!(!allows(&verdict));
    }

    #[test]
    fn in_plan_mode_nothing_is_changed(rules in rules(), hooks in opinions(), call in calls()) {
        let verdict = permissions(&PermissionMode::Plan, &rules).judge(&call.facts(), &hooks);
        prop_assert!(!(call.changes() && verdict.word() != "deny"));
    }

    #[test]
    fn what_no_rule_no_hook_and_no_mode_allows_does_not_run(
        rules in rules(), call in calls(),
    ) {
        let verdict = permissions(&PermissionMode::Default, &rules)
            .judge(&call.facts(), &HookOpinion::default());
        if allows(&verdict) && call.changes() {
            let may = rules.allow.iter().any(|rule| call.truth(rule, Purpose::Restrict) != Truth::No);
            prop_assert!(may);
        }
    }

    #[test]
    fn one_more_deny_or_ask_rule_never_makes_it_less_strict(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
        more in select(&RULES[..]), denies in any::<bool>(),
    ) {
        let before = permissions(&mode, &rules);
        let after = if denies { before.clone().deny(more) } else { before.clone().ask(more) };
        let strict = |made: &Permissions| strictness(&made.judge(&call.facts(), &hooks));
        prop_assert!(strict(&after.unwrap()) >= strict(&before));
    }

    #[test]
    fn one_more_allow_rule_never_makes_it_stricter_and_never_lifts_a_refusal(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
        more in select(&RULES[..]),
    ) {
        let before = permissions(&mode, &rules);
        let after = before.clone().allow(more).unwrap();
        let strict = |made: &Permissions| strictness(&made.judge(&call.facts(), &hooks));
        prop_assert!(strict(&after) <= strict(&before));
        prop_assert!(strict(&before) != 3 || strict(&after) == 3);
    }

    #[test]
    fn a_hook_that_says_more_never_makes_it_less_strict(
        mode in modes(), rules in rules(), call in calls(),
    ) {
        let permissions = permissions(&mode, &rules);
        let from_mild_to_strict = [Decision::Allow, Decision::Pass, Decision::Ask, Decision::Defer, Decision::Deny];
        let strict = from_mild_to_strict
            .map(|decision| strictness(&permissions.judge(&call.facts(), &HookOpinion::new(decision, None))));
        prop_assert!(strict.is_sorted(), "{strict:?}");
    }

    #[test]
    fn an_allow_for_the_old_input_is_worth_nothing_for_a_new_one(
        mode in modes(), rules in rules(), call in calls(),
    ) {
        let permissions = permissions(&mode, &rules);
        let apart = HookOpinion { rewrite: Rewrite::Apart, ..HookOpinion::new(Decision::Allow, None) };
        let silent = HookOpinion::new(Decision::Pass, None);
        let word = |hooks| permissions.judge(&call.facts(), hooks).word();
        prop_assert_eq!(word(&apart), word(&silent));
    }

    #[test]
    fn following_a_link_never_makes_it_less_strict(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
        elsewhere in select(&PATHS[..]),
    ) {
        let mut tool_input = call.input.clone();
        if let Some(path) = tool_input.get_mut("file_path") {
            *path = json!(elsewhere);
        }
        let followed = Followed {
            tool_input,
            cwd: "/srv/app".into(),
            home: Some("/home/ann".into()),
            project_dir: "/srv/app".into(),
            directories: vec!["/srv/docs".into()],
        };
        let permissions = permissions(&mode, &rules);
        let written = permissions.judge(&call.facts(), &hooks);
        let real = permissions.judge(&CallFacts { followed: Some(&followed), ..call.facts() }, &hooks);
        prop_assert!(strictness(&real) >= strictness(&written));
        let there = Made { input: followed.tool_input.clone(), ..call.clone() };
        prop_assert!(strictness(&real) >= strictness(&permissions.judge(&there.facts(), &hooks)));
    }

    #[test]
    fn whoever_accepts_what_is_suggested_is_not_asked_again(
        mode in modes(), rules in rules(), hooks in opinions(), call in calls(),
    ) {
        let mut permissions = permissions(&mode, &rules);
        let verdict = permissions.judge(&call.facts(), &hooks);
        if let Verdict::Ask { suggestions, .. } = &verdict && !suggestions.is_empty() {
            for suggestion in suggestions {
                prop_assert_eq!(permissions.update(suggestion), vec![]);
            }
            prop_assert_eq!(permissions.judge(&call.facts(), &hooks).word(), "allow");
        }
    }
}

/// Nothing above would mean much if the made-up cases never came to it.
#[test]
fn what_is_made_up_comes_to_every_verdict() {
    let rules = Rules {
        allow: vec!["Bash(git *)"],
        ask: vec!["Bash(git push *)"],
        deny: vec!["Bash(rm *)"],
    };
    let permissions = permissions(&PermissionMode::Default, &rules);
    let words: Vec<&str> = COMMANDS
        .iter()
        .map(|command| {
            let input = json!({ "command": command });
            let call = CallFacts::new("Bash", &input, Access::Run, "/srv/app");
            permissions.judge(&call, &HookOpinion::default()).word()
        })
        .collect();
    for word in ["allow", "ask", "deny"] {
        assert!(words.contains(&word), "{word} never comes up: {words:?}");
    }
}
