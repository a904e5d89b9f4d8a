//! The `hookline` command from outside: what it prints, on a terminal and off it, and how it ends.
//!
//! One program for all of it: linking one takes as long as some of these tests.

mod bad_input; // whatever is no good, for every command
mod bench;
mod commands;
mod convert;
mod demo;
mod demo_picture;
mod demo_readme;
mod hooks_terminal;
mod http_hooks;
mod mcp;
mod model_hooks;
mod record;
mod replay;
mod run;
mod run_network;
mod run_terminal;
mod support; // scratch projects, the binary, a terminal
mod terminal;
mod watch;
mod watch_terminal;

#[test]
fn every_file_of_tests_is_run() {
    let modules = include_str!("main.rs");
    let programs = include_str!("../Cargo.toml");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap();
        let named = if path.join("main.rs").exists() {
            programs.contains(&format!("path = \"tests/{name}/main.rs\""))
        } else {
            modules.contains(&format!("\nmod {name};"))
        };
        let has_tests = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
        let is_other = ["main", "golden", "snapshots"].contains(&name);
        assert!(named || is_other || !has_tests, "{name} is not run");
    }
}
