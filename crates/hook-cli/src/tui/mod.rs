//! What fills the screen of a terminal: shared by `watch` and `hooks`.
//!
//! Whatever is shown goes through [`crate::render::clean`] first, in [`text`].

pub(crate) mod bars; // the rows at the top and at the bottom
pub(crate) mod keys; // a key to what it asks for
pub(crate) mod moves; // keys that go through rows
pub(crate) mod press; // keys, as they are pressed
pub(crate) mod screen; // a terminal that is given back as it was
pub(crate) mod text; // somebody's text in rows
pub(crate) mod theme; // how things look
