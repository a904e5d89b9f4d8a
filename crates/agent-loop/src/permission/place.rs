//! Which files an edit may touch unasked: those in the working directories, but not those that decide
//! what hooks, tools and shells do.

use hook_runner::matcher::Call;
use serde_json::Value;

/// Fields that name the file of a call.
pub(super) const PATH_FIELDS: [&str; 3] = ["file_path", "notebook_path", "path"];

/// Folders whose contents decide what runs: nothing in them is edited unasked.
pub(super) const PROTECTED_FOLDERS: [&str; 14] = [
    ".claude",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".gemini",
    ".git",
    ".github",
    ".hg",
    ".hookline",
    ".husky",
    ".idea",
    ".opencode",
    ".opta",
    ".vscode",
];

/// Files that decide what runs.
pub(super) const PROTECTED_FILES: [&str; 14] = [
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".claude.json",
    ".envrc",
    ".gitconfig",
    ".gitmodules",
    ".mcp.json",
    ".profile",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Whether every file that a call names is in one of its directories, and none is protected. A call that
/// names none is nowhere.
pub(super) fn is_free(call: &Call<'_>, directories: &[String]) -> bool {
    let mut files = files(call).peekable();
    files.peek().is_some()
        && files
            .all(|file| is_inside(&file, call, directories) && !guarded(&file, call, directories))
}

/// Whether a call names no protected file.
pub(super) fn is_unprotected(call: &Call<'_>, directories: &[String]) -> bool {
    !files(call).any(|file| guarded(&file, call, directories))
}

fn files(call: &Call<'_>) -> impl Iterator<Item = Vec<String>> {
    PATH_FIELDS
        .iter()
        .filter_map(|field| call.tool_input.get(field).and_then(Value::as_str))
        .map(|path| names(path, call))
}

fn is_inside(file: &[String], call: &Call<'_>, directories: &[String]) -> bool {
    !below(file, call, directories).is_empty()
}

/// What is protected is so below the directories that the user works in. Where these are themselves in
/// such a folder, the user has gone there.
fn guarded(file: &[String], call: &Call<'_>, directories: &[String]) -> bool {
    let inside = below(file, call, directories);
    if inside.is_empty() {
        return decides_what_runs(file);
    }
    inside.into_iter().any(decides_what_runs)
}

/// The names from each directory that the file is in.
fn below<'a>(file: &'a [String], call: &Call<'_>, directories: &[String]) -> Vec<&'a [String]> {
    let folders = directories.iter().map(String::as_str);
    std::iter::once(call.cwd)
        .chain(folders)
        .filter_map(|folder| file.strip_prefix(names(folder, call).as_slice()))
        .collect()
}

fn decides_what_runs(names: &[String]) -> bool {
    let is = |name: &str, list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(name));
    names.iter().any(|name| is(name, &PROTECTED_FOLDERS))
        || names.last().is_some_and(|name| is(name, &PROTECTED_FILES))
}

/// The names on a path: relative ones start in the working directory, `~` is the home; `.` and `..` are
/// resolved as text.
pub(super) fn names(path: &str, call: &Call<'_>) -> Vec<String> {
    let (start, rest) = match (path.strip_prefix('~'), call.home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => (home, rest),
        _ if path.starts_with('/') => ("", path),
        _ => (call.cwd, path),
    };
    let mut names: Vec<String> = Vec::new();
    for name in start.split('/').chain(rest.split('/')) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name.to_owned()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(path: &str, test: fn(&Call<'_>, &[String]) -> bool) -> bool {
        let input = json!({ "file_path": path });
        let call = Call {
            tool_name: "Edit",
            tool_input: &input,
            cwd: "/home/ann/project",
            home: Some("/home/ann"),
            project_root: None,
        };
        test(
            &call,
            &["/srv/docs".to_owned(), "/work/.claude/trees/one".to_owned()],
        )
    }

    macro_rules! places {
        ($($name:ident: $path:literal => $free:literal, $protected:literal;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!((ask($path, is_free), !ask($path, is_unprotected)), ($free, $protected));
            }
        )*};
    }

    places! {
        a_relative_path_is_in_the_working_directory: "src/main.rs" => true, false;
        an_absolute_path_may_be_in_it: "/home/ann/project/a" => true, false;
        a_neighbour_with_a_longer_name_is_not: "/home/ann/project2/a" => false, false;
        a_path_may_climb_out: "src/../../other/a" => false, false;
        a_path_may_climb_and_come_back: "../project/a" => true, false;
        the_home_is_not_the_project: "~/notes" => false, false;
        the_home_leads_to_the_project: "~/project/notes" => true, false;
        an_added_directory_counts: "/srv/docs/a.md" => true, false;
        climbing_out_of_an_added_directory: "/srv/docs/../a.md" => false, false;
        the_root_is_outside: "/" => false, false;
        the_repository_itself: ".git/config" => false, true;
        a_repository_below: "vendor/x/.git/hooks/pre-commit" => false, true;
        hooks_of_our_own: ".hookline/hooks.json" => false, true;
        settings: ".claude/settings.local.json" => false, true;
        in_other_letters: ".Claude/settings.json" => false, true;
        reached_by_climbing: "src/../.git/config" => false, true;
        a_shells_start: "~/.bashrc" => false, true;
        servers_to_start: ".mcp.json" => false, true;
        a_file_that_only_sounds_like_it: ".gitignore" => true, false;
        a_folder_that_is_called_like_a_protected_file: ".profile/notes" => true, false;
        a_directory_inside_a_protected_folder: "/work/.claude/trees/one/a.rs" => true, false;
        a_protected_folder_in_there: "/work/.claude/trees/one/.git/x" => false, true;
        beside_the_directory_in_a_protected_folder: "/work/.claude/settings.json" => false, true;
    }

    #[test]
    fn a_call_that_names_no_file_is_nowhere() {
        let input = json!({ "content": "x" });
        let call = Call {
            tool_name: "Edit",
            tool_input: &input,
            cwd: "/p",
            home: None,
            project_root: None,
        };
        assert!(!is_free(&call, &[]) && is_unprotected(&call, &[]));
    }

    #[test]
    fn every_file_that_a_call_names_must_be_inside() {
        let input = json!({ "file_path": "a", "path": "/etc/passwd" });
        let call = Call {
            tool_name: "Move",
            tool_input: &input,
            cwd: "/p",
            home: None,
            project_root: None,
        };
        assert!(!is_free(&call, &[]));
    }
}
