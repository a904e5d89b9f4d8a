//! How a command is found and started: shells, programs, placeholders, directories.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hook_runner::{Fired, Group, Hook};
use hook_shell::{Host, Plugin, ShellHook};
use hook_types::{Code, Decision, EventName, OnFailure, PreToolUse};
use process_tree::Environment;
use support::{DENY, Fixture, bash, codes, fire_and_close, only, reason, said, stdout};

mod support;

fn same_place(one: &str, other: &Path) -> bool {
    fs::canonicalize(one.trim()).unwrap() == fs::canonicalize(other).unwrap()
}

#[tokio::test]
async fn a_shell_prefix_is_handed_each_shell_command_as_one_word() {
    let fixture = Fixture::new();
    let log = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > log\neval \"$1\"\n";
    let prefix = fixture.program("log it.sh", log);
    let inherited = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("CLAUDE_CODE_SHELL_PREFIX", prefix);
    let host = Host::with_environment(inherited);
    let script = "read -r line; echo \"it's ${#line}\" >&2; exit 2";
    let fired = fixture.call(fixture.hook(script).host(&host)).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny), "{fired:?}");
    assert!(reason(&fired).starts_with("it's "), "{fired:?}");
    assert_eq!(fixture.read("log"), format!("1\n{script}\n"));
    fs::remove_file(fixture.path("log")).unwrap();
    let exec = fixture.mark(ShellHook::exec("sh", ["-c", "exit 2"]).host(&host));
    assert_eq!(said(&fixture.call(exec).await), ("blocked", Decision::Deny));
    assert!(!fixture.path("log").exists(), "exec form has no shell");
}

#[tokio::test]
async fn powershell_is_started_as_it_wants_to_be() {
    let fixture = Fixture::new();
    let printer = "#!/bin/sh\nprintf '%s\\n' \"$@\" >&2\nexit 2\n";
    fs::create_dir(fixture.path("bin")).unwrap();
    fixture.program("bin/pwsh", printer);
    let path = format!("{}:/usr/bin:/bin", fixture.text_path("bin"));
    let hook = fixture
        .hook("& \"${CLAUDE_PROJECT_DIR}/guard.ps1\" ${mine}")
        .shell("powershell")
        .env("PATH", path);
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny), "{fired:?}");
    let told: Vec<&str> = reason(&fired).lines().collect();
    let options = ["-NoProfile", "-NonInteractive", "-Command"];
    assert_eq!(told[..3], options);
    assert_eq!(told[3], "& \"${env:CLAUDE_PROJECT_DIR}/guard.ps1\" ${mine}");
    assert!(told[4].contains("exit $LASTEXITCODE"), "{told:?}");
}

#[tokio::test]
async fn a_relative_directory_is_the_projects() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.path("project/hooks")).unwrap();
    fs::create_dir(fixture.path("agents")).unwrap();
    let runner = fixture.runner::<PreToolUse>(fixture.hook("pwd").cwd("hooks"));
    runner.update_session(|session| session.project_dir = fixture.text_path("project"));
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("agents");
    let fired = fire_and_close(&runner, call).await;
    assert!(same_place(stdout(&fired), &fixture.path("project/hooks")));
}

#[tokio::test]
async fn a_hook_whose_own_directory_is_gone_runs_nowhere_else() {
    let fixture = Fixture::new();
    let hook = fixture.hook("touch ran; exit 2").cwd("gone");
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("gone"), "{why}");
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_hook_runs_in_its_own_directory_else_in_the_agents() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("own")).unwrap();
    fs::create_dir(fixture.path("agents")).unwrap();
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("agents");
    let fired = fixture.fire(call.clone(), fixture.hook("pwd")).await;
    assert!(same_place(stdout(&fired), &fixture.path("agents")));
    let hook = fixture.hook("pwd").cwd(fixture.path("own"));
    let fired = fixture.fire(call, hook).await;
    assert!(same_place(stdout(&fired), &fixture.path("own")));
    assert_eq!(codes(&fired), []);
}

