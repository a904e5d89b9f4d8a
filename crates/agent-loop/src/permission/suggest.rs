//! What could be remembered, so that the same call is not asked about again.

use hook_runner::matcher::{ShellCommand, ShellWords};
use hook_types::{
    Destination, PermissionChange, PermissionMode, PermissionRule, PermissionUpdate, RuleBehavior,
};
use serde_json::Value;

use super::facts::CallFacts;
use super::opinion::HookOpinion;
use super::place;
use super::state::Permissions;
use super::verdict::Verdict;
use crate::tool::Access;

/// Programs whose second word says what they do: `git push *`, not `git *`.
const WITH_VERBS: [&str; 24] = [
    "apt", "brew", "bun", "bundle", "cargo", "composer", "deno", "docker", "dotnet", "gcloud",
    "gh", "git", "go", "gradle", "helm", "kubectl", "mvn", "npm", "pip", "pnpm", "poetry",
    "rustup", "uv", "yarn",
];

/// Programs that do anything at all, depending on their arguments: only as they stand.
const ANYTHING: [&str; 34] = [
    "awk",
    "bash",
    "bunx",
    "chmod",
    "chown",
    "curl",
    "dash",
    "dd",
    "doas",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "kill",
    "mv",
    "node",
    "npx",
    "osascript",
    "perl",
    "php",
    "python",
    "python3",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "sh",
    "ssh",
    "sudo",
    "wget",
    "xargs",
    "zsh",
];

/// Verbs that run whatever stands behind them.
const RUNS_ANYTHING: [&str; 6] = ["exec", "run", "x", "dlx", "config", "alias"];

const MAX_RULES: usize = 5;

/// Changes that would let a call through: what a user could be offered as "and do not ask again". None
/// where no change would, because a rule or a hook has the call asked about.
///
/// ```
/// use agent_loop::Access;
/// use agent_loop::permission::{CallFacts, HookOpinion, Permissions, suggest};
/// use serde_json::json;
///
/// let input = json!({"command": "git push origin main"});
/// let call = CallFacts::new("Bash", &input, Access::Run, "/srv/app");
/// let suggestions = suggest(&Permissions::default(), &call, &HookOpinion::default());
/// assert_eq!(
///     serde_json::to_value(&suggestions).unwrap(),
///     json!([{"type": "addRules", "behavior": "allow", "destination": "localSettings",
///             "rules": [{"toolName": "Bash", "ruleContent": "git push *"}]}]),
/// );
/// ```
pub fn suggest(
    permissions: &Permissions,
    call: &CallFacts<'_>,
    hooks: &HookOpinion,
) -> Vec<PermissionUpdate> {
    let wanted = Wanted {
        permissions,
        call,
        hooks,
    };
    let broad = match (call.tool_name, call.access) {
        ("Bash", _) => command(call, broad).into_iter().collect(),
        (_, Access::Edit) => wanted.edit(),
        ("WebFetch", _) => fetch(call).into_iter().collect(),
        (name, _) => vec![rules(vec![PermissionRule::new(name, None)])],
    };
    let narrow = match call.tool_name {
        "Bash" => command(call, exact).into_iter().collect(),
        _ => Vec::new(),
    };
    let found = [broad, narrow]
        .into_iter()
        .find(|found| wanted.is_met_by(found));
    found.unwrap_or_default()
}

/// What a suggestion has to do.
struct Wanted<'a> {
    permissions: &'a Permissions,
    call: &'a CallFacts<'a>,
    hooks: &'a HookOpinion,
}

