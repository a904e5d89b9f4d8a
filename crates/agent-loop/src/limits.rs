//! How far an agent may go by itself.

use std::time::Duration;

/// How large one reply of a model may be, unless told otherwise: 16 MiB. Models write less than one.
pub const LARGEST_REPLY: usize = 16 << 20;

/// How far an agent may go by itself.
///
/// ```
/// use agent_loop::Limits;
///
/// let limits = Limits { requests: Some(20), ..Limits::default() };
/// assert_eq!(limits.stop_hooks, 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// How often the model is asked in one turn; none: as often as it takes. Default: none.
    pub requests: Option<u32>,
    /// How often in a row hooks may keep an agent going that wants to stop, without a tool call in
    /// between; 0: as often as they like. Default: 8.
    pub stop_hooks: u32,
    /// How many calls of one reply run at once, of those that may run beside others. Default: 10.
    pub calls_at_once: usize,
    /// How full the context may become, as a share of the model's window, before it is summarised.
    /// Default: 0.8.
    pub context: f64,
    /// How often a request is sent again that failed in a way that may pass. Default: 5.
    pub retries: u32,
    /// How long to wait before a request is sent again, at most; a service that wants more has failed.
    /// Default: 60 seconds.
    pub longest_wait: Duration,
    /// How large one reply may be, in bytes of text, calls and other blocks. Default: [`LARGEST_REPLY`].
    pub reply_bytes: usize,
    /// How long a tool has to end after an interruption. Default: 5 seconds.
    pub tool_grace: Duration,
    /// How long a question may stay unanswered before the user is notified. Default: 6 seconds.
    pub notify_after: Duration,
    /// How long background hooks have when the session ends. Default: 1 second.
    pub closing: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests: None,
            stop_hooks: 8,
            calls_at_once: 10,
            context: 0.8,
            retries: 5,
            longest_wait: Duration::from_mins(1),
            reply_bytes: LARGEST_REPLY,
            tool_grace: Duration::from_secs(5),
            notify_after: Duration::from_secs(6),
            closing: Duration::from_secs(1),
        }
    }
}