/// The directory that a hook runs in whose best places are gone.
async fn place(fixture: &Fixture, project: &str, home: Option<&str>) -> Fired {
    let runner = fixture.runner::<PreToolUse>(fixture.hook("pwd"));
    runner.update_session(|session| {
        session.base.cwd = fixture.text_path("gone/too");
        project.clone_into(&mut session.project_dir);
        session.home = home.map(str::to_owned);
    });
    fire_and_close(&runner, bash("ls")).await
}

#[tokio::test]
async fn a_directory_that_is_gone_gives_way_to_the_project_the_home_and_the_temporary_one() {
    let fixture = Fixture::new();
    for name in ["project", "home"] {
        fs::create_dir(fixture.path(name)).unwrap();
    }
    fs::write(fixture.path("file"), "").unwrap();
    let (project, home) = (fixture.text_path("project"), fixture.text_path("home"));
    let gone = fixture.text_path("gone");

    let fired = place(&fixture, &project, Some(&home)).await;
    assert!(same_place(stdout(&fired), Path::new(&project)));
    assert_eq!(codes(&fired), [Code::WrongValue], "and that is said");
    let fired = place(&fixture, &gone, Some(&home)).await;
    assert!(same_place(stdout(&fired), Path::new(&home)));
    let fired = place(&fixture, &fixture.text_path("file"), Some(&home)).await;
    assert!(
        same_place(stdout(&fired), Path::new(&home)),
        "a file is no place"
    );
    let fired = place(&fixture, &gone, Some(&gone)).await;
    assert!(same_place(stdout(&fired), &std::env::temp_dir()));
    let fired = place(&fixture, "", None).await;
    assert!(same_place(stdout(&fired), &std::env::temp_dir()));
}

#[tokio::test]
async fn a_program_beside_the_project_is_found_when_the_directory_is_gone() {
    let fixture = Fixture::new();
    fixture.program("check", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let hook = fixture.mark(ShellHook::exec("./check", [] as [&str; 0]));
    let mut call = bash("ls");
    call.base.cwd = fixture.text_path("gone");
    let fired = fixture.fire(call, hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny), "{fired:?}");
}

/// A plugin with everything that can go wrong in a shell.
fn nasty_plugin() -> Plugin {
    Plugin {
        root: "/plug in/'one' \"two\" $HOME".to_owned(),
        data: Some("/data\nline".to_owned()),
        options: vec![
            ("name".to_owned(), "; rm -rf * `id` $(id)".to_owned()),
            ("other".to_owned(), "${CLAUDE_PROJECT_DIR}".to_owned()),
        ],
    }
}

#[tokio::test]
async fn placeholders_become_plain_strings_in_arguments() {
    let fixture = Fixture::new();
    let arguments = [
        "%s|",
        "${CLAUDE_PROJECT_DIR}/a b",
        "x${CLAUDE_PLUGIN_ROOT}y${CLAUDE_PLUGIN_ROOT}",
        "${CLAUDE_PLUGIN_DATA}",
        "${user_config.name}",
        "${user_config.other}",
        "${HOME} $CLAUDE_PROJECT_DIR ${unclosed",
        "",
    ];
    let hook = fixture.mark(ShellHook::exec("printf", arguments).plugin(nasty_plugin()));
    let runner = fixture.runner::<PreToolUse>(hook);
    runner.update_session(|session| session.project_dir = "/pro \"ject\" $x\n'".to_owned());
    let fired = fire_and_close(&runner, bash("ls")).await;
    let root = "/plug in/'one' \"two\" $HOME";
    let expected = [
        "/pro \"ject\" $x\n'/a b",
        &format!("x{root}y{root}"),
        "/data\nline",
        "; rm -rf * `id` $(id)",
        "${CLAUDE_PROJECT_DIR}",
        "${HOME} $CLAUDE_PROJECT_DIR ${unclosed",
        "",
        "",
    ];
    assert_eq!(stdout(&fired), expected.join("|"));
}

