//! Approvals that somebody else than the user gives: none of them counts.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::hostile::text;
use crate::support::{Scratch, binary};

/// A project whose only hook leaves a file behind when it runs.
fn project() -> Scratch {
    let scratch = Scratch::new();
    scratch.hooks(&[("Stop", "", "touch \"$CLAUDE_PROJECT_DIR\"/ran")]);
    scratch
}

fn ran(scratch: &Scratch) -> bool {
    scratch.project().join("ran").exists()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The user has approved the hook once, and the repository has a copy of what that looks like: in `state`,
/// in `home/.local/state` and, of a folder of its own, in `deep/state`. The user's own is gone again.
fn forged() -> Scratch {
    let scratch = project();
    assert_eq!(scratch.run(&["trust", "--all"]).code, Some(0));
    let real = scratch.home().join("state");
    for place in ["state", "home/.local/state"] {
        copy(&real, &scratch.project().join(place));
    }
    fs::remove_dir_all(real).unwrap();
    scratch
}

#[test]
fn a_repository_that_brings_approvals_along_is_not_believed_wherever_the_environment_points() {
    let scratch = forged();
    let inside = |name: &str| text(&scratch.project().join(name)).to_owned();
    let elsewhere = scratch.home().join("linked");
    symlink(scratch.project().join("state"), &elsewhere).unwrap();
    for variables in [
        vec![("XDG_STATE_HOME", inside("state"))],
        vec![("XDG_STATE_HOME", text(&elsewhere).to_owned())],
        vec![("XDG_STATE_HOME", "state".to_owned())],
        vec![("XDG_STATE_HOME", String::new()), ("HOME", inside("home"))],
    ] {
        let told: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let printed = scratch.run_in(&["fire", "Stop"], "", &told);
        assert!(!ran(&scratch), "{told:?}: {printed:?}");
        assert!(printed.stdout.contains("hookline trust"), "{printed:?}");
    }
    // The same copy in the user's own place is what it says.
    copy(
        &scratch.project().join("state"),
        &scratch.home().join("state"),
    );
    scratch.run(&["fire", "Stop"]);
    assert!(ran(&scratch), "the copy is a good one");
}

#[test]
fn a_repository_does_not_approve_what_a_folder_of_it_has() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join(".git")).unwrap();
    let hook =
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}});
    scratch.write("app/.claude/settings.json", &hook.to_string());
    let app = scratch.project().join("app");
    let app = ["--project", text(&app)];
    assert_eq!(
        scratch.run(&[&["trust", "--all"][..], &app].concat()).code,
        Some(0)
    );
    let state = scratch.home().join("state");
    copy(&state, &scratch.project().join("state"));
    fs::remove_dir_all(state).unwrap();
    let inside = scratch.project().join("state");
    let told = [("XDG_STATE_HOME", text(&inside))];
    let printed = scratch.run_in(&[&["fire", "Stop"][..], &app].concat(), "", &told);
    assert!(!ran(&scratch), "{printed:?}");
}

#[test]
fn what_the_environment_calls_the_users_and_the_repository_has_needs_an_approval() {
    let scratch = Scratch::new();
    let hook = json!({"hooks": {"Stop": [{"hooks": [{"type": "command",
        "command": "touch \"$CLAUDE_PROJECT_DIR\"/ran"}]}]}})
    .to_string();
    for place in [
        ".claude/settings.json",
        "config/hookline/hooks.json",
        "home/.claude/settings.json",
        "home/.config/hookline/hooks.json",
    ] {
        scratch.write(place, &hook);
    }
    fs::create_dir(scratch.project().join(".git")).unwrap();
    let inside = |name: &str| text(&scratch.project().join(name)).to_owned();
    for (variable, place) in [
        ("CLAUDE_CONFIG_DIR", ".claude"),
        ("XDG_CONFIG_HOME", "config"),
        ("HOME", "home"),
    ] {
        let place = inside(place);
        let mut told = vec![(variable, place.as_str())];
        if variable == "HOME" {
            told.push(("XDG_CONFIG_HOME", ""));
        }
        let printed = scratch.run_in(&["fire", "Stop"], "", &told);
        assert!(!ran(&scratch), "{variable}: {printed:?}");
        assert!(
            printed.stdout.contains("hookline trust"),
            "{variable}: {printed:?}"
        );
    }
    // A home that is the project is the user's own.
    let home = text(&scratch.project()).to_owned();
    scratch.run_in(&["fire", "Stop"], "", &[("HOME", &home)]);
    assert!(ran(&scratch));
}

#[test]
fn what_a_file_of_variables_in_the_repository_says_counts_for_nothing() {
    let scratch = forged();
    let state = scratch.project().join("state");
    let lines = format!(
        "XDG_STATE_HOME={0}\nexport XDG_STATE_HOME={0}\n",
        text(&state)
    );
    for name in [".env", ".envrc", ".env.local", ".hookline/env"] {
        scratch.write(name, &lines);
    }
    let printed = scratch.run(&["fire", "Stop"]);
    assert!(!ran(&scratch), "{printed:?}");
}

#[test]
fn neither_a_hook_nor_a_tool_of_the_agent_gives_or_takes_an_approval() {
    let scratch = project();
    let approve = format!("{} trust --all; {0} untrust --all", text(binary()));
    let own = json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command",
        "command": format!("{{ {approve}; }} > by-hook 2>&1; true")}]}]}});
    let folder = scratch.home().join("config/hookline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.json"), own.to_string()).unwrap();
    scratch.write("script.json", &json!([
        {"calls": [{"name": "Bash", "input": {"command": format!("{{ {approve}; }} > by-tool 2>&1")}}]},
        {"say": "Done."}]).to_string());
    let printed = scratch.run(&[
        "run",
        "--model",
        "scripted:script.json",
        "--permission-mode",
        "bypassPermissions",
        "go",
    ]);
    assert_eq!(printed.code, Some(0), "{printed:?}");
    for told in ["by-hook", "by-tool"] {
        let told = scratch.read(told);
        assert_eq!(
            told.matches("approvals are the user's").count(),
            2,
            "{told}"
        );
    }
    assert!(!ran(&scratch));
    assert!(!scratch.home().join("state/hookline/trust").exists());
    assert!(
        scratch
            .run(&["trust", "--list"])
            .stdout
            .contains("untrusted")
    );
}
