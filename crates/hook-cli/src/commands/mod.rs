//! One file a command: its arguments with their help, and what it does.

pub(crate) mod adapt;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod fire;
pub(crate) mod hooks;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod trust;
pub(crate) mod untrust;
pub(crate) mod watch;

use hook_types::EventName;

use crate::failure::Failure;

/// Says that this build has no screens.
#[cfg(not(feature = "tui"))]
pub(crate) fn without_screens() -> Failure {
    Failure::invalid("this hookline was built without its feature `tui`, and has no screens")
}

/// The event of that name; where there is none, the nearest one is suggested.
pub(crate) fn event_named(name: &str) -> Result<EventName, Failure> {
    name.parse().map_err(|_| {
        let unknown = Failure::invalid(format!("there is no event `{name}`"));
        match EventName::nearest(name) {
            Some(near) => unknown.help(format!("did you mean `{near}`?")),
            None => unknown.help("`hookline schema` lists the events"),
        }
    })
}
