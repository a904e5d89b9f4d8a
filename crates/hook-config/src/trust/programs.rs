//! What is known of programs by their names.

use std::path::Path;

use hook_runner::matcher::{ShellCommand, ShellWord};

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
    "ava",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "eslint",
    "flake8",
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
    "mocha",
    "mvn",
    "mvnw",
    "mypy",
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
    "rake",
    "rspec",
    "rubocop",
    "sbt",
    "stylelint",
    "swift",
    "task",
    "tox",
    "turbo",
    "uv",
    "uvx",
    "vite",
    "vitest",
    "webpack",
    "yarn",
    "zig",
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

/// Programs that run a script, and the letters of the options after which there is none.
const INTERPRETERS: &[(&str, &str)] = &[
    (".", ""),
    ("source", ""),
    ("sh", "c"),
    ("bash", "c"),
    ("dash", "c"),
    ("zsh", "c"),
    ("ksh", "c"),
    ("ash", "c"),
    ("python", "cm"),
    ("pypy", "cm"),
    ("node", "ep"),
    ("tsx", "ep"),
    ("ts-node", "ep"),
    ("ruby", "e"),
    ("perl", "eE"),
    ("lua", "e"),
    ("php", "r"),
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
/// working directory first.
pub(super) fn is_runner(program: &str, arguments: &[ShellWord]) -> bool {
    let is_module = |word: &ShellWord| {
        let word = word.literal.as_deref().unwrap_or_default();
        word.starts_with("-m")
    };
    let by_module = program.starts_with("python") && arguments.iter().any(is_module);
    RUNNERS.contains(&program) || by_module
}

pub(super) fn runs_a_text(program: &str) -> bool {
    TEXT_RUNNERS.contains(&program)
}

/// Where the script of an interpreter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// It runs none, or a text that is written there.
    None,
    /// It is this argument.
    Argument(usize),
    /// It is whatever comes in.
    Input,
}

/// Which script a program runs.
pub(super) fn script(program: &str, arguments: &[ShellWord]) -> Script {
    let version = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let versionless = if version.is_empty() { program } else { version };
    let Some((_, inline)) = INTERPRETERS.iter().find(|(name, _)| *name == versionless) else {
        return Script::None;
    };
    for (at, word) in arguments.iter().enumerate() {
        match word.literal.as_deref() {
            Some("-") => return Script::Input,
            Some(option) if option.starts_with("--") => {
                if ["--eval", "--print", "--version", "--help"].contains(&option) {
                    return Script::None;
                }
            }
            Some(option) if option.starts_with('-') => {
                if option.contains(|letter| inline.contains(letter)) || option == "-V" {
                    return Script::None;
                }
            }
            Some(_) | None => return Script::Argument(at),
        }
    }
    // What a shell reads is the shell reader's to say.
    let is_shell = inline.is_empty() || *inline == "c";
    if is_shell {
        Script::None
    } else {
        Script::Input
    }
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
