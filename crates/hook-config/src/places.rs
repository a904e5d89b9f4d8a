//! Where files are looked for: a value, made once at the edge. Nothing in here reads the environment.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hook_runner::Layer;

use crate::dialect::Format;
use crate::save::real;

/// Where files are looked for.
///
/// ```
/// use hook_config::{Layer, Places};
///
/// let environment = |name: &str| (name == "HOME").then(|| "/home/ada".into());
/// let places = Places::from_environment(environment).project("/work/engine");
/// let paths: Vec<String> = places
///     .candidates()
///     .iter()
///     .filter(|candidate| candidate.layer == Layer::Project)
///     .map(|candidate| candidate.path.display().to_string())
///     .collect();
/// assert_eq!(paths[..2], ["/work/engine/.claude/settings.json", "/work/engine/.hookline/hooks.json"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Places {
    /// The user's home: `~` in a path.
    pub home: Option<PathBuf>,
    /// The user's Claude directory.
    pub claude: Option<PathBuf>,
    /// The user's configuration directory, such as `~/.config`.
    pub config: Option<PathBuf>,
    /// The project's root.
    pub project: Option<PathBuf>,
    /// Directories of Claude's managed settings.
    pub managed_claude: Vec<PathBuf>,
    /// Directories of Hookline's managed hooks.
    pub managed_hookline: Vec<PathBuf>,
    /// Folders of plugins that were named for this run.
    pub plugins: Vec<PathBuf>,
    /// Settings that were named for this run, of any format.
    pub settings: Vec<Explicit>,
}

/// Settings that were named for one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explicit {
    /// A file.
    File(PathBuf),
    /// The settings themselves.
    Text(String),
}

impl From<&Path> for Explicit {
    fn from(path: &Path) -> Self {
        Self::File(path.to_owned())
    }
}

/// A file that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Where.
    pub path: PathBuf,
    /// What it counts as.
    pub layer: Layer,
    /// How it is written.
    pub format: Format,
}

/// Where managed settings are.
const MANAGED_CLAUDE: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else {
    "/etc/claude-code"
};

const MANAGED_HOOKLINE: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/Hookline"
} else {
    "/etc/hookline"
};

impl Places {
    /// Nowhere.
    pub fn none() -> Self {
        Self::default()
    }

    /// The usual places of a user, by the environment: `HOME`, `XDG_CONFIG_HOME` and
    /// `CLAUDE_CONFIG_DIR`. A path that is not absolute does not count.
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| {
            // A relative one would lead to whatever the repository has that one stands in.
            Some(PathBuf::from(variable(name)?)).filter(|path| path.is_absolute())
        };
        let home = path("HOME");
        let in_home = |name: &str| home.as_ref().map(|home| home.join(name));
        Self {
            claude: path("CLAUDE_CONFIG_DIR").or_else(|| in_home(".claude")),
            config: path("XDG_CONFIG_HOME").or_else(|| in_home(".config")),
            managed_claude: vec![MANAGED_CLAUDE.into()],
            managed_hookline: vec![MANAGED_HOOKLINE.into()],
            project: None,
            plugins: Vec::new(),
            settings: Vec::new(),
            home,
        }
    }

    /// The project's root.
    #[must_use]
    pub fn project(mut self, root: impl Into<PathBuf>) -> Self {
        self.project = Some(root.into());
        self
    }

    /// One more file, or text, named for this run.
    #[must_use]
    pub fn settings(mut self, settings: impl Into<Explicit>) -> Self {
        self.settings.push(settings.into());
        self
    }

    /// Without the user's own files. What is managed stays.
    #[must_use]
    pub fn without_user(mut self) -> Self {
        self.claude = None;
        self.config = None;
        self
    }

    /// Hookline's directory of the user, with hooks of their own.
    pub fn user_directory(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("hookline"))
    }

    /// What the files of a directory of the user's count as: the user's own, but for a directory that lies
    /// in the project. Whatever the environment says of it, a repository can bring that along. A project
    /// that is the home, or that has the home in it and is no repository, is no reason to doubt the home.
    ///
    /// ```
    /// use hook_config::{Layer, Places};
    ///
    /// let environment = |name: &str| match name {
    ///     "HOME" => Some("/home/ada".into()),
    ///     "CLAUDE_CONFIG_DIR" => Some("/work/engine/.claude".into()),
    ///     _ => None,
    /// };
    /// let places = Places::from_environment(environment).project("/work/engine");
    /// assert_eq!(places.layer_of_own("/work/engine/.claude".as_ref()), Layer::Project);
    /// assert_eq!(places.layer_of_own("/home/ada/.config".as_ref()), Layer::User);
    /// ```
    pub fn layer_of_own(&self, folder: &Path) -> Layer {
        let Some(project) = self.project.as_deref().map(real) else {
            return Layer::User;
        };
        let home = self.home.as_deref().map(real);
        let has_home = home.as_ref().is_some_and(|home| {
            let is_it = *home == project;
            is_it || home.starts_with(&project) && !project.join(".git").exists()
        });
        if has_home || !real(folder).starts_with(&project) {
            Layer::User
        } else {
            Layer::Project
        }
    }

    /// The files that are looked for, in the order of their layers. Plugins come later, since these
    /// files say which are switched on; and so does what was named for this run.
    pub fn candidates(&self) -> Vec<Candidate> {
        let mut list = List::default();
        for folder in &self.managed_claude {
            list.add(
                Layer::Managed,
                Some(folder),
                &[("managed-settings.json", Format::Claude)],
            );
            list.add_folder(Layer::Managed, &folder.join("managed-settings.d"));
        }
        for folder in &self.managed_hookline {
            list.add(
                Layer::Managed,
                Some(folder),
                &[("hooks.json", Format::Hookline)],
            );
        }
        let of_user = |folder: &Option<PathBuf>| {
            let folder = folder.as_deref();
            folder.map_or(Layer::User, |folder| self.layer_of_own(folder))
        };
        list.add(
            of_user(&self.claude),
            self.claude.as_deref(),
            &[("settings.json", Format::Claude)],
        );
        list.add(of_user(&self.config), self.config.as_deref(), &USER);
        list.add(Layer::Project, self.project.as_deref(), &PROJECT);
        list.add(Layer::Local, self.project.as_deref(), &LOCAL);
        list.add(Layer::Local, self.repository().as_deref(), &LOCAL[..1]);
        list.0
    }
}

