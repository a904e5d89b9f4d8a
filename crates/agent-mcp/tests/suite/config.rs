//! Servers from files: every shape, every mistake, whose they are, and who may start.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_mcp::{Found, McpFiles, McpServers, Reach, ServerStatus};
use hook_config::trust::{ContentTrust, Surroundings, TrustStore};
use hook_config::{Explicit, Layer, Places, PluginOrigin, TrustEverything};
use hook_shell::Plugin;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{call, failure, limits, script, status};

fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret".to_owned()),
        _ => None,
    }
}

fn read(text: &str) -> Found {
    let files = McpFiles::new(&Places::none()).named(Explicit::Text(text.to_owned()));
    Found::read(&files, &TrustEverything, variable)
}

fn one(entry: &Value) -> Found {
    read(&json!({"mcpServers": {"a": entry}}).to_string())
}

#[test]
fn every_shape_of_a_server() {
    let command =
        |command: &str, args: &[&str], env: &[(&str, &str)], cwd: Option<&str>| Reach::Command {
            command: command.to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            env: env
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
                .collect(),
            cwd: cwd.map(PathBuf::from),
        };
    let http = |headers: &[(&str, &str)]| Reach::Http {
        url: "https://x/mcp".to_owned(),
        headers: headers
            .iter()
            .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
            .collect(),
    };
    let rows = [
        (json!({"command": "x"}), command("x", &[], &[], None)),
        (
            json!({"type": "stdio", "command": "x", "args": ["a", 5]}),
            command("x", &["a", "5"], &[], None),
        ),
        (
            json!({"command": "${RUN:-npx}", "args": ["${TOKEN}"], "env": {"T": "<${TOKEN}>"}, "cwd": "sub"}),
            command("npx", &["s3cret"], &[("T", "<s3cret>")], Some("sub")),
        ),
        (json!({"type": "http", "url": "https://x/mcp"}), http(&[])),
        (
            json!({"url": "https://x/mcp", "somebodyElses": 1}),
            http(&[]),
        ),
        (
            json!({"type": "streamable-http", "url": "https://${HOST:-x}/mcp",
                   "headers": {"Authorization": "Bearer ${TOKEN}"}}),
            http(&[("Authorization", "Bearer s3cret")]),
        ),
    ];
    for (entry, want) in rows {
        let found = one(&entry);
        assert_eq!(found.diagnostics, [], "{entry}");
        assert_eq!(found.configs()[0].reach, want, "{entry}");
        assert_eq!(found.configs()[0].source.as_str(), "dynamic");
    }
}

#[test]
fn every_mistake_has_its_place_and_takes_no_other_server_away() {
    let rows = [
        (
            "7",
            "1:55: error[wrong-type]: a server must be an object, and is a number",
        ),
        (
            "{}",
            "1:55: error[missing-key]: the server `b` has no `command`",
        ),
        (
            r#"{"command": ""}"#,
            "1:67: error[wrong-value]: `command` is empty",
        ),
        (
            r#"{"command": 5}"#,
            "1:67: error[wrong-type]: `command` must be a text, and is a number",
        ),
        (
            r#"{"command": "x", "args": "y"}"#,
            "1:80: error[wrong-type]: `args` must be a list of texts, and is a string",
        ),
        (
            r#"{"command": "x", "args": [[]]}"#,
            "1:81: error[wrong-type]: `args` must be a list of texts, and is a list",
        ),
        (
            r#"{"command": "x", "env": {"A": {}}}"#,
            "1:85: error[wrong-type]: `env` must be an object of texts, and is an object",
        ),
        (
            r#"{"type": "http"}"#,
            "1:55: error[missing-key]: the server `b` has no `url`",
        ),
        (
            r#"{"type": "sse", "url": "x"}"#,
            "1:64: error[wrong-value]: servers of type `sse` are not supported",
        ),
        (
            r#"{"type": "htpp", "url": "x"}"#,
            "1:64: error[wrong-value]: no type of server is called `htpp`",
        ),
        (
            r#"{"type": 1}"#,
            "1:64: error[wrong-type]: `type` must be a text, and is a number",
        ),
        (
            r#"{"command": "${UNSET}"}"#,
            "1:50: error[wrong-value]: the server `b` is not started: the variable `UNSET` is not set, and \
             has no default",
        ),
    ];
    for (entry, want) in rows {
        let found = read(&format!(
            r#"{{"mcpServers": {{"a": {{"command": "x"}}, {}"b": {entry}}}}}"#,
            " ".repeat(10)
        ));
        let said: Vec<String> = found.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(said, [format!("--mcp-config:{want}")], "{entry}");
        let names: Vec<String> = found
            .configs()
            .into_iter()
            .map(|server| server.name)
            .collect();
        assert_eq!(names, ["a"], "{entry}");
    }
}

