//! How long servers may take, and how much they may say.

use std::time::Duration;

/// How long servers may take, and how much they may say. What is beyond is a failure that says so, never
/// a wait without end.
///
/// ```
/// use std::time::Duration;
/// use agent_mcp::Limits;
///
/// let environment = |name: &str| (name == "MCP_TIMEOUT").then(|| "2500".to_owned());
/// let limits = Limits::from_environment(environment);
/// assert_eq!(limits.start, Duration::from_millis(2500));
/// assert_eq!(limits.call, Limits::default().call);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long a server may take until it can be used: `MCP_TIMEOUT`, in milliseconds. 30 seconds.
    pub start: Duration,
    /// How long a call may take: `MCP_TOOL_TIMEOUT`, in milliseconds. 10 minutes.
    pub call: Duration,
    /// The longest message that is read, in bytes. 8 MiB. A server that sends a longer one is ended.
    pub message: usize,
    /// How much a server may say that answers nothing, in bytes: log lines, notifications, noise. 16 MiB
    /// in a row. Beyond that it is ended, and started again for the next call.
    pub noise: usize,
    /// How many questions of one server may be open at a time. 32. Beyond that it is ended.
    pub questions: usize,
    /// How many tools of one server are taken. 512.
    pub tools: usize,
    /// How much text of a result is kept, in characters: `MAX_MCP_OUTPUT_TOKENS`, taken as four characters
    /// each. 100,000.
    pub output: usize,
    /// How long a server has to end once its stdin is closed, and again once it was asked to. 2 seconds.
    pub grace: Duration,
}

/// Characters that count as one token.
const CHARACTERS: usize = 4;

impl Limits {
    /// The limits that the environment asks for. A value that is no number above zero does not count.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| {
            let number: u64 = variable(name)?.trim().parse().ok()?;
            (number > 0).then_some(number)
        };
        let usual = Self::default();
        let output =
            number("MAX_MCP_OUTPUT_TOKENS").and_then(|tokens| usize::try_from(tokens).ok());
        Self {
            start: number("MCP_TIMEOUT").map_or(usual.start, Duration::from_millis),
            call: number("MCP_TOOL_TIMEOUT").map_or(usual.call, Duration::from_millis),
            output: output.map_or(usual.output, |tokens| tokens.saturating_mul(CHARACTERS)),
            ..usual
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            call: Duration::from_mins(10),
            message: 8 << 20,
            noise: 16 << 20,
            questions: 32,
            tools: 512,
            output: 100_000,
            grace: Duration::from_secs(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_above_zero_does_not_count() {
        for text in ["", "0", "-5", "soon", "1.5"] {
            let limits = Limits::from_environment(|_| Some(text.to_owned()));
            assert_eq!(limits, Limits::default(), "{text:?}");
        }
        let limits = Limits::from_environment(|_| Some(" 7 ".to_owned()));
        assert_eq!((limits.call, limits.output), (Duration::from_millis(7), 28));
    }
}