#[tokio::test]
async fn a_program_may_be_a_placeholder_and_no_arguments_are_no_shell() {
    let fixture = Fixture::new();
    fixture.program("a $b 'c'", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let none: [&str; 0] = [];
    let hook = fixture.mark(ShellHook::exec("${CLAUDE_PROJECT_DIR}/a $b 'c'", none));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    let hook = fixture.mark(ShellHook::exec("exit 2", none));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
}

#[tokio::test]
async fn a_placeholder_that_nothing_is_known_for_is_named_and_nothing_runs() {
    let fixture = Fixture::new();
    for argument in ["${CLAUDE_PLUGIN_ROOT}/x", "${user_config.colour}"] {
        let hook = fixture.mark(ShellHook::exec("touch", ["ran", argument]));
        let fired = fixture.call(hook).await;
        assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
        let why = only(&fired).reply.status.to_string();
        assert!(why.contains(argument.trim_end_matches("/x")), "{why}");
    }
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_project_that_nobody_named_fills_no_placeholder() {
    let fixture = Fixture::new();
    let hook = fixture.mark(ShellHook::exec("touch", ["ran", "${CLAUDE_PROJECT_DIR}/x"]));
    let runner = fixture.runner::<PreToolUse>(hook);
    runner.update_session(|session| session.project_dir.clear());
    let fired = fire_and_close(&runner, bash("ls")).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_setting_of_the_users_in_a_shell_command_is_refused() {
    let fixture = Fixture::new();
    let shell = fixture
        .hook("touch ran; echo ${user_config.name}")
        .plugin(nasty_plugin());
    let hook = Hook::new(EventName::PreToolUse, shell).on_failure(OnFailure::Block);
    let fired = fire_and_close(&fixture.runner_of(Group::parallel().hook(hook)), bash("ls")).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Deny));
    assert!(reason(&fired).contains("args"), "{fired:?}");
    assert!(!fixture.path("ran").exists());
}

#[tokio::test]
async fn a_program_is_looked_up_in_the_path_that_the_hook_is_given() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("bin dir")).unwrap();
    fixture.program("bin dir/guard", &format!("#!/bin/sh\necho '{DENY}'\n"));
    let none: [&str; 0] = [];
    let path = format!("{}:/usr/bin:/bin", fixture.text_path("bin dir"));
    let hook = fixture.mark(ShellHook::exec("guard", none).env("PATH", path));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("answered", Decision::Deny));
    let fired = fixture
        .call(fixture.mark(ShellHook::exec("guard", none)))
        .await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("guard") && why.contains("PATH"), "{why}");
}

#[tokio::test]
async fn a_file_that_may_not_be_run_says_so() {
    let fixture = Fixture::new();
    fs::write(fixture.path("plain"), "#!/bin/sh\n").unwrap();
    assert_eq!(
        fs::metadata(fixture.path("plain")).unwrap().mode() & 0o111,
        0
    );
    let hook = fixture.mark(ShellHook::exec("./plain", [] as [&str; 0]));
    let fired = fixture.call(hook).await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
    let why = only(&fired).reply.status.to_string();
    assert!(why.contains("executable"), "{why}");
    let fired = fixture.script("./plain").await;
    assert_eq!(only(&fired).reply.evidence.exit_code, Some(126));
}

#[tokio::test]
async fn another_shell_reads_the_command_where_it_is_asked_for() {
    let fixture = Fixture::new();
    let script = "[[ abc == a* ]] && [ -n \"$BASH_VERSION\" ] && exit 2";
    let fired = fixture.call(fixture.hook(script).shell("bash")).await;
    assert_eq!(said(&fired), ("blocked", Decision::Deny));
    let fired = fixture
        .call(fixture.hook("exit 2").shell("/no/such/shell"))
        .await;
    assert_eq!(said(&fired), ("launch_failed", Decision::Pass));
}
