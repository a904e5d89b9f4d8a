//! Where paths lead when links are followed. Asks the disk, and nothing else does.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hook_runner::matcher::Call;
use serde_json::Value;

use super::facts::Followed;
use super::place::PATH_FIELDS;

/// As many links on one path as Linux follows.
const MAX_LINKS: usize = 40;

/// Whether a call names a file, or searches the working directory without naming it.
pub(super) fn touches_files(tool_name: &str, input: &Value) -> bool {
    matches!(tool_name, "Glob" | "Grep")
        || PATH_FIELDS
            .iter()
            .any(|field| input.get(field).is_some_and(Value::is_string))
}

/// The call with the links on its paths followed; none where it stays the same.
pub(super) fn follow(call: &Call<'_>, directories: &[PathBuf]) -> Option<Followed> {
    if !touches_files(call.tool_name, call.tool_input) {
        return None;
    }
    let mut tool_input = call.tool_input.clone();
    for field in PATH_FIELDS {
        if let Some(Value::String(path)) = tool_input.get_mut(field) {
            *path = real(&absolute(path, call));
        }
    }
    let followed = Followed {
        tool_input,
        cwd: real(Path::new(call.cwd)),
        home: call.home.map(|home| real(Path::new(home))),
        project_dir: real(Path::new(call.project_root.unwrap_or(call.cwd))),
        directories: directories.iter().map(|path| real(path)).collect(),
    };
    differs(call, directories, &followed).then_some(followed)
}

fn differs(call: &Call<'_>, directories: &[PathBuf], followed: &Followed) -> bool {
    let same = |field: &&'static str| {
        let path = |input: &Value| input.get(field).and_then(Value::as_str).map(str::to_owned);
        let written = path(call.tool_input).map(|path| absolute(&path, call));
        written == path(&followed.tool_input).map(PathBuf::from)
    };
    let written = directories.iter().map(|path| path.to_string_lossy());
    followed.cwd != call.cwd
        || followed.home.as_deref() != call.home
        || Some(followed.project_dir.as_str()) != call.project_root
        || !written.eq(followed.directories.iter().map(String::as_str))
        || !PATH_FIELDS.iter().all(same)
}

/// As the system will take it: `..` behind a link is not what the text says.
fn absolute(path: &str, call: &Call<'_>) -> PathBuf {
    let home = call.home.zip(path.strip_prefix('~'));
    match home {
        Some((home, rest)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{home}{rest}"))
        }
        _ => Path::new(call.cwd).join(path),
    }
}

/// The path with the links on it followed, as far as it exists; the rest is as it is written.
fn real(path: &Path) -> String {
    follow_links(path, MAX_LINKS).to_string_lossy().into_owned()
}

fn follow_links(path: &Path, links: usize) -> PathBuf {
    let mut missing: Vec<&OsStr> = Vec::new();
    let mut known = path;
    loop {
        let whole = |start: PathBuf| {
            missing
                .iter()
                .rev()
                .fold(start, |path, name| path.join(name))
        };
        if let Ok(real) = known.canonicalize() {
            return whole(real);
        }
        let (Some(parent), Some(name)) = (known.parent(), known.file_name()) else {
            return path.to_owned();
        };
        // What a link leads to need not exist: whoever writes to it makes it.
        if let (Ok(target), 1..) = (known.read_link(), links) {
            return follow_links(&whole(parent.join(target)), links - 1);
        }
        missing.push(name);
        known = parent;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;

    /// A project with the links `out` to a directory beside it and `new` to a file that is not there.
    fn project() -> (tempfile::TempDir, String) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("project/src")).unwrap();
        fs::create_dir(root.join("beside")).unwrap();
        symlink(root.join("beside"), root.join("project/out")).unwrap();
        symlink("../beside/new", root.join("project/new")).unwrap();
        symlink("loop", root.join("project/loop")).unwrap();
        let root = root.to_str().unwrap().to_owned();
        (dir, root)
    }

    fn leads_to(path: &str) -> Option<String> {
        let (_dir, root) = project();
        let cwd = format!("{root}/project");
        let input = json!({ "file_path": path });
        let call = Call {
            tool_name: "Write",
            tool_input: &input,
            cwd: &cwd,
            home: None,
            project_root: Some(&cwd),
        };
        let followed = follow(&call, &[])?;
        let path = followed.tool_input["file_path"].as_str().unwrap();
        Some(path.replace(&root, ""))
    }

    macro_rules! leads {
        ($($name:ident: $path:literal => $real:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(leads_to($path).as_deref(), $real);
            }
        )*};
    }

    leads! {
        a_path_without_links_leads_nowhere_else: "src/new.rs" => None;
        a_link_to_a_directory: "out/a" => Some("/beside/a");
        what_does_not_exist_behind_a_link: "out/x/y" => Some("/beside/x/y");
        up_from_behind_a_link: "out/../a" => Some("/a");
        a_link_to_what_does_not_exist: "new" => Some("/beside/new");
        a_link_to_itself_ends: "loop" => None;
    }

    #[test]
    fn a_call_without_a_path_is_not_looked_at() {
        let input = json!({ "command": "ls" });
        let call = Call {
            tool_name: "Bash",
            tool_input: &input,
            cwd: "/nowhere",
            home: None,
            project_root: None,
        };
        assert_eq!(follow(&call, &[]), None);
    }
}
