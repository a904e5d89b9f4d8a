//! A terminal: keys in, text out.

mod editor; // one line, edited
mod flow; // text that comes in pieces
mod keyboard; // the keys that somebody presses
mod keys; // bytes to keys
mod mode; // a terminal that hands over every key
mod row; // text in one row

pub(crate) use editor::{Editor, Pressed};
pub(crate) use flow::Flow;
pub(crate) use keyboard::Keyboard;
pub(crate) use keys::Key;
pub(crate) use mode::RawMode;
pub(crate) use row::{ERASE, FRAMES, fit};
