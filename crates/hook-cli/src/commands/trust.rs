//! `hookline trust`: see what a project's hooks would run, and approve them.

use std::io::{BufRead, Write};

use clap::Args;
use hook_config::TrustState;
use hook_config::trust::Review;
use serde_json::json;

use crate::config_args::{ConfigArgs, Project};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::{self, Look, Tone};
use crate::safe;
use crate::world::World;

/// See what a project's hooks would run, and approve them.
///
/// A project's hooks run only once you have approved them. An approval is for what a hook says and for
/// what is in the files that it names: when either changes, it counts no longer, and you see the
/// difference.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline trust                            look at what waits, and say yes or no to each
  hookline trust --all                      approve everything, without a question
  hookline trust .hookline/hooks.json:7     approve the hook that stands there
  hookline trust --list                     what is approved, changed or waiting; approves nothing")]
pub(crate) struct Trust {
    /// Only these hooks, by where they stand: `FILE:LINE` as `hookline list` shows it, or `FILE`.
    #[arg(value_name = "HOOK")]
    hooks: Vec<String>,
    /// Approve everything without a question.
    #[arg(long)]
    all: bool,
    /// Only show.
    #[arg(long, conflicts_with = "all")]
    list: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Trust, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    if !asked.list {
        by_the_user(world)?;
    }
    let project = asked.config.load(world)?;
    let mut reviews = project.reviews();
    select(&mut reviews, &asked.hooks, &project)?;
    warn_of_store(&project, output);
    if asked.list {
        return list(&reviews, &project, output);
    }
    reviews.retain(|review| review.state() != TrustState::Trusted);
    if reviews.is_empty() {
        say(
            output,
            &json!({"approved": []}),
            "nothing waits for an approval",
        )?;
        return Ok(Exit::Done);
    }
    let approved = if asked.all || !asked.hooks.is_empty() {
        show(&reviews, &project, output)?;
        reviews
    } else if world.stdin_is_terminal && !output.is_json() {
        ask(reviews, &project, output)?
    } else {
        show(&reviews, &project, output)?;
        return Err(
            Failure::invalid("nobody can be asked: this is not a terminal")
                .help("approve with --all, or name the hooks"),
        );
    };
    approve(&approved, &project, output)
}

/// Approvals are the user's to give and to take: what hooks, tools and servers run does neither by accident
/// or because somebody talked a model into it.
pub(super) fn by_the_user(world: &World) -> Result<(), Failure> {
    if world.variable(process_tree::MARKER).is_none() {
        return Ok(());
    }
    Err(
        Failure::invalid("a hook, a tool or a server runs this, and approvals are the user's")
            .help("run it yourself, in a terminal of your own"),
    )
}

/// Keeps the reviews of the hooks that were named; naming one that is not there is an error.
pub(super) fn select(
    reviews: &mut Vec<Review>,
    named: &[String],
    project: &Project,
) -> Result<(), Failure> {
    let fits = |review: &Review, name: &str| {
        let file = review.case().file();
        let shown = file
            .strip_prefix(&project.root)
            .unwrap_or(file)
            .display()
            .to_string();
        let line = review.case().line();
        let whole = file.display().to_string();
        [&shown, &whole]
            .iter()
            .any(|file| name == **file || name == format!("{file}:{line}"))
    };
    for name in named {
        if !reviews.iter().any(|review| fits(review, name)) {
            return Err(
                Failure::invalid(format!("no hook of this project stands at `{name}`"))
                    .help("`hookline trust --list` shows where they stand"),
            );
        }
    }
    if !named.is_empty() {
        reviews.retain(|review| named.iter().any(|name| fits(review, name)));
    }
    Ok(())
}

/// Says that approvals cannot be read, if that is so.
pub(super) fn warn_of_store(project: &Project, output: &mut Output) {
    if let Some(problem) = project.trust.problem() {
        output.note(&format!(
            "warning: {}",
            render::behind(&problem.to_string(), "  ")
        ));
    }
}

fn list(reviews: &[Review], project: &Project, output: &mut Output) -> Result<Exit, Failure> {
    if output.is_json() {
        let rows = reviews
            .iter()
            .map(|review| render::review_json(review, &project.root));
        output.json(&json!({"hooks": rows.collect::<Vec<_>>()}))?;
    } else if reviews.is_empty() {
        output.line("no hooks here need an approval")?;
    } else {
        show(reviews, project, output)?;
    }
    Ok(Exit::Done)
}

fn show(reviews: &[Review], project: &Project, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return Ok(());
    }
    let look = Look::of(output);
    for review in reviews {
        output.prose(&render::review(review, &project.root, look))?;
    }
    Ok(())
}

/// Shows one after the other and asks about each.
fn ask(
    reviews: Vec<Review>,
    project: &Project,
    output: &mut Output,
) -> Result<Vec<Review>, Failure> {
    let look = Look::of(output);
    let mut approved = Vec::new();
    let mut all = false;
    for review in reviews {
        output.prose(&render::review(&review, &project.root, look))?;
        if !all {
            let question = look.paint(Tone::Strong, "approve it? [y]es, [n]o, [a]ll, [q]uit: ");
            match answer(output, &question)? {
                Said::Yes => {}
                Said::No => continue,
                Said::All => all = true,
                Said::Quit => break,
            }
        }
        approved.push(review);
    }
    Ok(approved)
}

enum Said {
    Yes,
    No,
    All,
    Quit,
}

/// Asks until the answer is one of the four; the end of input is "quit".
fn answer(output: &mut Output, question: &str) -> Result<Said, Failure> {
    loop {
        output.print(question)?;
        std::io::stdout().flush()?;
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        if read.map_err(|error| Failure::invalid(format!("cannot read your answer: {error}")))? == 0
        {
            return Ok(Said::Quit);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Said::Yes),
            "n" | "no" | "" => return Ok(Said::No),
            "a" | "all" => return Ok(Said::All),
            "q" | "quit" => return Ok(Said::Quit),
            _ => output.line("please say y, n, a or q")?,
        }
    }
}

fn approve(reviews: &[Review], project: &Project, output: &mut Output) -> Result<Exit, Failure> {
    let aside = project
        .trust
        .approve(reviews)
        .map_err(|error| Failure::invalid(error.to_string()))?;
    if let Some(path) = aside {
        output.note(&format!(
            "warning: the approvals could not be read; they are kept in {}",
            safe::path(&path)
        ));
    }
    let rows = reviews
        .iter()
        .map(|review| render::review_json(review, &project.root));
    let rows = rows.collect::<Vec<_>>();
    let words = match reviews.len() {
        1 => "approved one hook".to_owned(),
        count => format!("approved {count} hooks"),
    };
    say(output, &json!({"approved": rows}), &words)?;
    Ok(Exit::Done)
}

/// One result, in the form that was asked for.
pub(super) fn say(
    output: &mut Output,
    json: &serde_json::Value,
    text: &str,
) -> Result<(), Failure> {
    if output.is_json() {
        output.json(json)
    } else {
        output.line(text)
    }
}
