//! `hookline untrust`: take approvals back.

use clap::Args;
use serde_json::json;

use super::trust::{by_the_user, say, select, warn_of_store};
use crate::config_args::ConfigArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::world::World;

/// Take approvals back: these hooks do not run until you approve them again.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hookline untrust .hookline/hooks.json:7    the hook that stands there
  hookline untrust --all                     every hook of this project")]
pub(crate) struct Untrust {
    /// The hooks, by where they stand: `FILE:LINE` as `hookline list` shows it, or `FILE`.
    #[arg(value_name = "HOOK", required_unless_present = "all")]
    hooks: Vec<String>,
    /// Everything that was approved for this project, also what is gone by now.
    #[arg(long, conflicts_with = "hooks")]
    all: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(asked: &Untrust, world: &World, output: &mut Output) -> Result<Exit, Failure> {
    by_the_user(world)?;
    let project = asked.config.load(world)?;
    warn_of_store(&project, output);
    let before = project.trust.approvals().len();
    let done = if asked.all {
        project.trust.revoke_all()
    } else {
        let mut reviews = project.reviews();
        select(&mut reviews, &asked.hooks, &project)?;
        let entries: Vec<_> = reviews
            .iter()
            .flat_map(|review| {
                let approved = review.approved().map(|approval| approval.entry);
                [Some(review.case().digest()), approved]
                    .into_iter()
                    .flatten()
            })
            .collect();
        project.trust.revoke(&entries)
    };
    done.map_err(|error| Failure::invalid(error.to_string()))?;
    let count = before.saturating_sub(project.trust.approvals().len());
    let words = match count {
        0 => "nothing was approved".to_owned(),
        1 => "took one approval back".to_owned(),
        count => format!("took {count} approvals back"),
    };
    say(output, &json!({"revoked": count}), &words)?;
    Ok(Exit::Done)
}
