//! The README's tour, word for word: its commands print what it says they print. `UPDATE=1` writes what
//! they print today.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests wait for all of the output: who still holds the pipes would be a finding; UPDATE is asked for by hand"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// The home of whoever takes the tour.
const HOME: &str = "/home/ada";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// A fenced block: its language, its text, and where the text stands.
struct Block {
    language: String,
    text: String,
    start: usize,
}

/// The blocks from one heading to the next.
fn blocks(text: &str, heading: &str) -> Vec<Block> {
    let from = text.find(heading).unwrap() + heading.len();
    let to = text[from..]
        .find("\n## ")
        .map_or(text.len(), |end| from + end);
    let mut found = Vec::new();
    let mut at = from;
    while let Some(fence) = text[at..to].find("\n```") {
        let language = at + fence + 4;
        let start = language + text[language..].find('\n').unwrap() + 1;
        let end = start - 1 + text[start - 1..].find("\n```").unwrap() + 1;
        found.push(Block {
            language: text[language..start - 1].to_owned(),
            text: text[start..end].to_owned(),
            start,
        });
        at = end + 3;
    }
    found
}

/// A new user: an empty project, and a home of its own.
struct Newcomer {
    home: TempDir,
}

impl Newcomer {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("shop")).unwrap();
        Self { home }
    }

    /// What a shell prints, with the home called as in the README.
    fn types(&self, commands: &str) -> String {
        let bin = Path::new(env!("CARGO_BIN_EXE_hookline")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let home = fs::canonicalize(self.home.path()).unwrap();
        let ran = Command::new("/bin/sh")
            .args(["-c", &format!("exec 2>&1\n{commands}")])
            .current_dir(home.join("shop"))
            .env_clear()
            .envs(crate::support::measured::measured())
            .env("PATH", path)
            .env("HOME", &home)
            .env("TMPDIR", &home)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{commands}");
        let printed = String::from_utf8(ran.stdout).unwrap();
        printed.replace(home.to_str().unwrap(), HOME)
    }
}

/// Without what differs between machines and runs: times, and how many files a system is looked for.
fn steady(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<f64>().is_ok();
        let shown = words.iter().enumerate().map(|(place, word)| {
            let next = words.get(place + 1).copied().unwrap_or_default();
            let varies = matches!(next, "ms" | "s" | "more");
            if number(word) && varies { "N" } else { *word }
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// What the README shows, and what is printed today: the block, and its text now.
fn take_the_tour(text: &str) -> Vec<(Block, String)> {
    let newcomer = Newcomer::new();
    let mut printed = String::new();
    let mut shown = Vec::new();
    for block in blocks(text, "\n## The tour") {
        if block.language == "sh" {
            assert_eq!(printed, "", "the README does not show what this prints");
            printed = newcomer.types(&block.text);
        } else {
            shown.push((block, std::mem::take(&mut printed)));
        }
    }
    shown
}

/// The README with what is printed today.
fn rewritten(text: &str) -> String {
    let mut new = text.to_owned();
    // From the end, so that places stay.
    for (block, now) in take_the_tour(text).into_iter().rev() {
        if steady(&now) != steady(&block.text) {
            new.replace_range(block.start..block.start + block.text.len(), &now);
        }
    }
    new
}

#[test]
fn the_tour_prints_what_the_readme_says() {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(root().join("README.md"), rewritten(&readme())).unwrap();
    }
    let shown = take_the_tour(&readme());
    assert_eq!(shown.len(), 5);
    for (block, now) in shown {
        assert_eq!(steady(&now), steady(&block.text), "UPDATE=1 writes it anew");
    }
}

#[test]
fn the_tour_shows_a_refusal_an_explanation_an_approval_and_a_finding() {
    let text = readme();
    let shown: String = blocks(&text, "\n## The tour")
        .iter()
        .map(|block| block.text.as_str())
        .collect();
    for line in [
        "approved one hook",
        "verdict: deny: it does not happen",
        "reason: rm -rf is not allowed here",
        "exit code 2",
        "would not run: `Bash` does not fit `Write`",
        "approved, and is not what it was then",
        "^^^^^^^^",
        "exit code 1",
    ] {
        assert!(shown.contains(line), "{line}");
    }
}

#[test]
fn the_two_commands_stand_at_the_top_and_ci_runs_the_second() {
    let text = readme();
    let two: Vec<String> = blocks(&text, "\n## Two commands")
        .into_iter()
        .map(|block| block.text)
        .collect();
    assert_eq!(
        two,
        [
            "cargo run -p hook-cli -- demo\n",
            "cargo test --workspace\n"
        ]
    );
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains("tests() { cargo test --workspace; }"));
}

#[test]
fn every_file_that_the_readme_names_is_there() {
    let text = readme();
    let links = text
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap());
    let links: Vec<&str> = links.filter(|link| !link.contains("://")).collect();
    assert!(links.len() > 15);
    for link in links {
        assert!(root().join(link).exists(), "{link}");
    }
}

#[test]
fn every_crate_has_its_sentence() {
    let text = readme();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("| `{name}` |")), "{name}");
    }
}
