//! Every mode, with every answer of hooks and of deny, ask and allow rules, on every kind of call: what is
//! judged beside a second opinion, which counts votes instead of going through steps.

use agent_loop::Access;
use agent_loop::permission::{
    CallFacts, DeniedBy, HookOpinion, Permissions, Rewrite, Verdict, Whom,
};
use hook_types::{Decision, GrantedBy, PermissionMode};
use serde_json::{Value, json};

/// What a rule says of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Nothing,
    Maybe,
    Yes,
}

/// What the call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Notes,
    Reads,
    EditsHere,
    EditsThere,
    EditsWhatDecides,
    Runs,
}

#[derive(Clone, Debug)]
struct Case {
    mode: PermissionMode,
    hooks: Decision,
    rewrite: Rewrite,
    deny: Says,
    ask: Says,
    allow: Says,
    does: Does,
    deferrable: bool,
}

const SAYS: [Says; 3] = [Says::Nothing, Says::Maybe, Says::Yes];
const DOES: [Does; 6] = [
    Does::Notes,
    Does::Reads,
    Does::EditsHere,
    Does::EditsThere,
    Does::EditsWhatDecides,
    Does::Runs,
];
const HOOKS: [(Decision, bool); 6] = [
    (Decision::Pass, false),
    (Decision::Allow, false),
    (Decision::Ask, false),
    (Decision::Defer, false),
    (Decision::Defer, true),
    (Decision::Deny, false),
];
const REWRITES: [Rewrite; 3] = [Rewrite::None, Rewrite::WithAllow, Rewrite::Apart];

fn modes() -> impl Iterator<Item = PermissionMode> {
    let known = PermissionMode::KNOWN.iter().copied();
    known.chain(["tomorrow's"]).map(PermissionMode::from)
}

/// Every case; whether the call can be put off matters only where a hook wants that.
fn every_case() -> Vec<Case> {
    let mut cases = Vec::new();
    for mode in modes() {
        for says in 0..27 {
            for does in DOES {
                for rewrite in REWRITES {
                    for (hooks, deferrable) in HOOKS {
                        cases.push(Case {
                            mode: mode.clone(),
                            hooks,
                            rewrite,
                            deny: SAYS[says % 3],
                            ask: SAYS[says / 3 % 3],
                            allow: SAYS[says / 9],
                            does,
                            deferrable,
                        });
                    }
                }
            }
        }
    }
    cases
}

/// `Deploy(x)` is unknown on a tool whose input nobody knows; `Other` is about another tool.
fn rule(says: Says) -> &'static str {
    match says {
        Says::Nothing => "Other",
        Says::Maybe => "Deploy(x)",
        Says::Yes => "Deploy",
    }
}

fn judged(case: &Case) -> Verdict {
    let permissions = Permissions::new(case.mode.clone())
        .with_bypass(true)
        .with_directory("/srv/docs")
        .deny(rule(case.deny))
        .and_then(|made| made.ask(rule(case.ask)))
        .and_then(|made| made.allow(rule(case.allow)))
        .unwrap();
    let (access, input): (Access, Value) = match case.does {
        Does::Notes => (Access::Own, json!({})),
        Does::Reads => (Access::Read, json!({"file_path": "/etc/passwd"})),
        Does::EditsHere => (Access::Edit, json!({"file_path": "/srv/docs/a.md"})),
        Does::EditsThere => (Access::Edit, json!({"file_path": "/srv/other/a.md"})),
        Does::EditsWhatDecides => (Access::Edit, json!({"file_path": ".git/hooks/post-merge"})),
        Does::Runs => (Access::Run, json!({"file_path": "/srv/app/a"})),
    };
    let call = CallFacts {
        deferrable: case.deferrable,
        ..CallFacts::new("Deploy", &input, access, "/srv/app")
    };
    let hooks = HookOpinion {
        rewrite: case.rewrite,
        ..HookOpinion::new(case.hooks, Some("the hook's words"))
    };
    permissions.judge(&call, &hooks)
}

