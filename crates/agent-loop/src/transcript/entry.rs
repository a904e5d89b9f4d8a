//! One line of a transcript.

use std::time::{SystemTime, UNIX_EPOCH};

use hook_types::{AgentId, SessionId};
use serde_json::{Map, Value, json};

use crate::conversation::{ChatMessage, Role};
use crate::id;

/// One line, before it knows its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) uuid: String,
    kind: &'static str,
    cwd: String,
    at: SystemTime,
    rest: Map<String, Value>,
}

impl Line {
    fn new(kind: &'static str, cwd: &str, at: SystemTime) -> Self {
        Self {
            uuid: id::fresh(),
            kind,
            cwd: cwd.to_owned(),
            at,
            rest: Map::new(),
        }
    }

    /// A message of the conversation.
    pub(crate) fn message(message: &ChatMessage, cwd: &str, at: SystemTime) -> Self {
        let kind = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        Self::new(kind, cwd, at).with("message", json!(message))
    }

    /// Something that is no message: a boundary, a notice.
    pub(crate) fn system(subtype: &str, content: &str, cwd: &str, at: SystemTime) -> Self {
        Self::new("system", cwd, at)
            .with("subtype", subtype)
            .with("content", content)
    }

    /// Adds a field to the line.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.rest.insert(key.to_owned(), value.into());
        self
    }

    /// Adds a field to the message in it.
    pub(crate) fn with_message(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Some(Value::Object(message)) = self.rest.get_mut("message") {
            message.insert(key.to_owned(), value.into());
        }
        self
    }

    pub(crate) fn write(
        self,
        session: &SessionId,
        agent: Option<&AgentId>,
        parent: Option<String>,
    ) -> String {
        let mut line = Map::new();
        line.insert("type".into(), self.kind.into());
        line.insert("uuid".into(), self.uuid.into());
        line.insert("parentUuid".into(), parent.into());
        line.insert("sessionId".into(), session.as_str().into());
        line.insert("timestamp".into(), timestamp(self.at).into());
        line.insert("cwd".into(), self.cwd.into());
        line.insert("isSidechain".into(), agent.is_some().into());
        if let Some(agent) = agent {
            line.insert("agentId".into(), agent.as_str().into());
        }
        line.extend(self.rest);
        Value::Object(line).to_string()
    }
}

/// A time as `2026-11-16T15:04:05.678Z`.
pub(crate) fn timestamp(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, of_day) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date that many days after 1970 began; the calendar repeats every 400 years.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// The seconds since 1970 of a time as [`timestamp`] writes it.
pub(crate) fn seconds(timestamp: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| timestamp.get(range)?.parse::<u64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let years = if month <= 2 {
        year.checked_sub(1)?
    } else {
        year
    };
    let shifted = if month <= 2 {
        month + 9
    } else {
        month.checked_sub(3)?
    };
    let days = years * 365 + years / 4 - years / 100 + years / 400 + (153 * shifted + 2) / 5 + day;
    let days = days.checked_sub(719_469)?;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_as_the_world_writes_them_and_read_back() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000Z"),
            (1_794_844_800, "2026-11-16T16:00:00.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ];
        for (secs, text) in cases {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(secs)), text);
            assert_eq!(seconds(text), Some(secs), "{text}");
        }
        assert_eq!(seconds("yesterday"), None);
    }
}
