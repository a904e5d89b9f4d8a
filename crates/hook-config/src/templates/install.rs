//! Writing a template: scripts first, then the entries that run them. What is there is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hook_runner::Layer;
use serde_json::Value;

use super::{Script, Template};
use crate::dialect::Format;
use crate::edit::{Edit, EditError, Step};
use crate::places::Places;
use crate::save::{leads_out, write_atomically};

/// Why a template was not written. Nothing that was there is lost.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// The places have no such file.
    #[error("there is no file of {format} for {layer:?}; say where the project or the home is")]
    NoPlace {
        /// The format.
        format: &'static str,
        /// The layer.
        layer: Layer,
    },
    /// The template cannot be written in that format.
    #[error("`{template}` is a template of {own}, and cannot be written as {asked}")]
    Format {
        /// The template.
        template: &'static str,
        /// Its format.
        own: &'static str,
        /// What was asked for.
        asked: &'static str,
    },
    /// A link of the project leads out of it: a template for a project is written nowhere else.
    #[error("{} leads out of the project, to {}; remove that link", path.display(), end.display())]
    Outside {
        /// The file or the script.
        path: PathBuf,
        /// Where it leads.
        end: PathBuf,
    },
    /// The file of entries cannot be changed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A script cannot be written.
    #[error("{}: {error}", path.display())]
    Script {
        /// The script.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

/// What became of the files of a template, in the order in which they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Installed {
    /// The files.
    pub files: Vec<(PathBuf, Written)>,
}

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// It was not there, and is now.
    Created,
    /// It was there, and has more in it now.
    Extended,
    /// It was there as it should be.
    Unchanged,
    /// Another script was there under that name, and was kept: look at it.
    Kept,
}

impl Written {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Extended => "extended",
            Self::Unchanged => "unchanged",
            Self::Kept => "kept",
        }
    }
}

impl Template {
    /// Writes the template into the user's or the project's file of its format, and its scripts into
    /// the folder `hooks` beside it. What is there is kept: entries are added, and a script of the
    /// same name is not written over. Writing it again changes nothing.
    ///
    /// ```
    /// use hook_config::{Layer, Places, Template, Written};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let places = Places::none().project(folder.path());
    /// let template = Template::find("guard-commands").ok_or("no such template")?;
    /// let installed = template.install(&places, Layer::Project)?;
    /// let (script, written) = &installed.files[0];
    /// assert!(script.ends_with(".hookline/hooks/guard-commands.sh"));
    /// assert_eq!(*written, Written::Created);
    /// # Ok(())
    /// # }
    /// ```
    pub fn install(&self, places: &Places, layer: Layer) -> Result<Installed, InstallError> {
        self.install_as(self.format, places, layer)
    }

    /// The same into a file of another format that has the same shape: Claude settings.
    pub fn install_as(
        &self,
        format: Format,
        places: &Places,
        layer: Layer,
    ) -> Result<Installed, InstallError> {
        self.prepare(format, places, layer)?.write()
    }

    /// What [`Template::install_as`] would write, to be looked at first. Writes nothing.
    ///
    /// ```
    /// use hook_config::{Format, Layer, Places, Template};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// let places = Places::none().project(folder.path());
    /// let template = Template::find("guard-commands").ok_or("no such template")?;
    /// let prepared = template.prepare(Format::Hookline, &places, Layer::Project)?;
    /// assert!(prepared.edit().text().contains("guard-commands.sh"));
    /// assert!(!prepared.edit().path().exists());
    /// # Ok(())
    /// # }
    /// ```
    pub fn prepare(
        &self,
        format: Format,
        places: &Places,
        layer: Layer,
    ) -> Result<Prepared, InstallError> {
        let fits =
            format == self.format || (self.format == Format::Hookline && format == Format::Claude);
        if !fits {
            return Err(InstallError::Format {
                template: self.name,
                own: self.format.as_str(),
                asked: format.as_str(),
            });
        }
        let file = places.file(format, layer).ok_or(InstallError::NoPlace {
            format: format.as_str(),
            layer,
        })?;
        let folder = file.with_file_name("hooks");
        let scripts = self.scripts.iter();
        let scripts: Vec<_> = scripts
            .map(|script| (folder.join(script.name), *script))
            .collect();
        if let Some(root) = places.project.as_deref().filter(|_| layer != Layer::User) {
            let paths = scripts.iter().map(|(path, _)| path).chain([&file]);
            stays_within(root, paths)?;
        }
        // A file that cannot be changed is found before anything is written.
        let mut edit = Edit::open(&file)?;
        let called = called(&folder, places, format, layer);
        for (list, entry) in entries(self.entries, &called) {
            add(&mut edit, &list, &entry)?;
        }
        Ok(Prepared {
            existed: file.exists(),
            edit,
            scripts,
        })
    }
}

