//! Pages, rows, and what is asked for. Pure: actions in, wishes out.

use hook_config::{Layer, TEMPLATES, Template};
use ratatui::layout::{Rect, Size};

use super::items::Item;
use super::keys::{Action, Order, letter};
use crate::terminal::Editor;
use crate::tui::bars::{Parts, clamp};
use crate::tui::keys;
use crate::tui::moves::Move;
use crate::tui::press::Press;
use crate::tui::text::wrap;
use crate::tui::theme::Theme;

/// What fills the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Page {
    List,
    /// Something to read.
    Text {
        title: String,
        text: String,
    },
    /// Something that is done if somebody says yes. What it is, the driver knows.
    Confirm {
        title: String,
        text: String,
    },
    Templates,
}

/// What somebody types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typing {
    Filter,
    Event,
}

/// What only the driver can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Nothing,
    Quit,
    Interrupt,
    /// All that is known of a hook.
    Details(usize),
    Switch(usize),
    Trust(usize),
    Try(usize),
    Add(&'static Template, Layer),
    /// Whether hooks would run at an event; nothing typed: no event is chosen any more.
    Explain(String),
    Reload,
    /// Yes to what was asked.
    Yes,
    /// No.
    No,
}

/// What somebody looks at.
pub(crate) struct Menu {
    pub(crate) project: String,
    pub(crate) items: Vec<Item>,
    pub(crate) page: Page,
    pub(crate) theme: Theme,
    pub(crate) size: Size,
    /// Which of the rows that are shown is chosen.
    pub(crate) chosen: usize,
    /// Which template.
    pub(crate) template: usize,
    /// The first row of a text that is shown.
    pub(crate) top: usize,
    pub(crate) typing: Option<(Typing, Editor)>,
    pub(crate) filter: String,
    /// The event that was chosen, with its subject.
    pub(crate) event: Option<String>,
    /// What was done last.
    pub(crate) note: String,
}

impl Menu {
    pub(crate) fn new(project: String, theme: Theme) -> Self {
        Self {
            project,
            items: Vec::new(),
            page: Page::List,
            theme,
            size: Size::new(80, 24),
            chosen: 0,
            template: 0,
            top: 0,
            typing: None,
            filter: String::new(),
            event: None,
            note: String::new(),
        }
    }

