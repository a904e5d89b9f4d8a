//! What hooks and files are called.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use hook_types::{EventName, HookId};

use crate::places::Places;
use crate::source::Place;

/// Gives every hook a name of its own that tells where it stands: `.claude/settings.json:7`.
#[derive(Debug)]
pub(super) struct Names<'a> {
    places: &'a Places,
    taken: HashSet<HookId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(places: &'a Places) -> Self {
        Self {
            places,
            taken: HashSet::new(),
        }
    }

    /// The name of a hook; with its event, for an entry that is several hooks. Where that is taken,
    /// its column tells it apart.
    pub(super) fn name(&mut self, place: &Place, event: Option<EventName>) -> HookId {
        let (line, column) = place.file.position(place.span.start);
        let file = self.shown(place.file.path());
        let event = event.map(|event| format!("#{event}")).unwrap_or_default();
        let short = [
            format!("{file}:{line}{event}"),
            format!("{file}:{line}:{column}{event}"),
        ];
        let numbered = (2..).map(|number| format!("{file}:{line}:{column}{event}.{number}"));
        let mut names = short.into_iter().chain(numbered).map(HookId::from);
        let free = names
            .find(|name| !self.taken.contains(name))
            .unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }

    /// A path as people know it: from the project's root, or from their home.
    fn shown(&self, path: &Path) -> String {
        let within = |root: &Option<PathBuf>| {
            let rest = path.strip_prefix(root.as_ref()?).ok()?;
            Some(rest.display().to_string())
        };
        within(&self.places.project)
            .or_else(|| within(&self.places.home).map(|rest| format!("~/{rest}")))
            .unwrap_or_else(|| path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceFile, Span};

    #[test]
    fn two_hooks_of_one_line_have_two_names() {
        let places = Places::none().project("/p");
        let mut names = Names::new(&places);
        let file = SourceFile::new("/p/.claude/settings.json", "\n[{},{}]");
        let mut name = |start| {
            let place = Place::new(&file, Span::new(start, start + 2));
            names.name(&place, None).to_string()
        };
        assert_eq!(name(2), ".claude/settings.json:2");
        assert_eq!(name(5), ".claude/settings.json:2:5");
        assert_eq!(name(5), ".claude/settings.json:2:5.2");
    }

    #[test]
    fn a_file_in_the_home_is_called_by_its_place_there() {
        let mut places = Places::none();
        places.home = Some("/home/ada".into());
        let mut names = Names::new(&places);
        let file = SourceFile::new("/home/ada/.claude/settings.json", "{}");
        let place = Place::start_of(&file);
        let name = names.name(&place, Some(EventName::Stop));
        assert_eq!(name.as_str(), "~/.claude/settings.json:1#Stop");
    }
}
