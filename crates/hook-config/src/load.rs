//! Files to hooks, in one call.

use crate::discover::discover;
use crate::options::Options;
use crate::places::Places;
use crate::resolve::{Loaded, resolve};

/// Looks for files, reads them, and makes a set of their hooks. Whatever is wrong with them is in the
/// report.
///
/// ```
/// use std::sync::Arc;
/// use hook_config::{Options, Places, TrustEverything, load};
/// use hook_runner::{Fire, Runner};
/// use hook_shell::Host;
/// use hook_types::PreToolUse;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let project = tempfile::tempdir()?;
/// std::fs::create_dir(project.path().join(".hookline"))?;
/// std::fs::write(
///     project.path().join(".hookline/hooks.json"),
///     r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
///         {"type": "command", "command": "echo 'ask first' >&2; exit 2"},
///     ]}]}}"#,
/// )?;
/// // The user has just looked at it; else none of a project's hooks runs.
/// let options = Options::new(Host::new()).trust(Arc::new(TrustEverything));
/// let loaded = load(&Places::none().project(project.path()), &options);
/// assert!(loaded.report.diagnostics.is_empty());
///
/// let call = PreToolUse::new("Bash", json!({"command": "make"}));
/// let verdict = Runner::new(loaded.hooks).fire(call).await;
/// assert_eq!(verdict.reason(), Some("ask first"));
/// # Ok(())
/// # }
/// ```
pub fn load(places: &Places, options: &Options) -> Loaded {
    resolve(discover(places), places, options)
}
