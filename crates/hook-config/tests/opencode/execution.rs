//! How the hooks of files run.

use hook_types::{
    Decision, PermissionCheck, PermissionRequest, PreModelRequest, SessionStart, UserPromptSubmit,
};
use serde_json::{Value, json};

use super::scene::{Scene, bash, denied, done, one, only, printed, ran, reason};

fn appends(event: &str, word: &str) -> Value {
    json!({"event": event, "command": format!("echo {word} >> order")})
}

#[tokio::test]
async fn multiple_hooks_execute_in_order() {
    let slow = json!({"event": "tool:*", "command": "sleep 0.3; echo first >> order"});
    let scene = Scene::opencode(
        &json!({"hooks": [appends("tool:pre_execute", "third"), appends("*", "fourth")]})
            .to_string(),
    );
    let users = json!({"hooks": [slow, appends("tool:pre_execute:bash", "second")]}).to_string();
    scene.write("home/.config/opencode/hooks.json", users);
    scene.fire(bash("ls")).await;
    assert_eq!(scene.lines("order"), ["first", "second", "third", "fourth"]);
}

#[tokio::test]
async fn stop_on_failure_stops_chain() {
    let fails = |event: &str| json!({"event": event, "command": "exit 1"});
    for (event, users) in [("tool:pre_execute", true), ("tool:pre_execute", false)] {
        let scene = Scene::new();
        let both = [fails(event), appends(event, "after")];
        if users {
            // A refusal in the user's file ends the project's hooks, too.
            scene.write("home/.config/opencode/hooks.json", one(&both[0]));
            scene.write("project/.opencode/hooks.json", one(&both[1]));
        } else {
            scene.write(
                "project/.opencode/hooks.json",
                json!({ "hooks": both }).to_string(),
            );
        }
        assert!(denied(&scene.fire(bash("ls")).await));
        assert!(scene.lines("order").is_empty());
    }
}

#[tokio::test]
async fn a_chain_goes_on_after_a_failure_where_nothing_can_be_prevented() {
    let fails = json!({"event": "tool:post_execute", "command": "exit 1"});
    let hooks = json!({"hooks": [fails, appends("tool:post_execute", "after")]});
    let scene = Scene::opencode(&hooks.to_string());
    scene.fire(done("Bash")).await;
    assert_eq!(scene.lines("order"), ["after"]);
}

#[tokio::test]
async fn stop_on_failure_is_set_for_all_files_by_the_last_that_says_so() {
    let fails = |event: &str| json!({"event": event, "command": "exit 1"});
    let scene = Scene::new();
    scene.write(
        "home/.config/opencode/hooks.json",
        one(&fails("tool:pre_execute")),
    );
    let project = |stops: bool| {
        json!({"stop_on_failure": stops, "hooks": [
            appends("tool:pre_execute", "before"),
            fails("tool:post_execute"),
            appends("tool:post_execute", "after"),
        ]})
        .to_string()
    };
    scene.write("project/.opencode/hooks.json", project(false));
    assert!(denied(&scene.fire(bash("ls")).await));
    scene.fire(done("Bash")).await;
    assert_eq!(scene.lines("order"), ["before", "after"]);

    scene.write("project/order", "");
    scene.write("project/.opencode/hooks.json", project(true));
    scene.fire(bash("ls")).await;
    scene.fire(done("Bash")).await;
    assert!(scene.lines("order").is_empty());
}

#[tokio::test]
async fn blocking_hook_prevents_operation() {
    let hook = json!({"event": "*", "command": "echo 'not now'; echo log >&2; exit 3"});
    let scene = Scene::opencode(&one(&hook));
    for fired in [
        scene.fire(bash("ls")).await,
        scene.fire(PreModelRequest::new("m", json!({}))).await,
        scene.fire(UserPromptSubmit::new("x")).await,
        scene.fire(PermissionCheck::new("Bash", json!({}))).await,
    ] {
        assert!(denied(&fired), "{}", fired.event);
        assert_eq!(reason(&fired), "not now");
    }
    for fired in [
        scene.fire(done("Bash")).await,
        scene.fire(SessionStart::new("startup")).await,
        scene.fire(PermissionRequest::new("Bash", json!({}))).await,
    ] {
        assert_eq!(fired.outcome.decision, Decision::Pass, "{}", fired.event);
        assert!(!only(&fired).success());
    }
}

