//! Ids that sort by time.

use uuid::Uuid;

/// A new id.
pub(crate) fn fresh() -> String {
    Uuid::now_v7().to_string()
}
