//! What is written: where it should be, through no link that leads elsewhere, and for nobody else's eyes.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use serde_json::json;

use crate::hostile::text;
use crate::support::{Scratch, binary};

#[test]
fn a_template_for_the_project_is_written_through_no_link_that_leads_out_of_it() {
    for (link, target) in [
        (".hookline/hooks.json", "config/hookline/hooks.json"),
        (".hookline/hooks/guard-commands.sh", ".bash_profile"),
        (".hookline/hooks", "config"),
        (".hookline", "config/hookline"),
        (
            ".hookline/hooks.json",
            "gone/../../../home/config/hookline/hooks.json",
        ),
    ] {
        let scratch = Scratch::new();
        fs::create_dir_all(scratch.home().join("config/hookline")).unwrap();
        let link = scratch.project().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let climbs = target.starts_with("gone");
        let target = if climbs {
            target.into()
        } else {
            scratch.home().join(target)
        };
        symlink(target, &link).unwrap();
        let before = files(&scratch.home());
        let printed = scratch.run(&["init", "guard-commands"]);
        assert_eq!(printed.code, Some(1), "{printed:?}");
        assert!(
            printed.stderr.contains("leads out of the project"),
            "{printed:?}"
        );
        assert_eq!(files(&scratch.home()), before);
    }
    // A link that stays in the project is a way of keeping things in order.
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join("tools")).unwrap();
    symlink("tools", scratch.project().join(".hookline")).unwrap();
    assert_eq!(scratch.run(&["init", "guard-commands"]).code, Some(0));
    assert!(scratch.project().join("tools/hooks.json").is_file());
}

#[test]
fn what_is_converted_or_recorded_is_written_through_no_link() {
    let scratch = Scratch::new();
    scratch.hooks(&[("Stop", "", "true")]);
    let target = scratch.home().join("hooks.json");
    symlink(&target, scratch.project().join("out.json")).unwrap();
    let convert = [
        "convert",
        ".claude/settings.json",
        "--to",
        "hookline",
        "--output",
        "out.json",
    ];
    let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false}).to_string();
    let record = ["record", "out.json", "--trust"];
    for force in [&[][..], &["--force"]] {
        for (words, stdin) in [(&convert[..], ""), (&record[..], stop.as_str())] {
            let printed = scratch.run_with(&[words, force].concat(), stdin);
            assert_eq!(printed.code, Some(1), "{printed:?}");
            assert!(printed.stderr.contains("link"), "{printed:?}");
            assert!(!target.exists());
        }
    }
    fs::write(&target, "mine").unwrap();
    scratch.run_with(&[&record[..], &["--force"]].concat(), &stop);
    scratch.run(&[&convert[..], &["--merge"]].concat());
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    // A pipe under another name takes nothing from anybody.
    let printed = scratch.run_with(&["record", "/dev/stdout", "--trust", "--force"], &stop);
    assert!(printed.stdout.contains("\"Stop\""), "{printed:?}");
}

#[test]
fn nothing_that_is_written_down_can_be_read_by_others() {
    let scratch = Scratch::new();
    let temporary = scratch.home().join("tmp");
    fs::create_dir(&temporary).unwrap();
    // Whatever lies among the temporary files while a session runs and others may read.
    let look = "find \"$TMPDIR\" -mindepth 1 -perm -040 -o -mindepth 1 -perm -004 >> seen-by-others; \
                find \"$TMPDIR\" -mindepth 1 >> seen-by-us";
    let long = "head -c 30000 /dev/zero | tr '\\0' x";
    scratch.hooks(&[
        (
            "SessionStart",
            "",
            "echo \"$CLAUDE_ENV_FILE\" > env-file; ls -ld \"${CLAUDE_ENV_FILE%/*}\" > env-mode",
        ),
        ("UserPromptSubmit", "", long),
        ("PostToolUse", "", look),
        ("Stop", "", look),
    ]);
    scratch.write(
        "script.json",
        &json!([
        {"calls": [{"name": "Bash", "input": {"command": "ls -l \"$TMPDIR\" >> during"}}]},
        {"say": "Done."}])
        .to_string(),
    );
    let script = format!(
        "umask 000; exec > log 2>&1; {0} trust --all && {0} record kept.jsonl -- run --model scripted:script.json \
         --permission-mode bypassPermissions go",
        text(binary())
    );
    let ended = std::process::Command::new("/bin/sh")
        .args(["-c", &script])
        .current_dir(scratch.project())
        .env_clear()
        .envs(scratch.environment())
        .env("TMPDIR", &temporary)
        .status()
        .unwrap();
    assert!(ended.success(), "{}", scratch.read("log"));
    assert!(
        scratch.read("env-mode").starts_with("drwx------"),
        "{}",
        scratch.read("env-mode")
    );
    assert!(
        scratch.read("seen-by-us").contains("hook-output-"),
        "{}",
        scratch.read("seen-by-us")
    );
    assert_eq!(scratch.read("seen-by-others"), "");
    let kept = ["state/hookline/trust", "state/hookline/sessions"];
    for place in kept.map(|place| scratch.home().join(place)) {
        assert_private(&place);
    }
    assert_private(&scratch.project().join("kept.jsonl"));
}

/// Fails where anybody but the owner may do anything with it, or with something in it.
fn assert_private(path: &Path) {
    let about = fs::symlink_metadata(path).unwrap();
    assert_eq!(
        about.mode() & 0o077,
        0,
        "{} {:o}",
        path.display(),
        about.mode()
    );
    if about.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            assert_private(&entry.unwrap().path());
        }
    }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() {
            names.extend(files(&path));
        }
    }
    names.sort();
    names
}
