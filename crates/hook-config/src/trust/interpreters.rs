//! What is known of programs that run scripts.

use hook_runner::matcher::ShellWord;

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

/// Words of a program's text that make files of the project a part of it.
const IMPORTS: &[&str] = &["import", "include", "require"];

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
    let Some((_, inline)) = interpreter(program) else {
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

/// Whether a text that is written there imports what may be a file of the project.
pub(super) fn imports(program: &str, arguments: &[ShellWord]) -> bool {
    let Some((name, inline)) = interpreter(program).filter(|_| !is_shell(program)) else {
        return false;
    };
    let mut words = arguments.iter().map(|word| word.literal.as_deref());
    let mut is_isolated = false;
    while let Some(Some(word)) = words.next() {
        let Some(option) = word.strip_prefix('-') else {
            return false;
        };
        let letters = option.find(|letter| inline.contains(letter));
        let at = letters.filter(|_| !option.starts_with('-'));
        let is_long = ["-eval", "-print"]
            .iter()
            .any(|long| option.starts_with(long));
        let before = option.get(..at.unwrap_or(option.len())).unwrap_or_default();
        // Python's own way to leave the working directory out.
        is_isolated |= *name == "python" && before.contains(['I', 'P']);
        if at.is_some() || is_long {
            let has = |text: &str| IMPORTS.iter().any(|import| text.contains(import));
            return !is_isolated && (has(option) || words.next().flatten().is_some_and(has));
        }
    }
    false
}

/// Whether a program reads shell.
pub(super) fn is_shell(program: &str) -> bool {
    [".", "source", "sh", "bash", "dash", "zsh", "ksh", "ash"].contains(&program)
}

/// What an interpreter looks for besides the name it is given: `node guard` runs `guard.js`, or
/// `index.js` in that folder.
pub(super) fn endings(program: &str) -> &'static [&'static str] {
    match interpreter(program).map(|(name, _)| *name) {
        Some("node" | "tsx" | "ts-node") => &[
            ".js",
            ".json",
            ".node",
            ".mjs",
            ".cjs",
            ".ts",
            ".tsx",
            "/package.json",
            "/index.js",
            "/index.json",
            "/index.node",
            "/index.ts",
        ],
        Some("python" | "pypy") => &["/__main__.py"],
        _ => &[],
    }
}

/// The interpreter of that name, with or without a version.
fn interpreter(program: &str) -> Option<&'static (&'static str, &'static str)> {
    let version = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let versionless = if version.is_empty() { program } else { version };
    INTERPRETERS.iter().find(|(name, _)| *name == versionless)
}
