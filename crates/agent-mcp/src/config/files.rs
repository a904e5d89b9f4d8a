//! Which files have servers, and whose they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hook_config::{
    Code, Diagnostic, Document, Explicit, Layer, Node, Origin, Places, PluginOrigin, read,
    read_file,
};
use hook_types::McpSource;

/// Where servers are looked for. What comes first takes the place of what comes later under the same
/// name:
///
/// | what | whose | source | needs an approval |
/// |---|---|---|---|
/// | what was named for this run | whoever named it | `dynamic` | no |
/// | `projects.<root>.mcpServers` of `~/.claude.json` | the user, for this project | `local` | no |
/// | `.mcp.json` of the project | the project | `project` | yes |
/// | `~/.config/hookline/mcp.json`, then `mcpServers` of `~/.claude.json` | the user | `user` | no |
/// | `.mcp.json` of a plugin, or `mcpServers` of its manifest | the plugin | `plugin` | as its hooks |
#[derive(Clone, Debug, Default)]
pub struct McpFiles {
    places: Places,
    explicit: Vec<Explicit>,
    plugins: Vec<Arc<PluginOrigin>>,
}

/// An object of servers, and whose it is.
pub(super) struct Shelf {
    pub(super) document: Arc<Document>,
    pub(super) servers: Node,
    pub(super) origin: Origin,
    pub(super) source: McpSource,
}

impl McpFiles {
    /// The usual files.
    pub fn new(places: &Places) -> Self {
        Self {
            places: places.clone(),
            ..Self::default()
        }
    }

    /// One more file, or text, named for this run.
    #[must_use]
    pub fn named(mut self, settings: impl Into<Explicit>) -> Self {
        self.explicit.push(settings.into());
        self
    }

    /// One more plugin that is switched on. One that is known already is not read twice.
    #[must_use]
    pub fn plugin(mut self, plugin: Arc<PluginOrigin>) -> Self {
        if self.plugins.iter().all(|known| known.id != plugin.id) {
            self.plugins.push(plugin);
        }
        self
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// Reads the files, in the order in which they count.
    pub(super) fn read(&self) -> (Vec<Shelf>, Vec<Diagnostic>) {
        let mut reading = Reading::default();
        for named in &self.explicit {
            reading.explicit(named);
        }
        let file = self.claude_file();
        let of_claude = file.as_deref().and_then(Path::parent);
        let of_claude = of_claude.map_or(Layer::User, |folder| self.places.layer_of_own(folder));
        let claude = file.as_ref().and_then(|path| reading.open(path));
        let project = self.places.project.as_deref();
        if let (Some(document), Some(project), Layer::User) = (&claude, project, of_claude) {
            reading.local(document, project);
        }
        if let Some(project) = project {
            let origin = Origin::of(Layer::Project);
            reading.file(&project.join(".mcp.json"), origin, McpSource::Project);
        }
        if let Some(folder) = self.places.user_directory() {
            let origin = Origin::of(self.places.layer_of_own(&folder));
            reading.file(&folder.join("mcp.json"), origin, McpSource::User);
        }
        if let Some(document) = &claude {
            reading.shelve(
                document,
                &document.root,
                Origin::of(of_claude),
                McpSource::User,
            );
        }
        for plugin in &self.plugins {
            reading.plugin(plugin);
        }
        (reading.shelves, reading.diagnostics)
    }

    /// The file that Claude keeps a user's servers in: beside the user's Claude directory, or within it
    /// where that was moved.
    fn claude_file(&self) -> Option<PathBuf> {
        let folder = self.places.claude.as_ref()?;
        let usual = self.places.home.as_ref().map(|home| home.join(".claude"));
        if usual.as_ref() == Some(folder) {
            return self
                .places
                .home
                .as_ref()
                .map(|home| home.join(".claude.json"));
        }
        Some(folder.join(".claude.json"))
    }
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    shelves: Vec<Shelf>,
    diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// A file that may be missing.
    fn open(&mut self, path: &Path) -> Option<Arc<Document>> {
        if std::fs::symlink_metadata(path).is_err() {
            return None;
        }
        self.must_open(path)
    }

    fn must_open(&mut self, path: &Path) -> Option<Arc<Document>> {
        let document = read_file(path);
        self.taken(document)
    }

    fn taken(&mut self, document: Result<Document, Box<Diagnostic>>) -> Option<Arc<Document>> {
        match document {
            Ok(document) => Some(Arc::new(document)),
            Err(mut problem) => {
                problem.help =
                    vec!["none of its MCP servers is started until it can be read".to_owned()];
                self.diagnostics.push(*problem);
                None
            }
        }
    }

    fn explicit(&mut self, named: &Explicit) {
        let document = match named {
            Explicit::File(path) => self.must_open(path),
            Explicit::Text(text) => {
                let document = read("--mcp-config", text.as_bytes());
                self.taken(document)
            }
        };
        let Some(document) = document else { return };
        if document.root.get("mcpServers").is_none() {
            let problem =
                Diagnostic::new(Code::MissingKey, "there is no `mcpServers` in this file");
            let problem = problem.at(document.place(document.root.span));
            self.diagnostics
                .push(problem.help("write {\"mcpServers\": {\"name\": {\"command\": \"…\"}}}"));
        }
        let origin = Origin::of(Layer::Settings);
        self.shelve(&document, &document.root, origin, McpSource::Dynamic);
    }

    /// What a user's file has for one project.
    fn local(&mut self, document: &Arc<Document>, project: &Path) {
        let projects = document.root.get("projects");
        let here = projects.and_then(|projects| projects.get(&project.to_string_lossy()));
        if let Some(here) = here {
            // The file is the user's own.
            self.shelve(document, here, Origin::of(Layer::User), McpSource::Local);
        }
    }

    fn file(&mut self, path: &Path, origin: Origin, source: McpSource) {
        if let Some(document) = self.open(path) {
            self.shelve(&document, &document.root, origin, source);
        }
    }

    /// A plugin's servers may stand without `mcpServers` around them.
    fn plugin(&mut self, plugin: &Arc<PluginOrigin>) {
        let origin = Origin {
            layer: Layer::Plugin,
            plugin: Some(Arc::clone(plugin)),
        };
        let root = Path::new(&plugin.plugin.root);
        if let Some(document) = self.open(&root.join(".mcp.json")) {
            let servers = document.root.get("mcpServers").unwrap_or(&document.root);
            self.put(&document, servers, origin.clone(), McpSource::Plugin);
        }
        if let Some(manifest) = self.open(&root.join(".claude-plugin/plugin.json")) {
            self.shelve(&manifest, &manifest.root, origin, McpSource::Plugin);
        }
    }

    /// The `mcpServers` of an object, if it has some.
    fn shelve(&mut self, document: &Arc<Document>, node: &Node, origin: Origin, source: McpSource) {
        match node.get("mcpServers") {
            // A path in a manifest names the file that was read already.
            Some(servers) if servers.as_str().is_none() => {
                self.put(document, servers, origin, source);
            }
            Some(_) | None => {}
        }
    }

    fn put(&mut self, document: &Arc<Document>, servers: &Node, origin: Origin, source: McpSource) {
        if servers.as_object().is_none() {
            let message = format!("`mcpServers` must be an object, and is {}", servers.kind());
            let place = document.place(servers.span);
            self.diagnostics
                .push(Diagnostic::new(Code::WrongType, message).at(place));
            return;
        }
        self.shelves.push(Shelf {
            document: Arc::clone(document),
            servers: servers.clone(),
            origin,
            source,
        });
    }
}
