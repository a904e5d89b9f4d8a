//! What is known of programs by their names.

use std::path::Path;

/// Programs whose arguments are never run, and may be files that they write: a log that a hook adds
/// to must not un-trust it.
const INERT: &[&str] = &[
    ":", "[", "[[", "break", "chmod", "continue", "date", "declare", "echo", "exit", "export",
    "false", "kill", "local", "logger", "mkdir", "popd", "printf", "pwd", "read", "readonly",
    "return", "rm", "rmdir", "set", "shift", "sleep", "tee", "test", "touch", "true", "typeset",
    "umask", "unset", "wait",
];

/// Programs that run what files of a project say, without naming those files.
const RUNNERS: &[&str] = &[
    "ant",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gmake",
    "go",
    "gradle",
    "gradlew",
    "grunt",
    "gulp",
    "hatch",
    "invoke",
    "jest",
    "just",
    "lefthook",
    "make",
    "mise",
    "mix",
    "mvn",
    "mvnw",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "pipenv",
    "pnpm",
    "pnpx",
    "podman",
    "poetry",
    "pre-commit",
    "prek",
    "pytest",
    "rake",
    "sbt",
    "swift",
    "task",
    "tox",
    "turbo",
    "uv",
    "uvx",
    "vitest",
    "yarn",
    "zig",
];

/// Where a system keeps its programs and libraries. No repository writes there.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/usr",
    "/nix/store",
    "/opt/homebrew",
    "/System",
];

pub(super) fn is_inert(program: &str) -> bool {
    INERT.contains(&program)
}

pub(super) fn changes_directory(program: &str) -> bool {
    matches!(program, "cd" | "pushd")
}

/// Whether the program runs what files of a project say. `python3 -m` looks for the module in the
/// working directory first.
pub(super) fn is_runner(program: &str, arguments: &[Option<&str>]) -> bool {
    let by_module = program.starts_with("python") && arguments.contains(&Some("-m"));
    RUNNERS.contains(&program) || by_module
}

/// Whether a file belongs to the system, and to none of the places that a user works in.
pub(super) fn is_system(file: &Path, not_in: &[&Path]) -> bool {
    SYSTEM.iter().any(|folder| file.starts_with(folder))
        && !not_in.iter().any(|folder| file.starts_with(folder))
}

/// Whether a text is written like the name of a file, so that its absence is worth a word. `s/a/b/`
/// is not.
pub(super) fn looks_like_a_path(text: &str) -> bool {
    const SCRIPTS: &[&str] = &[
        "bash", "cjs", "js", "jsx", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "ts",
        "tsx", "zsh",
    ];
    const ODD: &[char] = &[
        '^', '$', '|', '(', ')', '*', '?', '[', ']', '{', '}', '<', '>', '"', '\'', ';', ',',
    ];
    let starts = ["/", "./", "../"];
    let is_anchored = starts.iter().any(|start| text.starts_with(start));
    let extension = Path::new(text)
        .extension()
        .and_then(|extension| extension.to_str());
    let is_script = extension.is_some_and(|extension| SCRIPTS.contains(&extension));
    let is_plain = !text.starts_with('-') && !text.contains(ODD);
    is_plain && (is_anchored || is_script) && (!text.contains(' ') || (is_anchored && is_script))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_patterns() {
        for path in [
            "./x",
            "../x",
            "/opt/x",
            "hooks/x.py",
            "x.sh",
            "/my work/x.sh",
        ] {
            assert!(looks_like_a_path(path), "{path}");
        }
        for other in [
            "s/a/b/",
            "/^a.*/d",
            "a/b",
            "--out=x.js",
            "-x.py",
            "origin/main",
            ".tool_input",
            "*.sh",
            "sh x.sh",
        ] {
            assert!(!looks_like_a_path(other), "{other}");
        }
    }

    #[test]
    fn the_system_ends_where_the_user_begins() {
        let file = Path::new("/usr/src/app/x.sh");
        assert!(is_system(file, &[Path::new("/work")]));
        assert!(!is_system(file, &[Path::new("/usr/src/app")]));
        assert!(!is_system(Path::new("/usrx/y"), &[]));
    }
}
