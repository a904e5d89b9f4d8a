//! What is wrong with hooks beyond the form of their entries: the scripts that they run, and what
//! they mean.

use crate::diagnostic::Diagnostic;
use crate::file::ConfigFile;
use crate::places::Places;

/// What is wrong with the hooks of a file. Looks at the scripts that they name, and runs nothing.
pub fn lint(_file: &ConfigFile, _places: &Places) -> Vec<Diagnostic> {
    Vec::new()
}
