//! Paths of inputs, as hooks and rules see them: absolute, without `.` and `..`.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::tool::ToolContext;

/// The input with one path of it made absolute. What is no path stays: the schema will say so.
pub(super) fn with_absolute(mut input: Value, field: &str, context: &ToolContext) -> Value {
    if let Some(path) = input.get_mut(field)
        && let Some(text) = path.as_str()
    {
        *path = Value::String(absolute(text, context).to_string_lossy().into_owned());
    }
    input
}

/// An absolute path without `.` and `..`. The disk is not asked, so that whoever judges the path and
/// whoever opens it speak of the same one.
pub(super) fn absolute(path: &str, context: &ToolContext) -> PathBuf {
    clean(&context.resolve(path))
}

fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

/// The file behind symbolic links, where there is one: one name for all that is known of it.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_made_absolute_and_plain() {
        let mut context = ToolContext::standalone("/srv/app");
        context.home = Some("/home/me".into());
        let table = [
            ("a.rs", "/srv/app/a.rs"),
            ("./src//a.rs", "/srv/app/src/a.rs"),
            ("../b/./c/", "/srv/b/c"),
            ("../../../../etc/passwd", "/etc/passwd"),
            ("/x/../y", "/y"),
            ("/..", "/"),
            ("~/notes", "/home/me/notes"),
            ("~", "/home/me"),
            ("~other", "/srv/app/~other"),
            ("", "/srv/app"),
        ];
        for (path, expected) in table {
            let input = with_absolute(json!({"file_path": path, "b": 1}), "file_path", &context);
            assert_eq!(input, json!({"file_path": expected, "b": 1}), "{path}");
        }
    }

    #[test]
    fn what_is_no_path_stays() {
        let context = ToolContext::standalone("/srv/app");
        for input in [json!({"file_path": 7}), json!({}), json!([]), json!(null)] {
            assert_eq!(with_absolute(input.clone(), "file_path", &context), input);
        }
    }
}
