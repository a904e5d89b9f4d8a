//! Changing a file: what nobody touches stays as it is, comments, unknown keys and all.

mod tree;
mod way;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstNode, CstRootNode};
use serde_json::Value;

use self::tree::{Container, Missing, input, parent};
pub use self::way::Step;
use crate::diagnostic::Diagnostic;
use crate::discover::slurp;
use crate::document::Document;
use crate::read::{BYTE_ORDER_MARK, SYNTAX, read};
use crate::save::write_atomically;
use crate::source::Span;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: std::io::Error,
    },
    /// It is not JSON, so nothing in it can be changed.
    #[error("{0}")]
    NotJson(Box<Diagnostic>),
    /// Somebody else has changed it meanwhile.
    #[error("{} has been changed by somebody else; try again", .0.display())]
    Changed(PathBuf),
    /// What stands there is of another kind than the change needs.
    #[error("`{at}` is {found}, not {expected}")]
    Kind {
        /// Where.
        at: String,
        /// What is there.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
}

/// A file that is being changed. Nothing is written before [`Edit::save`].
///
/// ```
/// use hook_config::Edit;
/// use serde_json::json;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("settings.json");
/// std::fs::write(&path, "{\n  // mine\n  \"model\": \"small\",\n}\n")?;
///
/// let mut edit = Edit::open(&path)?;
/// let hook = json!({"hooks": [{"type": "command", "command": "./lint.sh"}]});
/// edit.push(&["hooks".into(), "PostToolUse".into()], &hook)?;
/// edit.save()?;
///
/// let text = std::fs::read_to_string(&path)?;
/// assert!(text.starts_with("{\n  // mine\n  \"model\": \"small\","));
/// assert!(text.contains("./lint.sh"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Edit {
    path: PathBuf,
    /// The bytes when it was opened; none where there was no file.
    before: Option<Vec<u8>>,
    text: String,
}

impl Edit {
    /// Opens a file; one that is not there is an empty object.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, EditError> {
        let path = path.into();
        let before = bytes(&path)?;
        let text = match &before {
            None => "{}\n".to_owned(),
            Some(bytes) => {
                let document = read(&path, bytes).map_err(EditError::NotJson)?;
                document.file.text().to_owned()
            }
        };
        Ok(Self { path, before, text })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text as it would be written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether anything is different from what was opened.
    pub fn is_changed(&self) -> bool {
        self.before.as_deref() != Some(self.to_bytes().as_slice())
    }

    /// The document as it stands now.
    pub fn document(&self) -> Result<Document, EditError> {
        read(&self.path, self.text.as_bytes()).map_err(EditError::NotJson)
    }

    /// The way to the value that stands at a place of the text, such as that of an entry.
    pub fn way_to(&self, span: Span) -> Result<Option<Vec<Step>>, EditError> {
        Ok(way::to(&self.document()?.root, span))
    }

    /// Sets a value. Objects on the way are made where they are missing.
    pub fn set(&mut self, way: &[Step], value: &Value) -> Result<(), EditError> {
        self.change(|root| {
            let Some((last, before)) = way.split_last() else {
                root.set_value(input(value));
                return Ok(());
            };
            match (last, parent(root, before, Missing::Make(last))?) {
                (Step::Key(key), Container::Object(object)) => match object.get(key) {
                    Some(property) => property.set_value(input(value)),
                    None => {
                        object.append(key, input(value));
                    }
                },
                (Step::Index(index), Container::Array(array)) => {
                    if let Some(old) = array.elements().get(*index) {
                        old.clone().remove();
                    }
                    array.insert((*index).min(array.elements().len()), input(value));
                }
                (_, container) => return Err(container.is_not(before, last)),
            }
            Ok(())
        })
    }

    /// Adds a value at the end of a list, which is made where it is missing.
    pub fn push(&mut self, list: &[Step], value: &Value) -> Result<(), EditError> {
        self.change(|root| {
            let step = Step::Index(0);
            match parent(root, list, Missing::Make(&step))? {
                Container::Array(array) => {
                    array.append(input(value));
                    Ok(())
                }
                container @ Container::Object(_) => Err(container.is_not(list, &step)),
            }
        })
    }

    /// Takes a value away, with its key; whether there was one.
    pub fn remove(&mut self, way: &[Step]) -> Result<bool, EditError> {
        let Some((last, before)) = way.split_last() else {
            return Ok(false);
        };
        let mut removed = false;
        self.change(|root| {
            let found = match (last, parent(root, before, Missing::Leave)) {
                (Step::Key(key), Ok(Container::Object(object))) => {
                    object.get(key).map(CstNode::from)
                }
                (Step::Index(index), Ok(Container::Array(array))) => {
                    array.elements().get(*index).cloned()
                }
                _ => None,
            };
            removed = found.is_some();
            found.into_iter().for_each(CstNode::remove);
            Ok(())
        })?;
        Ok(removed)
    }

    /// Writes the file, in one step; see [`write_atomically`]. Refuses where somebody else has changed
    /// it since it was opened, and writes nothing where nothing has changed.
    pub fn save(&mut self) -> Result<(), EditError> {
        if bytes(&self.path)? != self.before {
            return Err(EditError::Changed(self.path.clone()));
        }
        if !self.is_changed() {
            return Ok(());
        }
        let bytes = self.to_bytes();
        write_atomically(&self.path, &bytes).map_err(|error| EditError::Io {
            path: self.path.clone(),
            error,
        })?;
        self.before = Some(bytes);
        Ok(())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let before = self.before.as_deref().unwrap_or_default();
        let mark = before
            .starts_with(BYTE_ORDER_MARK)
            .then_some(BYTE_ORDER_MARK);
        [mark.unwrap_or_default(), self.text.as_bytes()].concat()
    }

    fn change(
        &mut self,
        how: impl FnOnce(&CstRootNode) -> Result<(), EditError>,
    ) -> Result<(), EditError> {
        let root = CstRootNode::parse(&self.text, &SYNTAX);
        // What was read before is JSON; were it not, the document would say where.
        let Ok(root) = root else {
            return self.document().map(drop);
        };
        how(&root)?;
        let text = root.to_string();
        read(&self.path, text.as_bytes()).map_err(EditError::NotJson)?;
        self.text = text;
        Ok(())
    }
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>, EditError> {
    match slurp(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EditError::Io {
            path: path.to_owned(),
            error,
        }),
    }
}
