//! What would be written, and where: shown first, and written when somebody said yes.

use std::ffi::OsStr;
use std::path::Path;

use hook_config::trust::{Review, TrustStore};
use hook_config::{
    DisabledHook, Edit, Format, HookReport, Layer, Node, Prepared, Step, Template, TrustState,
};
use serde_json::json;

use super::items::{Item, Way};
use crate::config_args::Project;
use crate::failure::Failure;
use crate::render::{self, Add, Look};
use crate::world::World;

/// Something that is done if somebody says yes.
pub(crate) struct Proposal {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) change: Change,
}

/// What is done then.
pub(crate) enum Change {
    /// A file is written.
    Edit(Edit),
    /// A hook is approved.
    Approve(Box<Review>),
    /// A template is written.
    Install(Prepared),
    /// A hook is run.
    Run(String),
}

impl Change {
    /// Does it; what was done. Running is not its affair.
    pub(crate) fn apply(self, project: &Project) -> Result<String, Failure> {
        let told = |error: &dyn std::fmt::Display| Failure::invalid(error.to_string());
        match self {
            Self::Edit(mut edit) => {
                edit.save().map_err(|error| told(&error))?;
                Ok(format!("written: {}", edit.path().display()))
            }
            Self::Approve(review) => {
                let approved = project.trust.approve(&[*review]);
                approved.map_err(|error| told(&error))?;
                Ok("approved".to_owned())
            }
            Self::Install(prepared) => {
                let installed = prepared.write().map_err(|error| told(&error))?;
                let words = installed
                    .files
                    .iter()
                    .map(|(path, written)| format!("{} {}", written.as_str(), path.display()));
                Ok(words.collect::<Vec<_>>().join(", "))
            }
            Self::Run(_) => Ok(String::new()),
        }
    }
}

/// Switching a hook off or on.
pub(crate) fn switch(item: &Item, project: &Project, look: Look) -> Result<Proposal, Failure> {
    let hook = &project.loaded.report.hooks[item.hook];
    let (edit, on) = match item.switch {
        Way::Managed => {
            return Err(Failure::invalid(
                "it is managed, and cannot be switched off here",
            ));
        }
        Way::Enabled => by_key(hook)?,
        Way::List => by_list(item, hook, project)?,
    };
    let title = if on { "Switch it on" } else { "Switch it off" };
    let mut text = changes(&edit, look);
    if item.switch == Way::List {
        text.push_str(
            "\nThe hook's own format has no word for this. Only Hookline heeds this list; other agents that \
             read the hook's file go on as before.\n",
        );
    }
    if hook.entry.is_none() && !on {
        text.push_str("\nThe entry cannot be read, and is no longer listed once it is off.\n");
    }
    Ok(Proposal {
        title: title.to_owned(),
        text,
        change: Change::Edit(edit),
    })
}

/// `enabled` of the entry. The change, and whether it is on then.
fn by_key(hook: &HookReport) -> Result<(Edit, bool), Failure> {
    let file = &hook.place.file;
    let mut edit = open(file.path())?;
    if edit.text() != file.text() {
        return Err(Failure::invalid(
            "the file has changed meanwhile; `l` reads it again",
        ));
    }
    let told = |error: hook_config::EditError| Failure::invalid(error.to_string());
    let mended = || {
        Failure::invalid("it cannot be read; mend it by hand, `hookline check` says what is wrong")
    };
    let way = edit
        .way_to(hook.place.span)
        .map_err(told)?
        .ok_or_else(mended)?;
    let key = |way: &[Step]| [way, &["enabled".into()]].concat();
    if hook.entry.as_ref().is_none_or(|entry| entry.enabled) {
        edit.set(&key(&way), &json!(false)).map_err(told)?;
        return Ok((edit, false));
    }
    edit.remove(&key(&way)).map_err(told)?;
    // What its matcher's entry says counts for all hooks in it.
    if let Some(group) = way.len().checked_sub(2).map(|end| &way[..end])
        && is_off(&edit, group)?
    {
        edit.remove(&key(group)).map_err(told)?;
    }
    Ok((edit, true))
}

/// Whether the object at the end of a way says `enabled: false`.
fn is_off(edit: &Edit, way: &[Step]) -> Result<bool, Failure> {
    let document = edit
        .document()
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let found = way
        .iter()
        .try_fold(&document.root, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Index(index) => node.as_array()?.get(*index),
        });
    let enabled = found
        .and_then(|node| node.get("enabled"))
        .and_then(Node::as_bool);
    Ok(enabled == Some(false))
}

