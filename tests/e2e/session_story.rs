//! The story of a whole session: what the model says in it, the hooks around it, and what the user does.
//! It is told by a script, and by servers that speak the formats of real services.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::{Agent, AgentEvent, AgentEventKind, Ending, Model, Permissions, Session, Toolbox};
use hook_runner::{HookSet, Runner};
use hook_shell::ShellHook;
use hook_types::{
    EndReason, PermissionMode, PostToolUse, PreToolUse, SessionEnd, SessionStart, Stop,
    UserPromptSubmit,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// How many tokens the model can hold.
pub(crate) const CONTEXT_WINDOW: u64 = 1_000;

/// How long the model thinks before each word of a slow turn.
pub(crate) const SLOWLY: Duration = Duration::from_millis(100);

/// What the model says to one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) text: &'static str,
    pub(crate) calls: Vec<(&'static str, Value)>,
    /// Read and written.
    pub(crate) tokens: (u64, u64),
    pub(crate) slow: bool,
}

fn say(text: &'static str) -> Line {
    Line {
        text,
        ..Line::default()
    }
}

fn call(name: &'static str, input: Value) -> Line {
    say("").and_call(name, input)
}

impl Line {
    fn and_call(mut self, name: &'static str, input: Value) -> Self {
        self.calls.push((name, input));
        self
    }
}

/// What the model says, in order.
pub(crate) fn lines() -> Vec<Line> {
    let read = |name: &str| json!({ "file_path": name });
    let task = json!({"description": "look", "prompt": "Look for dragons."});
    let notes = json!({"file_path": "notes.txt", "content": "all well\n"});
    vec![
        say("I read both.")
            .and_call("Read", read("a.txt"))
            .and_call("Read", read("b.txt")),
        call("Bash", json!({"command": "rm -rf build"})),
        call("Bash", json!({"command": "echo draft"})),
        call("Write", notes),
        say("Done."),
        say("Tested."),
        call("Agent", task),
        say("No dragons."),
        Line {
            tokens: (900, 10),
            ..say("There are none.")
        },
        say("The user has notes and no dragons."),
        Line {
            slow: true,
            ..say("Next we will go home")
        },
        say("Very well."),
    ]
}

/// The id of a call: the number of the line, and of the call in it.
pub(crate) fn id(line: usize, call: usize) -> String {
    format!("toolu_{}_{}", line + 1, call + 1)
}

/// A guard that forbids `rm`, and has drafts made final.
const GUARD: &str = r#"
input=$(cat)
case $input in
  *'rm -rf'*) echo 'rm is not allowed here' >&2; exit 2 ;;
  *'echo draft'*) echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "echo final"}}}' ;;
esac
"#;

/// Holds the agent back once.
const HOLD: &str = r"
[ -e held ] && exit 0
touch held
echo 'run the tests first' >&2
exit 2
";

/// Answers at once that it will answer, and answers when a file appears.
const LATE: &str = r#"
echo '{"async": true}'
until [ -e go ]; do sleep 0.02; done
echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "lint: clean"}}'
"#;

fn hooks() -> HookSet {
    HookSet::builder()
        .hook::<SessionStart>("", ShellHook::new("echo 'branch: main'"))
        .hook::<UserPromptSubmit>("", ShellHook::new("echo 'it is Monday'"))
        .hook::<PreToolUse>("Bash", ShellHook::new(GUARD))
        .hook::<PostToolUse>("Write", ShellHook::new(LATE))
        .hook::<Stop>("", ShellHook::new(HOLD))
        .hook::<SessionEnd>("", ShellHook::new("touch ended"))
        .build()
        .expect("the hooks are well formed")
}

/// The session, from its start to its end, in a directory.
pub(crate) async fn play(model: Arc<dyn Model>, root: &Path) {
    fs::write(root.join("a.txt"), "alpha\n").expect("a file");
    fs::write(root.join("b.txt"), "beta\n").expect("a file");
    let runner = Runner::new(hooks());
    let (agent, deltas) = agent(model, runner.clone(), root);
    let mut session = agent.start().await;
    set_up(&mut session, &runner, root).await;
    let dragons = session.prompt("Look for dragons.").await;
    assert_eq!(dragons.text, "There are none.");
    interrupted(&mut session, deltas).await;
    assert_eq!(session.prompt("Go home.").await.text, "Very well.");
    session.end(EndReason::PromptInputExit).await;
    is_left_behind(root);
}

fn is_left_behind(root: &Path) {
    assert!(root.join("ended").exists(), "SessionEnd has run");
    let notes = fs::read_to_string(root.join("notes.txt"));
    assert_eq!(notes.expect("it was written"), "all well\n");
}

/// The agent, and the words of its model as they come.
fn agent(model: Arc<dyn Model>, runner: Runner, root: &Path) -> (Agent, UnboundedReceiver<String>) {
    let (sent, deltas) = unbounded_channel();
    let agent = Agent::builder()
        .shared_model(model)
        .tools(Toolbox::standard())
        .runner(Arc::new(runner))
        .system_prompt("Be brief.")
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
        .cwd(root)
        .transcripts_in(root.join("sessions"))
        .observer(move |event: &AgentEvent| {
            if let AgentEventKind::TextDelta(text) = &event.kind {
                let _ = sent.send(text.clone());
            }
        })
        .build();
    (agent, deltas)
}

/// The first turn, and what goes on behind it.
async fn set_up(session: &mut Session, runner: &Runner, root: &Path) {
    let first = session.prompt("Set things up.").await;
    assert_eq!(first.ending, Ending::Finished);
    assert_eq!(first.denials.len(), 1);
    fs::write(root.join("go"), "").expect("a file");
    while runner.in_background() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A turn that the user interrupts in the middle of a sentence.
async fn interrupted(session: &mut Session, mut deltas: UnboundedReceiver<String>) {
    let interrupt = session.interrupt_handle();
    let waiting = tokio::spawn(async move {
        while let Some(text) = deltas.recv().await {
            if text == "we " {
                interrupt.interrupt();
            }
        }
    });
    let turn = session.prompt("What next?").await;
    assert_eq!(turn.ending, Ending::Interrupted);
    waiting.abort();
}