impl Wanted<'_> {
    /// Whether nobody would be asked once the changes are made.
    fn is_met_by(&self, changes: &[PermissionUpdate]) -> bool {
        let mut after = self.permissions.clone();
        let made = changes.iter().all(|change| after.update(change).is_empty());
        let verdict = || after.judge_plainly(self.call, self.hooks);
        made && !changes.is_empty() && matches!(verdict(), Verdict::Allow { .. })
    }

    /// For an edit: edit on, here; or here too.
    fn edit(&self) -> Vec<PermissionUpdate> {
        let path = place::PATH_FIELDS
            .iter()
            .find_map(|field| self.call.tool_input.get(field).and_then(Value::as_str));
        let Some(path) = path else {
            return vec![rules(vec![PermissionRule::new(self.call.tool_name, None)])];
        };
        let mode = PermissionUpdate::from(PermissionChange::SetMode {
            mode: PermissionMode::AcceptEdits,
            destination: Destination::Session,
        });
        if self.is_met_by(std::slice::from_ref(&mode)) {
            return vec![mode];
        }
        let mut names = place::names(path, &self.call.written());
        names.pop();
        let folder = format!("/{}", names.join("/"));
        // Nobody means all of that by one answer.
        if folder == "/" || Some(folder.as_str()) == self.call.home {
            return Vec::new();
        }
        let here = PermissionUpdate::from(PermissionChange::AddDirectories {
            directories: vec![folder],
            destination: Destination::Session,
        });
        if self.permissions.mode() == &PermissionMode::AcceptEdits {
            return vec![here];
        }
        vec![here, mode]
    }
}

fn rules(rules: Vec<PermissionRule>) -> PermissionUpdate {
    PermissionUpdate::from(PermissionChange::AddRules {
        rules,
        behavior: RuleBehavior::Allow,
        destination: Destination::LocalSettings,
    })
}

// ===== commands =====

/// Rules for a command: for each of its parts, or for all of it as it stands.
fn command(
    call: &CallFacts<'_>,
    rules_for: fn(&str) -> Option<Vec<String>>,
) -> Option<PermissionUpdate> {
    let command = call.tool_input.get("command").and_then(Value::as_str)?;
    let contents = rules_for(command).filter(|found| !found.is_empty())?;
    let contents = contents.iter();
    Some(rules(
        contents
            .map(|content| PermissionRule::new("Bash", Some(content)))
            .collect(),
    ))
}

fn broad(command: &str) -> Option<Vec<String>> {
    let words = ShellWords::read(command, &[]);
    if words.unreadable || !words.opaque.is_empty() || !words.redirections.is_empty() {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    for command in &words.commands {
        let content = pattern(command)?;
        if !found.contains(&content) {
            found.push(content);
        }
    }
    (found.len() <= MAX_RULES).then_some(found)
}

/// `git push *` for `git push origin main`.
fn pattern(command: &ShellCommand) -> Option<String> {
    let mut words = command.words.iter().map(|word| word.literal.as_deref());
    let program = words.next().flatten().filter(|name| is_word(name))?;
    if ANYTHING.contains(&program) {
        return None;
    }
    if !WITH_VERBS.contains(&program) {
        return Some(format!("{program} *"));
    }
    let verb = words.next().flatten().filter(|word| is_word(word))?;
    let harmless = !RUNS_ANYTHING.contains(&verb);
    match (program, verb) {
        ("npm" | "pnpm" | "yarn" | "bun", "run") => {
            let script = words.next().flatten().filter(|word| is_word(word))?;
            Some(format!("{program} run {script} *"))
        }
        ("cargo" | "go" | "dotnet", "run") => Some(format!("{program} run *")),
        _ => harmless.then(|| format!("{program} {verb} *")),
    }
}

/// A plain word: not an option, not a path, nothing that a rule would read as a sign.
fn is_word(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(plain)
        && !word.ends_with(':')
}

fn exact(command: &str) -> Option<Vec<String>> {
    let command = command.trim();
    // A rule without content, or with a `*`, would be about other commands as well.
    let plain = !command.is_empty() && command.len() <= 200 && !command.contains(['\n', '*']);
    plain.then(|| vec![command.to_owned()])
}

// ===== hosts =====

fn fetch(call: &CallFacts<'_>) -> Option<PermissionUpdate> {
    let url = call.tool_input.get("url").and_then(Value::as_str)?;
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next()?;
    let content = format!("domain:{host}");
    Some(rules(vec![PermissionRule::new("WebFetch", Some(&content))]))
}
