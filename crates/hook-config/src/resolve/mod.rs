//! From files to a set of hooks. Every default of a file's hooks is here.
//!
//! | file | holds |
//! |---|---|
//! | `work.rs` | one file after the other: what becomes of each entry |
//! | `make.rs` | an entry and its factory to a hook |
//! | `groups.rs` | which hooks run together |
//! | `names.rs` | what hooks and files are called |

mod groups;
mod make;
mod names;
mod work;

use hook_runner::{Group, Hook, HookSet, HookSetBuilder};
use hook_types::OnFailure;
use serde_json::Value;

use crate::diagnostic::{Code, Diagnostic};
use crate::entry::Listen;
use crate::file::ConfigFile;
use crate::options::Options;
use crate::places::Places;
use crate::report::Report;
use crate::switches::Rules;
use crate::tripwire::Tripwire;

/// What files amount to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The hooks.
    pub hooks: HookSet,
    /// What became of every file and every hook.
    pub report: Report,
}

/// Turns files into a set of hooks.
pub fn resolve(files: Vec<ConfigFile>, places: &Places, options: &Options) -> Loaded {
    let contents: Vec<Value> = files.iter().flat_map(ConfigFile::contents).collect();
    options.trust.survey(&contents);
    let rules = Rules::of(&files, options.trust.as_ref());
    let mut work = work::Work::new(&files, places, options, &rules);
    for file in &files {
        work.file(file, &rules);
    }
    let work::Done {
        groups,
        hooks,
        mut diagnostics,
    } = work.done();
    diagnostics.extend(rules.into_diagnostics());
    let builder = groups
        .into_iter()
        .fold(options.builder(), HookSetBuilder::group);
    let hooks_in_use = builder.build().unwrap_or_else(|error| {
        let problem = Diagnostic::new(Code::NoSet, format!("the hooks make no set: {error}"));
        let set = all_blocked(&problem);
        diagnostics.push(problem);
        set
    });
    let diagnostics = diagnostics.into_iter().map(Diagnostic::with_remedy);
    Loaded {
        hooks: hooks_in_use,
        report: Report {
            files,
            hooks,
            diagnostics: diagnostics.collect(),
        },
    }
}

/// No mistake may let a guard's hooks vanish.
fn all_blocked(why: &Diagnostic) -> HookSet {
    let block = |listen: Listen| {
        Hook::new(listen.event, Tripwire::new(why.to_string())).on_failure(OnFailure::Block)
    };
    let hooks = Listen::every_guard().into_iter().map(block);
    let group = hooks.fold(Group::parallel(), Group::hook);
    HookSet::builder().group(group).build().unwrap_or_default()
}
