//! What is known of programs by their names.

use std::path::Path;

use hook_runner::matcher::{ShellCommand, ShellWord};

use super::interpreters;

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
    "ansible-playbook",
    "ant",
    "astro",
    "ava",
    "bazel",
    "buck2",
    "bun",
    "bundle",
    "bunx",
    "cabal",
    "cargo",
    "clojure",
    "cmake",
    "composer",
    "ctest",
    "deno",
    "devbox",
    "direnv",
    "docker",
    "dotnet",
    "dune",
    "eslint",
    "flake8",
    "gmake",
    "go",
    "gradle",
    "gradlew",
    "groovy",
    "grunt",
    "gulp",
    "hatch",
    "husky",
    "invoke",
    "java",
    "jest",
    "just",
    "kotlin",
    "lefthook",
    "lein",
    "lint-staged",
    "make",
    "meson",
    "mise",
    "mix",
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
    "next",
    "ninja",
    "nix",
    "nix-build",
    "nix-shell",
    "nodemon",
    "nox",
    "npm",
    "npx",
    "nx",
    "pdm",
    "phpunit",
    "pipenv",
    "pnpm",
    "pnpx",
    "podman",
    "poetry",
    "pre-commit",
    "prek",
    "prettier",
    "pylint",
    "pytest",
    "rails",
    "rake",
    "rebar3",
    "rollup",
    "rspec",
    "rubocop",
    "sbt",
    "scala",
    "stack",
    "stylelint",
    "swift",
    "task",
    "terraform",
    "tox",
    "turbo",
    "uv",
    "uvx",
    "vagrant",
    "vite",
    "vitest",
    "webpack",
    "yarn",
    "zig",
];

/// What makes `git` run hooks, which may be files of the project: `core.hooksPath`.
const GIT_HOOKS: &[&str] = &[
    "am",
    "checkout",
    "cherry-pick",
    "commit",
    "gc",
    "merge",
    "pull",
    "push",
    "rebase",
    "receive-pack",
    "revert",
    "switch",
    "worktree",
];

/// Programs that run a text among their arguments, which nobody reads here.
const TEXT_RUNNERS: &[&str] = &[
    "at",
    "batch",
    "chroot",
    "crontab",
    "entr",
    "expect",
    "flock",
    "nsenter",
    "osascript",
    "parallel",
    "runuser",
    "screen",
    "script",
    "ssh",
    "su",
    "systemd-run",
    "tmux",
    "unshare",
    "watch",
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

/// The name of a program without its folder; empty if only the shell will know.
pub(super) fn name(program: &ShellWord) -> &str {
    let path = program.literal.as_deref().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether the program runs what files of a project say. `python3 -m` looks for the module in the
/// working directory first, and so does an `import` of `python3 -c`.
pub(super) fn is_runner(program: &str, arguments: &[ShellWord]) -> bool {
    let literals = || arguments.iter().filter_map(|word| word.literal.as_deref());
    let by_module = program.starts_with("python") && literals().any(|word| word.starts_with("-m"));
    let by_hooks = program == "git" && literals().any(|word| GIT_HOOKS.contains(&word));
    RUNNERS.contains(&program) || by_module || by_hooks || interpreters::imports(program, arguments)
}

/// Whether a program splits a text among its arguments into words.
pub(super) fn splits_a_text(program: &str, arguments: &[ShellWord]) -> bool {
    let mut words = arguments.iter().filter_map(|word| word.literal.as_deref());
    let splits = |word: &str| word.starts_with("-S") || word.starts_with("--split-string");
    program == "env" && words.any(splits)
}

/// Whether a program sets a variable whose name only the shell will know: it may be any.
pub(super) fn sets_any_variable(program: &str, arguments: &[ShellWord]) -> bool {
    let is_open = |word: &ShellWord| word.literal.is_none();
    let names_open = |word: &ShellWord| {
        let name = word.written.split('=').next().unwrap_or_default();
        is_open(word) && name.contains(['$', '`'])
    };
    match program {
        "read" | "unset" => arguments.iter().any(is_open),
        "declare" | "export" | "local" | "readonly" | "typeset" => arguments.iter().any(names_open),
        "printf" => arguments.windows(2).any(|pair| {
            matches!(pair, [option, name]
                if option.literal.as_deref() == Some("-v") && is_open(name))
        }),
        _ => false,
    }
}

pub(super) fn runs_a_text(program: &str) -> bool {
    TEXT_RUNNERS.contains(&program)
}

/// Whether a command clears the environment that a shell after it would look its variables up in.
pub(super) fn drops_environment(command: &ShellCommand) -> bool {
    let Some((program, arguments)) = command.words.split_first() else {
        return false;
    };
    let clears = |word: &ShellWord| {
        let word = word.literal.as_deref().unwrap_or_default();
        let is_short = word.starts_with('-') && !word.starts_with("--");
        word == "-" || word == "--ignore-environment" || (is_short && word.contains('i'))
    };
    match name(program) {
        "sudo" | "doas" => true,
        "env" => arguments.iter().any(clears),
        "exec" => arguments.first().and_then(|word| word.literal.as_deref()) == Some("-c"),
        _ => false,
    }
}

/// Whether a shell has a language of its own.
pub(super) fn is_foreign_shell(shell: &str) -> bool {
    let name = shell.rsplit('/').next().unwrap_or_default();
    !["sh", "bash", "dash", "zsh", "ksh", "ash"].contains(&name)
}

/// Whether a file belongs to the system, and to none of the places that a user works in.
pub(super) fn is_system(file: &Path, not_in: &[&Path]) -> bool {
    SYSTEM.iter().any(|folder| file.starts_with(folder))
        && !not_in.iter().any(|folder| file.starts_with(folder))
}

/// Whether a file is none, but something that the kernel says at each reading.
pub(super) fn is_made_up(file: &Path) -> bool {
    ["/proc", "/sys", "/dev"]
        .iter()
        .any(|folder| file.starts_with(folder))
}

/// Whether a text is written like the name of a file, so that its absence is worth a word. `s/a/b/`
/// is not.
pub(super) fn looks_like_a_path(text: &str) -> bool {
    const SCRIPTS: &[&str] = &[
        "bash", "cjs", "js", "jsx", "lua", "mjs", "php", "pl", "ps1", "py", "rb", "sh", "ts",
        "tsx", "zsh",
    ];
    const ODD: &[char] = &[
        '\n', '^', '$', '|', '(', ')', '*', '?', '[', ']', '{', '}', '<', '>', '"', '\'', ';', ',',
    ];
    let starts = ["/", "./", "../"];
    let is_anchored = starts.iter().any(|start| text.starts_with(start));
    let extension = Path::new(text)
        .extension()
        .and_then(|extension| extension.to_str());
    let is_script = extension.is_some_and(|extension| SCRIPTS.contains(&extension));
    let is_plain = !text.starts_with('-') && !text.contains(ODD) && !text.contains("://");
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
