//! `TaskCreate` and `TaskUpdate`: what they propose, and what they refuse.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use agent_loop::{Effect, Task, TaskStatus};
use serde_json::json;
use tools_support::Desk;

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

fn task(id: &str, subject: &str) -> Task {
    let mut task = Task::new(id, subject);
    task.description = String::from("…");
    task
}

#[tokio::test]
async fn a_task_is_proposed_and_the_list_is_left_to_the_loop() {
    let desk = Desk::new();
    let input =
        json!({"subject": "Write tests", "description": "…", "activeForm": "Writing tests"});
    let output = desk.call("TaskCreate", input.clone()).await.unwrap();
    let mut proposed = task("1", "Write tests");
    proposed.active_form = Some("Writing tests".to_owned());
    assert_eq!(
        output.response,
        json!({"task": {"id": "1", "subject": "Write tests"}})
    );
    assert_eq!(output.effects, [Effect::CreateTask(proposed)]);
    assert_eq!(desk.context.tasks.all(), []);
    let again = desk.call("TaskCreate", input).await.unwrap();
    assert_eq!(
        again.response["task"]["id"], "2",
        "an id is given once, also where hooks refuse the task"
    );
    let seen = desk.tool("TaskCreate").render(&again.response).unwrap();
    assert_eq!(seen, "Task 2 is on the list: Write tests");
}

#[tokio::test]
async fn a_change_says_what_differs() {
    let desk = Desk::new();
    desk.context.tasks.put(task("7", "old"));
    let input = json!({"taskId": "7", "status": "completed", "subject": "new", "description": "…", "owner": "me"});
    let output = desk.call("TaskUpdate", input).await.unwrap();
    assert_eq!(
        output.response,
        json!({"success": true, "taskId": "7", "updatedFields": ["subject", "owner", "status"],
               "statusChange": {"from": "pending", "to": "completed"}})
    );
    let mut changed = task("7", "new");
    changed.owner = Some("me".to_owned());
    changed.status = TaskStatus::Completed;
    assert_eq!(output.effects, [Effect::ChangeTask(changed)]);
    assert_eq!(desk.context.tasks.all(), [task("7", "old")]);
    let seen = desk.tool("TaskUpdate").render(&output.response).unwrap();
    assert_eq!(
        seen,
        "Task 7 is completed now (changed: subject, owner, status)."
    );
}

#[tokio::test]
async fn what_cannot_be_changed_is_refused() {
    let desk = Desk::new();
    let status = json!({"taskId": "9", "status": "completed"});
    assert_eq!(
        desk.failure("TaskUpdate", status.clone()).await,
        "there is no task `9`; the list is empty"
    );
    desk.context.tasks.put(task("1", "one"));
    desk.context.tasks.put(task("2", "two"));
    assert_eq!(
        desk.failure("TaskUpdate", status).await,
        "there is no task `9`; there are 1, 2"
    );
    let same = json!({"taskId": "1", "status": "pending"});
    let message = desk.failure("TaskUpdate", same).await;
    assert!(message.starts_with("nothing to change"), "{message}");
    let error = desk
        .toolbox
        .check("TaskUpdate", &json!({"taskId": "1", "status": "done"}))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`status` must be one of \"pending\", \"in_progress\", \"completed\", \"deleted\", but is \"done\""
    );
}
