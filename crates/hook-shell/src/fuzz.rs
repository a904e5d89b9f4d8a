//! What is inside, for the fuzzer: no process, just lines.

use hook_runner::Input;
use hook_types::Reply;
use process_tree::Line;

use crate::server::said;

/// What a server's line says: the requests it speaks of, in order, and what it is to each of them if
/// they asked about `input`.
pub fn heard(input: &Input, line: &Line) -> Vec<(u64, Option<Reply>)> {
    let said = said(line).into_iter();
    said.map(|said| (said.id(), said.reply(input))).collect()
}
