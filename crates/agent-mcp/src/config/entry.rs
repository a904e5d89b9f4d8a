//! One server of a file: what it says, or what is wrong with it. Pure.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hook_config::{Code, Diagnostic, Document, Member, Node, Place};
use hook_types::nearest;
use serde_json::{Value, json};

use crate::expand::{Unset, expand};
use crate::server::Reach;

/// The keys that mean something, or nothing here but something elsewhere.
const KEYS: [&str; 9] = [
    "type", "command", "args", "env", "cwd", "url", "headers", "disabled", "timeout",
];

/// A server as it is written: variables stand as they are.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) reach: Reach,
    pub(super) disabled: bool,
}

/// Reads a server. What only warns is in the list too.
pub(super) fn read(document: &Document, member: &Member) -> (Option<Written>, Vec<Diagnostic>) {
    let mut reader = Reader {
        document,
        member,
        problems: Vec::new(),
    };
    let reach = reader.reach();
    let disabled = reader.flag("disabled");
    reader.unknown_keys();
    let written = reach.map(|reach| Written {
        name: member.key.clone(),
        place: document.place(member.key_span),
        reach,
        disabled,
    });
    (written, reader.problems)
}

impl Written {
    /// What it amounts to, however it is written: what an approval is given to.
    pub(super) fn content(&self) -> Value {
        let sorted = |pairs: &[(String, String)]| -> BTreeMap<String, String> {
            pairs.iter().cloned().collect()
        };
        match &self.reach {
            Reach::Command {
                command,
                args,
                env,
                cwd,
            } => json!({"mcp_server": self.name, "command": command, "args": args,
                        "env": sorted(env), "cwd": cwd}),
            Reach::Http { url, headers } => {
                json!({"mcp_server": self.name, "url": url, "headers": sorted(headers)})
            }
        }
    }

