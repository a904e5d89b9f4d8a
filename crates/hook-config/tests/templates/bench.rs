//! A project with a template in it, on a machine that has only what is put there.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use hook_config::{Layer, Template, load};
use hook_runner::{Fire, Fired, Policy, Runner};
use hook_shell::Host;
use hook_types::Event;
use process_tree::Environment;

use crate::scene::{AMPLE, Scene, options};

/// What every machine has.
const BARE: [&str; 14] = [
    "sh", "awk", "grep", "tr", "cat", "tail", "head", "date", "mkdir", "dirname", "basename",
    "env", "git", "python3",
];

pub(crate) struct Bench {
    pub(crate) scene: Scene,
    environment: Environment,
}

impl Bench {
    /// A project with a template, on a bare machine.
    pub(crate) fn new(template: &str) -> Self {
        let bench = Self::bare(&BARE);
        let template = Template::find(template).unwrap();
        template
            .install(&bench.scene.places(), Layer::Project)
            .unwrap();
        bench
    }

    /// The same, without some programs.
    pub(crate) fn without(template: &str, missing: &[&str]) -> Self {
        let bench = Self::new(template);
        for program in missing {
            std::fs::remove_file(bench.bin().join(program)).unwrap();
        }
        bench
    }

    fn bare(programs: &[&str]) -> Self {
        let scene = Scene::new();
        let bin = scene.path("bin");
        std::fs::create_dir(&bin).unwrap();
        for program in programs {
            symlink(find(program), bin.join(program)).unwrap();
        }
        let environment = Environment::empty()
            .with("PATH", &bin)
            .with("HOME", scene.path("home"))
            .with("GIT_CONFIG_GLOBAL", "/dev/null")
            .with("GIT_CONFIG_SYSTEM", "/dev/null")
            .with("GIT_AUTHOR_NAME", "Ada")
            .with("GIT_AUTHOR_EMAIL", "ada@example.org")
            .with("GIT_COMMITTER_NAME", "Ada")
            .with("GIT_COMMITTER_EMAIL", "ada@example.org");
        Self { scene, environment }
    }

    fn bin(&self) -> PathBuf {
        self.scene.path("bin")
    }

    /// A program that writes its name and its arguments into `called`.
    pub(crate) fn has(self, program: &str) -> Self {
        self.has_that(program, "exit 0")
    }

    /// The same, with more that it does.
    pub(crate) fn has_that(self, program: &str, does: &str) -> Self {
        let path = self.bin().join(program);
        let called = self.scene.path("project/called");
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"{program} $*\" >> '{}'\n{does}\n",
            called.display()
        );
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.environment = self.environment.with(name, value);
        self
    }

    /// Makes the project a repository with one commit.
    pub(crate) fn repository(self) -> Self {
        self.git(&["init", "-q", "-b", "trunk"]);
        self.scene.write("project/README.md", "hello\n");
        self.git(&["add", "README.md"]);
        self.git(&["commit", "-q", "-m", "first"]);
        self
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.args(arguments).current_dir(self.scene.project());
        git.env_clear().envs(self.environment.iter());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }

    /// The titles of the commits, the last one first.
    pub(crate) fn commits(&self) -> Vec<String> {
        let log = self.scene.path("log");
        let file = std::fs::File::create(&log).unwrap();
        let mut git = std::process::Command::new("git");
        git.args(["log", "--format=%s"])
            .current_dir(self.scene.project());
        git.env_clear().envs(self.environment.iter()).stdout(file);
        git.status().unwrap();
        read(&log).lines().map(str::to_owned).collect()
    }

    /// Fires an event at the project's file, and closes the session.
    pub(crate) async fn fire<E: Event>(&self, event: E) -> Fired {
        let host = Host::with_environment(self.environment.clone());
        let loaded = load(&self.scene.places(), &options(host));
        assert_eq!(loaded.report.diagnostics, []);
        let runner = Runner::with(loaded.hooks, self.scene.session(), Policy::default());
        let fired = runner.fire(event).await.into_fired();
        runner.close(AMPLE).await;
        fired
    }

    /// What the programs that write it down were called with.
    pub(crate) fn called(&self) -> Vec<String> {
        self.scene.lines("called")
    }
}

/// Where a program is; of one that a launcher stands for, the program itself.
fn find(program: &str) -> PathBuf {
    let path = Environment::inherited().get("PATH").unwrap().to_owned();
    let mut folders = std::env::split_paths(&path);
    let found = folders.find_map(|folder| Some(folder.join(program)).filter(|p| p.is_file()));
    if program != "python3" {
        return found.unwrap();
    }
    let answer = tempfile::NamedTempFile::new().unwrap();
    let mut python = std::process::Command::new(found.unwrap());
    python.args(["-c", "import sys; print(sys.executable)"]);
    python.stdout(answer.reopen().unwrap());
    assert!(python.status().unwrap().success());
    PathBuf::from(read(answer.path()).trim())
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
