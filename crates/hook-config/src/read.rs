//! From bytes to a [`Document`]. Comments, trailing commas and a byte order mark are read; whatever
//! else is not JSON is one diagnostic, and no document.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Document, Json, Member, Node};
use crate::source::{Place, SourceFile, Span};

/// The largest file that is read, in bytes. Settings that people write are a thousandth of it.
pub const LARGEST_FILE: usize = 4 * 1024 * 1024;

/// What some editors write before the text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// JSON with comments and trailing commas, and nothing more: what other readers of the same file
/// would refuse is refused here too.
pub(crate) const SYNTAX: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a file's bytes. An empty file is an empty object, as editors leave one behind.
///
/// ```
/// use hook_config::read;
///
/// let document = read("hooks.json", b"\xEF\xBB\xBF{\"hooks\": {}, /* none yet */}").unwrap();
/// assert!(document.root.get("hooks").is_some());
///
/// let problem = read("hooks.json", b"{\n  \"hooks\": {,}\n}").unwrap_err();
/// assert_eq!(problem.code.as_str(), "not-json");
/// assert_eq!(problem.place.unwrap().to_string(), "hooks.json:2:13");
/// ```
pub fn read(path: impl Into<PathBuf>, bytes: &[u8]) -> Result<Document, Box<Diagnostic>> {
    let path = path.into();
    if bytes.len() > LARGEST_FILE {
        let file = SourceFile::unread(path);
        let message = format!("the file has more than {LARGEST_FILE} bytes; none of it is read");
        let problem = Diagnostic::new(Code::NotJson, message).at(Place::start_of(&file));
        return Err(Box::new(problem));
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let file = SourceFile::new(path, String::from_utf8_lossy(bytes));
    let text_is_whole = file.text().len() == bytes.len() && std::str::from_utf8(bytes).is_ok();
    if !text_is_whole {
        let at = file.text().find('\u{fffd}').unwrap_or_default();
        let problem = Diagnostic::new(Code::NotJson, "the file is not text in UTF-8")
            .at(Place::new(&file, Span::new(at, at + '\u{fffd}'.len_utf8())))
            .help("save the file as UTF-8");
        return Err(Box::new(problem));
    }
    parse(&file)
}

fn parse(file: &Arc<SourceFile>) -> Result<Document, Box<Diagnostic>> {
    let parsed = parse_to_ast(file.text(), &CollectOptions::default(), &SYNTAX);
    let parsed = parsed.map_err(|error| {
        let message = format!(
            "the file is not JSON: {}",
            lower_first(&error.kind().to_string())
        );
        let place = Place::new(file, span(error.range()));
        Box::new(Diagnostic::new(Code::NotJson, message).at(place).help(
            "none of the hooks in this file run until it can be read; comments and trailing commas \
             are fine",
        ))
    })?;
    let root = parsed.value.map_or_else(
        || Node {
            span: Span::new(0, file.text().len()),
            json: Json::Object(Vec::new()),
        },
        node,
    );
    Ok(Document {
        file: Arc::clone(file),
        root,
    })
}

/// The tree as our own. The parser has limited its depth.
fn node(value: Value<'_>) -> Node {
    let span = span(value.range());
    let json = match value {
        Value::NullKeyword(_) => Json::Null,
        Value::BooleanLit(value) => Json::Bool(value.value),
        Value::NumberLit(number) => Json::Number(number.value.to_owned()),
        Value::StringLit(text) => Json::String(text.value.into_owned()),
        Value::Array(array) => Json::Array(array.elements.into_iter().map(node).collect()),
        Value::Object(object) => {
            let member = |property: jsonc_parser::ast::ObjectProp<'_>| Member {
                key_span: self::span(property.name.range()),
                key: name(property.name),
                value: node(property.value),
            };
            Json::Object(object.properties.into_iter().map(member).collect())
        }
    };
    Node { span, json }
}

fn name(name: ObjectPropName<'_>) -> String {
    name.into_string()
}

fn span(range: Range) -> Span {
    Span::new(range.start, range.end)
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}
