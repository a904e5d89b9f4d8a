//! Which files a command runs, and whether they are there and can be run.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hook_runner::matcher::ShellWords;

use super::text::Text;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discover::slurp;
use crate::entry::{Action, Entry, Run};
use crate::file::ConfigFile;
use crate::places::Places;
use crate::source::Place;

/// How much of a script is looked at.
const LARGEST_SCRIPT: u64 = 1 << 20;

/// Programs that run the file that they are given.
const INTERPRETERS: &[&str] = &[
    "ash", "bash", "bun", "dash", "deno", "ksh", "node", "perl", "php", "python", "python3",
    "ruby", "sh", "tsx", "zsh",
];

/// What a command's words are read with.
pub(super) struct Surroundings {
    /// Where it runs.
    directory: Option<PathBuf>,
    /// Variables whose values are known.
    variables: Vec<(&'static str, String)>,
}

impl Surroundings {
    pub(super) fn of(file: &ConfigFile, entry: &Entry, places: &Places) -> Self {
        let path = |path: &Path| path.display().to_string();
        let project = places.project.as_deref();
        let plugin = file.origin.plugin.as_ref().map(|origin| &origin.plugin);
        let known = [
            ("CLAUDE_PROJECT_DIR", project.map(path)),
            ("HOME", places.home.as_deref().map(path)),
            (
                "CLAUDE_PLUGIN_ROOT",
                plugin.map(|plugin| plugin.root.clone()),
            ),
            (
                "CLAUDE_PLUGIN_DATA",
                plugin.and_then(|plugin| plugin.data.clone()),
            ),
        ];
        let own = match &entry.action {
            Action::Command(command) => command.cwd.as_deref(),
            Action::Server(server) => server.cwd.as_deref(),
            Action::Other { .. } => None,
        };
        Self {
            directory: match (own.map(|own| own.strip_prefix("~")), project, own) {
                (Some(Ok(rest)), _, _) => places.home.as_ref().map(|home| home.join(rest)),
                (_, Some(project), Some(own)) => Some(project.join(own)),
                (_, project, own) => project.or(own).map(Path::to_owned),
            },
            variables: known
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        }
    }

    /// The commands that will be run, as far as their words are known.
    fn commands(&self, run: &Run) -> Vec<Vec<String>> {
        match run {
            Run::Shell(command) => {
                let known: Vec<_> = self
                    .variables
                    .iter()
                    .map(|(n, v)| (*n, v.as_str()))
                    .collect();
                // Behind a `cd` nobody knows where a relative path leads.
                let words = ShellWords::read(command, &known);
                let literal = |command: &hook_runner::matcher::ShellCommand| {
                    let words = command.words.iter();
                    words
                        .map_while(|word| word.literal.clone())
                        .collect::<Vec<_>>()
                };
                words.commands.iter().map(literal).collect()
            }
            Run::Exec { program, args } => {
                let words = std::iter::once(program).chain(args);
                vec![words.map(|word| self.filled(word)).collect()]
            }
        }
    }

    fn filled(&self, word: &str) -> String {
        let fill = |word: String, (name, value): &(&str, String)| {
            word.replace(&format!("${{{name}}}"), value)
        };
        self.variables.iter().fold(word.to_owned(), fill)
    }
}

/// A script that a command runs.
pub(super) struct Script {
    pub(super) path: PathBuf,
    pub(super) text: Text,
    /// The program that reads it, if the command names one.
    pub(super) interpreter: Option<String>,
}

/// Says which files are missing or cannot be run, and hands back the scripts among the others.
pub(super) fn check(
    entry: &Entry,
    run: &Run,
    around: &Surroundings,
    found: &mut Vec<Diagnostic>,
) -> Vec<Script> {
    let commands = around.commands(run);
    let moves = commands
        .iter()
        .any(|words| matches!(words.first().map(String::as_str), Some("cd" | "pushd")));
    let mut scripts = Vec::new();
    for words in commands {
        let Some(named) = Named::by(&words) else {
            continue;
        };
        let path = Path::new(named.path);
        let path = match &around.directory {
            _ if path.is_absolute() => path.to_owned(),
            Some(directory) if !moves => directory.join(path),
            _ => continue,
        };
        scripts.extend(named.look(entry, path, found));
    }
    scripts
}

/// The file that a command names to be run.
struct Named<'a> {
    path: &'a str,
    interpreter: Option<&'a str>,
}

