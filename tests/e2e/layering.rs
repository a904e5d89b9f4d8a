//! Dependencies point one way. Adding a crate means adding it here.

use std::process::Command;

use serde_json::Value;

/// From the bottom up. Crates on one line may not use each other.
const LAYERS: &[&[&str]] = &[
    &[FOR_TESTS],
    &["hook-types", "http-client", "process-tree"],
    &["hook-runner"],
    &["hook-shell", "agent-loop"],
    &["hook-config"],
    &["agent-models", "agent-mcp", "hook-http", "hook-model"],
    &["hook-cli"],
    &["compile-fail", "e2e", "fuzz", "hookline-benches"],
];

/// What tests share, and nothing else may use.
const FOR_TESTS: &str = "test-support";

/// What the vocabulary may stand on. Everything else in the workspace builds on it.
const VOCABULARY_STANDS_ON: &[&str] = &[
    "schemars",
    "serde",
    "serde_json",
    "serde_path_to_error",
    "thiserror",
];

#[expect(
    clippy::disallowed_methods,
    reason = "cargo starts nothing that outlives it"
)]
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

/// The packages of the workspace, as `cargo metadata` has them.
fn packages() -> Vec<Value> {
    let metadata = cargo(&[
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    metadata["packages"]
        .as_array()
        .expect("a list of packages")
        .clone()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

fn layer(package: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&package))
}

/// The arrows among our crates that do not point down. A crate may use itself in its own tests.
fn wrong_arrows(arrows: &[(&str, &str)]) -> Vec<String> {
    let wrong = |(from, to): &&(&str, &str)| from != to && layer(from) <= layer(to);
    arrows
        .iter()
        .filter(wrong)
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect()
}

fn arrows(packages: &[Value]) -> Vec<(&str, &str)> {
    packages
        .iter()
        .flat_map(|package| {
            let dependencies = package["dependencies"]
                .as_array()
                .expect("a list of dependencies");
            dependencies
                .iter()
                .map(|dependency| (name(package), name(dependency)))
        })
        .filter(|(_, to)| layer(to).is_some())
        .collect()
}

#[test]
fn no_crate_depends_upward() {
    let packages = packages();
    assert_eq!(wrong_arrows(&arrows(&packages)), [""; 0]);
}

#[test]
fn an_arrow_that_points_up_or_sideways_is_caught() {
    assert_eq!(
        wrong_arrows(&[
            ("hook-types", "hook-runner"),
            ("hook-shell", "agent-loop"),
            ("hook-runner", "hook-types"),
        ]),
        ["hook-types -> hook-runner", "hook-shell -> agent-loop"]
    );
}

#[test]
fn every_crate_has_a_layer() {
    let packages = packages();
    let homeless: Vec<&str> = packages
        .iter()
        .map(name)
        .filter(|package| layer(package).is_none())
        .collect();
    assert_eq!(homeless, [""; 0]);
}

#[test]
fn what_tests_share_is_built_into_no_program() {
    let packages = packages();
    let dependencies = packages
        .iter()
        .flat_map(|package| package["dependencies"].as_array().expect("a list"));
    let (mut users, mut kinds) = (0, Vec::new());
    for dependency in dependencies.filter(|dependency| name(dependency) == FOR_TESTS) {
        users += 1;
        kinds.push(dependency["kind"].as_str().unwrap_or("normal"));
    }
    kinds.dedup();
    assert_eq!((users > 0, kinds), (true, vec!["dev"]));
}

#[test]
fn the_vocabulary_stands_on_little() {
    let packages = packages();
    let types = packages
        .iter()
        .find(|package| name(package) == "hook-types")
        .expect("hook-types");
    let dependencies = types["dependencies"]
        .as_array()
        .expect("a list of dependencies");
    let mut direct: Vec<&str> = dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(name)
        .collect();
    direct.sort_unstable();
    assert_eq!(direct, VOCABULARY_STANDS_ON);

    let tree = cargo(&[
        "tree",
        "-p",
        "hook-types",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--offline",
    ]);
    let mut all: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    all.sort_unstable();
    all.dedup();
    assert!(all.len() <= 24, "{} crates: {all:?}", all.len());
    assert!(!all.contains(&"tokio"), "{all:?}");
}
