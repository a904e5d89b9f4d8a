//! Does a hook, or a permission rule, apply? Pure: no I/O, no clock, no runtime.
//!
//! ```text
//! text -> Matcher -> Index: which hooks listen to this subject, such as a tool's name
//! text -> Rule: does this call of a tool fit an `if`, an allow rule, a deny rule
//! ```
//!
//! Everything is read once, and a mistake is found then: a [`MatcherError`] or [`RuleError`] says what is
//! wrong and how to mend it. Asking cannot fail. A regex that is sure to compile is compiled when the
//! first subject needs it; among very many, when the [`Index`] is built.
//!
//! # Matchers
//!
//! | form | [`Matcher::claude`] | [`Matcher::claude_narrow`] | [`Matcher::pattern`] | [`Matcher::regex`] |
//! |---|---|---|---|---|
//! | all | empty, `*` | empty, `*` | empty, blank, `*` | |
//! | names | letters, digits, `_`, `-`, blank | letters, digits, `_` | as claude, and `:` | |
//! | separators | pipe, comma | pipe | pipe, comma | |
//! | globs | | | names with `*` `?` `[…]` `{…}` | |
//! | regex | anything else | anything else | anything else | always |
//!
//! Names and globs are for the whole subject, case counts. A renamed tool is found by its old
//! and its new name (not in the narrow form, whose subjects are not tools). Regexes are
//! JavaScript's, and fit anywhere in the subject. One with look-around or back-references may
//! take too many steps; that is [`Match::LimitHit`], and counts as a match.
//!
//! # Rules
//!
//! `Tool` or `Tool(content)`; `Tool`, `Tool()` and `Tool(*)` are the same.
//!
//! | tool | content | example |
//! |---|---|---|
//! | `Bash` | a command with `*` for any text | `Bash(git push *)`, `Bash(git push:*)` |
//! | `Read` (and `Grep`, `Glob`), `Edit` (and `Write`, `MultiEdit`, `NotebookEdit`) | a path as in `.gitignore` | `Edit(src/**)`, `Read(~/.ssh/**)` |
//! | `WebFetch` | a host | `WebFetch(domain:*.example.com)` |
//! | `mcp__server`, `mcp__server__*` | | all tools of the server |
//! | any other | always [`Truth::Unknown`] | `Agent(Explore)` |
//!
//! ## Commands
//!
//! `git *` fits `git` with or without arguments, `git*` also `gitk`, `git push` nothing but
//! that. A command is cut into its subcommands by a shell grammar, wherever they stand: lists,
//! pipelines, loops, functions, `$(…)`, backticks, here-documents, and behind wrappers such as
//! `sudo`, `env`, `xargs` or `sh -c`. Assignments before a command, redirections and comments
//! do not count; quotes are removed. What only the shell knows (`$X`, `*.ts`) is a gap, and an
//! answer that depends on it is [`Truth::Unknown`]. So is everything about a text that the
//! grammar cannot read. How several subcommands count depends on the [`Purpose`].
//!
//! Without the feature `command-patterns` there is no grammar, and every `Bash` rule with
//! content is [`Truth::Unknown`].
//!
//! ## Paths
//!
//! | pattern | means |
//! |---|---|
//! | `src/**`, `./src/**` | what is in `src` in the working directory |
//! | `**/src/**` | what is in any `src` at or below the working directory |
//! | `*.ts`, `.env` | files of that name at any depth |
//! | `~/x`, `//x`, `/x` | from the home, from the root, from the project's root |
//!
//! Whatever is in a folder that fits, fits. Paths are compared as text, `.` and `..` resolved;
//! links are not followed. A pattern for any depth is [`Truth::Unknown`] outside the working
//! directory, and so is a search through a tree of which only a part fits.

#[cfg_attr(not(feature = "command-patterns"), path = "command_off.rs")]
mod command; // the inside of `Bash(…)`
mod domain; // the inside of `WebFetch(…)`
mod error; // what can be wrong with a pattern or a rule
mod hint; // what its writer probably meant
mod name; // exact names, lists, globs
mod parse; // text -> Matcher
mod path; // the inside of `Edit(…)` and `Read(…)`
mod regex; // JavaScript's regexes on two engines
mod rule; // text -> Rule
mod set; // many matchers at once
mod shell; // what a command names
mod truth; // yes, no, unknown, and what follows

pub use error::{MatcherError, MatcherErrorKind, RuleError, RuleErrorKind};
pub use parse::{Match, Matcher};
pub use rule::Rule;
pub use set::{Found, Index};
pub use shell::{ShellCommand, ShellWord, ShellWords};
pub use truth::{Call, Purpose, Truth};

#[cfg(test)]
mod tests;
