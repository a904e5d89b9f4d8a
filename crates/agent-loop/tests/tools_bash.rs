//! Bash: output, endings, the working directory, exports, and what is left running.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agent_loop::Effect;
use process_tree::Environment;
use serde_json::{Value, json};
use tools_support::{Desk, text};

#[allow(dead_code, reason = "each test file uses a part of it")]
mod tools_support;

fn command(command: &str) -> Value {
    json!({"command": command, "description": "a test"})
}

/// Whether a process is there and is not a zombie.
fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap().starts_with(" Z"))
}

fn is_gone_soon(pid: &str) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if !is_alive(pid) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

async fn written(path: &Path) -> String {
    for _ in 0..1000 {
        if let Ok(text) = fs::read_to_string(path)
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} was never written", path.display());
}

#[tokio::test]
async fn hooks_see_the_outputs_apart_and_the_model_sees_them_together() {
    let desk = Desk::new();
    let response = desk
        .response("Bash", command("echo out; echo err >&2"))
        .await;
    assert_eq!(
        response,
        json!({"stdout": "out\n", "stderr": "err\n", "interrupted": false, "isImage": false})
    );
    assert_eq!(desk.tool("Bash").render(&response).unwrap(), "out\nerr");
    assert_eq!(desk.seen("Bash", command("true")).await, "(no output)");
}

#[tokio::test]
async fn a_failure_starts_with_the_exit_code() {
    let desk = Desk::new();
    let error = desk
        .call("Bash", command("echo out; echo err >&2; exit 3"))
        .await
        .unwrap_err();
    assert_eq!(
        (error.message.as_str(), error.interrupted),
        ("Exit code 3\nout\nerr", false)
    );
    assert_eq!(desk.failure("Bash", command("false")).await, "Exit code 1");
    assert_eq!(
        desk.failure("Bash", command("kill -9 $$")).await,
        "Killed by signal 9"
    );
    let broken = desk.failure("Bash", command("echo 'oops")).await;
    assert!(broken.starts_with("Exit code 2\n"), "{broken}");
}

#[tokio::test]
async fn a_change_of_directory_is_asked_for_and_not_done() {
    let mut desk = Desk::new();
    fs::create_dir(desk.path("it's $HOME")).unwrap();
    let moved = Effect::MovedTo(desk.path("it's $HOME"));
    for script in [
        "cd \"it's \\$HOME\"",
        "cd \"it's \\$HOME\" && exit 0",
        "cd \"it's \\$HOME\"; true # comment",
    ] {
        let output = desk.call("Bash", command(script)).await.unwrap();
        assert_eq!(output.effects, std::slice::from_ref(&moved), "{script}");
    }
    let error = desk
        .call("Bash", command("cd \"it's \\$HOME\"; false"))
        .await
        .unwrap_err();
    assert_eq!(
        error.effects,
        std::slice::from_ref(&moved),
        "also where the command fails"
    );

    // The loop moves; then that is where commands run, and to stay is no change.
    desk.context.cwd = desk.path("it's $HOME");
    let output = desk
        .call("Bash", command("pwd; (cd /); cd ."))
        .await
        .unwrap();
    assert_eq!(
        output.response["stdout"],
        format!("{}\n", text(&desk.context.cwd))
    );
    assert_eq!(output.effects, []);
}

#[tokio::test]
async fn a_link_to_a_directory_keeps_its_name() {
    let mut desk = Desk::new();
    fs::create_dir(desk.path("real")).unwrap();
    std::os::unix::fs::symlink("real", desk.path("link")).unwrap();
    let output = desk.call("Bash", command("cd link")).await.unwrap();
    assert_eq!(output.effects, [Effect::MovedTo(desk.path("link"))]);
    desk.context.cwd = desk.path("link");
    assert_eq!(
        desk.call("Bash", command("true")).await.unwrap().effects,
        []
    );
}

#[tokio::test]
async fn a_working_directory_that_is_gone_is_replaced_and_said_to_be() {
    let mut desk = Desk::new();
    desk.context.cwd = desk.path("gone");
    let output = desk.call("Bash", command("pwd")).await.unwrap();
    assert_eq!(
        output.response["stdout"],
        format!("{}\n", text(&desk.root()))
    );
    assert_eq!(output.effects, [Effect::MovedTo(desk.root())]);
    let seen = desk.tool("Bash").render(&output.response).unwrap();
    assert!(
        seen.contains(&format!("`{}` is gone", text(&desk.path("gone")))),
        "{seen}"
    );
}

#[tokio::test]
async fn what_hooks_export_is_there_and_a_mistake_in_it_does_no_harm() {
    let mut desk = Desk::new();
    desk.context.environment = Environment::empty()
        .with("PATH", "/usr/bin:/bin")
        .with("BASE", "1");
    desk.context.exports = "export FROM_HOOK='a  b'\nexport BASE=2\n".to_owned();
    let stdout = desk
        .response("Bash", command("echo \"$FROM_HOOK\" $BASE"))
        .await["stdout"]
        .clone();
    assert_eq!(stdout, "a  b 2\n");
    desk.context.exports = "export A='never closed\n".to_owned();
    let response = desk.response("Bash", command("echo still here")).await;
    assert_eq!(response["stdout"], "still here\n");
    assert_ne!(response["stderr"], "", "and the shell says what is wrong");
}

