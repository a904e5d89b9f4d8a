//! Diagnostics for people, in the form that rustc has taught everyone.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Place;

/// Of a longer line only what is near the place is looked at: a file may be one line, and have
/// thousands of mistakes.
const LONG_LINE: usize = 2000;
/// What counts as near, in bytes.
const NEAR: usize = 200;

/// How diagnostics are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Text alone.
    #[default]
    Plain,
    /// With the colours of a terminal.
    Coloured,
}

/// A diagnostic as several lines: the message, the lines it is about, and what to do.
///
/// ```
/// use hook_config::{Code, Diagnostic, Place, SourceFile, Span, Style, render};
///
/// let file = SourceFile::new("hooks.json", "{\"hooks\": {\"preToolUse\": []}}");
/// let problem = Diagnostic::new(Code::UnknownEvent, "no event is called `preToolUse`")
///     .at(Place::new(&file, Span::new(11, 23)))
///     .suggest("\"PreToolUse\"");
/// let shown = render(&problem, Style::Plain);
/// assert!(shown.starts_with("error[unknown-event]: no event is called `preToolUse`"));
/// assert!(shown.contains("--> hooks.json:1:12"));
/// ```
pub fn render(problem: &Diagnostic, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(shown(&problem.message))
        .id(problem.code.as_str())
        .elements(Vec::<Snippet<'_, annotate_snippets::Annotation<'_>>>::new());
    let mut remedy = None;
    let window = problem.place.as_ref().map(Window::of);
    if let (Some(place), Some(window)) = (&problem.place, &window) {
        let path = one_line(&place.file.path().to_string_lossy());
        let annotation = AnnotationKind::Primary.span(window.span.clone());
        let annotation = match &problem.label {
            Some(label) => annotation.label(shown(label)),
            None => annotation,
        };
        let mut snippet = window.snippet().annotation(annotation);
        if window.is_cut {
            let (line, column) = (place.line() as usize, place.column() as usize);
            let origin = Origin::path(path).line(line).char_column(column);
            group = group.element(origin);
        } else {
            snippet = snippet.path(path);
        }
        group = group.element(snippet);
        remedy = problem.suggestion.as_ref().map(|suggestion| {
            let patch = Patch::new(window.span.clone(), suggestion.as_str());
            let title = Level::HELP.secondary_title("write");
            Group::with_title(title).element(window.snippet().patch(patch))
        });
    }
    for help in &problem.help {
        group = group.element(Level::HELP.message(shown(help)));
    }
    let groups: Vec<Group<'_>> = std::iter::once(group).chain(remedy).collect();
    renderer.render(&groups)
}

/// What somebody wrote into a file, quoted in a sentence: no terminal obeys it.
fn shown(text: &str) -> String {
    escaped(text, |c| c.is_control() && c != '\n')
}

/// A path: it cannot begin a line either.
fn one_line(path: &str) -> String {
    escaped(path, char::is_control)
}

fn escaped(text: &str, hostile: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if hostile(c) {
            escaped.extend(c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// The lines that a diagnostic is about.
struct Window<'a> {
    text: &'a str,
    /// The number of the first of them.
    line: usize,
    /// The place within them.
    span: Range<usize>,
    /// Whether there is more of the line than that.
    is_cut: bool,
}

impl<'a> Window<'a> {
    fn of(place: &'a Place) -> Self {
        let text = place.file.text();
        let start = place.span.start.min(text.len());
        let end = place.span.end.clamp(start, text.len());
        let before = text.get(..start).unwrap_or_default();
        let after = text.get(end..).unwrap_or_default();
        let first = before.rfind('\n').map_or(0, |at| at + 1);
        let last = after.find('\n').map_or(text.len(), |at| end + at);
        let is_one_line = !text.get(start..end).unwrap_or_default().contains('\n');
        let is_cut = is_one_line && last - first > LONG_LINE;
        let (first, end, last) = if is_cut {
            let end = boundary(text, end.min(start + NEAR));
            let first = boundary(text, start.saturating_sub(NEAR)).max(first);
            (first, end, boundary(text, end + NEAR).min(last))
        } else {
            (first, end, last)
        };
        Self {
            text: text.get(first..last).unwrap_or_default(),
            line: place.line() as usize,
            span: start - first..end - first,
            is_cut,
        }
    }

    fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        Snippet::source(self.text).line_start(self.line)
    }
}

/// The nearest place at or behind a byte where a character starts.
fn boundary(text: &str, byte: usize) -> usize {
    let mut places = byte..text.len();
    let found = places.find(|place| text.is_char_boundary(*place));
    found.unwrap_or(text.len())
}
