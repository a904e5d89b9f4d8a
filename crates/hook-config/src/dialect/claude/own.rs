//! What a hook of Hookline's own files may say beyond the contract: whose rules its command is written
//! for, and a matcher of its own.

use hook_shell::Dialect;

use super::{Extras, group};
use crate::dialect::fields::Fields;
use crate::entry::Listen;

/// What `dialect` can be.
const DIALECTS: [(&str, Dialect); 4] = [
    ("claude", Dialect::Claude),
    ("hookline", Dialect::Hookline),
    ("opta", Dialect::Opta),
    ("opencode", Dialect::OpenCode),
];

/// When the hook runs: a hook of our own files may have a matcher of its own, in place of its list's.
/// One that cannot be read is reported, and the hook is broken for all.
pub(super) fn listens(
    fields: &mut Fields<'_>,
    extras: Extras,
    listens: Vec<Listen>,
) -> Vec<Listen> {
    if extras == Extras::None || fields.any("matcher").is_none() {
        return listens;
    }
    let own = |listen: Listen| match group::matcher(listen.event, fields) {
        Some(matcher) => Listen::new(listen.event, matcher),
        None => Listen::all(listen.event),
    };
    listens.into_iter().map(own).collect()
}

/// Whose rules a command is written for: in our own files it may say so.
pub(super) fn dialect(fields: &mut Fields<'_>, kind: &str, extras: Extras) -> Dialect {
    match extras {
        Extras::None => Dialect::Claude,
        Extras::Hookline if kind == "command" => {
            let written = fields.word("dialect", &DIALECTS);
            written.unwrap_or(Dialect::Hookline)
        }
        Extras::Hookline => Dialect::Hookline,
    }
}
