//! The examples of `docs/configuration.md` are files that load.

mod support;

use std::path::Path;

use support::{Scene, codes, text_of};

/// The examples: a line that names a file, and the JSON that follows.
fn examples() -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = text_of(&page);
    let mut examples = Vec::new();
    for part in page.split("\n```json\n").collect::<Vec<_>>().windows(2) {
        let named = part[0].trim_end().lines().last().unwrap_or_default();
        let file = named.rsplit('`').nth(1).unwrap_or_default();
        let text = part[1].split("\n```").next().unwrap_or_default();
        examples.push((file.to_owned(), text.to_owned()));
    }
    examples
}

#[test]
fn every_example_is_a_file_that_loads_without_a_word() {
    let examples = examples();
    let files: Vec<&str> = examples.iter().map(|(file, _)| file.as_str()).collect();
    let expected = [
        ".claude/settings.json",
        ".hookline/hooks.json",
        ".opta/config.json",
        ".opencode/hooks.json",
    ];
    for file in expected {
        assert!(files.contains(&file), "no example of {file} in {files:?}");
    }
    for (file, text) in examples {
        let scene = Scene::new();
        scene.write(&format!("project/{file}"), &text);
        let report = scene.load().report;
        assert_eq!(codes(&report.diagnostics), Vec::<&str>::new(), "{file}");
        assert!(
            report.hooks.len() >= 2,
            "{file} has {} hooks",
            report.hooks.len()
        );
    }
}
