//! Links, blanks, and scripts outside the project.

use std::fs;
use std::os::unix::fs::symlink;

use hook_config::trust::TrustState;

use crate::sandbox::{Sandbox, write};

const CHECK: &str = "sh \"$CLAUDE_PROJECT_DIR\"/check.sh";

#[test]
fn the_content_behind_a_link_counts() {
    let sandbox = Sandbox::with_command(CHECK);
    let target = write(&sandbox.path("elsewhere/real.sh"), "exit 0");
    symlink(&target, sandbox.project("check.sh")).unwrap();
    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted);
    write(&target, "exit 1");
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn where_a_link_leads_counts_even_if_the_content_is_the_same() {
    let sandbox = Sandbox::with_command(CHECK);
    let targets = ["one.sh", "two.sh"].map(|name| write(&sandbox.path(name), "exit 0"));
    let link = sandbox.project("check.sh");
    symlink(&targets[0], &link).unwrap();
    sandbox.approve();
    fs::remove_file(&link).unwrap();
    symlink(&targets[1], &link).unwrap();
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_directory_on_the_way_that_becomes_a_link_counts() {
    let sandbox = Sandbox::with_command("sh \"$CLAUDE_PROJECT_DIR\"/hooks/check.sh");
    sandbox.write("hooks/check.sh", "exit 0");
    sandbox.approve();
    fs::rename(sandbox.project("hooks"), sandbox.project("moved")).unwrap();
    symlink(sandbox.project("moved"), sandbox.project("hooks")).unwrap();
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_link_to_nothing_and_a_link_to_itself_are_missing_files() {
    for target in ["nowhere", "check.sh"] {
        let sandbox = Sandbox::with_command(CHECK);
        symlink(target, sandbox.project("check.sh")).unwrap();
        assert_eq!(sandbox.covered(), [""; 0]);
        assert_eq!(sandbox.opaque(), ["missing"]);
    }
}

#[test]
fn a_script_outside_the_project_is_covered() {
    let sandbox = Sandbox::new();
    let outside = write(&sandbox.path("out side/check.sh"), "exit 0");
    sandbox.settings(&[crate::sandbox::hook(&format!("sh '{}'", outside.display()))]);
    sandbox.approve();
    write(&outside, "exit 1");
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_script_in_the_users_home_is_covered() {
    for command in ["sh ~/check.sh", "sh $HOME/check.sh", "\"$HOME\"/check.sh"] {
        let sandbox = Sandbox::with_command(command);
        let script = write(&sandbox.path("home/check.sh"), "exit 0");
        sandbox.approve();
        write(&script, "exit 1");
        assert_eq!(sandbox.state(), TrustState::Changed, "{command}");
    }
}

#[test]
fn a_script_that_appears_counts_as_a_change() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.approve();
    assert_eq!(sandbox.state(), TrustState::Trusted);
    sandbox.write("check.sh", "");
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn a_script_that_vanishes_counts_as_a_change() {
    let sandbox = Sandbox::with_command(CHECK);
    sandbox.write("check.sh", "");
    sandbox.approve();
    fs::remove_file(sandbox.project("check.sh")).unwrap();
    assert_eq!(sandbox.state(), TrustState::Changed);
}

#[test]
fn an_unquoted_project_path_with_a_blank_is_taken_apart_as_the_shell_would() {
    let sandbox = Sandbox::with_command("sh $CLAUDE_PROJECT_DIR/check.sh");
    sandbox.write("check.sh", "");
    assert_eq!(sandbox.covered(), [""; 0], "the shell would not find it");
    assert_eq!(sandbox.opaque(), ["word"]);
}
