//! How files are turned into hooks.

use std::fmt;
use std::sync::Arc;

use hook_runner::{HookSet, HookSetBuilder};
use hook_shell::Host;

use crate::factory::Factories;
use crate::trust::{ContentTrust, Surroundings, Trust};

/// How files are turned into hooks.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// What all commands share.
    pub host: Host,
    /// Who makes the handlers.
    pub factories: Factories,
    /// Who says whether a hook may run.
    pub trust: Arc<dyn Trust>,
    /// Whether entries that are broken block the guards that they were to be.
    pub tripwires: bool,
    /// Whether the scripts are looked at too.
    pub lint: bool,
    /// The hooks that are written in Rust: made anew for each set, since files can change.
    rust: Arc<dyn Fn() -> HookSetBuilder + Send + Sync>,
}

impl Options {
    /// The commands of this host, with tripwires. Of a project's hooks none runs before somebody says
    /// whom to ask: [`ContentTrust`] with a store knows what the user has approved.
    pub fn new(host: Host) -> Self {
        Self {
            host,
            factories: Factories::new(),
            trust: Arc::new(ContentTrust::new(Surroundings::new(""), None)),
            tripwires: true,
            lint: false,
            rust: Arc::new(HookSet::builder),
        }
    }

    /// Hooks that are written in Rust, beside those of the files: the last layer.
    ///
    /// ```
    /// use hook_config::{Options, Places, load};
    /// use hook_runner::HookSet;
    /// use hook_shell::Host;
    /// use hook_types::{Event, PreToolUse};
    ///
    /// let options = Options::new(Host::new())
    ///     .rust_hooks(|| HookSet::builder().on("Bash", |_: PreToolUse| PreToolUse::pass()));
    /// assert_eq!(load(&Places::none(), &options).hooks.len(), 1);
    /// ```
    #[must_use]
    pub fn rust_hooks(
        mut self,
        hooks: impl Fn() -> HookSetBuilder + Send + Sync + 'static,
    ) -> Self {
        self.rust = Arc::new(hooks);
        self
    }

    /// A set with the hooks that are written in Rust.
    pub(crate) fn builder(&self) -> HookSetBuilder {
        (self.rust)()
    }

    /// Has others make the handlers.
    #[must_use]
    pub fn factories(mut self, factories: Factories) -> Self {
        self.factories = factories;
        self
    }

    /// Has somebody say whether hooks may run.
    #[must_use]
    pub fn trust(mut self, trust: Arc<dyn Trust>) -> Self {
        self.trust = trust;
        self
    }

    /// Whether broken entries block the guards that they were to be.
    #[must_use]
    pub fn tripwires(mut self, on: bool) -> Self {
        self.tripwires = on;
        self
    }

    /// Looks at the scripts too.
    #[must_use]
    pub fn lint(mut self, on: bool) -> Self {
        self.lint = on;
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("factories", &self.factories)
            .field("tripwires", &self.tripwires)
            .field("lint", &self.lint)
            .finish_non_exhaustive()
    }
}
