//! What hooks cost: measured with real processes. No time is asserted but by its order of magnitude.

use crate::support::Scratch;
use serde_json::{Value, json};

/// A project of the user's own making: a hook that sleeps, one that fails, one in the background.
fn scene() -> Scratch {
    let scratch = Scratch::new();
    let file = json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "sleep 0.05"},
            {"type": "command", "command": "exit 1"},
            {"type": "command", "command": "sleep 0.5", "async": true},
        ]}],
        "Stop": [{"hooks": [{"type": "command", "command": "echo ran >> ran.log"}]}],
    }});
    scratch.write(".hookline/hooks.json", &format!("{file:#}"));
    scratch
}

fn median(hook: &Value, of: &str) -> f64 {
    hook[of]["median"].as_f64().unwrap_or(f64::NAN)
}

#[test]
fn a_hook_that_sleeps_is_dearer_than_an_empty_command() {
    let scratch = scene();
    let asked = [
        "bench",
        "PreToolUse",
        "--rounds",
        "7",
        "--trust",
        "--no-user",
        "--json",
    ];
    let report = scratch.run(&asked).json();
    assert_eq!(report["rounds"], 7, "{report:#}");
    let hooks = report["hooks"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let [sleeps, fails, background] = hooks else {
        panic!("three hooks: {report:#}");
    };
    assert!(median(sleeps, "ms") >= 50.0, "{sleeps:#}");
    assert!(median(sleeps, "beside_empty_ms") > 0.0, "{sleeps:#}");
    assert_eq!(
        (&fails["failures"], &fails["kind"]),
        (&json!(7), &json!("command"))
    );
    assert_eq!(background["kind"], "background");
    assert!(
        median(background, "ms") < 200.0,
        "nobody waits for it: {background:#}"
    );
    assert_eq!(report["empty"]["kind"], "empty command");
    assert!(
        sleeps["ms"]["interval_95"].is_array(),
        "seven are enough to say"
    );
}

#[test]
fn every_hook_runs_once_a_round_and_once_before() {
    let scratch = scene();
    let ran = scratch.run(&["bench", "Stop", "--rounds", "3", "--trust", "--no-user"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(scratch.read("ran.log").lines().count(), 4);
    for part in [
        "3 rounds",
        "beside true",
        ".hookline/hooks.json",
        "too few",
        "try --rounds 20",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(ran.stdout.is_ascii(), "a file gets no symbols");
}

#[test]
fn what_nobody_has_approved_does_not_run() {
    let scratch = scene();
    let ran = scratch.run(&["bench", "Stop", "--rounds", "3", "--no-user"]);
    assert_eq!(scratch.read("ran.log"), "");
    assert!(
        ran.stdout.contains("was not run: it has not been approved"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("nothing was measured"), "{ran:?}");
}

#[test]
fn hooks_are_chosen_by_name_and_by_what_they_are_for() {
    let scratch = scene();
    let ids = |more: &[&str]| {
        let asked = [
            &["bench", "--rounds", "1", "--trust", "--no-user", "--json"],
            more,
        ]
        .concat();
        let report = scratch.run(&asked).json();
        report["hooks"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(ids(&[]), 4);
    assert_eq!(ids(&["PreToolUse", "--command", "ls"]), 3);
    assert_eq!(ids(&["PreToolUse", "--tool", "Write"]), 0);
    assert_eq!(ids(&["--hook", "no-such-hook"]), 0);
    let nothing = Scratch::new().run(&["bench", "--no-user"]);
    assert!(
        nothing.stdout.contains("no hook to measure here"),
        "{nothing:?}"
    );
}

#[test]
fn on_a_terminal_there_are_boxes_in_the_width_that_there_is() {
    let scratch = scene();
    let asked = ["bench", "Stop", "--rounds", "3", "--trust", "--no-user"];
    let mut terminal = scratch.terminal(&asked);
    assert_eq!(terminal.wait(), Some(0));
    let screen = terminal.screen();
    assert!(screen.contains('┃') && screen.contains('┴'), "{screen}");
    assert!(
        screen.lines().all(|line| line.chars().count() <= 100),
        "{screen}"
    );
}
