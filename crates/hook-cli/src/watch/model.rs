//! Lines to firings. Pure: no file, no clock, no terminal.
//!
//! Hooks of one firing are told apart from those of another by the verdict, which says which runs it
//! was made of. Until it comes, and in streams that do not say so, runs of one session and one name
//! (`PreToolUse:Bash`) belong to one firing.

use std::collections::{HashMap, VecDeque};

use hook_types::message::{Envelope, HookVerdict};
use hook_types::{Message, ToolUseId};

use super::counts::{Change, Counts, Limits};
use super::firing::{Firing, Run};
use super::keep::{CALLS, WORDS, keep};
use super::line::{Call, Line, moment};

/// When a message was written.
#[derive(Clone, Copy)]
pub(super) struct When {
    /// In milliseconds since 1970.
    pub(super) at: Option<u64>,
    /// Whether the message itself says so.
    pub(super) dated: bool,
}

/// A session and the name of an event in it.
pub(super) type Key = (String, String);

pub(super) fn key(session: &str, name: &str) -> Key {
    (keep(session, WORDS), keep(name, WORDS))
}

/// The firings of a stream.
#[derive(Debug, Default)]
pub(crate) struct Model {
    limits: Limits,
    pub(super) firings: VecDeque<Firing>,
    pub(super) counts: Counts,
    /// How much text is kept.
    text: usize,
    /// Firings that wait for their verdict, by session and name.
    pub(super) open: HashMap<Key, u64>,
    /// Runs that have not ended, and the firings that they belong to.
    pub(super) running: HashMap<String, u64>,
    calls: VecDeque<Call>,
    /// When the first message came.
    epoch: Option<u64>,
}

