//! Bytes to events, as `text/event-stream` has them: pure, in pieces of any size, up to a limit.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// What it is called; empty where it has no name.
    pub(crate) name: String,
    /// What it says: its `data` lines.
    pub(crate) data: String,
}

/// An event that is larger than an event may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Reads events.
#[derive(Debug)]
pub(crate) struct Events {
    /// How large one event may be, its names and line breaks included.
    limit: usize,
    /// The line that has begun.
    line: Vec<u8>,
    /// The event that has begun.
    event: Event,
    /// Whether the event has a `data` line: an event without one is none.
    has_data: bool,
    /// How large it is so far.
    size: usize,
    /// Whether the last byte was a carriage return, which may have a line feed with it.
    after_return: bool,
    /// Whether anything has been read: a byte order mark may stand before.
    begun: bool,
}

impl Events {
    /// Reads events that are no larger than that.
    pub(crate) fn up_to(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            size: 0,
            after_return: false,
            begun: false,
        }
    }

    /// Reads on; hands over the events that are complete now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, after) = rest.split_at(end);
            self.add(line)?;
            events.extend(self.end_line());
            rest = match after {
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.add(rest)?;
        Ok(events)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        self.size += bytes.len() + 1;
        if self.size > self.limit {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.size = 0;
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(name: &str, data: &str) -> Event {
        let (name, data) = (name.to_owned(), data.to_owned());
        Event { name, data }
    }

    fn read(text: &str) -> Vec<Event> {
        Events::up_to(1 << 10).feed(text.as_bytes()).unwrap()
    }

    #[test]
    fn events_are_read_as_the_standard_has_them() {
        for (text, events) in [
            ("data: a\n\n", vec![event("", "a")]),
            ("event: e\ndata:a\n\n", vec![event("e", "a")]),
            (
                "data: a\r\n\r\ndata: b\r\r",
                vec![event("", "a"), event("", "b")],
            ),
            ("data: a\ndata: b\n\n", vec![event("", "a\nb")]),
            ("data:  a \n\n", vec![event("", " a ")]),
            (": a comment\n\n", vec![]),
            ("event: e\n\ndata: a\n\n", vec![event("", "a")]),
            ("id: 7\nretry: 3\nodd\ndata: a\n\n", vec![event("", "a")]),
            ("data\n\n", vec![event("", "")]),
            ("\u{feff}data: a\n\n", vec![event("", "a")]),
            ("data: a\n", vec![]),
        ] {
            assert_eq!(read(text), events, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_does_not_end_is_not_kept() {
        let mut events = Events::up_to(100);
        assert_eq!(events.feed(b"data: "), Ok(vec![]));
        let more = [b'x'; 40];
        assert_eq!(events.feed(&more), Ok(vec![]));
        assert_eq!(events.feed(&more), Ok(vec![]));
        assert_eq!(events.feed(&more), Err(TooLarge));
        assert!(events.line.len() < 100);
    }

    #[test]
    fn an_event_that_does_not_end_is_not_kept_either_and_many_small_ones_are_no_large_one() {
        let mut events = Events::up_to(100);
        let lines = "data: 0123456789\n".repeat(10);
        assert_eq!(events.feed(lines.as_bytes()), Err(TooLarge));
        let mut events = Events::up_to(100);
        let small = "data: 0123456789\n\n".repeat(1_000);
        assert_eq!(events.feed(small.as_bytes()).unwrap().len(), 1_000);
        let comments = ": nothing\n".repeat(1_000);
        assert_eq!(events.feed(comments.as_bytes()), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            lines in prop::collection::vec("(data: |event: |)[a-zäß:]{0,5}(\n|\r\n|\r)", 0..20),
            cuts in prop::collection::vec(1..7_usize, 1..60),
        ) {
            let text = lines.concat();
            let whole = Events::up_to(1 << 20).feed(text.as_bytes()).unwrap();
            let mut events = Events::up_to(1 << 20);
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break; }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.extend(events.feed(piece).unwrap());
                rest = after;
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