    /// How it is reached, with its variables replaced.
    pub(super) fn expanded(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Reach, Unset> {
        let text = |text: &String| expand(text, &variable);
        let pairs = |pairs: &[(String, String)]| -> Result<Vec<(String, String)>, Unset> {
            let pair = |(name, value): &(String, String)| Ok((name.clone(), text(value)?));
            pairs.iter().map(pair).collect()
        };
        Ok(match &self.reach {
            Reach::Command {
                command,
                args,
                env,
                cwd,
            } => Reach::Command {
                command: text(command)?,
                args: args.iter().map(text).collect::<Result<_, _>>()?,
                env: pairs(env)?,
                cwd: match cwd {
                    Some(cwd) => Some(text(&cwd.to_string_lossy().into_owned())?.into()),
                    None => None,
                },
            },
            Reach::Http { url, headers } => Reach::Http {
                url: text(url)?,
                headers: pairs(headers)?,
            },
        })
    }
}

struct Reader<'a> {
    document: &'a Document,
    member: &'a Member,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn problem(&mut self, code: Code, node: &Node, message: impl Into<String>) {
        let place = self.document.place(node.span);
        self.problems.push(Diagnostic::new(code, message).at(place));
    }

    fn wrong(&mut self, node: &Node, key: &str, wanted: &str) {
        let message = format!("`{key}` must be {wanted}, and is {}", node.kind());
        self.problem(Code::WrongType, node, message);
    }

    fn reach(&mut self) -> Option<Reach> {
        let entry = &self.member.value;
        if entry.as_object().is_none() {
            let message = format!("a server must be an object, and is {}", entry.kind());
            self.problem(Code::WrongType, entry, message);
            return None;
        }
        if self.member.key.trim().is_empty() {
            self.problem(Code::WrongValue, entry, "a server needs a name");
            return None;
        }
        match self.kind()? {
            Kind::Command => self.command(),
            Kind::Http => self.http(),
        }
    }

    /// `type`, or what the other keys say.
    fn kind(&mut self) -> Option<Kind> {
        let entry = &self.member.value;
        let Some(written) = entry.get("type") else {
            let has_url = entry.get("url").is_some() && entry.get("command").is_none();
            return Some(if has_url { Kind::Http } else { Kind::Command });
        };
        match written.as_str() {
            Some("stdio") => Some(Kind::Command),
            Some("http" | "streamable-http" | "streamableHttp") => Some(Kind::Http),
            Some(old @ ("sse" | "ws")) => {
                let message = format!("servers of type `{old}` are not supported");
                self.problem(Code::WrongValue, written, message);
                let help = "many of them also speak streamable HTTP: try \"type\": \"http\"";
                self.help(help);
                None
            }
            Some(other) => {
                let message = format!("no type of server is called `{other}`");
                self.problem(Code::WrongValue, written, message);
                self.help("write \"stdio\" or \"http\"");
                None
            }
            None => {
                self.wrong(written, "type", "a text");
                None
            }
        }
    }

    fn help(&mut self, help: &str) {
        if let Some(problem) = self.problems.pop() {
            self.problems.push(problem.help(help));
        }
    }

    fn command(&mut self) -> Option<Reach> {
        let command = self.required("command")?;
        let args = self.list("args")?;
        let env = self.pairs("env")?;
        let cwd = match self.member.value.get("cwd") {
            Some(_) => Some(PathBuf::from(self.required("cwd")?)),
            None => None,
        };
        Some(Reach::Command {
            command,
            args,
            env,
            cwd,
        })
    }

    fn http(&mut self) -> Option<Reach> {
        let url = self.required("url")?;
        let headers = self.pairs("headers")?;
        Some(Reach::Http { url, headers })
    }

    /// A text that must be there, and not be empty.
    fn required(&mut self, key: &str) -> Option<String> {
        let entry = &self.member.value;
        let Some(node) = entry.get(key) else {
            let name = &self.member.key;
            let message = format!("the server `{name}` has no `{key}`");
            self.problem(Code::MissingKey, entry, message);
            return None;
        };
        match node.as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
            Some(_) => {
                self.problem(Code::WrongValue, node, format!("`{key}` is empty"));
                None
            }
            None => {
                self.wrong(node, key, "a text");
                None
            }
        }
    }

    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        let Some(node) = self.member.value.get(key) else {
            return Some(Vec::new());
        };
        let Some(elements) = node.as_array() else {
            self.wrong(node, key, "a list of texts");
            return None;
        };
        let texts = elements.iter().map(|element| {
            let text = element.to_plain_text();
            if text.is_none() {
                self.wrong(element, key, "a list of texts");
            }
            text
        });
        texts.collect()
    }

    fn pairs(&mut self, key: &str) -> Option<Vec<(String, String)>> {
        let Some(node) = self.member.value.get(key) else {
            return Some(Vec::new());
        };
        let Some(members) = node.as_object() else {
            self.wrong(node, key, "an object of texts");
            return None;
        };
        let pairs = members.iter().map(|member| {
            let text = member.value.to_plain_text();
            if text.is_none() {
                self.wrong(&member.value, key, "an object of texts");
            }
            Some((member.key.clone(), text?))
        });
        pairs.collect()
    }

    fn flag(&mut self, key: &str) -> bool {
        let Some(node) = self.member.value.get(key) else {
            return false;
        };
        node.as_bool().unwrap_or_else(|| {
            self.wrong(node, key, "true or false");
            false
        })
    }

    fn unknown_keys(&mut self) {
        let members = self.member.value.as_object().unwrap_or_default();
        for member in members {
            let key = member.key.as_str();
            if KEYS.contains(&key) {
                continue;
            }
            let Some(near) = nearest(key, KEYS) else {
                // Other programs keep things of their own here.
                continue;
            };
            let message = format!("no key of a server is called `{key}`");
            let place = self.document.place(member.key_span);
            let problem = Diagnostic::new(Code::UnknownKey, message).at(place);
            self.problems.push(problem.suggest(format!("\"{near}\"")));
        }
    }
}

enum Kind {
    Command,
    Http,
}
