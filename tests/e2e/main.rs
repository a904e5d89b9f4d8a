//! End-to-end suites over the public surface: one binary, a module a story.

mod layering;
