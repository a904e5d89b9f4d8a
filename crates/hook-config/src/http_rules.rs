//! What settings say of hooks that are asked over HTTP: `allowedHttpHookUrls` and its kin.

use hook_runner::Layer;

use crate::diagnostic::{Code, Diagnostic};
use crate::file::ConfigFile;
use crate::parsed::{Listed, Switches};
use crate::trust::Trust;

/// Where hooks may be asked over HTTP, and what they may be told. Lists of several files are one.
///
/// A project's list counts once it is approved: it can widen what the user allows, and it can keep the
/// user's own hooks from being asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRules {
    /// Patterns of URLs; none: all URLs.
    pub urls: Option<Vec<String>>,
    /// Variables that headers may hold, of those that a hook asks for; none: all of these.
    pub variables: Option<Vec<String>>,
    /// Addresses that may be asked although nobody else may ask them: link-local ones, and those of
    /// metadata services. Never from a project's file.
    pub addresses: Vec<String>,
}

/// A key whose lists are joined.
struct Key {
    name: &'static str,
    of: fn(&Switches) -> Option<&Listed>,
}

const URLS: Key = Key {
    name: "allowedHttpHookUrls",
    of: |switches| switches.http_urls.as_ref(),
};

const VARIABLES: Key = Key {
    name: "httpHookAllowedEnvVars",
    of: |switches| switches.http_variables.as_ref(),
};

/// The lists of a project's file that need an approval, with their names.
pub(crate) fn lists(switches: &Switches) -> impl Iterator<Item = (&'static str, &Listed)> {
    let found = [URLS, VARIABLES].map(|key| (key.of)(switches).map(|list| (key.name, list)));
    found.into_iter().flatten()
}

impl HttpRules {
    /// What all files say together.
    pub(crate) fn of(
        files: &[ConfigFile],
        trust: &dyn Trust,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut joined = |key: &Key| {
            // A policy that nobody can read admits nothing.
            let lost = files.iter().any(|file| is_lost(file, key));
            let lists: Vec<&Listed> = files
                .iter()
                .filter_map(|file| counts(file, key, trust, problems))
                .collect();
            if lost {
                return Some(Vec::new());
            }
            let texts = lists.iter().filter_map(|list| list.texts.as_ref());
            (!lists.is_empty()).then(|| texts.flatten().cloned().collect())
        };
        Self {
            urls: joined(&URLS),
            variables: joined(&VARIABLES),
            addresses: addresses(files, problems),
        }
    }
}

/// Whether managed settings have a list that nobody can read, or cannot be read at all.
fn is_lost(file: &ConfigFile, key: &Key) -> bool {
    let unread = (key.of)(&file.parsed.switches).is_some_and(|list| list.texts.is_none());
    file.origin.layer == Layer::Managed && (file.state.hides_hooks() || unread)
}

/// The list of a file, if it counts.
fn counts<'a>(
    file: &'a ConfigFile,
    key: &Key,
    trust: &dyn Trust,
    problems: &mut Vec<Diagnostic>,
) -> Option<&'a Listed> {
    let list = (key.of)(&file.parsed.switches)?;
    if file.origin.layer == Layer::Plugin {
        problems.push(ignored(key.name, "settings", list));
        return None;
    }
    if !file.may_switch(&list.place, trust) {
        let name = key.name;
        let message =
            format!("the project sets `{name}`; that has not been approved, and does nothing");
        let problem = Diagnostic::new(Code::SwitchedOff, message).at(list.place.clone());
        problems.push(problem.help("`hookline trust` shows and approves it"));
        return None;
    }
    Some(list)
}

fn addresses(files: &[ConfigFile], problems: &mut Vec<Diagnostic>) -> Vec<String> {
    let mut addresses = Vec::new();
    for file in files {
        let Some(list) = &file.parsed.switches.http_addresses else {
            continue;
        };
        match file.origin.layer {
            Layer::Managed | Layer::User | Layer::Settings => {
                addresses.extend(list.texts.iter().flatten().cloned());
            }
            Layer::Project | Layer::Local | Layer::Plugin | Layer::Rust | _ => {
                let place = "the user's own files and managed settings";
                problems.push(ignored("allowedHttpHookAddresses", place, list));
            }
        }
    }
    addresses
}

fn ignored(key: &str, where_it_counts: &str, list: &Listed) -> Diagnostic {
    let message = format!("`{key}` counts only in {where_it_counts}");
    Diagnostic::new(Code::IgnoredSwitch, message).at(list.place.clone())
}
