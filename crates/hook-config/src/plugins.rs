//! Plugins that are switched on, and where their hooks are.
//!
//! `enabledPlugins` in settings says which: `{"guard@tools": true}`. Where they are stands in
//! `plugins/installed_plugins.json` of the user's Claude directory, as `installPath`. Their hooks are
//! in `hooks/hooks.json`, and wherever `hooks` of `.claude-plugin/plugin.json` says: a path, hooks in
//! place, or a list of both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_runner::Layer;
use hook_shell::Plugin;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Format;
use crate::discover::{Known, open, open_document, read_file};
use crate::document::{Document, Json, Member, Node};
use crate::file::{ConfigFile, FileState, Origin, PluginOrigin};
use crate::parsed::Switch;
use crate::places::Places;
use crate::source::Span;
use crate::switches::weight;

/// Where a plugin's hooks are, if nobody says otherwise.
const HOOKS: &str = "hooks/hooks.json";
const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The files of all plugins that the other files switch on, and of those that were named.
pub(crate) fn discover(files: &mut [ConfigFile], places: &Places) -> Vec<ConfigFile> {
    let wanted = wanted(files);
    let installed = Installed::read(places, !wanted.is_empty());
    let options = options(files);
    let mut found = Vec::new();
    let mut add = |id: &str, layer: Layer, root: &Path| {
        let options = options.get(id).into_iter().flatten();
        let options = options.map(|(name, value)| (name.clone(), value.clone()));
        let data = places
            .claude
            .as_ref()
            .map(|folder| folder.join("plugins/data").join(plain(id)));
        let plugin = Plugin {
            root: root.display().to_string(),
            data: data.map(|data| data.display().to_string()),
            options: options.collect(),
        };
        found.extend(plugin_files(id, layer, plugin, root));
    };
    for Wanted {
        id,
        layer,
        switch,
        taken,
    } in wanted
    {
        if let Some(taken) = taken
            && let Some(file) = file_of(files, &taken)
        {
            let takes = &mut file.parsed.switches.takes_plugins;
            takes.push((id.clone(), taken));
        }
        match installed.root(&id, places.project.as_deref()) {
            Ok(root) => add(&id, layer, &root),
            Err(why) => {
                let problem = Diagnostic::new(Code::MissingPlugin, why).at(switch.place.clone());
                if let Some(file) = file_of(files, &switch) {
                    file.parsed.diagnostics.push(problem);
                }
            }
        }
    }
    for root in &places.plugins {
        let name = root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let id = name.unwrap_or_else(|| root.display().to_string());
        add(&id, Layer::Settings, root);
    }
    found
}

/// The file that a switch stands in.
fn file_of<'a>(files: &'a mut [ConfigFile], switch: &Switch) -> Option<&'a mut ConfigFile> {
    let file = &switch.place.file;
    files.iter_mut().find(|known| known.source == *file)
}

/// A plugin that is switched on.
struct Wanted {
    id: String,
    /// The first layer that switches it on.
    layer: Layer,
    switch: Switch,
    /// The switch of a project's file that takes it away from the user.
    taken: Option<Switch>,
}

/// The plugins that are on when all files are weighed.
fn wanted(files: &[ConfigFile]) -> Vec<Wanted> {
    let mut said: BTreeMap<&String, Vec<(Layer, &Switch)>> = BTreeMap::new();
    for file in files {
        for (id, switch) in &file.parsed.switches.enabled_plugins {
            said.entry(id)
                .or_default()
                .push((file.origin.layer, switch));
        }
    }
    let wanted = said.into_iter().filter_map(|(id, said)| {
        let (by, decides) = said.iter().max_by_key(|(layer, _)| weight(*layer))?;
        let (layer, switch) = said.iter().find(|(_, switch)| switch.on)?;
        let of_user = said.iter().rfind(|(layer, _)| *layer == Layer::User);
        let is_users = of_user.is_some_and(|(_, switch)| switch.on);
        let is_a_projects = matches!(by, Layer::Project | Layer::Local);
        let taken = (!decides.on && is_users && is_a_projects).then(|| (*decides).clone());
        (decides.on || taken.is_some()).then(|| Wanted {
            id: id.clone(),
            layer: *layer,
            switch: (*switch).clone(),
            taken,
        })
    });
    wanted.collect()
}

/// The list of installed plugins.
struct Installed {
    path: Option<PathBuf>,
    list: Result<Document, String>,
}

impl Installed {
    fn read(places: &Places, needed: bool) -> Self {
        let path = places.claude.as_ref();
        let path = path.map(|folder| folder.join("plugins/installed_plugins.json"));
        let list = match &path {
            Some(path) if needed => read_file(path).map_err(|problem| problem.message),
            _ => Err("there is no list of installed plugins".to_owned()),
        };
        Self { path, list }
    }

