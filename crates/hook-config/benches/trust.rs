//! What it costs to ask at each firing whether a hook is still what was approved.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hook_config::trust::{ContentTrust, Surroundings, Trust, TrustStore};
use hook_config::{Places, Subject, discover};
use hook_runner::Gate;
use serde_json::json;

const ROUNDS: usize = 101;
/// Over before the files have settled.
const FEW_ROUNDS: usize = 5;
const ASKED: u32 = 40;
/// Longer than a file counts as young.
const SETTLED: Duration = Duration::from_millis(2300);

fn main() -> Result<(), Box<dyn Error>> {
    println!("| asked | median ns | lowest ns |\n|---|---|---|");
    for scripts in [0, 1, 5] {
        let folder = tempfile::tempdir()?;
        let gate = approved(folder.path(), scripts, 4 * 1024)?;
        let young = format!("{scripts} scripts of 4 KiB, just written: read again");
        print(&young, &measure(gate.as_ref(), FEW_ROUNDS));
        std::thread::sleep(SETTLED);
        gate.admit();
        print(
            &format!("{scripts} scripts of 4 KiB"),
            &measure(gate.as_ref(), ROUNDS),
        );
    }
    let folder = tempfile::tempdir()?;
    let gate = approved(folder.path(), 1, 4 * 1024 * 1024)?;
    std::thread::sleep(SETTLED);
    gate.admit();
    print("1 script of 4 MiB", &measure(gate.as_ref(), ROUNDS));
    Ok(())
}

/// The gate of an approved hook that names so many scripts.
fn approved(folder: &Path, scripts: usize, length: usize) -> Result<Arc<dyn Gate>, Box<dyn Error>> {
    let project = folder.join("project");
    fs::create_dir_all(project.join(".claude"))?;
    let mut command = "true".to_owned();
    for number in 0..scripts {
        fs::write(project.join(format!("{number}.sh")), "#".repeat(length))?;
        write!(command, " && sh \"$CLAUDE_PROJECT_DIR\"/{number}.sh")?;
    }
    let entry = json!({"type": "command", "command": command});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}});
    fs::write(project.join(".claude/settings.json"), settings.to_string())?;
    let store = TrustStore::at(folder.join("state"));
    let trust = ContentTrust::new(Surroundings::new(&project), Some(store));
    let files = discover(&Places::none().project(&project));
    trust.approve(&trust.reviews(&files))?;
    let file = files.iter().find(|file| file.parsed.entries().count() == 1);
    let file = file.ok_or("no file with a hook")?;
    let entry = file.parsed.entries().next().ok_or("no hook")?;
    let judgement = trust.judge(&Subject {
        origin: &file.origin,
        place: &entry.place,
        content: &entry.normalised(),
        listens: &entry.listens,
        entry: Some(entry),
    });
    if !judgement.state.runs() {
        return Err("the hook is not approved".into());
    }
    judgement.gate.ok_or_else(|| "no gate".into())
}

fn measure(gate: &dyn Gate, rounds: usize) -> Vec<u128> {
    let round = |_| {
        let start = Instant::now();
        for _ in 0..ASKED {
            black_box(gate.admit());
        }
        start.elapsed().as_nanos() / u128::from(ASKED)
    };
    let mut rounds: Vec<u128> = (0..rounds).map(round).collect();
    rounds.sort_unstable();
    rounds
}

fn print(what: &str, rounds: &[u128]) {
    println!("| {what} | {} | {} |", rounds[rounds.len() / 2], rounds[0]);
}