impl<'a> Named<'a> {
    fn by(words: &'a [String]) -> Option<Self> {
        let program = words.first()?;
        let base = program.rsplit('/').next().unwrap_or(program);
        if INTERPRETERS.contains(&base) {
            let rest = &words[1..];
            // `-c` and `-e` are followed by a program's text, and then there is no file.
            let inline = rest.iter().take_while(|word| word.starts_with('-'));
            if inline.clone().any(|word| is_inline(word)) {
                return None;
            }
            let path = rest.get(inline.count())?;
            return Some(Self {
                path,
                interpreter: Some(base),
            });
        }
        program.contains('/').then_some(Self {
            path: program,
            interpreter: None,
        })
    }

    fn look(&self, entry: &Entry, path: PathBuf, found: &mut Vec<Diagnostic>) -> Option<Script> {
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                found.push(if error.kind() == ErrorKind::PermissionDenied {
                    self.unreadable(entry, &path)
                } else {
                    missing(entry, self.path, &path)
                });
                return None;
            }
        };
        if self.interpreter.is_none() {
            found.extend(self.cannot_run(entry, &path, &metadata));
        }
        if !metadata.is_file() || metadata.len() > LARGEST_SCRIPT {
            return None;
        }
        let bytes = match slurp(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                let denied = error.kind() == ErrorKind::PermissionDenied;
                found.extend(denied.then(|| self.unreadable(entry, &path)));
                return None;
            }
        };
        let text = String::from_utf8(bytes).ok()?;
        Some(Script {
            text: Text::of_script(&path, text),
            interpreter: self.interpreter.map(str::to_owned),
            path,
        })
    }
}

impl Named<'_> {
    /// Says that a file cannot be run by itself.
    fn cannot_run(&self, entry: &Entry, path: &Path, metadata: &Metadata) -> Option<Diagnostic> {
        let (written, shown) = (self.path, path.display());
        let (message, help) = if metadata.is_dir() {
            let message = format!("`{written}` is a directory");
            (message, "name the file in it that is to be run".to_owned())
        } else if metadata.permissions().mode() & 0o111 == 0 {
            let message = format!("`{written}` is not executable");
            (message, format!("run `chmod +x {shown}`"))
        } else {
            return None;
        };
        let problem = Diagnostic::new(Code::NotExecutable, message);
        Some(problem.at(place(entry, written)).help(help))
    }

    /// Says that a file cannot be opened. A program may be run all the same, and a script may not.
    fn unreadable(&self, entry: &Entry, path: &Path) -> Diagnostic {
        let (why, severity) = if let Some(reader) = self.interpreter {
            (format!("and {reader} has to"), Severity::Error)
        } else {
            ("and a script has to be".to_owned(), Severity::Warning)
        };
        let message = format!("`{}` may not be read, {why}", self.path);
        Diagnostic::new(Code::UnreadableScript, message)
            .severity(severity)
            .at(place(entry, self.path))
            .help(format!(
                "run `chmod +r {}`, and see who may enter its folders",
                path.display()
            ))
    }
}

/// `-c`, `-e`, `-lc`, `--eval`, and `-m` which names a module.
fn is_inline(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => ["eval", "print"].iter().any(|name| long.starts_with(name)),
        None => word.contains(['c', 'e', 'm', 's', 'p']),
    }
}

/// Where the path is written, or at least its last part: the rest may be a variable's.
fn place(entry: &Entry, path: &str) -> Place {
    let whole = Text::of_entry(entry, path).place(0, path);
    if whole != entry.place {
        return whole;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    Text::of_entry(entry, name).place(0, name)
}

/// The file is not there; perhaps another one nearly is.
fn missing(entry: &Entry, written: &str, path: &Path) -> Diagnostic {
    let problem = Diagnostic::new(Code::MissingScript, format!("`{written}` is not there"))
        .at(place(entry, written));
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let siblings = path
        .parent()
        .and_then(|folder| std::fs::read_dir(folder).ok());
    let names: Vec<String> = siblings
        .into_iter()
        .flatten()
        .flatten()
        .take(1000)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    match hook_types::nearest(&name, names.iter().map(String::as_str)) {
        Some(near) => problem.help(format!("there is a `{near}` beside it")),
        None => problem.help(format!("it was looked for at {}", path.display())),
    }
}
