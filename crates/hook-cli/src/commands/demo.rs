//! `hookline demo`: an agent, and hooks that mind it, without any set-up.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hook_shell::Host;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::demo::{Claim, Moment, PROPS, Pace, Scratch, Timeline, Told, check, play};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::recording::{Book, Plan};
use crate::render::{Look, Tone};
use crate::runtime::runtime;
use crate::world::World;

const OPENING: &str = "\
An agent works in a scratch directory, and hooks watch it. No key, no network:
the model is a script. Everything else is real: the agent, the hooks, their
processes, the files.
";

const NEXT: &str = "
What next:
  hookline init guard-commands                     a guard in this project
  hookline fire PreToolUse --command 'rm -rf /'    what your hooks say to that
  README.md                                        the tour, and hooks in Rust
";

/// The column in which a timeline's text goes on.
const TEXT: usize = 9;

/// When something must be wrong: usually it takes less than a second, or as long as one reads.
const LONGEST: Duration = Duration::from_mins(1);

/// See hooks deny, rewrite, add context, hold an agent back and go on in the background.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline demo
  hookline demo --fast
  hookline demo --keep          then look at its hooks and scripts

Takes no key, no network and no set-up, and leaves nothing behind. The exit code is 1 if anything that
it shows did not happen.")]
pub(crate) struct Demo {
    /// Keep the scratch directory, and say where it is.
    #[arg(long)]
    keep: bool,
    /// Show things as they happen, and not at the speed of reading.
    #[arg(long)]
    fast: bool,
}

pub(crate) fn run(asked: &Demo, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    run_kept(asked, None, world, output)
}

/// The same, and what it does is written down where there is a plan for it.
pub(crate) fn run_kept(
    asked: &Demo,
    plan: Option<Plan>,
    world: &World,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let scratch = Scratch::new()?;
    let book = plan.map(|plan| plan.also(PROPS).open("demo", scratch.root(), world));
    let book = book.transpose()?;
    let runtime = runtime()?;
    let host = Host::new();
    let pace = if output.live && !asked.fast {
        Pace::readable()
    } else {
        Pace::AtOnce
    };
    let shown = runtime.block_on(async {
        tokio::select! {
            shown = show(&scratch, &host, &pace, book.as_ref(), output) => Some(shown),
            () = tokio::time::sleep(LONGEST) => Some(Err(Failure::invalid(
                "the demonstration hangs, which it should not; what it had started was ended",
            ))),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    // What still runs was ended when its future was dropped.
    runtime.block_on(host.close());
    drop(runtime);
    let Some(shown) = shown else {
        scratch.remove()?;
        return Ok(Exit::Interrupted);
    };
    let (told, events) = shown?;
    let claims = check(scratch.root(), &told);
    let kept = if asked.keep {
        Some(scratch.keep())
    } else {
        scratch.remove()?;
        None
    };
    let exit = conclude(&claims, &events, kept.as_deref(), output)?;
    if let Some(book) = &book {
        super::record::conclude(book, output)?;
    }
    Ok(exit)
}

/// Plays the story and shows it meanwhile.
async fn show(
    scratch: &Scratch,
    host: &Host,
    pace: &Pace,
    book: Option<&Arc<Book>>,
    output: &mut Output,
) -> Result<(Told, Vec<Value>), Failure> {
    let (sender, moments) = unbounded_channel();
    let (told, events) = tokio::join!(
        play(scratch, host, sender, book),
        print(scratch, pace, moments, output)
    );
    Ok((told?, events?))
}

/// Prints moments as they come; for programs they are kept for the end.
async fn print(
    scratch: &Scratch,
    pace: &Pace,
    mut moments: UnboundedReceiver<Moment>,
    output: &mut Output,
) -> Result<Vec<Value>, Failure> {
    let mut timeline = Timeline::new(Look::of(output), scratch.root());
    let mut events = Vec::new();
    // That nobody reads on does not end the story half-way.
    let mut printed = if output.is_json() {
        Ok(())
    } else {
        output.print(OPENING)
    };
    while let Some(moment) = moments.recv().await {
        if output.is_json() {
            events.push(moment.json());
            continue;
        }
        let text = timeline.tell(&moment);
        if printed.is_ok() && !text.is_empty() {
            pace.beat().await;
            printed = output.prose_at(TEXT, &text);
        }
    }
    printed.map(|()| events)
}

/// Says whether all of it is so, and what comes next.
fn conclude(
    claims: &[Claim],
    events: &[Value],
    kept: Option<&std::path::Path>,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let exit = if claims.iter().all(|claim| claim.holds) {
        Exit::Done
    } else {
        Exit::Failed
    };
    if output.is_json() {
        let claims = claims
            .iter()
            .map(|claim| json!({"claim": claim.text, "holds": claim.holds}));
        output.json(
            &json!({"events": events, "claims": claims.collect::<Vec<_>>(),
            "directory": kept}),
        )?;
        return Ok(exit);
    }
    let look = Look::of(output);
    output.line(&look.paint(Tone::Strong, "\nLooked up afterwards:"))?;
    for claim in claims {
        let (tone, not) = if claim.holds {
            (Tone::Good, "")
        } else {
            (Tone::Bad, "not so: ")
        };
        output.line(&format!("  {} {not}{}", look.mark(tone), claim.text))?;
    }
    if let Some(kept) = kept {
        let kept = kept.display();
        output.line(&format!(
            "\nKept: {kept}\n  hookline list --project {kept}    shows its hooks"
        ))?;
    }
    output.print(NEXT)?;
    if exit == Exit::Failed {
        output.note("error: the demonstration did not go as it should; please report it");
    }
    Ok(exit)
}
