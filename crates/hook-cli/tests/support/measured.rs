//! A program whose lines are counted (`.ci/coverage`) is told where to write that down, though all else of
//! the environment is kept from it.

use std::ffi::OsString;

/// The variable that says where; none where nothing is counted.
#[expect(
    clippy::disallowed_methods,
    reason = "how whoever counts tells the program that is started"
)]
pub(crate) fn measured() -> Option<(&'static str, OsString)> {
    let name = "LLVM_PROFILE_FILE";
    std::env::var_os(name).map(|place| (name, place))
}
