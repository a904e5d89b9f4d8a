//! The shell that reads a command, and what may stand before it.

use process_tree::Command;

use crate::placeholders;

/// A shell, and how it is handed a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    /// `sh`, `bash` and their kin: `-c` and the text.
    Posix(String),
    /// PowerShell, which has another syntax for variables and loses exit codes.
    PowerShell(String),
}

impl Default for Shell {
    fn default() -> Self {
        Self::Posix("/bin/sh".to_owned())
    }
}

impl Shell {
    /// The shell of that name or path. `sh` is `/bin/sh`, and PowerShell is `pwsh` where it is not
    /// part of the system.
    pub(crate) fn named(name: &str) -> Self {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let lower = file.to_ascii_lowercase();
        match lower.strip_suffix(".exe").unwrap_or(&lower) {
            "powershell" if file == name && !cfg!(windows) => Self::PowerShell("pwsh".to_owned()),
            "powershell" | "pwsh" => Self::PowerShell(name.to_owned()),
            "" => Self::default(),
            "sh" if file == name => Self::default(),
            _ => Self::Posix(name.to_owned()),
        }
    }

    /// The program.
    pub(crate) fn program(&self) -> &str {
        match self {
            Self::Posix(program) | Self::PowerShell(program) => program,
        }
    }

    /// The shell with a command to read; with a prefix, that is handed the command as one word.
    /// PowerShell's words are other words, so it has no prefix.
    pub(crate) fn reading(&self, command: &str, prefix: Option<&str>) -> Command {
        let shell = Command::new(self.program());
        match self {
            Self::Posix(_) => shell.arg("-c").arg(match prefix {
                Some(prefix) => prefixed(prefix, command),
                None => command.to_owned(),
            }),
            Self::PowerShell(_) => shell
                .args(["-NoProfile", "-NonInteractive", "-Command"])
                .arg(for_powershell(command)),
        }
    }
}

/// A command as the one word that the prefix is handed. What stands before the first ` -` is the
/// prefix's program, blanks and all; the rest are its options.
fn prefixed(prefix: &str, command: &str) -> String {
    let (program, options) = match prefix.find(" -") {
        Some(end) => prefix.split_at(end),
        None => (prefix, ""),
    };
    format!("{}{options} {}", quoted(program.trim()), quoted(command))
}

/// A word that a POSIX shell takes for what it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// PowerShell reads `${NAME}` as a variable of its own, and turns every exit code of a program into 1:
/// a 2 that means to block must stay a 2.
fn for_powershell(command: &str) -> String {
    let command = placeholders::NAMES
        .iter()
        .fold(command.to_owned(), |command, name| {
            command.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}"))
        });
    format!("{command}\nif (-not $?) {{ if ($LASTEXITCODE) {{ exit $LASTEXITCODE }}; exit 1 }}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_known_by_its_name() {
        let posix = |name: &str| Shell::Posix(name.to_owned());
        let power = |name: &str| Shell::PowerShell(name.to_owned());
        for (name, shell) in [
            ("sh", posix("/bin/sh")),
            ("", posix("/bin/sh")),
            ("/bin/sh", posix("/bin/sh")),
            ("/opt/sh", posix("/opt/sh")),
            ("bash", posix("bash")),
            ("/usr/bin/zsh", posix("/usr/bin/zsh")),
            ("pwsh", power("pwsh")),
            ("/opt/pwsh", power("/opt/pwsh")),
            (r"C:\x\PowerShell.exe", power(r"C:\x\PowerShell.exe")),
        ] {
            assert_eq!(Shell::named(name), shell, "{name}");
        }
        let own = if cfg!(windows) { "powershell" } else { "pwsh" };
        assert_eq!(Shell::named("powershell"), power(own));
    }

    #[test]
    fn a_prefix_has_options_where_a_dash_begins_one() {
        assert_eq!(prefixed("/a b/log.sh", "ls"), "'/a b/log.sh' 'ls'");
        assert_eq!(
            prefixed("/a b/log.sh -x -y", "it's"),
            r"'/a b/log.sh' -x -y 'it'\''s'"
        );
    }

    #[test]
    fn powershell_finds_our_variables_and_no_others() {
        let script = for_powershell("& ${CLAUDE_PLUGIN_ROOT}/x.ps1 ${other} $CLAUDE_PROJECT_DIR");
        assert!(
            script.starts_with(
                "& ${env:CLAUDE_PLUGIN_ROOT}/x.ps1 ${other} $CLAUDE_PROJECT_DIR\nif (-not $?)"
            ),
            "{script}"
        );
    }
}
