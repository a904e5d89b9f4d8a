//! Allow, ask and deny rules, and where each came from.

use hook_runner::matcher::{Call, Purpose, Rule, RuleError, Truth};
use hook_types::{Destination, RuleBehavior};

use super::facts::CallFacts;

/// Rules of one session. More than anybody writes; it bounds what hooks can have remembered.
pub(super) const MAX_RULES: usize = 4096;

/// Where a rule came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From an organisation's policy: nothing that a session learns takes it away.
    Policy,
    /// From a place where changes are kept.
    Kept(Destination),
}

#[derive(Clone, Debug)]
struct Entry {
    rule: Rule,
    /// The one spelling that all spellings of the rule have in common.
    plain: String,
    origin: Origin,
}

/// The rules of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleBook {
    deny: Vec<Entry>,
    ask: Vec<Entry>,
    allow: Vec<Entry>,
}

/// A rule that restricts a call, and how surely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) rule: String,
    pub(super) truth: Truth,
}

impl RuleBook {
    /// Adds a rule, unless it is there.
    pub(super) fn add(
        &mut self,
        behavior: &RuleBehavior,
        text: &str,
        origin: Origin,
    ) -> Result<(), RuleError> {
        let rule = Rule::parse(text)?;
        let Some(list) = self.list(behavior) else {
            return Ok(());
        };
        let plain = plain(text);
        let known = |entry: &Entry| entry.plain == plain && entry.origin == origin;
        if !list.iter().any(known) {
            list.push(Entry {
                rule,
                plain,
                origin,
            });
        }
        Ok(())
    }

    pub(super) fn is_full(&self) -> bool {
        self.deny.len() + self.ask.len() + self.allow.len() >= MAX_RULES
    }

    /// Removes a rule that came from there. False: there was none.
    pub(super) fn remove(&mut self, behavior: &RuleBehavior, text: &str, origin: &Origin) -> bool {
        let Some(list) = self.list(behavior) else {
            return false;
        };
        let (before, plain) = (list.len(), plain(text));
        list.retain(|entry| entry.plain != plain || entry.origin != *origin);
        list.len() != before
    }

    /// Removes all rules that came from there and say the same.
    pub(super) fn clear(&mut self, behavior: &RuleBehavior, origin: &Origin) {
        if let Some(list) = self.list(behavior) {
            list.retain(|entry| entry.origin != *origin);
        }
    }

    /// The rules that say so, in order.
    pub(super) fn texts(&self, behavior: &RuleBehavior) -> Vec<String> {
        let list = match behavior {
            RuleBehavior::Allow => &self.allow,
            RuleBehavior::Ask => &self.ask,
            RuleBehavior::Deny => &self.deny,
            RuleBehavior::Other(_) => return Vec::new(),
        };
        list.iter().map(|entry| entry.rule.to_string()).collect()
    }

    fn list(&mut self, behavior: &RuleBehavior) -> Option<&mut Vec<Entry>> {
        match behavior {
            RuleBehavior::Allow => Some(&mut self.allow),
            RuleBehavior::Ask => Some(&mut self.ask),
            RuleBehavior::Deny => Some(&mut self.deny),
            RuleBehavior::Other(_) => None,
        }
    }

    /// The deny rule that covers a call, or else one that may.
    pub(super) fn denying(&self, call: &CallFacts<'_>) -> Option<Hit> {
        strongest(&self.deny, call)
    }

    /// The ask rule that covers a call, or else one that may.
    pub(super) fn asking(&self, call: &CallFacts<'_>) -> Option<Hit> {
        strongest(&self.ask, call)
    }

    /// The allow rules that together cover a call.
    pub(super) fn allowing(&self, call: &CallFacts<'_>) -> Option<String> {
        let rules = || self.allow.iter().map(|entry| &entry.rule);
        let covered = call
            .views()
            .all(|view| Rule::allow_together(rules(), &view).allows());
        covered.then(|| name_of(rules(), &call.written()))
    }
}