#[test]
fn a_key_that_is_misspelt_is_pointed_out() {
    let found = one(&json!({"command": "x", "heders": {}}));
    let said = found.diagnostics[0].to_string();
    assert!(
        said.ends_with(
            "warning[unknown-key]: no key of a server is called `heders`; write \"headers\""
        ),
        "{said}"
    );
    assert_eq!(found.configs().len(), 1);
}

#[test]
fn a_file_that_cannot_be_read_is_a_diagnostic_and_no_servers() {
    let broken = read("{\"mcpServers\": {,}}");
    assert_eq!(broken.diagnostics[0].code.as_str(), "not-json");
    let odd = read(r#"{"mcpServers": []}"#);
    assert!(odd.diagnostics[0].message.contains("must be an object"));
    let empty = read("{}");
    assert_eq!(empty.diagnostics[0].code.as_str(), "missing-key");
    let missing = McpFiles::new(&Places::none()).named(Path::new("/no/such/file"));
    let missing = Found::read(&missing, &TrustEverything, variable);
    assert_eq!(missing.diagnostics[0].code.as_str(), "unreadable");
    for found in [broken, odd, empty, missing] {
        assert!(found.servers.is_empty());
    }
}

#[test]
fn one_that_is_switched_off_is_not_there_and_nobody_poses_as_a_plugin() {
    let off = one(&json!({"command": "x", "disabled": true}));
    assert!(off.servers.is_empty() && off.diagnostics.is_empty());
    let posing = read(r#"{"mcpServers": {"plugin:guard:db": {"command": "x"}}}"#);
    assert!(posing.servers.is_empty());
    assert!(posing.diagnostics[0].message.contains("is a plugin's"));
}

/// A home and a project.
struct World {
    directory: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir_all(world.home().join(".config/hookline")).unwrap();
        std::fs::create_dir_all(world.project()).unwrap();
        world
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    fn places(&self) -> Places {
        let home = self.home();
        let environment = |name: &str| (name == "HOME").then(|| home.clone().into());
        Places::from_environment(environment).project(self.project())
    }

    fn trust(&self) -> ContentTrust {
        let around = Surroundings::new(self.project()).home(self.home());
        ContentTrust::new(
            around,
            Some(TrustStore::at(self.directory.path().join("trust"))),
        )
    }

    fn read(&self) -> Found {
        Found::read(&McpFiles::new(&self.places()), &self.trust(), variable)
    }
}

fn write(path: &Path, text: &Value) {
    std::fs::write(path, text.to_string()).unwrap();
}

fn servers(names: &[&str]) -> Value {
    let server = |name: &&str| ((*name).to_owned(), json!({"command": "x"}));
    json!({"mcpServers": names.iter().map(server).collect::<serde_json::Map<_, _>>()})
}

#[test]
fn whose_a_server_is_depends_on_its_file_and_the_nearest_counts() {
    let world = World::new();
    let mut claude = servers(&["user", "both"]);
    claude["projects"][world.project().to_str().unwrap()] = servers(&["local", "both"]);
    claude["projects"]["/elsewhere"] = servers(&["elsewhere"]);
    write(&world.home().join(".claude.json"), &claude);
    write(
        &world.home().join(".config/hookline/mcp.json"),
        &servers(&["own"]),
    );
    write(
        &world.project().join(".mcp.json"),
        &servers(&["project", "user"]),
    );
    let found = world.read();
    assert_eq!(found.diagnostics, []);
    let got: Vec<(String, String, &str)> = found
        .configs()
        .iter()
        .map(|server| {
            let found = found
                .servers
                .iter()
                .find(|found| found.config.name == server.name);
            let trust = found.unwrap().trust.as_str();
            (
                server.name.clone(),
                server.source.as_str().to_owned(),
                trust,
            )
        })
        .collect();
    let want = [
        ("local", "local", "trusted"),
        ("both", "local", "trusted"),
        ("own", "user", "trusted"),
        // The project has one of that name too, which nobody approved: it takes nobody's place.
        ("user", "user", "untrusted"),
        ("project", "project", "untrusted"),
    ];
    let want = want.map(|(name, source, trust)| (name.to_owned(), source.to_owned(), trust));
    assert_eq!(got, want);
}

#[tokio::test]
async fn a_projects_server_starts_only_once_it_is_approved_and_for_as_long_as_it_stays_what_it_was()
{
    let world = World::new();
    let mark = world.project().join("started");
    let script = format!(
        "touch {}; exec python3 {} good",
        mark.display(),
        script().display()
    );
    std::fs::write(world.project().join("serve.sh"), &script).unwrap();
    let entry = json!({"mcpServers": {"test": {"command": "sh", "args": ["./serve.sh"]}}});
    write(&world.project().join(".mcp.json"), &entry);
    let build = |found: &Found| {
        McpServers::builder()
            .servers(found.configs())
            .directory(world.project())
            .limits(limits())
            .build()
    };

    // Nobody has approved it: it never starts, whoever asks.
    let found = world.read();
    assert_eq!(found.waiting().count(), 1);
    let servers = build(&found);
    servers.start();
    servers.settled().await;
    assert!(
        matches!(status(&servers), ServerStatus::NotAllowed(_)),
        "{:?}",
        status(&servers)
    );
    let error = failure(&servers, "echo").await;
    assert!(error.contains("`hookline trust` shows it"), "{error}");
    assert!(!mark.exists());
    servers.close().await;

    // Approved.
    let trust = world.trust();
    let reviews = found.reviews(&trust);
    assert_eq!(reviews[0].case().summary(), "sh ./serve.sh");
    trust.approve(&reviews).unwrap();
    let servers = build(&world.read());
    assert_eq!(
        call(&servers, "echo", json!({"text": "hi"})).await.text(),
        "hi"
    );
    assert!(mark.exists());

    // The script is another: it is not started again.
    std::fs::write(
        world.project().join("serve.sh"),
        format!("{script} # changed"),
    )
    .unwrap();
    failure(&servers, "die").await;
    let error = failure(&servers, "echo").await;
    assert!(error.contains("it is not what you approved"), "{error}");
    servers.close().await;

    // The entry is another.
    std::fs::write(world.project().join("serve.sh"), &script).unwrap();
    assert_eq!(world.read().waiting().count(), 0);
    let other = json!({"mcpServers": {"test": {"command": "sh", "args": ["./serve.sh"], "env": {"A": "b"}}}});
    write(&world.project().join(".mcp.json"), &other);
    assert_eq!(world.read().waiting().count(), 1);
}

#[test]
fn an_address_of_a_project_needs_an_approval_too() {
    let world = World::new();
    let entry = json!({"mcpServers": {"test": {"type": "http", "url": "https://x/${TOKEN}"}}});
    write(&world.project().join(".mcp.json"), &entry);
    let found = world.read();
    assert_eq!(found.waiting().count(), 1);
    let reviews = found.reviews(&world.trust());
    // What is shown is what is written, and no secret.
    assert_eq!(reviews[0].case().summary(), "https://x/${TOKEN}");
}

#[test]
fn a_plugins_server_is_named_after_it_and_knows_where_it_is() {
    let world = World::new();
    let root = world.directory.path().join("guard");
    std::fs::create_dir_all(root.join(".claude-plugin")).unwrap();
    // Without `mcpServers` around it, as plugins have it.
    let server = json!({"db": {"command": "${CLAUDE_PLUGIN_ROOT}/serve"}});
    write(&root.join(".mcp.json"), &server);
    write(
        &root.join(".claude-plugin/plugin.json"),
        &json!({"mcpServers": {"more": {"command": "m"}}}),
    );
    let plugin = |enabled_by| {
        Arc::new(PluginOrigin {
            id: "guard@tools".to_owned(),
            enabled_by,
            plugin: Plugin {
                root: root.display().to_string(),
                ..Plugin::default()
            },
        })
    };
    let files = McpFiles::new(&Places::none())
        .plugin(plugin(Layer::User))
        .plugin(plugin(Layer::User));
    let found = Found::read(&files, &world.trust(), variable);
    let names: Vec<String> = found
        .configs()
        .iter()
        .map(|server| server.name.clone())
        .collect();
    assert_eq!(names, ["plugin:guard:db", "plugin:guard:more"]);
    assert_eq!(
        found.configs()[0].summary(),
        format!("{}/serve", root.display())
    );
    assert_eq!(found.configs()[0].source.as_str(), "plugin");
    assert_eq!(found.waiting().count(), 0);
    let by_project = McpFiles::new(&Places::none()).plugin(plugin(Layer::Project));
    let found = Found::read(&by_project, &world.trust(), variable);
    assert_eq!(found.waiting().count(), 2);
}
