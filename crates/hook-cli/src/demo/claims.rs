//! What the demonstration says has happened: looked up, not believed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agent_loop::{ModelRequest, TurnResult};
use serde_json::Value;

use super::story::{SECRET, Told};

/// How long the system may take to forget a process that was ended.
const PATIENCE: Duration = Duration::from_secs(3);

/// Something that must be so, and whether it is.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) text: &'static str,
    pub(crate) holds: bool,
}

/// What must be so at the end of the story.
pub(crate) fn check(root: &Path, told: &Told) -> Vec<Claim> {
    let requests: Vec<String> = told.model.requests().iter().map(words).collect();
    let there = |name: &str| root.join(name).exists();
    let said = |number: usize, text: &str| {
        let request = requests.get(number);
        request.is_some_and(|request| request.contains(text))
    };
    let all_finished = told.turns.iter().all(TurnResult::is_finished);
    let last = requests.len().saturating_sub(1);
    let claim = |text, holds| Claim { text, holds };
    vec![
        claim(
            "the agent went through the whole story",
            all_finished && told.model.left() == 0,
        ),
        claim("data/orders.csv is still there", there("data/orders.csv")),
        claim(
            "deploy.sh ran as a dry run, and deployed nothing",
            said(2, "dry run: 2 files") && !there("deployed"),
        ),
        claim(
            "the model never saw the token",
            said(2, "token=***") && !requests.iter().any(|request| request.contains(SECRET)),
        ),
        claim(
            "the tests ran before the agent stopped",
            there("tests-passed") && said(4, "run the tests first"),
        ),
        claim(
            "the answer from the background came with the next turn",
            said(last, "CI is green") && !said(last.saturating_sub(1), "CI is green"),
        ),
        claim(
            "nothing is left running, not even of the hook that hangs",
            all_gone(root),
        ),
    ]
}

/// A request as text.
fn words(request: &ModelRequest) -> String {
    let messages = request.messages.iter().map(serde_json::to_value);
    let messages: Vec<Value> = messages.filter_map(Result::ok).collect();
    format!("{}{}", request.system, Value::from(messages))
}

/// Whether all processes have ended that hooks have told of. There must be three: the hook in the
/// background, the one that hangs, and the one that it started.
fn all_gone(root: &Path) -> bool {
    let pids = fs::read_to_string(root.join(".hookline/pids")).unwrap_or_default();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    let until = Instant::now() + PATIENCE;
    while pids.iter().any(|pid| is_alive(pid)) {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    pids.len() == 3
}

/// Whether a process runs. One that has ended and waits for its parent to notice does not.
fn is_alive(pid: &str) -> bool {
    if Path::new("/proc/self/stat").exists() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        return state.is_some_and(|state| state != 'Z' && state != 'X');
    }
    let asked = std::process::Command::new("kill")
        .args(["-0", pid])
        .stderr(std::process::Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_runs_is_told_from_one_that_has_ended() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = child.id().to_string();
        assert!(is_alive(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(&pid));
    }

    #[test]
    fn where_no_hook_has_told_of_a_process_nothing_is_claimed() {
        let empty = tempfile::tempdir().unwrap();
        assert!(!all_gone(empty.path()));
    }
}
