//! What somebody is shown before they approve, and what exactly they approve.

use std::fs;

use hook_config::trust::{Change, DiffLine, TrustState};

use crate::sandbox::{Sandbox, hook};

const CHECK: &str = "sh \"$CLAUDE_PROJECT_DIR\"/check.sh";

#[test]
fn nothing_has_changed_in_what_was_never_approved_or_still_is() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "exit 0");
    assert_eq!(sandbox.review().changes(), []);
    assert!(sandbox.review().approved().is_none());
    sandbox.approve();
    assert_eq!(sandbox.review().changes(), []);
    assert!(sandbox.review().approved().is_some());
}

#[test]
fn an_edited_script_is_shown_line_by_line() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "a\nb\nc\n");
    sandbox.approve();
    sandbox.write("check.sh", "a\nB\nc\n");
    let review = sandbox.review();
    assert_eq!(review.state(), TrustState::Changed);
    assert_eq!(
        review.changes(),
        [Change::Edited {
            path: "check.sh".to_owned(),
            lines: Some(vec![
                DiffLine::Kept("a".to_owned()),
                DiffLine::Removed("b".to_owned()),
                DiffLine::Added("B".to_owned()),
                DiffLine::Kept("c".to_owned()),
            ]),
        }]
    );
}

#[test]
fn a_long_or_binary_script_is_shown_as_edited_without_its_lines() {
    for (before, after) in [
        (vec![b'a'; 200_000], vec![b'b'; 10]),
        (vec![0xff], vec![0xfe]),
    ] {
        let sandbox = Sandbox::with_command(CHECK);
        fs::write(sandbox.project("check.sh"), before).unwrap();
        sandbox.approve();
        fs::write(sandbox.project("check.sh"), after).unwrap();
        let changes = sandbox.review().changes();
        assert!(
            matches!(&changes[..], [Change::Edited { lines: None, .. }]),
            "{changes:?}"
        );
        let kept = fs::read_dir(sandbox.store().directory()).unwrap();
        let size: u64 = kept
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!(size < 10_000, "what is long is not kept");
    }
}

#[test]
fn a_script_that_came_or_went_is_named() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.approve();
    sandbox.write("check.sh", "exit 0");
    assert_eq!(
        sandbox.review().changes(),
        [Change::Added {
            path: "check.sh".to_owned(),
            text: Some("exit 0".to_owned()),
        }]
    );
    sandbox.approve();
    fs::remove_file(sandbox.project("check.sh")).unwrap();
    assert_eq!(
        sandbox.review().changes(),
        [Change::Removed {
            path: "check.sh".to_owned()
        }]
    );
}

#[test]
fn a_link_that_leads_elsewhere_is_named() {
    let sandbox = Sandbox::with_command(CHECK);
    for name in ["one.sh", "two.sh"] {
        sandbox.write(name, "exit 0");
    }
    let link = sandbox.project("check.sh");
    std::os::unix::fs::symlink("one.sh", &link).unwrap();
    sandbox.approve();
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("two.sh", &link).unwrap();
    assert_eq!(
        sandbox.review().changes(),
        [Change::Retargeted {
            path: "check.sh".to_owned(),
            before: "one.sh".to_owned(),
            after: "two.sh".to_owned(),
        }]
    );
}

#[test]
fn an_entry_that_changed_is_shown_beside_the_old_one() {
    let sandbox = Sandbox::with_command("true");
    sandbox.approve();
    sandbox.settings(&[hook("true; true")]);
    let changes = sandbox.review().changes();
    let [Change::Entry { before, after }] = &changes[..] else {
        panic!("{changes:?}");
    };
    assert_eq!(before["action"]["command"]["text"], "true");
    assert_eq!(after["action"]["command"]["text"], "true; true");
}

#[test]
fn what_was_reviewed_is_approved_and_not_what_is_there_by_then() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "exit 0");
    let trust = sandbox.trust();
    let reviews = sandbox.reviews(&trust);
    sandbox.write("check.sh", "exit 1");
    trust.approve(&reviews).unwrap();
    assert_eq!(sandbox.state(), TrustState::Changed);
    sandbox.write("check.sh", "exit 0");
    assert_eq!(sandbox.state(), TrustState::Trusted);
}

#[test]
fn what_is_not_covered_is_shown_and_kept_with_the_approval() {
    let sandbox = Sandbox::with_command("sh \"$WHERE\"/x.sh");
    let loaded = sandbox.load(&sandbox.trust());
    let expected = ["`\"$WHERE\"/x.sh` is only known when it runs"];
    assert_eq!(loaded.report.hooks[0].opaque, expected);
    sandbox.approve();
    assert_eq!(sandbox.trust().approvals()[0].opaque, expected);
}
