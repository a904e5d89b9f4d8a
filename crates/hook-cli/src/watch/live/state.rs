//! What is looked at, and where. Pure: lines and actions in, nothing out but what is to be drawn.

use std::collections::VecDeque;

use ratatui::layout::{Rect, Size};

use super::details;
use super::input::{self, Action};
use crate::terminal::Editor;
use crate::tui::bars::{Parts, clamp};
use crate::tui::keys;
use crate::tui::moves::Move;
use crate::tui::press::Press;
use crate::tui::theme::Theme;
use crate::watch::counts::{Change, Limits};
use crate::watch::filter::Filter;
use crate::watch::firing::Firing;
use crate::watch::line::Line;
use crate::watch::model::Model;

/// What is known of the stream's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// There is no file yet.
    Waiting,
    /// There is more to read.
    Reading,
    /// All is read, and more may come.
    Following,
    /// No more will come.
    Ended,
}

/// What fills the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    List,
    /// One firing; which of its hooks is chosen.
    Firing {
        number: u64,
        hook: usize,
    },
    /// One hook of a firing.
    Hook {
        number: u64,
        hook: usize,
    },
    Help,
}

/// What somebody looks at.
pub(crate) struct Live {
    pub(crate) model: Model,
    /// What the stream is called.
    pub(crate) name: String,
    pub(crate) stream: Stream,
    pub(crate) theme: Theme,
    pub(crate) page: Page,
    /// The first row of a page that is shown.
    pub(crate) top: usize,
    /// The filter as it is typed, while it is.
    pub(crate) typing: Option<Editor>,
    /// The filter as it was typed.
    pub(crate) filter_text: String,
    filter: Filter,
    /// The firings that the filter lets through.
    shown: VecDeque<u64>,
    /// The firing that is chosen; none: the newest, whichever that is.
    chosen: Option<u64>,
    pub(crate) size: Size,
}

impl Live {
    pub(crate) fn new(name: String, theme: Theme) -> Self {
        Self {
            model: Model::new(Limits::default()),
            name,
            stream: Stream::Reading,
            theme,
            page: Page::List,
            top: 0,
            typing: None,
            filter_text: String::new(),
            filter: Filter::default(),
            shown: VecDeque::new(),
            chosen: None,
            size: Size::new(80, 24),
        }
    }

    /// Takes a line of the stream.
    pub(crate) fn take(&mut self, line: Line, arrived: Option<u64>) {
        match self.model.take(line, arrived) {
            Change::Counts => {}
            Change::Firing(number) | Change::Over(number) | Change::Late(number) => {
                self.sift(number);
                // A verdict may have parted two firings.
                let newest = self.model.counts().firings;
                if newest != number {
                    self.sift(newest);
                }
            }
        }
        let oldest = self
            .model
            .firings()
            .next()
            .map_or(u64::MAX, |firing| firing.number);
        while self.shown.front().is_some_and(|number| *number < oldest) {
            self.shown.pop_front();
        }
    }

