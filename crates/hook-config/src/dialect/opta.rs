//! Opta's files.

use crate::document::Document;
use crate::parsed::Parsed;

/// Reads the hooks of the file.
pub(super) fn parse(_document: &Document) -> Parsed {
    Parsed::default()
}