#[tokio::test]
async fn the_shell_is_the_one_that_hooks_have() {
    let mut desk = Desk::new();
    desk.context.shell = "bash".to_owned();
    let script = "a=(x y); echo ${a[1]} ${BASH_VERSION:+bash}; cd /";
    let output = desk.call("Bash", command(script)).await.unwrap();
    assert_eq!(output.response["stdout"], "y bash\n");
    assert_eq!(output.effects, [Effect::MovedTo("/".into())]);
    desk.context.shell = "/no/such/shell".to_owned();
    let message = desk.failure("Bash", command("true")).await;
    assert!(
        message.starts_with("The shell did not start: "),
        "{message}"
    );
    assert!(message.contains("/no/such/shell"), "{message}");
}

#[tokio::test]
async fn a_long_output_keeps_its_start_and_its_end() {
    let desk = Desk::new();
    let response = desk.response("Bash", command("seq 1 1000000")).await;
    let stdout = response["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("1\n2\n3\n") && stdout.ends_with("999999\n1000000\n"));
    let kept: u64 = 32 << 10;
    assert!(
        stdout.contains(&format!("… ({} bytes left out) …", 6_888_896 - kept)),
        "{}",
        stdout.len()
    );
    assert!(stdout.len() < 34 << 10);
    let middling = desk.response("Bash", command("seq 1 5000")).await;
    assert_eq!(
        middling["stdout"].as_str().unwrap().lines().count(),
        5000,
        "what fits is whole"
    );
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let desk = Desk::new();
    let script = "echo begun; sleep 600 & echo $! > child; echo >> child; wait";
    let input = json!({"command": script, "timeout": 1500});
    let error = desk.call("Bash", input).await.unwrap_err();
    assert!(
        error.message.starts_with("Timed out after 1500 ms"),
        "{}",
        error.message
    );
    assert!(error.message.ends_with("\nbegun"), "{}", error.message);
    assert!(!error.interrupted);
    assert!(is_gone_soon(&desk.content("child")));
}

#[tokio::test]
async fn a_cancelled_command_is_ended_with_all_it_started() {
    let desk = Desk::new();
    let script = "echo begun; sleep 600 & echo $! > child; wait";
    let (outcome, child) = tokio::join!(desk.call("Bash", command(script)), async {
        let child = written(&desk.path("child")).await;
        desk.context.cancellation.cancel();
        child
    });
    let error = outcome.unwrap_err();
    assert!(error.interrupted);
    assert!(
        error.message.starts_with("Interrupted"),
        "{}",
        error.message
    );
    assert!(error.message.ends_with("\nbegun"), "{}", error.message);
    assert!(is_gone_soon(&child));
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing_running() {
    let desk = Desk::new();
    let child = {
        let call = desk.call("Bash", command("sleep 600 & echo $! > child; wait"));
        tokio::select! {
            _ = call => panic!("it sleeps"),
            child = async { written(&desk.path("child")).await } => child,
        }
    };
    assert!(is_gone_soon(&child));
}

#[tokio::test]
async fn what_is_left_running_is_told_and_ends_with_the_session() {
    let desk = Desk::new();
    let script = "sleep 600 > /dev/null 2>&1 & echo $!";
    let response = desk.response("Bash", command(script)).await;
    let child = response["stdout"].as_str().unwrap().trim().to_owned();
    assert_eq!(response["leftRunning"].to_string(), format!("[{child}]"));
    let seen = desk.tool("Bash").render(&response).unwrap();
    assert!(
        seen.ends_with(&format!(
            "(left running until the session ends: process {child})"
        )),
        "{seen}"
    );
    assert!(is_alive(&child), "a server may be started on purpose");
    desk.context.processes.close().await;
    assert!(is_gone_soon(&child));
}

#[tokio::test]
async fn what_the_tool_does_not_do_is_refused_by_its_schema() {
    let desk = Desk::new();
    let table = [
        (
            json!({"command": "ls", "run_in_background": true}),
            "`run_in_background` must be false, but is true",
        ),
        (
            json!({"command": "ls", "timeout": 600_001}),
            "`timeout` must be at most 600000, but is 600001",
        ),
        (
            json!({"cmd": "ls"}),
            "`command` is missing; `cmd` is not known",
        ),
    ];
    for (input, expected) in table {
        let message = desk.toolbox.check("Bash", &input).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    let fine = json!({"command": "ls", "run_in_background": false, "timeout": 600_000, "description": "x"});
    assert!(desk.toolbox.check("Bash", &fine).is_ok());
}

#[tokio::test]
async fn a_command_sees_no_variable_of_ours_but_the_marker() {
    let mut desk = Desk::new();
    desk.context.environment = Environment::empty().with("PATH", "/usr/bin:/bin");
    let stdout = desk
        .response(
            "Bash",
            command("env | grep -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; true"),
        )
        .await["stdout"]
        .clone();
    let names: Vec<&str> = stdout
        .as_str()
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with(process_tree::MARKER))
        .collect();
    assert_eq!(names, [""; 0]);
}