fn strongest(entries: &[Entry], call: &CallFacts<'_>) -> Option<Hit> {
    let mut hits = entries
        .iter()
        .map(|entry| (&entry.rule, judge(&entry.rule, call)))
        .filter(|(_, truth)| truth.asks())
        .map(|(rule, truth)| Hit {
            rule: rule.to_string(),
            truth,
        });
    let first = hits.next()?;
    if first.truth.denies() {
        return Some(first);
    }
    Some(hits.find(|hit| hit.truth.denies()).unwrap_or(first))
}

fn judge(rule: &Rule, call: &CallFacts<'_>) -> Truth {
    let truths = call
        .views()
        .map(|view| rule.judge(&view, Purpose::Restrict));
    truths.max().unwrap_or(Truth::Unknown)
}

/// The one rule that covers a call alone, or else those that each cover a part of it.
fn name_of<'a>(rules: impl Iterator<Item = &'a Rule> + Clone, call: &Call<'_>) -> String {
    let alone = rules
        .clone()
        .find(|rule| rule.judge(call, Purpose::Allow).allows());
    if let Some(rule) = alone {
        return rule.to_string();
    }
    let parts: Vec<String> = rules
        .filter(|rule| rule.judge(call, Purpose::Restrict).asks())
        .map(Rule::to_string)
        .collect();
    parts.join(", ")
}

/// The rule without what does not matter: `Bash`, `Bash()` and `Bash(*)` are the same.
fn plain(text: &str) -> String {
    let text = text.trim();
    let (tool, content) = match text.split_once('(') {
        None => (text, ""),
        Some((tool, rest)) => (tool.trim_end(), rest.strip_suffix(')').unwrap_or(rest)),
    };
    match content.trim() {
        "" | "*" => tool.to_owned(),
        content => format!("{tool}({content})"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tool::Access;

    fn book(behavior: &RuleBehavior, rules: &[&str]) -> RuleBook {
        let mut book = RuleBook::default();
        for rule in rules {
            book.add(behavior, rule, Origin::Kept(Destination::Session))
                .unwrap();
        }
        book
    }

    fn bash(command: &str) -> Value {
        json!({ "command": command })
    }

    #[test]
    fn a_sure_rule_is_found_behind_one_that_only_may_cover_the_call() {
        let book = book(&RuleBehavior::Deny, &["Bash(git push *)", "Bash(git *)"]);
        let input = bash("git $WHAT");
        let hit = book.denying(&CallFacts::new("Bash", &input, Access::Run, "/p"));
        let sure = Hit {
            rule: "Bash(git *)".into(),
            truth: Truth::Yes,
        };
        assert_eq!(hit, Some(sure));
    }

    #[test]
    fn rules_that_allow_only_together_are_all_named() {
        let book = book(
            &RuleBehavior::Allow,
            &["Bash(ls *)", "Bash(cd *)", "Bash(git *)"],
        );
        let input = bash("cd docs && git status");
        let named = book.allowing(&CallFacts::new("Bash", &input, Access::Run, "/p"));
        assert_eq!(named.as_deref(), Some("Bash(cd *), Bash(git *)"));
    }

    #[test]
    fn a_rule_is_removed_by_any_of_its_spellings_and_only_where_it_came_from() {
        let mut book = book(&RuleBehavior::Deny, &["Bash(*)", "Read"]);
        let session = Origin::Kept(Destination::Session);
        assert!(!book.remove(&RuleBehavior::Deny, "Bash", &Origin::Policy));
        assert!(!book.remove(&RuleBehavior::Allow, "Bash", &session));
        assert!(book.remove(&RuleBehavior::Deny, " Bash() ", &session));
        assert_eq!(book.texts(&RuleBehavior::Deny), ["Read"]);
    }

    #[test]
    fn the_same_rule_twice_is_one_rule() {
        let book = book(&RuleBehavior::Ask, &["Bash", "Bash(*)", "Bash(ls)"]);
        assert_eq!(book.texts(&RuleBehavior::Ask), ["Bash", "Bash(ls)"]);
    }
}
