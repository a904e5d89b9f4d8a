//! Where hooks are looked for, and whether they may run: the arguments that many commands share.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use hook_config::trust::{ContentTrust, Review, Surroundings, TrustStore};
use hook_config::{FileState, Layer, Loaded, Options, Places, load};
use hook_shell::Host;
use process_tree::Watchdog;

use crate::agent::HookModels;
use crate::factories::factories;
use crate::failure::Failure;
use crate::mcp::{Mcp, Search};
use crate::world::World;

/// Where hooks come from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where hooks come from")]
pub(crate) struct ConfigArgs {
    /// The project's root; without it, the working directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// One more file with hooks, of any dialect. Can be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Vec<PathBuf>,
    /// Do not read the user's own files.
    #[arg(long)]
    pub(crate) no_user: bool,
    /// Run the project's hooks although nobody has approved them.
    #[arg(long)]
    pub(crate) trust: bool,
    /// Who answers hooks that ask a model.
    #[arg(skip)]
    pub(crate) models: HookModels,
    /// What the commands that have `--mcp-config` were told with it.
    #[arg(skip)]
    pub(crate) mcp_config: Vec<String>,
}

/// The hooks of a project, and who asked for them.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) host: Host,
    pub(crate) trust: ContentTrust,
    pub(crate) loaded: Loaded,
    /// Where the files were looked for, and how they were read: to read them again.
    pub(crate) places: Places,
    pub(crate) options: Options,
    /// Ends what was started when this process is killed.
    pub(crate) watchdog: Option<Watchdog>,
    /// The MCP servers; none is started yet.
    pub(crate) mcp: Mcp,
}

impl Project {
    /// A file that somebody has named and that cannot be used is an error: its guards would be missing.
    fn usable(self) -> Result<Self, Failure> {
        let mut files = self.loaded.report.files.iter();
        let hidden =
            files.find(|file| file.origin.layer == Layer::Settings && file.state.hides_hooks());
        match hidden {
            None => Ok(self),
            Some(file) => Err(Failure::unreadable(&file.path, why(&file.state))
                .help("`hookline check FILE` says what is wrong with it")),
        }
    }

    /// What needs an approval: hooks, and MCP servers.
    pub(crate) fn reviews(&self) -> Vec<Review> {
        let mut reviews = self.trust.reviews(&self.loaded.report.files);
        reviews.extend(self.mcp.reviews());
        reviews
    }
}

/// Why nobody could read the hooks of a file.
pub(crate) fn why(state: &FileState) -> String {
    if let FileState::Unreadable(why) = state {
        why.clone()
    } else {
        format!("it is {}", state.as_str())
    }
}

impl ConfigArgs {
    /// The project's root: it must be there.
    pub(crate) fn root(&self, world: &World) -> Result<PathBuf, Failure> {
        let told = self.project.as_ref().or(world.directory.as_ref());
        let root = told.ok_or_else(|| {
            Failure::invalid("the working directory is gone").help("name one with --project")
        })?;
        let root = std::path::absolute(root).map_err(|why| Failure::unreadable(root, why))?;
        if root.is_dir() {
            return Ok(root);
        }
        let why = if root.exists() {
            "it is not a directory"
        } else {
            "there is no such directory"
        };
        Err(Failure::unreadable(&root, why).help("--project takes the root of a project"))
    }

    /// Where files are looked for.
    pub(crate) fn places(&self, root: &Path, world: &World) -> Result<Places, Failure> {
        let variable = |name: &str| world.variables.get(OsStr::new(name)).cloned();
        let mut places = Places::from_environment(variable).project(root);
        if self.no_user {
            places = places.without_user();
        }
        for file in &self.settings {
            let file = std::path::absolute(file).map_err(|why| Failure::unreadable(file, why))?;
            if !file.exists() {
                return Err(Failure::unreadable(&file, "there is no such file"));
            }
            if file.is_dir() {
                return Err(Failure::unreadable(&file, "it is a directory")
                    .help("--settings takes a file; --project takes a directory"));
            }
            places = places.settings(file.as_path());
        }
        Ok(places)
    }

    /// The same, with these files in place of what --settings names.
    pub(crate) fn with_files(&self, files: &[PathBuf]) -> Self {
        Self {
            settings: files.to_vec(),
            ..self.clone()
        }
    }

    /// The same, with models for hooks to ask.
    pub(crate) fn asking(&self, models: HookModels) -> Self {
        Self {
            models,
            ..self.clone()
        }
    }

    /// The same, with more MCP servers.
    pub(crate) fn with_mcp(&self, named: &[String]) -> Self {
        Self {
            mcp_config: named.to_vec(),
            ..self.clone()
        }
    }

    /// Reads the files.
    pub(crate) fn load(&self, world: &World) -> Result<Project, Failure> {
        self.load_as(world, |options| options)?.usable()
    }

    /// Reads the files and the scripts that they name.
    pub(crate) fn load_and_lint(&self, world: &World) -> Result<Project, Failure> {
        self.load_as(world, |options| options.lint(true))
    }

    /// Reads the files; what hooks start ends with this process, even when it is killed.
    pub(crate) fn load_watched(&self, world: &World) -> Result<Project, Failure> {
        self.watched(world, |options| options)?.usable()
    }

    /// Reads the files and the scripts that they name, for hooks that are to be run.
    pub(crate) fn lint_watched(&self, world: &World) -> Result<Project, Failure> {
        self.watched(world, |options| options.lint(true))
    }

    /// The same, with more to say of how they are read.
    pub(crate) fn watched(
        &self,
        world: &World,
        with: impl FnOnce(Options) -> Options,
    ) -> Result<Project, Failure> {
        let watchdog = Watchdog::start().ok();
        let host = match &watchdog {
            Some(watchdog) => Host::new().watched(watchdog.clone()),
            None => Host::new(),
        };
        self.load_with(host, watchdog, world, with)
    }

    /// Who says whether hooks may run: the user's approvals, or for this run everything.
    fn judge(&self, root: &Path, world: &World) -> ContentTrust {
        let mut around = Surroundings::new(root);
        if let Some(home) = world.home() {
            around = around.home(home);
        }
        if let Some(path) = world.variables.get(OsStr::new("PATH")) {
            around = around.path(path);
        }
        let variable = |name: &str| world.variables.get(OsStr::new(name)).cloned();
        let store = TrustStore::from_environment(variable);
        if self.trust {
            ContentTrust::assuming_trust(around, store)
        } else {
            ContentTrust::new(around, store)
        }
    }

    fn load_as(
        &self,
        world: &World,
        with: impl FnOnce(Options) -> Options,
    ) -> Result<Project, Failure> {
        self.load_with(Host::new(), None, world, with)
    }

    fn load_with(
        &self,
        host: Host,
        watchdog: Option<Watchdog>,
        world: &World,
        with: impl FnOnce(Options) -> Options,
    ) -> Result<Project, Failure> {
        let root = self.root(world)?;
        let places = self.places(&root, world)?;
        let trust = self.judge(&root, world);
        let mcp = Mcp::find(Search {
            root: &root,
            places: &places,
            named: &self.mcp_config,
            trust: self.judge(&root, world),
            watchdog: watchdog.clone(),
            world,
        })?;
        let options = Options::new(host.clone())
            .trust(Arc::new(trust.clone()))
            .factories(mcp.factories(self.models.hooks().add_to(factories())));
        let options = with(options);
        let mut loaded = load(&places, &options);
        loaded.report.diagnostics.extend(mcp.diagnostics());
        Ok(Project {
            root,
            host,
            trust,
            loaded,
            places,
            options,
            watchdog,
            mcp,
        })
    }
}
