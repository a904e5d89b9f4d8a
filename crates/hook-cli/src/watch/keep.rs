//! How much is kept, and what is left of the rest. Every number that bounds memory is here.

/// How many firings are kept; older ones are counted.
pub(crate) const FIRINGS: usize = 10_000;
/// How much text of them is kept, in bytes; beyond that, older firings are counted, too.
pub(crate) const TEXT: usize = 32 << 20;
/// How much is kept of what one run printed, in bytes, of stdout and of stderr each.
pub(crate) const OUTPUT: usize = 16 << 10;
/// How much is kept of any other text: a reason, an input, a name.
pub(crate) const WORDS: usize = 8 << 10;
/// How many tool calls are remembered until their hooks run.
pub(crate) const CALLS: usize = 256;
/// What a run costs beside its text.
pub(crate) const RUN: usize = 512;
/// The longest line that is read: a hook prints 1 MiB in either way, a message has it twice, and in
/// JSON a byte may take six.
pub(crate) const LINE: usize = 32 << 20;

/// A text, with its middle left out where it is too long.
pub(crate) fn keep(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 2);
    format!(
        "{}\n… {} bytes are not kept …\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}