#[tokio::test]
async fn timeout_kills_hung_hook() {
    let hook = json!({
        "event": "*", "timeout": 0.5,
        "command": "echo half; echo $$ > pid; exec sleep 300",
    });
    let scene = Scene::opencode(&one(&hook));
    let fired = scene.fire(bash("ls")).await;
    assert!(only(&fired).timed_out() && denied(&fired));
    let pid = scene.read("project/pid");
    assert!(!std::path::Path::new("/proc").join(pid.trim()).exists());
    assert!(!denied(&scene.fire(done("Bash")).await));
}

#[tokio::test]
async fn a_failed_launch_blocks_before_something() {
    let hook = json!({"event": "tool:*", "command": "./scripts/not-there.sh"});
    let scene = Scene::opencode(&one(&hook));
    assert!(denied(&scene.fire(bash("ls")).await));
    assert!(!denied(&scene.fire(done("Bash")).await));
}

#[tokio::test]
async fn hook_stdout_and_stderr_captured() {
    let hook = json!({"event": "tool:*", "command": "echo out; echo err >&2"});
    let scene = Scene::opencode(&one(&hook));
    let fired = scene.fire(bash("ls")).await;
    let evidence = &only(&fired).reply.evidence;
    assert_eq!(
        (evidence.stdout.as_str(), evidence.stderr.as_str()),
        ("out\n", "err\n")
    );
}

#[tokio::test]
async fn working_directory_set_correctly() {
    let scene = Scene::new();
    let elsewhere = scene.path("home/elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::create_dir_all(scene.path("project/sub")).unwrap();
    let hooks = ["sub", "~/elsewhere", elsewhere.to_str().unwrap(), ""].map(|folder| {
        // Each says how its folder is written: the same command in the same folder would run once.
        let mut hook = json!({"event": "session:start", "command": format!("pwd -P # {folder}")});
        if !folder.is_empty() {
            hook["working_dir"] = json!(folder);
        }
        hook
    });
    scene.write(
        "project/.opencode/hooks.json",
        json!({ "hooks": hooks }).to_string(),
    );
    let fired = scene.fire(SessionStart::new("startup")).await;
    let real = |path: std::path::PathBuf| path.canonicalize().unwrap().display().to_string();
    let elsewhere = real(elsewhere);
    let expected = [
        real(scene.path("project/sub")),
        elsewhere.clone(),
        elsewhere,
        real(scene.project()),
    ];
    assert_eq!(printed(&fired), expected);
}

#[tokio::test]
async fn environment_variables_set_correctly() {
    let hook = json!({
        "event": "session:start",
        "command": "echo \"$GIT_AUTHOR_NAME $NUMBER $OPENCODE_EVENT\"",
        "env": {"GIT_AUTHOR_NAME": "OpenCode", "NUMBER": 7},
    });
    let scene = Scene::opencode(&one(&hook));
    let fired = scene.fire(SessionStart::new("startup")).await;
    assert_eq!(printed(&fired), ["OpenCode 7 session:start"]);
}

#[tokio::test]
async fn a_hook_that_is_switched_off_does_not_run() {
    let hook = json!({"event": "tool:*", "command": "exit 1", "enabled": false});
    let scene = Scene::opencode(&one(&hook));
    let fired = scene.fire(bash("ls")).await;
    assert!(ran(&fired).is_empty() && !denied(&fired));
}

#[tokio::test]
async fn the_documents_blocking_hook_blocks_sudo() {
    let command = r#"
        if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then
            echo "Blocked: sudo not allowed"
            exit 1
        fi
        exit 0
    "#;
    let hook = json!({
        "event": "tool:pre_execute:bash", "command": command, "description": "Block sudo commands",
    });
    let scene = Scene::opencode(&one(&hook));
    let fired = scene.fire(bash("sudo rm -rf /")).await;
    assert_eq!(reason(&fired), "Blocked: sudo not allowed");
    assert!(!denied(&scene.fire(bash("ls")).await));
}
