//! Files within a dialect.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// Which part of a dialect a file stays in.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a part of a dialect of its own"
)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Within {
    pub(crate) events: &'static [&'static str],
    /// At most one hook an event.
    pub(crate) single: bool,
    /// The longest timeout, in seconds.
    pub(crate) longest: u32,
    /// Whether hooks may be switched off, run once, or be of other types.
    pub(crate) rare: bool,
    /// Whether hooks may be in the background.
    pub(crate) background: bool,
    /// Whether texts are shown while hooks run.
    pub(crate) status: bool,
}

fn command() -> impl Strategy<Value = String> {
    let known = select(vec![
        "./guard.sh".to_owned(),
        "echo 'it'\\''s' \"$HOME\"".to_owned(),
        "exit 2".to_owned(),
        "hookline adapt".to_owned(),
        "jq -r .tool_input.command | grep -q sudo && exit 2; exit 0".to_owned(),
    ]);
    prop_oneof![known, "[a-z./ '\"$|&;<>\\\\\n]{0,12}[a-z]"]
}

fn text() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.2, "[a-zA-Z ']{1,10}")
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

/// Events of a file: some, each once, or any.
fn events(within: Within) -> BoxedStrategy<Vec<&'static str>> {
    let all = within.events.to_vec();
    let most = all.len().min(4);
    if within.single {
        subsequence(all, 1..=most).boxed()
    } else {
        prop::collection::vec(select(all), 1..=5).boxed()
    }
}

fn env() -> impl Strategy<Value = Map<String, Value>> {
    let value = "[a-z =']{0,6}".prop_map(Value::from);
    prop::collection::btree_map("[A-Z]{1,5}", value, 0..3).prop_map(|map| map.into_iter().collect())
}

// ===== Claude settings and our own files =====

const MATCHERS: [Option<&str>; 13] = [
    None,
    Some("*"),
    Some("Bash"),
    Some("Edit|Write"),
    Some("Edit, Write"),
    Some("mcp__.*"),
    Some("^Bash$"),
    Some("^(?!Bash)"),
    Some("Notebook.*|Read"),
    Some("Bash|run_command"),
    Some("[BR]\\w+"),
    Some("^(?:Bash)$|run_command"),
    Some("WebFetch"),
];

fn handler(within: Within, ours: bool) -> impl Strategy<Value = Value> {
    let usual = (
        command(),
        prop::option::of(1..=within.longest),
        text(),
        text(),
        prop::option::weighted(0.2, Just("block")),
        prop::option::weighted(0.3, prop::collection::vec("[a-z.${}A-Z_-]{1,6}", 0..3)),
    );
    let rare = (
        prop::bool::weighted(0.2),
        0..4_u8,
        prop::bool::weighted(0.2),
        env(),
        prop::option::weighted(0.2, "[a-z]{1,5}"),
        0..5_u8,
    );
    (usual, rare).prop_map(move |(usual, rare)| {
        let (command, timeout, status, description, on_failure, args) = usual;
        let (once, wait, off, env, cwd, kind) = rare;
        let mut hook = Map::new();
        let other = within.rare && kind == 0;
        if other {
            hook.insert("type".to_owned(), json!("http"));
            hook.insert("url".to_owned(), json!("https://example.org/hook"));
        } else {
            hook.insert("type".to_owned(), json!("command"));
            hook.insert("command".to_owned(), json!(command));
            put(&mut hook, "args", args.filter(|_| !ours || kind != 4));
            let waits = within.background && wait == 0 && on_failure.is_none();
            put(&mut hook, "async", waits.then_some(true));
        }
        put(&mut hook, "timeout", timeout);
        put(&mut hook, "statusMessage", status.filter(|_| within.status));
        put(&mut hook, "description", description);
        put(&mut hook, "onFailure", on_failure);
        put(&mut hook, "once", (within.rare && once).then_some(true));
        if ours {
            put(&mut hook, "enabled", (within.rare && off).then_some(false));
            if !other {
                put(&mut hook, "env", (!env.is_empty()).then_some(env));
                put(&mut hook, "cwd", cwd);
                if kind == 4 && !hook.contains_key("async") {
                    hook.insert("type".to_owned(), json!("server"));
                    hook.shift_remove("args");
                } else if kind == 3 {
                    hook.insert("dialect".to_owned(), json!("opta"));
                }
            }
        }
        Value::Object(hook)
    })
}

