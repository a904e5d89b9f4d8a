//! Keys, files and hooks: the only part that waits, reads and writes.

use hook_config::Template;
use hook_runner::Layer;
use tokio::sync::mpsc::Receiver;

use super::change::{self, Change, Proposal};
use super::items::{self, Item};
use super::keys::Action;
use super::state::{Menu, Page, Wish};
use super::{details, sample, view};
use crate::agent::Signals;
use crate::config_args::{ConfigArgs, Project};
use crate::event_args::EventArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::firing;
use crate::render::{self, Look};
use crate::runtime::runtime;
use crate::tui::press::{Press, presses};
use crate::tui::screen::Screen;
use crate::tui::theme::Theme;
use crate::world::World;

/// Shows the menu until somebody leaves.
pub(crate) fn run(asked: &ConfigArgs, world: &World, theme: Theme) -> Result<Exit, Failure> {
    let runtime = runtime()?;
    runtime.block_on(async {
        let project = asked.load_watched(world)?;
        let signals = Signals::listen()?;
        let screen = Screen::enter()?;
        let presses = presses()?;
        let mut drive = Drive {
            menu: Menu::new(project.root.display().to_string(), theme),
            asked,
            world,
            project,
            screen,
            presses,
            signals,
            asking: None,
        };
        drive.refresh();
        let exit = drive.run().await;
        drive.project.host.close().await;
        exit
    })
}

struct Drive<'a> {
    asked: &'a ConfigArgs,
    world: &'a World,
    project: Project,
    menu: Menu,
    screen: Screen,
    presses: Receiver<Press>,
    signals: Signals,
    /// What waits for a yes.
    asking: Option<Change>,
}

/// How the trial of a hook ended.
enum Tried {
    /// Somebody wants to leave.
    Signalled,
    /// Somebody ended it.
    Ended,
    /// What it did.
    Done(Result<String, Failure>),
}

