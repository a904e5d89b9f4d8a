//! The environment variable by which members of a tree are found again.
//!
//! Sessions and groups can be left, parents die; a variable is inherited by everything a command
//! starts unless it is taken out on purpose. Ids form a hierarchy, host, registry and run, each
//! ending in a dot, so that one prefix finds a run, all runs of a registry, or all of a host.

use std::{
    ffi::OsStr,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// The name of the variable that every process of a run inherits.
///
/// Its value is the run's id, after those of the runs it is nested in, separated by slashes.
pub const MARKER: &str = "HOOKLINE_TREE";

/// The id of a run, a registry or this host process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Marker(Arc<str>);

impl Marker {
    /// The id all markers of this process start with.
    pub(crate) fn host() -> Self {
        static HOST: OnceLock<Marker> = OnceLock::new();
        HOST.get_or_init(|| {
            let seed = RandomState::new().hash_one(std::process::id());
            Self(format!("{seed:016x}.").into())
        })
        .clone()
    }

    /// A new id below this one, used once.
    pub(crate) fn child(&self) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}{number:x}.", self.0).into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The variable's value for a run inside whatever `outer` names.
    pub(crate) fn value(&self, outer: Option<&OsStr>) -> std::ffi::OsString {
        let mut value = outer.map(OsStr::to_owned).unwrap_or_default();
        if !value.is_empty() {
            value.push("/");
        }
        value.push(self.as_str());
        value
    }

    /// Whether a variable with this value belongs to this run, registry or host.
    pub(crate) fn owns(&self, value: &[u8]) -> bool {
        value
            .split(|&byte| byte == b'/')
            .any(|id| id.starts_with(self.0.as_bytes()))
    }
}

/// The marker's value in the contents of an `environ` file.
pub(crate) fn value_in(environ: &[u8]) -> Option<&[u8]> {
    environ
        .split(|&byte| byte == 0)
        .find_map(|entry| entry.strip_prefix(MARKER.as_bytes())?.strip_prefix(b"="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_owns_its_runs_and_no_others() {
        let (one, two) = (Marker::host().child(), Marker::host().child());
        let run = one.child().value(None);
        assert!(one.owns(run.as_encoded_bytes()));
        assert!(Marker::host().owns(run.as_encoded_bytes()));
        assert!(!two.owns(run.as_encoded_bytes()));
    }

    #[test]
    fn a_nested_run_still_belongs_to_the_outer_one() {
        let (outer, inner) = (Marker::host().child(), Marker::host().child());
        let value = inner.value(Some(&outer.value(None)));
        assert!(outer.owns(value.as_encoded_bytes()));
        assert!(inner.owns(value.as_encoded_bytes()));
    }

    #[test]
    fn one_number_is_not_taken_for_the_start_of_another() {
        let one = Marker("h.1.".into());
        assert!(!one.owns(b"h.12."));
        assert!(one.owns(b"x/h.1.2."));
    }

    #[test]
    fn the_variable_is_found_among_others() {
        let environ = b"A=1\0XHOOKLINE_TREE=no\0HOOKLINE_TREE=yes\0B=2\0";
        assert_eq!(value_in(environ), Some(&b"yes"[..]));
        assert_eq!(value_in(b"A=1\0"), None);
    }
}
