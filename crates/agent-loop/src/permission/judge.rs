//! The pure part: what rules, mode and hooks together say of a call.

use hook_runner::matcher::Call;
use hook_types::{Decision, GrantedBy, PermissionMode};

use super::facts::CallFacts;
use super::opinion::HookOpinion;
use super::place;
use super::rules::Hit;
use super::state::Permissions;
use super::suggest::suggest;
use super::verdict::{DeniedBy, Verdict, Whom};
use crate::tool::Access;

impl Permissions {
    /// What is to happen with a call. The first row that fits decides:
    ///
    /// | | |
    /// |---|---|
    /// | a hook denied | deny |
    /// | a deny rule covers the call | deny |
    /// | mode `plan`, and the call can change something | deny |
    /// | a hook deferred, and the call can be put off | defer |
    /// | a hook asks; a deny rule may cover the call; an ask rule does or may | ask |
    /// | a hook allowed this very input, and no protected file is edited | allow |
    /// | the mode lets it through | allow |
    /// | allow rules cover the call | allow |
    /// | nobody has said anything | ask |
    pub fn judge(&self, call: &CallFacts<'_>, hooks: &HookOpinion) -> Verdict {
        let mut verdict = self.judge_plainly(call, hooks);
        if let Verdict::Ask { suggestions, .. } = &mut verdict {
            *suggestions = suggest(self, call, hooks);
        }
        verdict
    }

    /// The same without suggestions.
    pub(super) fn judge_plainly(&self, call: &CallFacts<'_>, hooks: &HookOpinion) -> Verdict {
        let denying = self.rules.denying(call);
        if let Some(refusal) = self.refusal(call, hooks, denying.as_ref()) {
            return refusal;
        }
        if hooks.decision == Decision::Defer && call.deferrable {
            return Verdict::Defer {
                reason: hooks.reason.clone(),
            };
        }
        if let Some((reason, rule)) = self.must_ask(call, hooks, denying) {
            return self.asking(reason, rule);
        }
        if let Some((by, rule)) = self.grant(call, hooks) {
            return Verdict::Allow { by, rule };
        }
        self.asking(self.nobody_said(call), None)
    }

    fn refusal(
        &self,
        call: &CallFacts<'_>,
        hooks: &HookOpinion,
        denying: Option<&Hit>,
    ) -> Option<Verdict> {
        if hooks.decision == Decision::Deny {
            let silent = || format!("a hook refused the call of {}", call.tool_name);
            return Some(Verdict::Deny {
                reason: hooks.reason.clone().unwrap_or_else(silent),
                rule: None,
                by: DeniedBy::Hook,
            });
        }
        if let Some(hit) = denying.filter(|hit| hit.truth.denies()) {
            return Some(Verdict::Deny {
                reason: format!("the permission rule `{}` forbids this call", hit.rule),
                rule: Some(hit.rule.clone()),
                by: DeniedBy::Rule,
            });
        }
        (self.mode == PermissionMode::Plan && !call.is_harmless()).then(|| Verdict::Deny {
            reason: format!(
                "plan mode is on, and {} could change something: only reading is possible. Finish the \
                 plan and present it; the user has to leave plan mode before anything is changed",
                call.tool_name
            ),
            rule: None,
            by: DeniedBy::Mode,
        })
    }

    /// Why somebody must be asked, whatever else would let the call through.
    fn must_ask(
        &self,
        call: &CallFacts<'_>,
        hooks: &HookOpinion,
        denying: Option<Hit>,
    ) -> Option<(String, Option<String>)> {
        let mut reasons = Vec::new();
        if hooks.asks() {
            let silent = || format!("a hook wants somebody asked about {}", call.tool_name);
            reasons.push(hooks.reason.clone().unwrap_or_else(silent));
        }
        let rule = denying.or_else(|| self.rules.asking(call));
        reasons.extend(rule.as_ref().map(Hit::question));
        let rule = rule.map(|hit| hit.rule);
        (!reasons.is_empty()).then(|| (reasons.join("\n"), rule))
    }

    fn grant(
        &self,
        call: &CallFacts<'_>,
        hooks: &HookOpinion,
    ) -> Option<(GrantedBy, Option<String>)> {
        if hooks.allows() && !self.edits_what_decides(call) {
            return Some((GrantedBy::Hook, None));
        }
        if self.mode_grants(call) {
            return Some((GrantedBy::Mode, None));
        }
        let rule = self.rules.allowing(call)?;
        Some((GrantedBy::Rule, Some(rule)))
    }

    fn mode_grants(&self, call: &CallFacts<'_>) -> bool {
        if call.is_harmless() {
            return true;
        }
        match &self.mode {
            PermissionMode::BypassPermissions => true,
            PermissionMode::AcceptEdits => {
                call.access == Access::Edit && self.everywhere(call, place::is_free)
            }
            // There is no classifier here: whoever has one is an approver, or a hook.
            PermissionMode::Auto
            | PermissionMode::Default
            | PermissionMode::Manual
            | PermissionMode::Plan
            | PermissionMode::DontAsk
            | PermissionMode::Other(_) => false,
        }
    }

    /// Whether a call edits a file that decides what runs. No hook lets that through on its own.
    fn edits_what_decides(&self, call: &CallFacts<'_>) -> bool {
        call.access == Access::Edit && !self.everywhere(call, place::is_unprotected)
    }

    /// Whether something holds for the call as it is written, and as links make it.
    fn everywhere(&self, call: &CallFacts<'_>, holds: fn(&Call<'_>, &[String]) -> bool) -> bool {
        let written = self.directories.iter();
        let written: Vec<String> = written
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let followed = call
            .followed
            .map(|followed| followed.directories.as_slice());
        call.views()
            .zip(std::iter::once(written.as_slice()).chain(followed))
            .all(|(view, directories)| holds(&view, directories))
    }

    fn asking(&self, reason: String, rule: Option<String>) -> Verdict {
        Verdict::Ask {
            reason,
            rule,
            suggestions: Vec::new(),
            whom: match self.mode {
                PermissionMode::DontAsk => Whom::HooksOnly,
                PermissionMode::Default
                | PermissionMode::Manual
                | PermissionMode::Plan
                | PermissionMode::AcceptEdits
                | PermissionMode::Auto
                | PermissionMode::BypassPermissions
                | PermissionMode::Other(_) => Whom::Anybody,
            },
        }
    }

    fn nobody_said(&self, call: &CallFacts<'_>) -> String {
        let name = call.tool_name;
        if self.edits_what_decides(call) {
            return format!("{name} would change a file that decides what runs");
        }
        match (&self.mode, call.access) {
            (PermissionMode::AcceptEdits, Access::Edit) => {
                format!("{name} would change a file outside the working directories")
            }
            _ => format!("{name} needs permission"),
        }
    }
}

impl Hit {
    fn question(&self) -> String {
        if self.truth.denies() {
            format!("the permission rule `{}` asks about this call", self.rule)
        } else {
            format!(
                "the permission rule `{}` may be about this call; that cannot be told without running it",
                self.rule
            )
        }
    }
}