/// `disabledHooks` of the user's file. The change, and whether the hook is on then.
fn by_list(item: &Item, hook: &HookReport, project: &Project) -> Result<(Edit, bool), Failure> {
    const LIST: &str = "disabledHooks";
    let words = DisabledHook::of(hook).ok_or_else(|| {
        Failure::invalid("it cannot be read; mend it by hand, `hookline check` says what is wrong")
    })?;
    let file = project
        .places
        .file(Format::Hookline, Layer::User)
        .ok_or_else(|| {
            Failure::invalid(
                "your own files are not read here, and its format has no word to switch it off",
            )
        })?;
    let mut edit = open(&file)?;
    let told = |error: hook_config::EditError| Failure::invalid(error.to_string());
    let document = edit.document().map_err(told)?;
    let list = document
        .root
        .get(LIST)
        .and_then(Node::as_array)
        .unwrap_or_default();
    if let Some(place) = list
        .iter()
        .position(|node| DisabledHook::read(node).as_ref() == Some(&words))
    {
        edit.remove(&[LIST.into(), place.into()]).map_err(told)?;
        return Ok((edit, true));
    }
    if let Some(why) = item.row.off.as_ref().filter(|why| why.contains(LIST)) {
        return Err(Failure::invalid(format!(
            "{why}; that is not your own file"
        )));
    }
    edit.push(&[LIST.into()], &words.to_value()).map_err(told)?;
    Ok((edit, false))
}

fn open(path: &Path) -> Result<Edit, Failure> {
    Edit::open(path).map_err(|error| Failure::invalid(error.to_string()))
}

/// The file, and the lines of it that would be others.
fn changes(edit: &Edit, look: Look) -> String {
    let before = std::fs::read_to_string(edit.path()).unwrap_or_default();
    let new = if edit.path().exists() {
        ""
    } else {
        " (a new file)"
    };
    let lines = render::changed_lines(&before, edit.text(), look);
    format!(
        "This is written to {}{new}:\n\n{lines}",
        edit.path().display()
    )
}

/// Approving a hook.
pub(crate) fn trust(
    item: &Item,
    project: &Project,
    world: &World,
    look: Look,
) -> Result<Proposal, Failure> {
    let hook = &project.loaded.report.hooks[item.hook];
    let reviews = project.trust.reviews(&project.loaded.report.files);
    let is_it = |review: &Review| {
        let case = review.case();
        case.file() == hook.place.file.path() && case.line() == hook.place.line()
    };
    let review = reviews
        .into_iter()
        .find(is_it)
        .ok_or_else(|| Failure::invalid("it needs no approval: only hooks of a project do"))?;
    if review.state() == TrustState::Trusted {
        return Err(Failure::invalid(
            "it is approved as it is; `hookline untrust` takes that back",
        ));
    }
    let variable = |name: &str| world.variables.get(OsStr::new(name)).cloned();
    let root = project.root.canonicalize();
    let store = TrustStore::from_environment(variable);
    let file = store.map(|store| store.file_of(root.as_deref().unwrap_or(&project.root)));
    let file = file
        .map(|file| file.display().to_string())
        .unwrap_or_default();
    let shown = render::review(&review, &project.root, look);
    Ok(Proposal {
        title: "Approve it".to_owned(),
        text: format!(
            "{shown}\nThe approval is written to {file}. It is for what you see here; when that changes, it counts no longer.\n"
        ),
        change: Change::Approve(Box::new(review)),
    })
}

/// Adding the hooks of a template.
pub(crate) fn add(
    template: &Template,
    layer: Layer,
    project: &Project,
    look: Look,
) -> Result<Proposal, Failure> {
    let prepared = template
        .prepare(template.format, &project.places, layer)
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let mut text = format!(
        "{}\n\n{}",
        template.description,
        changes(prepared.edit(), look)
    );
    for (path, script, exists) in prepared.scripts() {
        let what = if exists {
            "is there already, and is kept"
        } else {
            "is written"
        };
        text.add(format!("\nThe script {} {what}:\n\n", path.display()));
        if !exists {
            text.push_str(&render::indent(&script.text(), "      "));
        }
    }
    if layer == Layer::Project {
        text.push_str("\nA project's hooks run once you have approved them: `t`.\n");
    }
    Ok(Proposal {
        title: format!("Add {}", template.name),
        text,
        change: Change::Install(prepared),
    })
}