/// The second opinion: everybody has a vote, and the strongest one counts.
fn counted(case: &Case) -> &'static str {
    let changes = !matches!(case.does, Does::Notes | Does::Reads);
    let plan = case.mode == PermissionMode::Plan;
    let bypass = case.mode == PermissionMode::BypassPermissions;
    let edits = case.mode == PermissionMode::AcceptEdits;
    let allowed = case.hooks == Decision::Allow && case.rewrite != Rewrite::Apart;
    let votes = [
        (case.hooks == Decision::Deny, "4 deny"),
        (case.deny == Says::Yes, "4 deny"),
        (plan && changes, "4 deny"),
        (case.hooks == Decision::Defer && case.deferrable, "3 defer"),
        (case.hooks == Decision::Defer, "2 ask"),
        (case.hooks == Decision::Ask, "2 ask"),
        (case.deny == Says::Maybe, "2 ask"),
        (case.ask != Says::Nothing, "2 ask"),
        (allowed && case.does != Does::EditsWhatDecides, "1 allow"),
        (!changes, "1 allow"),
        (bypass, "1 allow"),
        (edits && case.does == Does::EditsHere, "1 allow"),
        (case.allow == Says::Yes, "1 allow"),
        (true, "0 ask"),
    ];
    let cast = votes.iter().filter(|(cast, _)| *cast);
    let strongest = cast.map(|(_, vote)| *vote).max().unwrap();
    &strongest[2..]
}

#[test]
fn judging_comes_to_what_counting_votes_comes_to_and_says_truly_who_it_was() {
    let cases = every_case();
    assert_eq!(cases.len(), 8 * 27 * 6 * 3 * 6);
    for case in cases {
        let verdict = judged(&case);
        assert_eq!(verdict.word(), counted(&case), "{case:?}: {verdict:?}");
        is_true(&case, verdict);
    }
}

fn is_true(case: &Case, verdict: Verdict) {
    match verdict {
        Verdict::Deny { by, rule, reason } => denied_truly(case, by, rule.as_deref(), &reason),
        Verdict::Allow { by, rule } => allowed_truly(case, &by, rule.as_deref()),
        Verdict::Ask { whom, reason, .. } => {
            let dont_ask = case.mode == PermissionMode::DontAsk;
            assert_eq!(whom == Whom::HooksOnly, dont_ask, "{case:?}");
            let hook_asks = matches!(case.hooks, Decision::Ask | Decision::Defer);
            assert_eq!(
                reason.contains("the hook's words"),
                hook_asks,
                "{case:?}: {reason}"
            );
        }
        Verdict::Defer { reason } => assert_eq!(reason.as_deref(), Some("the hook's words")),
    }
}

fn denied_truly(case: &Case, by: DeniedBy, rule: Option<&str>, reason: &str) {
    match by {
        DeniedBy::Hook => assert_eq!((case.hooks, reason), (Decision::Deny, "the hook's words")),
        DeniedBy::Rule => {
            assert_eq!((case.deny, rule), (Says::Yes, Some("Deploy")), "{case:?}");
            assert!(reason.contains("`Deploy`"), "{reason}");
        }
        DeniedBy::Mode => {
            assert_eq!(case.mode, PermissionMode::Plan, "{case:?}");
            assert!(reason.contains("plan mode"), "{reason}");
        }
        DeniedBy::Absence | DeniedBy::User => panic!("nobody was asked: {case:?}"),
    }
}

fn allowed_truly(case: &Case, by: &GrantedBy, rule: Option<&str>) {
    match by {
        GrantedBy::Hook => assert_eq!(case.hooks, Decision::Allow, "{case:?}"),
        GrantedBy::Rule => {
            assert_eq!((case.allow, rule), (Says::Yes, Some("Deploy")), "{case:?}");
        }
        GrantedBy::Mode => {
            let lets_through = [
                PermissionMode::AcceptEdits,
                PermissionMode::BypassPermissions,
            ];
            let harmless = matches!(case.does, Does::Notes | Does::Reads);
            assert!(harmless || lets_through.contains(&case.mode), "{case:?}");
        }
        GrantedBy::User | GrantedBy::Other(_) => panic!("nobody was asked: {case:?}"),
    }
}