impl Places {
    /// The file of a format that a layer's hooks are written to: of several spellings of its path the
    /// one that is there, else the first.
    ///
    /// ```
    /// use hook_config::{Format, Layer, Places};
    ///
    /// let places = Places::none().project("/work/engine");
    /// let file = places.file(Format::Opta, Layer::Project).unwrap();
    /// assert_eq!(file, std::path::Path::new("/work/engine/.opta/config.json"));
    /// assert_eq!(places.file(Format::Opta, Layer::User), None);
    /// ```
    pub fn file(&self, format: Format, layer: Layer) -> Option<PathBuf> {
        let mut paths = self.files(format, layer);
        let there = paths.iter().position(|path| path.exists());
        (!paths.is_empty()).then(|| paths.swap_remove(there.unwrap_or_default()))
    }

    /// Where a layer's files of a format are, in all spellings.
    pub(crate) fn files(&self, format: Format, layer: Layer) -> Vec<PathBuf> {
        let candidates = self.candidates().into_iter();
        let of = candidates.filter(|file| file.layer == layer && file.format == format);
        of.map(|file| file.path).collect()
    }

    /// The repository that the project is a folder of: private settings may be at its root.
    fn repository(&self) -> Option<PathBuf> {
        let project = self.project.as_deref()?;
        let root = project
            .ancestors()
            .find(|folder| folder.join(".git").exists())?;
        (root != project).then(|| root.to_owned())
    }
}

/// In the user's configuration directory. OpenCode's has two spellings in the wild.
const USER: [(&str, Format); 4] = [
    ("hookline/hooks.json", Format::Hookline),
    ("opta/config.json", Format::Opta),
    ("opencode/hooks.json", Format::OpenCode),
    ("src/opencode/hooks.json", Format::OpenCode),
];

/// In the project.
const PROJECT: [(&str, Format); 5] = [
    (".claude/settings.json", Format::Claude),
    (".hookline/hooks.json", Format::Hookline),
    (".opta/config.json", Format::Opta),
    (".opencode/hooks.json", Format::OpenCode),
    (".src/opencode/hooks.json", Format::OpenCode),
];

/// In the project, and private.
const LOCAL: [(&str, Format); 2] = [
    (".claude/settings.local.json", Format::Claude),
    (".hookline/hooks.local.json", Format::Hookline),
];

#[derive(Default)]
struct List(Vec<Candidate>);

impl List {
    fn add(&mut self, layer: Layer, folder: Option<&Path>, files: &[(&str, Format)]) {
        let Some(folder) = folder else { return };
        self.0.extend(files.iter().map(|(name, format)| Candidate {
            path: folder.join(name),
            layer,
            format: *format,
        }));
    }

    /// Every settings file of a folder, by name. A folder that cannot be listed is looked at like a
    /// file, so that somebody is told.
    fn add_folder(&mut self, layer: Layer, folder: &Path) {
        let mut paths = match std::fs::read_dir(folder) {
            Ok(entries) => {
                let paths = entries.flatten().map(|entry| entry.path());
                let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
                paths.filter(is_json).collect()
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(_) => vec![folder.to_owned()],
        };
        paths.sort();
        self.0.extend(paths.into_iter().map(|path| Candidate {
            path,
            layer,
            format: Format::Claude,
        }));
    }
}
