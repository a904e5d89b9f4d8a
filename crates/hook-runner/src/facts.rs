//! What a runner knows of the session it serves.

use std::path::PathBuf;
use std::time::SystemTime;

use hook_types::Base;

/// The facts of one session. The base goes into every event; the rest is for dialects that tell
/// their hooks more than the wire does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Session {
    /// What every event carries.
    pub base: Base,
    /// The project's root. Does not follow the working directory.
    pub project_dir: String,
    /// The user's home directory.
    pub home: Option<String>,
    /// The model in use.
    pub model: Option<String>,
    /// Whether somebody can answer questions. Without anybody, a call can be deferred.
    pub interactive: bool,
    /// Where texts are kept that are too long for the conversation. Without one they go to a
    /// directory of the runner's own, which goes away with it.
    pub long_texts: Option<PathBuf>,
    /// Tells the time of day.
    pub clock: fn() -> SystemTime,
}

impl Session {
    /// A session that nobody watches, in the directory that `base` names.
    pub fn new(base: Base) -> Self {
        Self {
            project_dir: base.cwd.clone(),
            base,
            home: None,
            model: None,
            interactive: true,
            long_texts: None,
            clock: SystemTime::now,
        }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(Base::default())
    }
}