    /// Looks whether a firing is to be shown.
    fn sift(&mut self, number: u64) {
        let fits = self
            .model
            .firing(number)
            .is_some_and(|firing| self.filter.fits(firing));
        match (self.shown.binary_search(&number), fits) {
            (Err(place), true) => self.shown.insert(place, number),
            (Ok(place), false) => {
                self.shown.remove(place);
            }
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    /// The firings that are shown, and which of them is chosen.
    pub(crate) fn shown(&self) -> (&VecDeque<u64>, usize) {
        let last = self.shown.len().saturating_sub(1);
        let place = self.chosen.map_or(last, |chosen| {
            let found = self.shown.binary_search(&chosen);
            found.unwrap_or_else(|place| place).min(last)
        });
        (&self.shown, place)
    }

    /// Whether the newest firing is chosen, whichever that is.
    pub(crate) fn is_at_newest(&self) -> bool {
        self.chosen.is_none()
    }

    /// The firing that the page is about, while it is kept.
    pub(crate) fn firing(&self) -> Option<&Firing> {
        match self.page {
            Page::Firing { number, .. } | Page::Hook { number, .. } => self.model.firing(number),
            Page::List | Page::Help => None,
        }
    }

    /// What a key asks for.
    pub(crate) fn action(&self, press: Press) -> Action {
        if self.typing.is_some() {
            keys::typed(press)
        } else {
            keys::action(&press, input::letter)
        }
    }

    /// Does what was asked for; leaving is not its affair.
    pub(crate) fn act(&mut self, action: Action, now: u64) {
        match action {
            Action::Filter => self.typing = Some(Editor::default()),
            Action::Type(key) => {
                if let Some(editor) = &mut self.typing {
                    editor.press(key);
                    let text = editor.text();
                    self.put_filter(&text);
                }
            }
            Action::Typed => self.typing = None,
            Action::Untyped => {
                self.typing = None;
                self.put_filter("");
            }
            Action::Open => self.open(),
            Action::Back => self.back(),
            Action::Help => self.go(Page::Help),
            Action::Go(way) => self.move_by(way, now),
            Action::Own(none) => match none {},
            Action::Quit | Action::Interrupt | Action::Redraw => {}
        }
    }

    /// Shows only what fits.
    pub(crate) fn put_filter(&mut self, text: &str) {
        text.clone_into(&mut self.filter_text);
        self.filter = Filter::parse(text);
        let fits = |firing: &&Firing| self.filter.fits(firing);
        let shown = self
            .model
            .firings()
            .filter(fits)
            .map(|firing| firing.number);
        self.shown = shown.collect();
        self.go(Page::List);
    }

    pub(crate) fn is_filtered(&self) -> bool {
        !self.filter.is_empty()
    }

    fn go(&mut self, page: Page) {
        self.page = page;
        self.top = 0;
    }

    fn open(&mut self) {
        let (shown, place) = self.shown();
        match (self.page, shown.get(place).copied()) {
            (Page::List, Some(number)) => {
                // What is looked at stays where it is while others come.
                self.chosen = Some(number);
                self.go(Page::Firing { number, hook: 0 });
            }
            (Page::Firing { number, hook }, _) => {
                if self.firing().is_some_and(|firing| hook < firing.runs.len()) {
                    self.go(Page::Hook { number, hook });
                }
            }
            (Page::List | Page::Hook { .. } | Page::Help, _) => {}
        }
    }

    fn back(&mut self) {
        match self.page {
            Page::Hook { number, hook } => self.go(Page::Firing { number, hook }),
            Page::Firing { .. } | Page::Help => self.go(Page::List),
            Page::List if self.is_filtered() => self.put_filter(""),
            Page::List => {}
        }
    }

    /// How many rows the middle of the screen has.
    pub(crate) fn height(&self) -> usize {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        usize::from(Parts::of(area).body.height)
    }

    fn move_by(&mut self, way: Move, now: u64) {
        let hooks = self.firing().map_or(0, |firing| firing.runs.len());
        match (self.page, way) {
            (Page::List, _) => self.choose(way),
            (Page::Firing { number, hook }, Move::Up | Move::Down) if hooks > 1 => {
                let hook = way.from(hook, 1, hooks);
                self.page = Page::Firing { number, hook };
            }
            (Page::Firing { .. } | Page::Hook { .. } | Page::Help, _) => {
                let rows = details::rows(self, usize::from(self.size.width), now).len();
                let height = self.height();
                // The last row that may be the first.
                let tops = rows.saturating_sub(height) + 1;
                self.top = clamp(way.from(self.top, height, tops), rows, height);
            }
        }
    }

    fn choose(&mut self, way: Move) {
        // One row is taken by the heads of the columns.
        let page = self.height().saturating_sub(2).max(1);
        let (shown, place) = self.shown();
        let count = shown.len();
        let place = way.from(place, page, count);
        let number = shown.get(place).copied();
        self.chosen = number.filter(|_| place + 1 < count);
    }
}
