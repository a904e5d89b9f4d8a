//! Files that change while a session runs.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set itself up has failed"
)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hook_config::{Options, Places, Reloaded, Reloader, TrustEverything, keep_fresh, load};
use hook_runner::{Fire, Runner};
use hook_shell::Host;
use hook_types::{PreToolUse, UserPromptSubmit};
use serde_json::json;
use tokio::sync::mpsc;

/// A file that denies with these words.
fn denies(with: &str) -> String {
    let command = format!("echo {with} >&2; exit 2");
    json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}})
        .to_string()
}

async fn reason(runner: &Runner) -> Option<String> {
    let verdict = runner
        .fire(PreToolUse::new("Bash", json!({"command": "ls"})))
        .await;
    verdict.reason().map(str::to_owned)
}

struct Fresh {
    project: tempfile::TempDir,
    runner: Runner,
    told: mpsc::UnboundedReceiver<Reloaded>,
    task: tokio::task::JoinHandle<()>,
}

impl Fresh {
    fn start(content: Option<&str>) -> Self {
        let project = tempfile::tempdir().unwrap();
        if let Some(content) = content {
            write(project.path(), content);
        }
        let places = Places::none().project(project.path());
        let options = Options::new(Host::new()).trust(Arc::new(TrustEverything));
        let loaded = load(&places, &options);
        let runner = Runner::new(loaded.hooks.clone());
        let reloader = Reloader::new(places, options, &loaded.report);
        let (tell, told) = mpsc::unbounded_channel();
        let fresh = keep_fresh(runner.clone(), reloader, move |change| {
            let _ = tell.send(change);
        });
        let task = tokio::spawn(async move {
            let stopped = fresh.await;
            panic!("watching has ended: {stopped:?}");
        });
        Self {
            project,
            runner,
            told,
            task,
        }
    }

    async fn next(&mut self) -> Reloaded {
        let waited = tokio::time::timeout(Duration::from_mins(1), self.told.recv());
        waited.await.unwrap().unwrap()
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn write(project: &Path, content: &str) {
    fs::create_dir_all(project.join(".hookline")).unwrap();
    fs::write(project.join(".hookline/hooks.json"), content).unwrap();
}

#[tokio::test]
async fn a_changed_file_counts_from_the_next_firing_on() {
    let mut fresh = Fresh::start(Some(&denies("first")));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("first"));
    write(fresh.project.path(), &denies("second"));
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("second"));
}

#[tokio::test]
async fn a_file_that_comes_later_in_a_folder_that_comes_later_is_noticed() {
    let mut fresh = Fresh::start(None);
    assert_eq!(reason(&fresh.runner).await, None);
    write(fresh.project.path(), &denies("late"));
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("late"));
}

#[tokio::test]
async fn a_broken_file_keeps_the_old_hooks_and_says_so() {
    let mut fresh = Fresh::start(Some(&denies("kept")));
    write(fresh.project.path(), "{\"hooks\": ");
    let Reloaded::Broken { problems, changed } = fresh.next().await else {
        panic!("it cannot be used");
    };
    assert_eq!(problems[0].code.as_str(), "not-json");
    assert!(changed[0].ends_with(".hookline/hooks.json"));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("kept"));

    write(fresh.project.path(), &denies("mended"));
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("mended"));
}

#[tokio::test]
async fn a_broken_entry_keeps_the_old_hooks_too() {
    let mut fresh = Fresh::start(Some(&denies("kept")));
    write(fresh.project.path(), r#"{"hooks": {"preToolUse": []}}"#);
    assert!(matches!(fresh.next().await, Reloaded::Broken { .. }));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("kept"));
}

#[tokio::test]
async fn a_file_that_is_taken_away_takes_its_hooks_with_it() {
    let mut fresh = Fresh::start(Some(&denies("gone")));
    fs::remove_dir_all(fresh.project.path().join(".hookline")).unwrap();
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    assert_eq!(reason(&fresh.runner).await, None);
}

#[tokio::test]
async fn a_file_that_is_replaced_by_renaming_is_noticed() {
    let mut fresh = Fresh::start(Some(&denies("first")));
    let folder = fresh.project.path().join(".hookline");
    fs::write(folder.join("new"), denies("renamed")).unwrap();
    fs::rename(folder.join("new"), folder.join("hooks.json")).unwrap();
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    assert_eq!(reason(&fresh.runner).await.as_deref(), Some("renamed"));
}

#[tokio::test]
async fn a_firing_in_flight_ends_on_the_old_hooks() {
    let slow = json!({"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "touch \"$CLAUDE_PROJECT_DIR\"/started; while [ ! -e \"$CLAUDE_PROJECT_DIR\"/go ]; do sleep 0.05; done; echo old"}]}]}});
    let mut fresh = Fresh::start(Some(&slow.to_string()));
    let project = fresh.project.path().to_owned();
    let root = project.display().to_string();
    fresh
        .runner
        .update_session(|session| session.project_dir = root);
    let runner = fresh.runner.clone();
    let firing = tokio::spawn(async move {
        let verdict = runner.fire(UserPromptSubmit::new("hello")).await;
        verdict.context().map(str::to_owned).collect::<Vec<_>>()
    });
    while !project.join("started").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    write(&project, r#"{"hooks": {}}"#);
    assert!(matches!(fresh.next().await, Reloaded::Ready { .. }));
    fs::write(project.join("go"), "").unwrap();
    assert_eq!(firing.await.unwrap(), ["old"]);
}

#[test]
fn an_error_that_was_there_from_the_start_does_not_keep_later_changes_out() {
    let project = tempfile::tempdir().unwrap();
    write(project.path(), r#"{"hooks": {"preToolUse": []}}"#);
    let places = Places::none().project(project.path());
    let options = Options::new(Host::new()).trust(Arc::new(TrustEverything));
    let loaded = load(&places, &options);
    assert!(loaded.report.has_errors());
    let mut reloader = Reloader::new(places, options, &loaded.report);
    assert!(matches!(reloader.reload(), Reloaded::Unchanged));
    write(
        project.path(),
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
            "preToolUse": []}}"#,
    );
    assert!(matches!(reloader.reload(), Reloaded::Ready { .. }));
}