impl Drive<'_> {
    async fn run(&mut self) -> Result<Exit, Failure> {
        loop {
            self.draw()?;
            let press = tokio::select! {
                biased;
                _ = self.signals.next() => return Ok(Exit::Interrupted),
                press = self.presses.recv() => press,
            };
            // Without a terminal there is nobody to ask.
            let Some(press) = press else {
                return Ok(Exit::Done);
            };
            let action = self.menu.action(press);
            let wish = self.menu.act(action);
            if let Some(exit) = self.grant(wish).await? {
                return Ok(exit);
            }
        }
    }

    fn draw(&mut self) -> Result<(), Failure> {
        self.menu.size = self.screen.size();
        let menu = &self.menu;
        self.screen.draw(|frame| {
            let area = frame.area();
            view::draw(menu, area, frame.buffer_mut());
        })
    }

    fn look(&self) -> Look {
        Look::of_screen(usize::from(self.menu.size.width))
    }

    /// Does what the state cannot do; how it ends, if that was asked for. A failure is shown, and ends
    /// nothing.
    async fn grant(&mut self, wish: Wish) -> Result<Option<Exit>, Failure> {
        let done = match wish {
            Wish::Quit => return Ok(Some(Exit::Done)),
            Wish::Interrupt => return Ok(Some(Exit::Interrupted)),
            Wish::Nothing => Ok(()),
            Wish::No => {
                self.asking = None;
                Ok(())
            }
            Wish::Yes => return self.yes().await,
            Wish::Details(hook) => {
                self.details(hook);
                Ok(())
            }
            Wish::Switch(hook) => self.ask(
                |drive, item| change::switch(item, &drive.project, drive.look()),
                hook,
            ),
            Wish::Trust(hook) => self.ask(
                |drive, item| change::trust(item, &drive.project, drive.world, drive.look()),
                hook,
            ),
            Wish::Try(hook) => self.ask(|drive, item| sample::proposal(item, &drive.project), hook),
            Wish::Add(template, layer) => self.add(template, layer),
            Wish::Explain(text) => self.explain(&text),
            Wish::Reload => self.reload(),
        };
        if let Err(failure) = done {
            self.tell(&failure);
        }
        Ok(None)
    }

    fn tell(&mut self, failure: &Failure) {
        self.menu.note = match failure.remedy() {
            Some(help) => format!("{failure}; {help}"),
            None => failure.to_string(),
        };
    }

    fn ask(
        &mut self,
        propose: impl FnOnce(&Self, &Item) -> Result<Proposal, Failure>,
        hook: usize,
    ) -> Result<(), Failure> {
        let Some(item) = self.menu.items.get(hook) else {
            return Ok(());
        };
        let proposal = propose(self, item)?;
        self.propose(proposal);
        Ok(())
    }

    fn propose(&mut self, proposal: Proposal) {
        let Proposal {
            title,
            text,
            change,
        } = proposal;
        self.menu.note.clear();
        self.menu.show(Page::Confirm { title, text });
        self.asking = Some(change);
    }

    fn add(&mut self, template: &'static Template, layer: Layer) -> Result<(), Failure> {
        let proposal = change::add(template, layer, &self.project, self.look())?;
        self.propose(proposal);
        Ok(())
    }

    async fn yes(&mut self) -> Result<Option<Exit>, Failure> {
        let Some(change) = self.asking.take() else {
            return Ok(None);
        };
        if let Change::Run(id) = change {
            return self.try_out(&id).await;
        }
        self.menu.show(Page::List);
        let done = change.apply(&self.project);
        let read = self.reload();
        match done.and_then(|note| read.map(|()| note)) {
            Ok(note) => self.menu.note = note,
            Err(failure) => self.tell(&failure),
        }
        Ok(None)
    }

    /// Runs a hook; Esc and Ctrl-C end it.
    async fn try_out(&mut self, id: &str) -> Result<Option<Exit>, Failure> {
        let title = format!("Run once: {id}");
        let text = "It runs. Esc ends it.".to_owned();
        self.menu.show(Page::Text {
            title: title.clone(),
            text,
        });
        self.draw()?;
        let tried = self.tried(id).await;
        self.project.host.close().await;
        let text = match tried {
            Tried::Signalled => return Ok(Some(Exit::Interrupted)),
            Tried::Ended => "It was ended.".to_owned(),
            Tried::Done(Ok(text)) => text,
            Tried::Done(Err(failure)) => failure.to_string(),
        };
        self.reload()?;
        self.menu.show(Page::Text { title, text });
        Ok(None)
    }

    /// Waits for a hook, or for somebody who ends it. What it started is gone then.
    async fn tried(&mut self, id: &str) -> Tried {
        let look = self.look();
        let mut running = std::pin::pin!(sample::run(id, &self.project, self.world, look));
        loop {
            tokio::select! {
                biased;
                _ = self.signals.next() => return Tried::Signalled,
                press = self.presses.recv() => match press.map(|press| self.menu.action(press)) {
                    None | Some(Action::Back | Action::Interrupt | Action::Quit) => return Tried::Ended,
                    Some(_) => {}
                },
                done = &mut running => return Tried::Done(done),
            }
        }
    }

    /// Reads the files again.
    fn reload(&mut self) -> Result<(), Failure> {
        self.project = self.asked.load_watched(self.world)?;
        self.refresh();
        Ok(())
    }

    /// Shows what was read.
    fn refresh(&mut self) {
        self.menu.items = items::items(&self.project.loaded.report);
        if let Some(event) = self.menu.event.clone()
            && let Err(failure) = self.explain(&event)
        {
            self.tell(&failure);
        }
    }

    /// Says of every hook whether it would run at an event.
    fn explain(&mut self, text: &str) -> Result<(), Failure> {
        let mut words = text.split([' ', ':']).filter(|word| !word.is_empty());
        let Some(event) = words.next() else {
            self.menu.event = None;
            self.menu.items = items::items(&self.project.loaded.report);
            return Ok(());
        };
        let asked = EventArgs::named(event, words.next());
        let event = asked.read(&self.project.root, self.world)?.event;
        let name = event.name();
        let title = firing::title(&event);
        let runner = firing::runner(&self.project, self.world, event.base());
        let plan = render::plan(&runner, event, render::rows(&self.project.loaded.report));
        items::explain(&mut self.menu.items, name, &plan.json());
        self.menu.event = Some(title);
        Ok(())
    }

    /// All that is known of a hook.
    fn details(&mut self, hook: usize) {
        let Some(item) = self.menu.items.get(hook) else {
            return;
        };
        let text = details::text(item, &self.project, self.world, self.look());
        // What is in the project is told from its root.
        let text = text.replace(&format!("{}/", self.menu.project), "");
        let title = details::title(item);
        self.menu.show(Page::Text { title, text });
    }
}
