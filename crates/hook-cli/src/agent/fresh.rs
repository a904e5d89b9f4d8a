//! Files of hooks that change while the agent runs: read again, unless a hook refuses the change.

use std::path::{Path, PathBuf};

use agent_loop::Host;
use hook_config::{Diagnostic, FileWatch, Layer, Loaded, Reloaded, Reloader, Report, WatchError};
use hook_runner::Runner;
use hook_types::{ConfigChange, ConfigSource};

use super::display::Display;

/// Keeps a runner's hooks as the files have them, until it is dropped.
pub(crate) struct Fresh {
    pub(crate) runner: Runner,
    pub(crate) reloader: Reloader,
    pub(crate) host: Host,
    pub(crate) display: Display,
}

impl Fresh {
    /// Watches. Where that cannot be done it is said, and the hooks stay as they are.
    pub(crate) async fn keep(mut self) {
        if let Err(why) = self.watch().await {
            self.display
                .note(format!("changes to files are not noticed: {why}"));
        }
    }

    async fn watch(&mut self) -> Result<(), WatchError> {
        let files = FileWatch::new()?;
        files.watch(self.reloader.watched())?;
        // Files whose change a hook has refused: they are asked about again with the next one.
        let mut refused: Vec<PathBuf> = Vec::new();
        loop {
            // Once at the start too: something may have changed before anybody watched.
            let reloaded = self.reloader.reload();
            files.watch(self.reloader.watched())?;
            match reloaded {
                Reloaded::Ready { loaded, changed } => {
                    refused.extend(changed);
                    refused.sort();
                    refused.dedup();
                    if self.apply(*loaded, &refused).await {
                        refused.clear();
                    }
                }
                Reloaded::Broken { problems, .. } => self.complain(&problems),
                Reloaded::Unchanged | _ => {}
            }
            files.changed().await;
        }
    }

    /// Takes over new hooks, if no hook refuses. Whether it did.
    async fn apply(&self, loaded: Loaded, changed: &[PathBuf]) -> bool {
        for file in changed {
            let path = file.to_string_lossy();
            let event = ConfigChange::new(source(file, &loaded.report)).file_path(&*path);
            // Nothing interrupts it: a wish to end drops it whole.
            if !self.host.config_changed(event).await.unwrap_or(false) {
                let refused =
                    format!("a hook refused the change of {path}; the hooks stay as they were");
                self.display.note(refused);
                return false;
            }
        }
        let hooks = loaded.hooks.len();
        self.runner.replace(loaded.hooks);
        let paths: Vec<_> = changed.iter().map(|path| path.to_string_lossy()).collect();
        let s = if hooks == 1 { "" } else { "s" };
        self.display
            .note(format!("{} changed: {hooks} hook{s} now", paths.join(", ")));
        true
    }

    fn complain(&self, problems: &[Diagnostic]) {
        for problem in problems {
            let place = problem.place.as_ref();
            let place =
                place.map(|place| format!("{}:{}: ", place.file.path().display(), place.line()));
            let place = place.unwrap_or_default();
            self.display.note(format!(
                "{place}{}; the hooks stay as they were",
                problem.message
            ));
        }
    }
}

/// Whose file it is.
fn source(path: &Path, report: &Report) -> ConfigSource {
    let file = report.files.iter().find(|file| file.path == path);
    match file.map(|file| file.origin.layer) {
        Some(Layer::Managed) => ConfigSource::PolicySettings,
        Some(Layer::User) => ConfigSource::UserSettings,
        Some(Layer::Local) => ConfigSource::LocalSettings,
        _ => ConfigSource::ProjectSettings,
    }
}
