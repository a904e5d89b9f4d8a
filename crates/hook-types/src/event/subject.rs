//! What a matcher is tested against.

/// An event's subject: the text that a hook's matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The event has none: a matcher is ignored.
    Ignored,
    /// The text.
    Text(&'a str),
    /// There is one, but it cannot be told: every hook runs, whatever its matcher.
    Unknown,
}

impl<'a> Subject<'a> {
    /// The text, where there is one.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Ignored | Self::Unknown => None,
        }
    }

    /// The last part of a path.
    pub(crate) fn basename(path: &'a str) -> Self {
        Self::Text(path.rsplit(['/', '\\']).next().unwrap_or(path))
    }

    /// A model's name without its context suffix (`name[1m]`).
    pub(crate) fn model(name: &'a str) -> Self {
        match name.split('[').next().map(str::trim) {
            None | Some("") => Self::Unknown,
            Some(name) => Self::Text(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CwdChanged, Event, FileChange, FileChanged, PreModelSwitch};

    #[test]
    fn a_changed_file_is_matched_by_its_basename() {
        let event = FileChanged::new("/srv/app/src/.env", FileChange::Change);
        assert_eq!(event.subject(), Subject::Text(".env"));
    }

    #[test]
    fn a_model_is_matched_without_its_context_suffix() {
        let event = PreModelSwitch::new("small", "large-5[1m]", "command");
        assert_eq!(event.subject(), Subject::Text("large-5"));
    }

    #[test]
    fn a_model_without_a_name_is_an_unknown_subject() {
        assert_eq!(
            PreModelSwitch::new("small", "", "command").subject(),
            Subject::Unknown
        );
    }

    #[test]
    fn an_event_without_a_subject_ignores_matchers() {
        assert_eq!(CwdChanged::new("/a", "/b").subject(), Subject::Ignored);
    }
}