fn nested(within: Within, ours: bool) -> impl Strategy<Value = Value> {
    let list = (
        select(MATCHERS.to_vec()),
        prop::collection::vec(handler(within, ours), 1..=3),
        prop::bool::ANY,
        prop::bool::ANY,
        prop::option::weighted(0.2, 1..30_u32),
    );
    let lists = prop::collection::vec(list, 5);
    (
        events(within),
        lists,
        prop::option::weighted(0.1, prop::bool::ANY),
    )
        .prop_map(move |(events, lists, off)| {
            let mut file = Map::new();
            for (event, (matcher, hooks, in_order, stops, shared)) in events.iter().zip(lists) {
                let mut list = json!({"hooks": hooks});
                if let Some(matcher) = matcher {
                    list["matcher"] = json!(matcher);
                }
                if ours && in_order {
                    list["mode"] = json!("sequential");
                    list["stopOnFailure"] = json!(stops);
                    if let Some(shared) = shared {
                        list["timeout"] = json!(shared);
                    }
                }
                let of_event = file.entry(*event).or_insert_with(|| json!([]));
                of_event.as_array_mut().unwrap().push(list);
            }
            let mut file = json!({ "hooks": file });
            if let Some(off) = off.filter(|_| within.rare) {
                file["disableAllHooks"] = json!(off);
            }
            file
        })
}

pub(crate) fn claude(within: Within) -> impl Strategy<Value = Value> {
    nested(within, false)
}

pub(crate) fn hookline(within: Within) -> impl Strategy<Value = Value> {
    nested(within, true)
}

// ===== Opta and OpenCode =====

pub(crate) fn opta(within: Within) -> impl Strategy<Value = Value> {
    let matchers = vec![
        None,
        Some("run_command"),
        Some("edit_file|write_file"),
        Some("multi_edit"),
        Some("mcp__.*"),
        Some("^(?!run_command)"),
        Some("Bash"),
        Some(".*_file"),
        Some("^(?:run_command)$"),
        Some("WebFetch"),
    ];
    let hook = (
        select(matchers),
        command(),
        prop::option::of(1..=within.longest * 10),
        prop::bool::weighted(0.2),
        text(),
        text(),
        prop::bool::weighted(0.2),
    );
    let hooks = prop::collection::vec(hook, 5);
    (events(within), hooks).prop_map(move |(events, hooks)| {
        let pairs = events.iter().zip(hooks);
        let hooks = pairs.map(
            |(event, (matcher, command, timeout, background, status, description, off))| {
                let mut map = Map::new();
                map.insert("event".to_owned(), json!(event));
                put(
                    &mut map,
                    "matcher",
                    matcher.filter(|_| event.starts_with("tool")),
                );
                map.insert("command".to_owned(), json!(command));
                put(&mut map, "timeout", timeout.map(|tenths: u32| tenths * 100));
                put(
                    &mut map,
                    "background",
                    (within.background && background).then_some(true),
                );
                put(
                    &mut map,
                    "statusMessage",
                    status.filter(|_: &String| within.status),
                );
                put(&mut map, "description", description);
                put(&mut map, "enabled", (within.rare && off).then_some(false));
                Value::Object(map)
            },
        );
        let hooks: Vec<Value> = hooks.collect();
        json!({ "hooks": hooks })
    })
}

pub(crate) fn opencode(within: Within) -> impl Strategy<Value = Value> {
    let tools = vec![
        "",
        "",
        ":bash",
        ":write",
        ":mcp__*",
        ":b*",
        ":[rw]*",
        ":[!b]*",
        ":Bash",
        ":*_file",
        ":WebFetch",
    ];
    let hook = (
        select(tools),
        command(),
        prop::option::of(1..=within.longest * 2),
        env(),
        prop::option::weighted(0.2, "[a-z/]{1,5}"),
        text(),
        prop::bool::weighted(0.2),
    );
    let hooks = prop::collection::vec(hook, 5);
    let stops = prop::option::weighted(0.3, prop::bool::ANY);
    (events(within), hooks, stops).prop_map(move |(events, hooks, stops)| {
        let pairs = events.iter().zip(hooks);
        let hooks = pairs.map(
            |(event, (tool, command, timeout, env, folder, description, off))| {
                let tool = if event.starts_with("tool") { tool } else { "" };
                let mut map: Map<String, Value> = Map::new();
                map.insert("event".to_owned(), json!(format!("{event}{tool}")));
                map.insert("command".to_owned(), json!(command));
                put(
                    &mut map,
                    "timeout",
                    timeout.map(|halves: u32| f64::from(halves) / 2.0),
                );
                put(&mut map, "env", (!env.is_empty()).then_some(env));
                put(&mut map, "working_dir", folder);
                put(&mut map, "description", description);
                put(&mut map, "enabled", (within.rare && off).then_some(false));
                Value::Object(map)
            },
        );
        let hooks: Vec<Value> = hooks.collect();
        let mut file = json!({ "hooks": hooks });
        if let Some(stops) = stops.filter(|_| within.rare) {
            file["stop_on_failure"] = json!(stops);
        }
        file
    })
}