/// A template that is ready to be written, and is not.
#[derive(Clone, Debug)]
pub struct Prepared {
    edit: Edit,
    existed: bool,
    scripts: Vec<(PathBuf, Script)>,
}

impl Prepared {
    /// The file of entries, with what it would say.
    pub fn edit(&self) -> &Edit {
        &self.edit
    }

    /// The scripts, where they would be, and whether something is there, which is kept.
    pub fn scripts(&self) -> impl Iterator<Item = (&Path, &Script, bool)> {
        let scripts = self.scripts.iter();
        scripts.map(|(path, script)| (path.as_path(), script, path.exists()))
    }

    /// Writes the scripts, and then the entries that run them.
    pub fn write(mut self) -> Result<Installed, InstallError> {
        let mut files = Vec::new();
        for (path, script) in &self.scripts {
            let path = path.clone();
            let written = write(script, &path).map_err(|error| InstallError::Script {
                path: path.clone(),
                error,
            })?;
            files.push((path, written));
        }
        let written = match (self.existed, self.edit.is_changed()) {
            (false, _) => Written::Created,
            (true, true) => Written::Extended,
            (true, false) => Written::Unchanged,
        };
        self.edit.save()?;
        files.push((self.edit.path().to_owned(), written));
        Ok(Installed { files })
    }
}

/// Whether all of these are files of the project, also once links are followed: a repository must not
/// have its hooks written into the user's own file.
fn stays_within<'a>(
    root: &Path,
    paths: impl Iterator<Item = &'a PathBuf>,
) -> Result<(), InstallError> {
    for path in paths {
        let end = leads_out(root, path).map_err(|error| InstallError::Script {
            path: path.clone(),
            error,
        })?;
        if let Some(end) = end {
            let path = path.clone();
            return Err(InstallError::Outside { path, end });
        }
    }
    Ok(())
}

/// The entries, each with the way to the list that it belongs into.
fn entries(text: &str, scripts: &str) -> Vec<(Vec<Step>, Value)> {
    let file: Value = serde_json::from_str(text).unwrap_or_default();
    let mut lists = Vec::new();
    let hooks = &file["hooks"];
    if let Some(events) = hooks.as_object() {
        let way = |event: &String| vec!["hooks".into(), Step::Key(event.clone())];
        lists.extend(events.iter().map(|(event, groups)| (way(event), groups)));
    } else {
        lists.push((vec!["hooks".into()], hooks));
    }
    let mut found = Vec::new();
    for (way, list) in lists {
        for entry in list.as_array().into_iter().flatten() {
            let mut entry = entry.clone();
            fill(&mut entry, scripts);
            found.push((way.clone(), entry));
        }
    }
    found
}

fn fill(value: &mut Value, scripts: &str) {
    match value {
        Value::String(text) => *text = text.replace("{scripts}", scripts),
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, scripts)),
        Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, scripts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Adds an entry to a list, unless it is there.
fn add(edit: &mut Edit, list: &[Step], entry: &Value) -> Result<(), EditError> {
    let document = edit.document()?;
    let found = list
        .iter()
        .try_fold(&document.root, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Index(_) => None,
        });
    let known = found
        .and_then(crate::document::Node::as_array)
        .unwrap_or_default();
    if known.iter().any(|known| known.to_value() == *entry) {
        return Ok(());
    }
    edit.push(list, entry)
}

/// How a command names the folder of the scripts.
fn called(folder: &Path, places: &Places, format: Format, layer: Layer) -> String {
    let project = places.project.as_deref().filter(|_| layer != Layer::User);
    let within = project.and_then(|project| folder.strip_prefix(project).ok());
    match (within, format) {
        (Some(within), Format::Claude | Format::Hookline) => {
            format!("\"$CLAUDE_PROJECT_DIR\"/{}", within.display())
        }
        // Their agents know no variable for it, and start hooks in the project.
        (Some(within), Format::Opta | Format::OpenCode) => within.display().to_string(),
        (None, _) => quoted(&folder.display().to_string()),
    }
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Writes a script, unless one of its name is there.
fn write(script: &Script, path: &Path) -> io::Result<Written> {
    let text = script.text();
    match fs::read(path) {
        Ok(there) if there == text.as_bytes() => Ok(Written::Unchanged),
        Ok(_) => Ok(Written::Kept),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_atomically(path, text.as_bytes())?;
            make_executable(path)?;
            Ok(Written::Created)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    // Whoever may read it may run it.
    let mode = permissions.mode();
    permissions.set_mode(mode | (mode & 0o444) >> 2);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}
