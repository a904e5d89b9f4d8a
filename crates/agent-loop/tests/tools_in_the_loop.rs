//! The tools under an agent whose hooks have a say.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;

use agent_loop::{Agent, Block, Permissions, Scene, Scripted, Toolbox};
use hook_runner::{HookSet, HookSetBuilder};
use hook_types::{CwdChanged, Event, PermissionMode, PostToolUse, PreToolUse, TaskCreated};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An agent in a scratch directory that makes these calls, one a turn of the model.
struct Stage {
    folder: TempDir,
    model: Scripted,
    agent: Agent,
}

impl Stage {
    fn new(calls: &[(&str, Value)], hooks: HookSetBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let calls = calls
            .iter()
            .map(|(name, input)| Scene::call(*name, input.clone()));
        let model = Scripted::new(calls.chain([Scene::say("done")]));
        let agent = Agent::builder()
            .model(model.clone())
            .tools(Toolbox::standard())
            .hooks(hooks.build().unwrap())
            .permissions(Permissions::new(PermissionMode::BypassPermissions))
            .cwd(folder.path().canonicalize().unwrap())
            .build();
        Self {
            folder,
            model,
            agent,
        }
    }

    /// What the model was told of each call, and whether that was a failure.
    async fn results(&self) -> Vec<(String, bool)> {
        assert_eq!(self.agent.run("go").await.text, "done");
        let last = self.model.requests().pop().unwrap();
        let blocks = last
            .messages
            .into_iter()
            .flat_map(|message| message.content);
        let results = blocks.filter_map(|block| match block {
            Block::ToolResult(result) => Some((result.text(), result.is_error)),
            Block::Text { .. } | Block::ToolUse(_) | Block::Other(_) => None,
        });
        results.collect()
    }

    fn content(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

fn write(file: &str, content: &str) -> (&'static str, Value) {
    ("Write", json!({"file_path": file, "content": content}))
}

#[tokio::test]
async fn a_formatter_hook_does_not_break_the_next_write_or_edit() {
    let hooks = HookSet::builder().on("Write|Edit", |done: PostToolUse| {
        let path = done.tool_response["filePath"].as_str().unwrap();
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, format!("{}\n// formatted\n", text.trim_end())).unwrap();
    });
    let edit = json!({"file_path": "a.rs", "old_string": "one", "new_string": "two"});
    let calls = [
        write("a.rs", "fn one( ) {}"),
        write("a.rs", "fn one() {}"),
        ("Edit", edit),
    ];
    let stage = Stage::new(&calls, hooks);
    let results = stage.results().await;
    assert!(results.iter().all(|(_, failed)| !failed), "{results:?}");
    assert_eq!(
        stage.content("a.rs"),
        "fn two() {}\n// formatted\n// formatted\n"
    );
}

#[tokio::test]
async fn a_hook_judges_the_path_that_the_tool_then_opens() {
    let hooks = HookSet::builder().on("Write", |call: PreToolUse| {
        let path = call.tool_input["file_path"].as_str().unwrap().to_owned();
        if path.ends_with("/secret/key") && path.starts_with('/') && !path.contains("..") {
            PreToolUse::deny("not there")
        } else {
            PreToolUse::pass()
        }
    });
    let stage = Stage::new(
        &[write("src/../secret/./key", "x"), write("ok", "y")],
        hooks,
    );
    let results = stage.results().await;
    assert!(
        results[0].1 && results[0].0.contains("not there"),
        "{results:?}"
    );
    assert!(!stage.folder.path().join("secret").exists());
    assert_eq!(stage.content("ok"), "y");
}

#[tokio::test]
async fn a_rewritten_command_is_checked_and_then_run() {
    let hooks = HookSet::builder().on("Bash", |call: PreToolUse| match call.tool_input["command"]
        .as_str()
    {
        Some("good") => PreToolUse::rewrite(json!({"command": "echo rewritten > out"})),
        _ => PreToolUse::rewrite(json!({"command": 7})),
    });
    let calls = [
        ("Bash", json!({"command": "bad"})),
        ("Bash", json!({"command": "good"})),
    ];
    let stage = Stage::new(&calls, hooks);
    let results = stage.results().await;
    assert!(
        results[0].1
            && results[0]
                .0
                .contains("`command` must be a string, but is 7"),
        "{results:?}"
    );
    assert_eq!(
        (results[1].1, stage.content("out").as_str()),
        (false, "rewritten\n")
    );
}

#[tokio::test]
async fn a_command_moves_the_agent_and_hooks_hear_of_it() {
    let hooks = HookSet::builder().on("", |moved: CwdChanged| {
        fs::write(format!("{}/heard", moved.new_cwd), &moved.old_cwd).unwrap();
    });
    let calls = [
        ("Bash", json!({"command": "mkdir sub && cd sub"})),
        ("Bash", json!({"command": "pwd"})),
    ];
    let stage = Stage::new(&calls, hooks);
    let root = stage.folder.path().canonicalize().unwrap();
    let results = stage.results().await;
    assert_eq!(results[1].0, root.join("sub").to_str().unwrap());
    assert_eq!(stage.content("sub/heard"), root.to_str().unwrap());
}

#[tokio::test]
async fn a_task_that_hooks_refuse_is_not_on_the_list() {
    let hooks = HookSet::builder().on("", |task: TaskCreated| {
        if task.task_subject == "bad" {
            TaskCreated::deny("no such task here")
        } else {
            TaskCreated::pass()
        }
    });
    let task = |subject: &str| ("TaskCreate", json!({"subject": subject, "description": ""}));
    let done = |id: &str| ("TaskUpdate", json!({"taskId": id, "status": "completed"}));
    let stage = Stage::new(&[task("bad"), task("good"), done("1"), done("2")], hooks);
    let results = stage.results().await;
    let failed: Vec<bool> = results.iter().map(|(_, failed)| *failed).collect();
    assert_eq!(failed, [true, false, true, false], "{results:?}");
    assert!(results[0].0.contains("no such task here"), "{results:?}");
    assert_eq!(results[2].0, "there is no task `1`; there are 2");
}
