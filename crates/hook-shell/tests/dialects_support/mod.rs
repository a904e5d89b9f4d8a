//! Hooks of other systems, in a session that knows its model and its clock.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use hook_runner::Fired;
use hook_shell::{Dialect, Host, ShellHook};
use hook_types::Event;
use process_tree::Environment;

use crate::support::{Fixture, fire_and_close};

/// A hook of another system's, in a session that knows its model and its clock.
pub(crate) async fn run<E: Event>(
    fixture: &Fixture,
    dialect: Dialect,
    event: E,
    hook: ShellHook,
) -> Fired {
    let environment = Environment::empty().with("PATH", "/usr/local/bin:/usr/bin:/bin");
    let host = Host::with_environment(environment);
    let runner = fixture.runner::<E>(fixture.mark(hook).dialect(dialect).host(&host));
    runner.update_session(|session| {
        session.model = Some("model-7".to_owned());
        session.clock = || UNIX_EPOCH + Duration::from_millis(1_699_999_999_123);
    });
    fire_and_close(&runner, event).await
}

/// The variables that a hook is told whose names start with `prefix`.
pub(crate) async fn told<E: Event>(
    fixture: &Fixture,
    dialect: Dialect,
    prefix: &str,
    event: E,
) -> BTreeMap<String, String> {
    let hook = ShellHook::new("env -0 > told");
    run(fixture, dialect, event, hook).await;
    let all = fixture.read("told");
    all.split('\0')
        .filter_map(|entry| entry.split_once('='))
        .filter(|(name, _)| name.starts_with(prefix))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

pub(crate) fn table<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    let entries = entries.iter();
    entries
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}