    /// Where a plugin is installed: for this project if it is, else for the user.
    fn root(&self, id: &str, project: Option<&Path>) -> Result<PathBuf, String> {
        let path = self.path.as_ref().map(|path| path.display().to_string());
        let place = path.unwrap_or_else(|| "the user's list of plugins".to_owned());
        let missing = |why: &str| format!("plugin `{id}` is switched on, but {why} ({place})");
        let list = self.list.as_ref().map_err(|why| missing(why))?;
        let plugins = list.root.get("plugins").unwrap_or(&list.root);
        let entry = plugins.get(id).ok_or_else(|| missing("is not installed"))?;
        let installs = entry.as_array().unwrap_or(std::slice::from_ref(entry));
        let for_project = |install: &&Node| {
            let path = install.get("projectPath").and_then(Node::as_str);
            path.is_some_and(|path| Some(Path::new(path)) == project)
        };
        let for_user = |install: &&Node| install.get("projectPath").is_none();
        let install = installs.iter().find(for_project);
        let install = install.or_else(|| installs.iter().find(for_user));
        let root = install
            .or(installs.first())
            .and_then(|install| install.get("installPath"));
        let root = root.and_then(Node::as_str).map(PathBuf::from);
        let root = root.ok_or_else(|| missing("the list does not say where it is"))?;
        if root.is_dir() {
            Ok(root)
        } else {
            Err(missing(&format!("`{}` is not there", root.display())))
        }
    }
}

/// What the user has set for each plugin. A project sets nothing: an option can become an argument of
/// a command.
fn options(files: &[ConfigFile]) -> BTreeMap<String, BTreeMap<String, String>> {
    let counts = |file: &&ConfigFile| {
        matches!(
            file.origin.layer,
            Layer::Managed | Layer::User | Layer::Settings
        )
    };
    let mut files: Vec<&ConfigFile> = files.iter().filter(counts).collect();
    files.sort_by_key(|file| weight(file.origin.layer));
    let mut options: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (id, name, value) in files
        .iter()
        .flat_map(|file| &file.parsed.switches.plugin_options)
    {
        let of_plugin = options.entry(id.clone()).or_default();
        of_plugin.insert(name.clone(), value.clone());
    }
    options
}

/// The hook files of one plugin.
fn plugin_files(id: &str, enabled_by: Layer, plugin: Plugin, root: &Path) -> Vec<ConfigFile> {
    let origin = Origin {
        layer: Layer::Plugin,
        plugin: Some(Arc::new(PluginOrigin {
            id: id.to_owned(),
            enabled_by,
            plugin,
        })),
    };
    let claude = Known::Format(Format::Claude);
    let mut files = vec![open(&root.join(HOOKS), origin.clone(), claude)];
    let manifest = root.join(MANIFEST);
    if !manifest.exists() {
        return files;
    }
    match read_file(&manifest) {
        Err(_) => files.push(open(&manifest, origin, claude)),
        Ok(document) => {
            let hooks = document.root.get("hooks");
            let parts = hooks.map(|hooks| hooks.as_array().unwrap_or(std::slice::from_ref(hooks)));
            for part in parts.unwrap_or_default() {
                files.extend(manifest_part(&document, part, root, &origin));
            }
        }
    }
    files
}

/// What a manifest says of hooks: a path in the plugin, or hooks in place.
fn manifest_part(
    document: &Document,
    part: &Node,
    root: &Path,
    origin: &Origin,
) -> Option<ConfigFile> {
    if let Some(path) = part.as_str() {
        let path = root.join(path);
        if path == root.join(HOOKS) || path == root.join("./").join(HOOKS) {
            return None;
        }
        if !is_within(&path, root) {
            let message = "the path leads out of the plugin, and is not read";
            let place = document.place(part.span);
            let problem = Diagnostic::new(Code::WrongValue, message).at(place);
            return Some(refused(&path, origin, document, problem));
        }
        return Some(open(&path, origin.clone(), Known::Required(Format::Claude)));
    }
    let root = if part.get("hooks").is_some() {
        part.clone()
    } else {
        Node {
            span: part.span,
            json: Json::Object(vec![Member {
                key: "hooks".to_owned(),
                key_span: Span::new(part.span.start, part.span.start),
                value: part.clone(),
            }]),
        }
    };
    let document = Document {
        file: Arc::clone(&document.file),
        root,
    };
    Some(open_document(
        document,
        origin.clone(),
        Known::Format(Format::Claude),
    ))
}

fn refused(path: &Path, origin: &Origin, document: &Document, problem: Diagnostic) -> ConfigFile {
    let mut parsed = crate::parsed::Parsed::default();
    parsed.diagnostics.push(problem.clone());
    ConfigFile {
        path: path.to_owned(),
        origin: origin.clone(),
        format: Format::Claude,
        state: FileState::Unreadable(problem.message),
        source: Arc::clone(&document.file),
        parsed,
    }
}

/// Whether a file is in a folder, links followed. What is not there is nowhere else either.
fn is_within(path: &Path, root: &Path) -> bool {
    let leads_up = path
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => !leads_up && path.starts_with(root),
    }
}

/// A plugin's name as the name of a folder.
fn plain(id: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    id.chars().map(|c| if keep(c) { c } else { '-' }).collect()
}
