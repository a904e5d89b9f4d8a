//! The story: what the model says, the hooks that are written in Rust, and the two turns.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_loop::permission::AllowAll;
use agent_loop::{Agent, AgentEvent, Scene, Scripted, Toolbox, TurnResult};
use hook_config::{Options, Places, TrustEverything, load};
use hook_runner::{HookSet, HookSetBuilder, Policy, Runner, Session, hook_fn};
use hook_shell::Host;
use hook_types::{EndReason, Event, PostToolUse, PreToolUse, Source};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::moment::Moment;
use super::scratch::Scratch;
use super::witness::Witness;
use crate::failure::Failure;
use crate::recording::{Book, kept};

/// What the user says first.
const FIRST: &str = "Clear out the old data, then deploy the shop.";
/// What the user says later.
const SECOND: &str = "Did CI pass?";
/// What the deployment prints, and nobody should see.
pub(crate) const SECRET: &str = "s3cr3t-42";

/// How long the answer from the background may take once CI is done.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came of the story.
pub(crate) struct Told {
    /// What every turn came to.
    pub(crate) turns: Vec<TurnResult>,
    /// What the model was asked, and what is left of its script.
    pub(crate) model: Scripted,
}

/// Hooks in Rust: they stand beside those of the file.
pub(crate) fn in_rust() -> HookSetBuilder {
    let dry_run = hook_fn(|call: PreToolUse| match call.command() {
        Some("sh deploy.sh") => PreToolUse::rewrite(json!({"command": "sh deploy.sh --dry-run"})),
        _ => PreToolUse::pass(),
    });
    let dry_run = dry_run.id("dry-run").source(here(line!() - 4));
    let mask = hook_fn(|call: PostToolUse| {
        let mut output = call.tool_response;
        match output["stdout"].as_str() {
            Some(text) if text.contains(SECRET) => {
                output["stdout"] = Value::from(text.replace(SECRET, "***"));
                PostToolUse::replace_output(output)
            }
            _ => PostToolUse::pass(),
        }
    });
    let mask = mask.id("mask-secrets").source(here(line!() - 10));
    HookSet::builder().on("Bash", dry_run).on("Bash", mask)
}

/// A line of this file.
fn here(line: u32) -> Source {
    Source {
        file: file!().to_owned(),
        line,
    }
}

/// What the model says, and what it must have been told to say it.
fn script() -> Scripted {
    let bash = |command: &str| Scene::call("Bash", json!({"command": command}));
    Scripted::new([
        bash("rm -rf data").expecting("Releases are frozen"),
        bash("sh deploy.sh").expecting("move things to trash/ instead"),
        Scene::call(
            "Write",
            json!({"file_path": "CHANGES.md", "content": "- tried the release\n"}),
        )
        .expecting("token=***"),
        Scene::say("All done."),
        bash("sh test.sh").expecting("run the tests first"),
        Scene::say("The tests pass: now I am done.").expecting("2 tests passed"),
        Scene::say("Yes, CI is green.").expecting("CI is green"),
    ])
}

/// Plays the story in a scratch project, with the real agent, real hooks and real processes.
pub(crate) async fn play(
    scratch: &Scratch,
    host: &Host,
    moments: UnboundedSender<Moment>,
    book: Option<&Arc<Book>>,
) -> Result<Told, Failure> {
    let root = scratch.root();
    let hooks = kept(runner(root, host)?, book);
    let witness = Arc::new(Witness::new(hooks, moments.clone()));
    let model = script();
    let seen = moments.clone();
    let agent = Agent::builder()
        .model(model.clone())
        .tools(Toolbox::standard())
        .runner(Arc::clone(&witness) as Arc<_>)
        .approver(AllowAll)
        .cwd(root)
        .observer(move |event: &AgentEvent| {
            for moment in Moment::of(event) {
                let _ = seen.send(moment);
            }
        })
        .build();
    let mut session = agent.start().await;
    let _ = moments.send(Moment::Prompt(FIRST.to_owned()));
    let mut turns = vec![session.prompt(FIRST).await];
    if turns[0].is_finished() {
        scratch.finish_ci()?;
        // If nothing comes, the claims say so.
        let _ = tokio::time::timeout(PATIENCE, witness.until_late()).await;
        let _ = moments.send(Moment::Prompt(SECOND.to_owned()));
        turns.push(session.prompt(SECOND).await);
    }
    session.end(EndReason::Unspecified).await;
    host.close().await;
    Ok(Told { turns, model })
}

/// The hooks of the project's file, and those in Rust. Nobody else's: the user's own stay out of it.
pub(crate) fn runner(root: &Path, host: &Host) -> Result<Runner, Failure> {
    let options = Options::new(host.clone())
        .trust(Arc::new(TrustEverything))
        .rust_hooks(in_rust);
    let loaded = load(&Places::none().project(root), &options);
    if let Some(problem) = loaded.report.diagnostics.first() {
        return Err(Failure::invalid(format!(
            "the demonstration's own hooks are broken: {problem}"
        )));
    }
    let session = Session::default();
    Ok(Runner::with(loaded.hooks, session, Policy::default()))
}
