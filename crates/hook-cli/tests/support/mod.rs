//! Scratch projects, the real binary, and a terminal that it can be run in.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set its scene has failed"
)]
#![allow(
    dead_code,
    reason = "every program of tests takes what it needs of this one"
)]

pub(crate) mod measured; // where lines that ran are counted
pub(crate) mod stream; // streams of hooks' messages
pub(crate) mod terminal; // a pseudo-terminal and its screen

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A project in a scratch directory, with a home of its own: nothing of the real one is read or written.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Printed {
    /// Every line of stdout as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Stdout as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Reads a file of the project; nothing where there is none.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project().join(name)).unwrap_or_default()
    }

    /// Waits until a file of the project says something; what it says.
    pub(crate) fn wait_for(&self, name: &str) -> String {
        let start = std::time::Instant::now();
        loop {
            let text = self.read(name);
            if text.ends_with('\n') {
                return text;
            }
            assert!(start.elapsed() < terminal::LIMIT, "no {name}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The hooks of the project: an event, a matcher and a command each.
    pub(crate) fn hooks(&self, hooks: &[(&str, &str, &str)]) -> &Self {
        let mut events = serde_json::Map::new();
        for (event, matcher, command) in hooks {
            let entry = serde_json::json!({"matcher": matcher,
                "hooks": [{"type": "command", "command": command}]});
            let list = events
                .entry(*event)
                .or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().unwrap().push(entry);
        }
        let settings = serde_json::json!({"hooks": events});
        self.write(".claude/settings.json", &settings.to_string())
    }

    /// What the binary sees of the environment, and nothing else.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let home = self.home();
        let path = |name: &str| home.join(name).to_string_lossy().into_owned();
        vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), home.to_string_lossy().into_owned()),
            ("XDG_STATE_HOME".into(), path("state")),
            ("XDG_CONFIG_HOME".into(), path("config")),
            ("XDG_CACHE_HOME".into(), path("cache")),
            ("XDG_DATA_HOME".into(), path("data")),
            ("LANG".into(), "C.UTF-8".into()),
        ]
    }

    /// The binary, in the project, with nothing of this process but its arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.project())
            .env_clear()
            .envs(measured::measured())
            .envs(self.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        self.run_with(arguments, "")
    }

    /// Runs the binary to its end, with something on stdin.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &str) -> Printed {
        self.run_in(arguments, stdin, &[])
    }

    /// Runs the binary to its end, with something on stdin and more in its environment.
    pub(crate) fn run_in(
        &self,
        arguments: &[&str],
        stdin: &str,
        variables: &[(&str, &str)],
    ) -> Printed {
        let mut child = self
            .command(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // Who does not read it is free not to.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let mut errors = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        let mut stdout = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut stdout)
            .unwrap();
        Printed {
            stdout,
            stderr: errors.join().unwrap(),
            code: child.wait().unwrap().code(),
        }
    }

    /// The binary on a terminal of its own.
    pub(crate) fn terminal(&self, arguments: &[&str]) -> terminal::Terminal {
        self.terminal_of(arguments, terminal::SIZE)
    }

    /// The binary on a terminal of so many rows and columns.
    pub(crate) fn terminal_of(&self, arguments: &[&str], size: (u16, u16)) -> terminal::Terminal {
        let environment = self.environment();
        terminal::Terminal::start(binary(), arguments, &self.project(), &environment, size)
    }
}

/// The real binary.
pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_hookline"))
}