    /// The hooks that are shown: those that the filter lets through, by their place among all.
    pub(crate) fn shown(&self) -> Vec<usize> {
        let words: Vec<String> = self
            .filter
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let fits = |item: &Item| {
            let row = &item.row;
            let description = row.description.as_deref().unwrap_or_default();
            let parts = [
                row.event.as_str(),
                &row.matcher,
                &row.runs,
                &row.file,
                &row.layer,
                description,
                item.state.word(),
            ];
            let text = parts.join(" ").to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let shown = self.items.iter().enumerate().filter(|(_, item)| fits(item));
        shown.map(|(place, _)| place).collect()
    }

    /// The hook that is chosen, by its place among all.
    pub(crate) fn chosen(&self) -> Option<usize> {
        let shown = self.shown();
        let place = self.chosen.min(shown.len().saturating_sub(1));
        shown.get(place).copied()
    }

    /// Shows a page from its start.
    pub(crate) fn show(&mut self, page: Page) {
        self.page = page;
        self.top = 0;
    }

    /// The text of the page in rows; nothing where it has none.
    pub(crate) fn rows(&self) -> Vec<String> {
        match &self.page {
            Page::Text { text, .. } | Page::Confirm { text, .. } => {
                wrap(text, usize::from(self.size.width).saturating_sub(2))
            }
            Page::List | Page::Templates => Vec::new(),
        }
    }

    fn height(&self) -> usize {
        let area = Rect::new(0, 0, self.size.width, self.size.height);
        usize::from(Parts::of(area).body.height).saturating_sub(1)
    }

    /// What a key asks for.
    pub(crate) fn action(&self, press: Press) -> Action {
        if self.typing.is_some() {
            keys::typed(press)
        } else {
            keys::action(&press, letter)
        }
    }

    /// Does what was asked for, as far as nothing else is needed for it.
    pub(crate) fn act(&mut self, action: Action) -> Wish {
        match action {
            Action::Interrupt => Wish::Interrupt,
            Action::Redraw => Wish::Nothing,
            Action::Type(_) | Action::Typed | Action::Untyped => self.typed(action),
            Action::Go(way) => {
                self.go(way);
                Wish::Nothing
            }
            Action::Quit
            | Action::Open
            | Action::Back
            | Action::Help
            | Action::Filter
            | Action::Own(_) => match self.page {
                Page::List => self.on_list(&action),
                Page::Templates => self.on_templates(&action),
                Page::Text { .. } => self.on_text(&action),
                Page::Confirm { .. } => self.on_question(&action),
            },
        }
    }

    fn on_list(&mut self, action: &Action) -> Wish {
        self.note.clear();
        match (action, self.chosen()) {
            (Action::Quit, _) => return Wish::Quit,
            (Action::Own(Order::Reload), _) => return Wish::Reload,
            (Action::Own(Order::Add), _) => self.show(Page::Templates),
            (Action::Help, _) => self.show(help()),
            (Action::Filter, _) => self.typing = Some((Typing::Filter, Editor::default())),
            (Action::Own(Order::Event), _) => {
                self.typing = Some((Typing::Event, Editor::default()));
            }
            (Action::Back, _) if !self.filter.is_empty() => self.filter.clear(),
            (Action::Back, _) if self.event.is_some() => return Wish::Explain(String::new()),
            (Action::Open, Some(hook)) => return Wish::Details(hook),
            (Action::Own(Order::Switch), Some(hook)) => return Wish::Switch(hook),
            (Action::Own(Order::Trust), Some(hook)) => return Wish::Trust(hook),
            (Action::Own(Order::Try), Some(hook)) => return Wish::Try(hook),
            _ => {}
        }
        Wish::Nothing
    }

    fn on_templates(&mut self, action: &Action) -> Wish {
        let template = TEMPLATES.get(self.template);
        match (action, template) {
            (Action::Quit, _) => Wish::Quit,
            (Action::Back, _) => {
                self.show(Page::List);
                Wish::Nothing
            }
            (Action::Open, Some(template)) => Wish::Add(template, Layer::Project),
            (Action::Own(Order::ForUser), Some(template)) => Wish::Add(template, Layer::User),
            _ => Wish::Nothing,
        }
    }

    fn on_text(&mut self, action: &Action) -> Wish {
        match (action, self.chosen()) {
            (Action::Quit, _) => Wish::Quit,
            (Action::Back | Action::Open, _) => {
                self.show(Page::List);
                Wish::Nothing
            }
            (Action::Own(Order::Switch), Some(hook)) => Wish::Switch(hook),
            (Action::Own(Order::Trust), Some(hook)) => Wish::Trust(hook),
            (Action::Own(Order::Try), Some(hook)) => Wish::Try(hook),
            _ => Wish::Nothing,
        }
    }

    /// Only `y` is a yes: Enter is pressed too easily.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other actions are no answer"
    )]
    fn on_question(&mut self, action: &Action) -> Wish {
        match action {
            Action::Own(Order::Yes) => Wish::Yes,
            Action::Own(Order::No) | Action::Back | Action::Quit => {
                self.show(Page::List);
                "nothing was changed".clone_into(&mut self.note);
                Wish::No
            }
            _ => Wish::Nothing,
        }
    }

    fn typed(&mut self, action: Action) -> Wish {
        let Some((what, editor)) = &mut self.typing else {
            return Wish::Nothing;
        };
        let what = *what;
        if let Action::Type(key) = action {
            editor.press(key);
            if what == Typing::Filter {
                self.filter = editor.text();
                self.chosen = 0;
            }
            return Wish::Nothing;
        }
        let text = editor.text();
        self.typing = None;
        match (what, action == Action::Typed) {
            (Typing::Event, true) => return Wish::Explain(text),
            (Typing::Filter, false) => self.filter.clear(),
            (Typing::Event, false) | (Typing::Filter, true) => {}
        }
        Wish::Nothing
    }

    fn go(&mut self, way: Move) {
        let height = self.height();
        let (place, count) = match self.page {
            Page::List => (&mut self.chosen, 0),
            Page::Templates => (&mut self.template, TEMPLATES.len()),
            Page::Text { .. } | Page::Confirm { .. } => {
                let rows = self.rows().len();
                let last = clamp(usize::MAX, rows, height);
                self.top = way.from(self.top, height, last + 1);
                return;
            }
        };
        let place = *place;
        let count = if self.page == Page::List {
            self.shown().len()
        } else {
            count
        };
        let place = way.from(place.min(count.saturating_sub(1)), height, count);
        match self.page {
            Page::Templates => self.template = place,
            Page::List | Page::Text { .. } | Page::Confirm { .. } => self.chosen = place,
        }
    }
}

fn help() -> Page {
    let text = "\
Enter   all about a hook, and why it would or would not run
d       switch it off or on; you see the change before it is written
t       what an approval would cover, with the difference; approve it
r       run it once on a sample of its event, in a scratch directory
a       add hooks from a template
e       choose an event, and a tool: `PreToolUse Bash`; the list says which hooks would run at it
/       show only hooks that have these words
l       read the files again
Esc     back; without the filter; without the event
q       leave

Switching off
Hookline's own files, Opta's and OpenCode's have `enabled: false`, and that is written into the hook's own file. \
Claude settings and plugins have no such word, and other agents read them: there the hook is named in \
`disabledHooks` of your own Hookline file, and only Hookline leaves it out. What is managed cannot be switched off.

Nothing is written before you have seen the file and the change, and said `y`.";
    Page::Text {
        title: "Help".to_owned(),
        text: text.to_owned(),
    }
}
