//! Hooks that people have for Opta and OpenCode, as they are, in front of our own tools.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use agent_loop::{Agent, Block, Permissions, Scene, Scripted, Toolbox};
use hook_config::{Options, Places, TrustEverything, load};
use hook_shell::Host;
use hook_types::PermissionMode;
use process_tree::Environment;
use serde_json::json;

const OPTA: &str = r#"{
  "hooks": [
    { "event": "tool.pre", "matcher": "run_command", "command": ".opta/hooks/block-rm.sh" },
    { "event": "tool.post", "matcher": "edit_file|write_file", "command": ".opta/hooks/auto-lint.sh", "timeout": 15000 }
  ]
}"#;

const BLOCK_RM: &str = r#"#!/bin/bash
CMD=$(echo "$OPTA_TOOL_ARGS" | jq -r '.command // empty' 2>/dev/null)
echo "$CMD" | grep -qE 'rm\s+(-rf?|--recursive)' && echo "Blocked: destructive rm" >&2 && exit 1
exit 0
"#;

const AUTO_LINT: &str = r#"#!/bin/bash
FILE=$(echo "$OPTA_TOOL_ARGS" | jq -r '.path // empty' 2>/dev/null)
[ -z "$FILE" ] && exit 0
case "${FILE##*.}" in
  ts|tsx|js|jsx) npx eslint --fix "$FILE" 2>/dev/null ;; py) ruff check --fix "$FILE" 2>/dev/null ;;
esac; exit 0
"#;

const BLOCK_SUDO: &str = r#"
        if echo "$OPENCODE_TOOL_ARGS" | grep -q "sudo"; then
            echo "Blocked: sudo not allowed"
            exit 1
        fi
        exit 0
    "#;

/// As much of jq as the scripts need: not every machine has it.
const JQ: &str = "#!/usr/bin/env python3
import json, sys
value = json.load(sys.stdin).get(sys.argv[2].split()[0].lstrip('.'))
if value is not None:
    print(value)
";

/// A linter that mends a file, and says that it did.
const LINTER: &str = r#"#!/bin/sh
echo "$(basename "$0") $*" >> "$LINTED"
for file; do :; done
echo '# linted' >> "$file"
"#;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn program(path: &Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// A project with the hooks of both systems, on a machine with a jq and two linters.
fn set_up(root: &Path) -> Environment {
    write(&root.join(".opta/config.json"), OPTA);
    program(&root.join(".opta/hooks/block-rm.sh"), BLOCK_RM);
    program(&root.join(".opta/hooks/auto-lint.sh"), AUTO_LINT);
    let sudo = json!({"hooks": [{"event": "tool:pre_execute:bash", "command": BLOCK_SUDO,
                                 "description": "Block sudo commands"}]});
    write(&root.join(".opencode/hooks.json"), &sudo.to_string());
    program(&root.join("bin/jq"), JQ);
    program(&root.join("bin/ruff"), LINTER);
    program(&root.join("bin/npx"), LINTER);
    write(&root.join("build/kept.txt"), "kept\n");
    let path = Environment::inherited();
    let path = path
        .get("PATH")
        .map(|path| path.to_string_lossy().into_owned());
    let path = format!(
        "{}:{}",
        root.join("bin").display(),
        path.unwrap_or_default()
    );
    Environment::inherited()
        .with("PATH", path)
        .with("HOME", root.join("home"))
        .with("LINTED", root.join("linted"))
}

#[tokio::test]
async fn hooks_of_other_systems_guard_our_own_tools_as_they_are() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().canonicalize().expect("it is there");
    let environment = set_up(&root);
    let home = root.join("home");
    let mut places =
        Places::from_environment(|name| (name == "HOME").then(|| home.clone().into_os_string()));
    places.managed_claude = Vec::new();
    places.managed_hookline = Vec::new();
    let host = Host::with_environment(environment.clone());
    let options = Options::new(host).trust(Arc::new(TrustEverything));
    let loaded = load(&places.project(&root), &options);
    assert_eq!(loaded.hooks.len(), 4, "{:?}", loaded.report.diagnostics);

    let bash = |command: &str| Scene::call("Bash", json!({ "command": command }));
    let file = |name: &str, text: &str| json!({"file_path": name, "content": text});
    let model = Scripted::new([
        bash("rm -rf build"),
        bash("sudo touch owned"),
        bash("echo fine"),
        Scene::call("Write", file("app.py", "x = 1\n")),
        Scene::call("Write", file("app.ts", "let x = 1\n")),
        Scene::call("Write", file("app.md", "# x\n")),
        Scene::say("done"),
    ]);
    let agent = Agent::builder()
        .model(model.clone())
        .tools(Toolbox::standard())
        .hooks(loaded.hooks)
        .permissions(Permissions::new(PermissionMode::BypassPermissions))
        .environment(environment)
        .cwd(&root)
        .build();
    assert_eq!(agent.run("Clean up.").await.text, "done");

    let last = model.requests().pop().expect("the model was asked");
    let results: Vec<(bool, String)> = last
        .messages
        .iter()
        .flat_map(|message| &message.content)
        .filter_map(|block| match block {
            Block::ToolResult(result) => Some((result.is_error, result.text())),
            Block::Text { .. } | Block::ToolUse(_) | Block::Other(_) => None,
        })
        .collect();
    let errors: Vec<bool> = results.iter().map(|(is_error, _)| *is_error).collect();
    assert_eq!(
        errors,
        [true, true, false, false, false, false],
        "{results:#?}"
    );
    assert!(
        results[0].1.contains("Blocked: destructive rm"),
        "{results:#?}"
    );
    assert!(
        results[1].1.contains("Blocked: sudo not allowed"),
        "{results:#?}"
    );
    assert!(results[2].1.contains("fine"), "{results:#?}");
    assert!(root.join("build/kept.txt").exists() && !root.join("owned").exists());

    let linted = fs::read_to_string(root.join("linted")).expect("the linters ran");
    let linted = linted.replace(&*root.to_string_lossy(), "$DIR");
    assert_eq!(
        linted,
        "ruff check --fix $DIR/app.py\nnpx eslint --fix $DIR/app.ts\n"
    );
    let mended = fs::read_to_string(root.join("app.py")).expect("it was written");
    assert_eq!(mended, "x = 1\n# linted\n");
}
