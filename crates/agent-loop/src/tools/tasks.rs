//! `TaskCreate` and `TaskUpdate`: the agent's list of what is to be done. They propose; the loop asks the hooks
//! and changes the list.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::work;
use crate::task::{Task, TaskStatus};
use crate::tool::{Access, Effect, Tool, ToolContext, ToolError, ToolOutput};

/// Puts a task on the list.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use agent_loop::{Effect, Tool, ToolContext, tools::TaskCreate};
/// use serde_json::json;
///
/// let input = json!({"subject": "Write tests", "description": "For the parser."});
/// let output = TaskCreate.call(input, &ToolContext::standalone("/")).await?;
/// assert_eq!(output.response, json!({"task": {"id": "1", "subject": "Write tests"}}));
/// assert!(matches!(&output.effects[..], [Effect::CreateTask(task)] if task.id == "1"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskCreate;

#[derive(Deserialize)]
struct NewTask {
    subject: String,
    description: String,
    #[serde(rename = "activeForm")]
    active_form: Option<String>,
}

#[async_trait]
impl Tool for TaskCreate {
    fn name(&self) -> &'static str {
        "TaskCreate"
    }

    fn description(&self) -> &'static str {
        "Puts a task on your list. Use it to plan work of several steps."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["subject", "description"], "additionalProperties": false,
            "properties": {
                "subject": {"type": "string", "minLength": 1, "description": "What it is about, in a few words."},
                "description": {"type": "string", "description": "What is to be done."},
                "activeForm": {"type": "string", "description": "What is shown while you are at it."},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Own
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let input: NewTask = work::parse(input)?;
        let mut task = Task::new(context.tasks.next_id(), input.subject);
        task.description = input.description;
        task.active_form = input.active_form;
        let response = json!({"task": {"id": task.id, "subject": task.subject}});
        Ok(ToolOutput::structured(response).and(Effect::CreateTask(task)))
    }

    fn render(&self, response: &Value) -> Option<String> {
        let task = response.get("task")?;
        let (id, subject) = (task.get("id")?.as_str()?, task.get("subject")?.as_str()?);
        Some(format!("Task {id} is on the list: {subject}"))
    }
}

/// Changes a task on the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskUpdate;

#[derive(Deserialize)]
struct TaskChange {
    #[serde(rename = "taskId")]
    task_id: String,
    status: Option<TaskStatus>,
    subject: Option<String>,
    description: Option<String>,
    #[serde(rename = "activeForm")]
    active_form: Option<String>,
    owner: Option<String>,
}

#[async_trait]
impl Tool for TaskUpdate {
    fn name(&self) -> &'static str {
        "TaskUpdate"
    }

    fn description(&self) -> &'static str {
        "Changes a task on your list: its status when you begin it and when it is done, or what it says."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object", "required": ["taskId"], "additionalProperties": false,
            "properties": {
                "taskId": {"type": "string", "description": "The task's id."},
                "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "deleted"],
                           "description": "How it stands now; deleted takes it off the list."},
                "subject": {"type": "string", "minLength": 1, "description": "What it is about."},
                "description": {"type": "string", "description": "What is to be done."},
                "activeForm": {"type": "string", "description": "What is shown while you are at it."},
                "owner": {"type": "string", "description": "Who is at it."},
            }
        })
    }

    fn access(&self, _: &Value) -> Access {
        Access::Own
    }

    async fn call(&self, input: Value, context: &ToolContext) -> Result<ToolOutput, ToolError> {
        let change: TaskChange = work::parse(input)?;
        let old = context.tasks.get(&change.task_id);
        let old = old.ok_or_else(|| unknown(&change.task_id, context))?;
        let (task, fields) = change.applied_to(old.clone());
        if fields.is_empty() {
            return Err(ToolError::new(
                "nothing to change: give a status or another field that differs",
            ));
        }
        let mut response = json!({"success": true, "taskId": task.id, "updatedFields": fields});
        if task.status != old.status {
            response["statusChange"] = json!({"from": old.status, "to": task.status});
        }
        Ok(ToolOutput::structured(response).and(Effect::ChangeTask(task)))
    }

    fn render(&self, response: &Value) -> Option<String> {
        let id = response.get("taskId")?.as_str()?;
        let fields: Option<Vec<&str>> = response
            .get("updatedFields")?
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect();
        let fields = fields?.join(", ");
        Some(
            match response.pointer("/statusChange/to").and_then(Value::as_str) {
                Some(status) => format!("Task {id} is {status} now (changed: {fields})."),
                None => format!("Task {id} was changed: {fields}."),
            },
        )
    }
}

impl TaskChange {
    /// The changed task, and the names of what differs.
    fn applied_to(self, mut task: Task) -> (Task, Vec<&'static str>) {
        let mut fields = Vec::new();
        let mut set = |name, differs: bool| {
            if differs {
                fields.push(name);
            }
        };
        set("subject", put(&mut task.subject, self.subject));
        set("description", put(&mut task.description, self.description));
        set(
            "activeForm",
            put(&mut task.active_form, self.active_form.map(Some)),
        );
        set("owner", put(&mut task.owner, self.owner.map(Some)));
        set("status", put(&mut task.status, self.status));
        (task, fields)
    }
}

/// Puts a value there, if there is one; whether that changed anything.
fn put<T: PartialEq>(place: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) if value != *place => {
            *place = value;
            true
        }
        Some(_) | None => false,
    }
}

fn unknown(id: &str, context: &ToolContext) -> ToolError {
    let ids: Vec<String> = context
        .tasks
        .all()
        .into_iter()
        .map(|task| task.id)
        .collect();
    ToolError::new(match ids.as_slice() {
        [] => format!("there is no task `{id}`; the list is empty"),
        ids => format!("there is no task `{id}`; there are {}", ids.join(", ")),
    })
}