impl Model {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Firings that are kept, in the order in which they began.
    pub(crate) fn firings(&self) -> impl DoubleEndedIterator<Item = &Firing> {
        self.firings.iter()
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How many hooks run now, as far as the stream says.
    #[cfg(any(test, feature = "tui"))]
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// When the first message came, in milliseconds since 1970.
    pub(crate) fn epoch(&self) -> Option<u64> {
        self.epoch
    }

    /// How much text is kept, in bytes.
    #[cfg(test)]
    pub(crate) fn text(&self) -> usize {
        self.text
    }

    /// A firing, while it is kept.
    pub(crate) fn firing(&self, number: u64) -> Option<&Firing> {
        let place = self.place(number)?;
        self.firings.get(place)
    }

    /// Numbers are given in order, and only the oldest are dropped.
    fn place(&self, number: u64) -> Option<usize> {
        let first = self.firings.front()?.number;
        usize::try_from(number.checked_sub(first)?).ok()
    }

    /// Takes a line. `arrived` is when it came, in milliseconds since 1970, where that is known: it
    /// counts where the line itself does not say when it was written.
    pub(crate) fn take(&mut self, line: Line, arrived: Option<u64>) -> Change {
        match line {
            Line::Message(message) => {
                self.counts.messages += 1;
                let change = self.message(*message, arrived);
                self.drop_old();
                change
            }
            Line::Recorded(told) => {
                self.counts.messages += 1;
                let change = self.told(*told);
                self.drop_old();
                change
            }
            Line::Calls(calls) => {
                self.counts.other += 1;
                self.calls.extend(calls);
                let surplus = self.calls.len().saturating_sub(CALLS);
                self.calls.drain(..surplus);
                Change::Counts
            }
            Line::Other => {
                self.counts.other += 1;
                Change::Counts
            }
            Line::Unreadable | Line::TooLong => {
                self.counts.unreadable += 1;
                Change::Counts
            }
        }
    }

    fn message(&mut self, message: Message, arrived: Option<u64>) -> Change {
        match message {
            Message::Started(told) => {
                let at = self.at(told.hook.uuid.as_str(), arrived);
                Change::Firing(self.run(&told.hook, at))
            }
            Message::Progress(told) => {
                let at = self.at(told.hook.uuid.as_str(), arrived);
                let number = self.run(&told.hook, at);
                self.change(number, told.hook.hook_id.as_str(), |run| {
                    run.print(&told.stdout, &told.stderr);
                });
                Change::Firing(number)
            }
            Message::Response(told) => {
                let at = self.at(told.hook.uuid.as_str(), arrived);
                let number = self.run(&told.hook, at);
                self.change(number, told.hook.hook_id.as_str(), |run| {
                    run.end(&told, at.at);
                });
                self.running.remove(told.hook.hook_id.as_str());
                self.ended(number, &told.hook)
            }
            Message::Verdict(told) => {
                let at = self.at(told.uuid.as_str(), arrived);
                Change::Over(self.verdict(&told, at))
            }
            _ => Change::Counts,
        }
    }

    fn at(&mut self, id: &str, arrived: Option<u64>) -> When {
        let written = moment(id);
        let at = written.or(arrived);
        self.epoch = self.epoch.or(at);
        When {
            at,
            dated: written.is_some(),
        }
    }

    /// The firing of a run that a message is about; where nobody has heard of the run, it begins here.
    fn run(&mut self, told: &Envelope, when: When) -> u64 {
        if let Some(number) = self.running.get(told.hook_id.as_str()) {
            return *number;
        }
        let key = key(told.session_id.as_str(), &told.hook_name);
        let open = self.open.get(&key).copied();
        let takes = |number: &u64| !self.firing(*number).is_none_or(Firing::is_over);
        let number = match open.filter(takes) {
            Some(number) => number,
            None => self.begin(key, &told.hook_event, when),
        };
        let run = Run::new(told.hook_id.as_str(), when.at);
        let known = self
            .firing(number)
            .is_some_and(|firing| firing.has(&run.id));
        if !known {
            self.running.insert(run.id.clone(), number);
            self.with(number, |firing| firing.runs.push(run));
        }
        number
    }

    pub(super) fn begin(&mut self, key: Key, event: &str, when: When) -> u64 {
        self.counts.firings += 1;
        let number = self.counts.firings;
        let mut firing = Firing::new(number, &key.0, event, &key.1);
        firing.began = when.at;
        firing.dated = when.dated;
        self.text += firing.weight();
        self.firings.push_back(firing);
        self.open.insert(key, number);
        let subject = self.firing(number).map(|firing| firing.subject.clone());
        // The latest call of that tool is what its hooks are asked about, unless the verdict knows better.
        let call = self
            .calls
            .iter()
            .rfind(|call| Some(&call.tool) == subject.as_ref());
        if let Some(call) = call.cloned() {
            self.with(number, |firing| firing.put_input(&call));
        }
        number
    }

    /// What is to be said of a firing of which a run has ended.
    fn ended(&mut self, number: u64, told: &Envelope) -> Change {
        let Some(firing) = self.firing(number) else {
            return Change::Counts;
        };
        let failed = firing
            .runs
            .iter()
            .any(|run| run.id == told.hook_id.as_str() && run.has_failed());
        let (closed, over) = (firing.verdict.is_some(), firing.is_over());
        self.counts.failed += u64::from(failed);
        if closed {
            return Change::Late(number);
        }
        if !over {
            return Change::Firing(number);
        }
        self.counts.count("none");
        Change::Over(number)
    }

    fn verdict(&mut self, told: &HookVerdict, when: When) -> u64 {
        let key = key(told.session_id.as_str(), &told.hook_name);
        let known = told
            .runs
            .iter()
            .find_map(|run| self.holder(run.hook_id.as_str(), &key));
        let open = self.open.remove(&key);
        let number = known.or(open).unwrap_or_else(|| {
            let number = self.begin(key.clone(), &told.hook_event, when);
            self.open.remove(&key);
            number
        });
        if let Some(other) = open.filter(|other| *other != number) {
            self.open.insert(key.clone(), other);
        }
        self.part(number, told, key, when);
        if self.firing(number).is_some_and(Firing::is_over) {
            // It was taken to be over without a verdict.
            self.counts.uncount("none");
        }
        let call = told.tool_use_id.as_ref().map(ToolUseId::as_str);
        let call = call.and_then(|id| self.calls.iter().find(|call| call.id == id).cloned());
        self.with(number, |firing| {
            firing.conclude(told, when.at);
            for run in &mut firing.runs {
                let mut said = told.runs.iter();
                if let Some(said) = said.find(|said| said.hook_id.as_str() == run.id) {
                    run.name_as(said);
                }
            }
            firing.runs.sort_by_key(|run| {
                let mut said = told.runs.iter();
                said.position(|said| said.hook_id.as_str() == run.id)
            });
            if let Some(call) = &call {
                firing.put_input(call);
            }
        });
        let word = self.firing(number).map(|firing| firing.word().to_owned());
        self.counts.count(&word.unwrap_or_default());
        number
    }

    /// The firing that a run belongs to, running or ended.
    fn holder(&self, run: &str, key: &Key) -> Option<u64> {
        let running = self.running.get(run).copied();
        running.or_else(|| {
            let number = *self.open.get(key)?;
            let firing = self.firing(number)?;
            firing.has(run).then_some(number)
        })
    }

    /// Parts the runs that a verdict is not about from those that it is about: two firings of one name
    /// went on at once.
    fn part(&mut self, number: u64, told: &HookVerdict, key: Key, when: When) {
        if told.runs.is_empty() {
            return;
        }
        let is_told = |run: &Run| told.runs.iter().any(|said| said.hook_id.as_str() == run.id);
        let mut others = Vec::new();
        self.with(number, |firing| {
            others.extend(firing.runs.extract_if(.., |run| !is_told(run)));
        });
        let Some(first) = others.first() else { return };
        let began = When {
            at: first.began,
            ..when
        };
        let other = self.begin(key, &told.hook_event, began);
        for run in &others {
            if run.outcome.is_none() {
                self.running.insert(run.id.clone(), other);
            }
        }
        self.with(other, |firing| firing.runs = others);
    }

    pub(super) fn change(&mut self, number: u64, run: &str, change: impl FnOnce(&mut Run)) {
        self.with(number, |firing| {
            if let Some(run) = firing.runs.iter_mut().find(|known| known.id == run) {
                change(run);
            }
        });
    }

    /// Changes a firing, and weighs it anew.
    pub(super) fn with(&mut self, number: u64, change: impl FnOnce(&mut Firing)) {
        let Some(place) = self.place(number) else {
            return;
        };
        if let Some(firing) = self.firings.get_mut(place) {
            let before = firing.weight();
            change(firing);
            self.text = (self.text + firing.weight()).saturating_sub(before);
        }
    }

    /// Lets go of the oldest firings until what is left is no more than may be kept.
    fn drop_old(&mut self) {
        while self.firings.len() > self.limits.firings || self.text > self.limits.text {
            let Some(old) = self.firings.pop_front() else {
                return;
            };
            self.text = self.text.saturating_sub(old.weight());
            self.counts.dropped += 1;
            for run in &old.runs {
                if self.running.get(&run.id) == Some(&old.number) {
                    self.running.remove(&run.id);
                }
            }
            if old.verdict.is_none() {
                self.open.retain(|_, number| *number != old.number);
            }
        }
    }
}
