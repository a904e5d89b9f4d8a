//! The README's picture is what the demonstration shows today. `UPDATE=1` makes it anew.
#![expect(
    clippy::disallowed_methods,
    reason = "tests wait for all of the output: who still holds the pipes would be a finding; UPDATE is asked for by hand"
)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_picture_in_the_readme_is_of_a_run_like_todays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut script = Command::new("python3");
    script
        .arg("docs/pictures/demo.py")
        .arg(env!("CARGO_BIN_EXE_hookline"))
        .current_dir(&root);
    if std::env::var_os("UPDATE").is_none() {
        script.arg("--check");
    }
    let ran = script.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("(docs/pictures/demo.svg)"));
}
