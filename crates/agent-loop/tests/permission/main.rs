//! May a call happen? Every rule of `docs/permissions.md`, tried.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod events; // which events fire when
mod every_case; // mode x rules x hooks x rewrite, all of them, beside a second opinion
mod laws; // what holds for any rules and any command
mod rewrites; // inputs that change on the way
mod rows; // the rules with names, on real commands and paths
mod scene; // a call, hooks and somebody to ask
mod settling; // whoever is asked, and what the answer does
mod suggestions; // what could be remembered
mod updates; // what is remembered
