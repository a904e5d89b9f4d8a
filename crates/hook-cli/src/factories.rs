//! Who makes the hooks of files, by their type.

use hook_config::Factories;

/// The types that this build can run. A type that it cannot is a broken entry, which says so.
pub(crate) fn factories() -> Factories {
    with_http(Factories::new())
}

#[cfg(feature = "network")]
fn with_http(factories: Factories) -> Factories {
    factories.with("http", hook_http::HttpHooks::new())
}

#[cfg(not(feature = "network"))]
fn with_http(factories: Factories) -> Factories {
    use std::sync::Arc;

    use hook_config::{Entry, Setting};
    use hook_runner::Handler;

    factories.with(
        "http",
        |_: &Entry, _: &Setting<'_>| -> Result<Arc<dyn Handler>, String> {
            let why = "this build of hookline asks no hooks over HTTP; build it with them: \
                       cargo install --path crates/hook-cli --features network";
            Err(why.to_owned())
        },
    )
}
