//! Diagnostics for people, in the form that rustc has taught everyone.

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};

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
    if let Some(place) = &problem.place {
        let path = one_line(&place.file.path().to_string_lossy());
        let span = place.span.start.min(place.file.text().len())
            ..place.span.end.min(place.file.text().len());
        let annotation = AnnotationKind::Primary.span(span.clone());
        let annotation = match &problem.label {
            Some(label) => annotation.label(shown(label)),
            None => annotation,
        };
        let snippet = Snippet::source(place.file.text())
            .path(path.clone())
            .annotation(annotation);
        group = group.element(snippet);
        remedy = problem.suggestion.as_ref().map(|suggestion| {
            let snippet = Snippet::source(place.file.text()).path(path);
            let patch = snippet.patch(Patch::new(span, suggestion.as_str()));
            Group::with_title(Level::HELP.secondary_title("write")).element(patch)
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
