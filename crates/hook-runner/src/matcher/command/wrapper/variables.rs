//! Variables that change what a command's name means.

/// Variables that decide which program or library runs, so that a command under its usual
/// name may be another one.
pub(in super::super) fn redirects_lookup(variable: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PROMPT_COMMAND",
        "PS4",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "BROWSER",
        "SHELL",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PERL5LIB",
        "PERL5OPT",
        "RUBYLIB",
        "RUBYOPT",
        "CLASSPATH",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "_JAVA_OPTIONS",
        "PERLLIB",
        "PERL5DB",
        "PYTHONUSERBASE",
        "PYTHONBREAKPOINT",
        "GEM_HOME",
        "GEM_PATH",
        "BUNDLE_GEMFILE",
        "LUA_INIT",
        "LUA_PATH",
        "LUA_CPATH",
        "PHPRC",
        "PHP_INI_SCAN_DIR",
        "CDPATH",
        "ZDOTDIR",
        "FPATH",
        "MANPAGER",
        "LESSOPEN",
        "LESSCLOSE",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "RSYNC_RSH",
        "TAR_OPTIONS",
        "MAKEFLAGS",
        "OPENSSL_CONF",
        "GCONV_PATH",
        "RUSTC",
        "RUSTC_WRAPPER",
        "HOME",
    ];
    const STARTS: &[&str] = &["LD_", "DYLD_", "GIT_"];
    const ENDS: &[&str] = &["_COMMAND", "_EDITOR", "_PAGER", "_WRAPPER", "_PRELOAD"];
    NAMES.contains(&variable)
        || STARTS.iter().any(|start| variable.starts_with(start))
        || ENDS.iter().any(|end| variable.ends_with(end))
}
