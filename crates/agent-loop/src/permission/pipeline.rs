//! The part that waits: events are fired, somebody is asked.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hook_types::outcome::StopOrder;
use hook_types::{
    Code, Decision, Diagnostic, EventName, GrantedBy, HookId, McpServer, Outcome, PermissionCheck,
    PermissionDenied, PermissionGranted, ToolUseId,
};
use serde_json::Value;

use super::approver::Approver;
use super::facts::{CallFacts, Followed};
use super::follow::{follow, touches_files};
use super::opinion::HookOpinion;
use super::state::Permissions;
use super::verdict::{DeniedBy, Verdict};
use crate::firing::{Firing, Interrupted};
use crate::tool::Access;
use crate::toolbox::Toolbox;

/// A call that waits for a yes or a no.
#[derive(Clone, Debug)]
pub struct PendingCall {
    /// The call.
    pub tool_use_id: ToolUseId,
    /// The tool.
    pub tool_name: String,
    /// What it is called with: normalised, fit for the schema, as `PreToolUse` hooks rewrote it.
    pub tool_input: Value,
    /// What the call can change.
    pub access: Access,
    /// The server that an MCP tool comes from.
    pub mcp_server: Option<McpServer>,
    /// Whether it is the only call of its reply: only such a call can be put off.
    pub alone: bool,
}

/// Whom the pipeline asks.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Fires events; knows the working directory.
    pub firing: &'a Firing,
    /// Answers for the user.
    pub approver: &'a dyn Approver,
    /// The rules and the mode; changed by what is to be remembered.
    pub permissions: &'a Mutex<Permissions>,
    /// Checks an input that was rewritten on the way.
    pub tools: &'a Toolbox,
    /// The user's home directory.
    pub home: Option<&'a str>,
    /// The project's root.
    pub project_dir: &'a str,
}

impl fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("firing", self.firing)
            .field("permissions", self.permissions)
            .finish_non_exhaustive()
    }
}

/// What became of a call that waited, and what was odd on the way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settlement {
    /// What became of it.
    pub settled: Settled,
    /// What was odd, beside what hooks' outcomes say: a change that could not be made, a call that could
    /// not be put off.
    pub diagnostics: Vec<Diagnostic>,
}

/// What became of a call that waited.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled {
    /// It may run.
    Run {
        /// With this input: as it was, or as it was rewritten on the way.
        input: Value,
        /// Who let it through.
        by: GrantedBy,
    },
    /// It must not run.
    Refuse {
        /// What the model is told.
        message: String,
        /// Whether the turn ends here.
        interrupt: bool,
        /// Who refused it.
        by: DeniedBy,
        /// The hook, if it was one of `PermissionCheck` or `PermissionRequest`: the message is in its words.
        hook: Option<HookId>,
    },
    /// The run ends here, with the call as the model made it, so that somebody else can decide and
    /// resume it.
    Defer {
        /// Why.
        reason: Option<String>,
    },
    /// A hook stops the whole agent.
    Halt {
        /// The event that it was asked about.
        event: EventName,
        /// The order, with what the user is told.
        order: StopOrder,
    },
}

/// Settles whether a call may run: fires `PermissionCheck`, judges, fires `PermissionRequest` and asks where
/// somebody must be asked, and fires `PermissionGranted` or `PermissionDenied`. `hooks` is what `PreToolUse`
/// hooks said.
pub async fn settle(
    desk: &Desk<'_>,
    call: &PendingCall,
    hooks: &HookOpinion,
) -> Result<Settlement, Interrupted> {
    let mut settling = Settling {
        desk,
        call,
        decider: None,
        diagnostics: Vec::new(),
    };
    let settled = settling.settle(hooks).await?;
    Ok(Settlement {
        settled,
        diagnostics: settling.diagnostics,
    })
}

/// One call on its way.
pub(super) struct Settling<'a> {
    pub(super) desk: &'a Desk<'a>,
    pub(super) call: &'a PendingCall,
    /// The hook that made the decision of the event that was last fired.
    decider: Option<HookId>,
    diagnostics: Vec<Diagnostic>,
}

impl Settling<'_> {
    async fn settle(&mut self, hooks: &HookOpinion) -> Result<Settled, Interrupted> {
        let opinion = match hooks.decision {
            Decision::Deny => hooks.clone(),
            Decision::Pass | Decision::Allow | Decision::Ask | Decision::Defer => {
                let check = self.check().await?;
                if let Some(halt) = halt(&check) {
                    return Ok(halt);
                }
                hooks.clone().and_check(&check)
            }
        };
        if opinion.decision == Decision::Defer && !self.is_deferrable() {
            self.odd(
                Code::DeferImpossible,
                "a call can only be deferred where it is the only one of its \
                 reply and nobody can be asked; the user is asked",
            );
        }
        let verdict = self
            .judge(&self.call.tool_input, self.call.access, &opinion)
            .await;
        match verdict {
            Verdict::Allow { by, rule } => self.grant(self.call.tool_input.clone(), by, rule).await,
            Verdict::Deny { reason, by, .. } => {
                self.refuse(&self.call.tool_input, reason, by).await
            }
            Verdict::Defer { reason } => Ok(Settled::Defer { reason }),
            Verdict::Ask {
                reason,
                suggestions,
                whom,
                ..
            } => self.request(reason, suggestions, whom).await,
        }
    }

    /// What `PermissionCheck` hooks say, who are told what would happen without them.
    async fn check(&mut self) -> Result<Outcome, Interrupted> {
        let call = self.call;
        let mut event = PermissionCheck::new(call.tool_name.clone(), call.tool_input.clone());
        if self.desk.firing.listens::<PermissionCheck>() {
            let alone = HookOpinion::default();
            let verdict = self.judge(&call.tool_input, call.access, &alone).await;
            event.perm_level = Some(verdict.word().to_owned());
            event.perm_rule = verdict.rule().map(str::to_owned);
        }
        event.tool_use_id = call.tool_use_id.clone();
        event.mcp_server.clone_from(&call.mcp_server);
        let outcome = self.desk.firing.fire(event).await?;
        self.decider = decider(&outcome);
        Ok(outcome)
    }

    /// Lets the call through, and says so.
    pub(super) async fn grant(
        &mut self,
        input: Value,
        by: GrantedBy,
        rule: Option<String>,
    ) -> Result<Settled, Interrupted> {
        let call = self.call;
        let mut event = PermissionGranted::new(call.tool_name.clone(), input.clone(), by.clone());
        event.tool_use_id = call.tool_use_id.clone();
        event.perm_rule = rule;
        event.mcp_server.clone_from(&call.mcp_server);
        self.desk.firing.fire(event).await?;
        Ok(Settled::Run { input, by })
    }

    /// Refuses the call, and says so where no hook and no user did it.
    pub(super) async fn refuse(
        &mut self,
        input: &Value,
        mut message: String,
        by: DeniedBy,
    ) -> Result<Settled, Interrupted> {
        if by.fires_permission_denied() {
            let call = self.call;
            let mut event =
                PermissionDenied::new(call.tool_name.clone(), input.clone(), message.clone());
            event.tool_use_id = call.tool_use_id.clone();
            event.mcp_server.clone_from(&call.mcp_server);
            let outcome = self.desk.firing.fire(event).await?;
            if let Some(halt) = halt(&outcome) {
                return Ok(halt);
            }
            if outcome.specific.retry == Some(true) {
                message.push_str("\nA hook says that this call may be tried again.");
            }
        }
        Ok(Settled::Refuse {
            message,
            interrupt: false,
            hook: (by == DeniedBy::Hook)
                .then(|| self.decider.clone())
                .flatten(),
            by,
        })
    }

    /// Judges an input by the rules and the mode of this moment.
    pub(super) async fn judge(
        &self,
        input: &Value,
        access: Access,
        hooks: &HookOpinion,
    ) -> Verdict {
        let cwd = self.desk.firing.base().cwd.clone();
        let mut facts = CallFacts {
            home: self.desk.home,
            project_dir: self.desk.project_dir,
            deferrable: self.is_deferrable(),
            ..CallFacts::new(&self.call.tool_name, input, access, &cwd)
        };
        let followed = self.followed(&facts).await;
        facts.followed = followed.as_ref();
        self.permissions().judge(&facts, hooks)
    }

    /// The disk is asked on a thread of its own: it may take its time.
    async fn followed(&self, facts: &CallFacts<'_>) -> Option<Followed> {
        if !touches_files(facts.tool_name, facts.tool_input) {
            return None;
        }
        let directories = self.permissions().directories().to_vec();
        let tool_name = facts.tool_name.to_owned();
        let input = facts.tool_input.clone();
        let cwd = facts.cwd.to_owned();
        let home = facts.home.map(str::to_owned);
        let project = facts.project_dir.to_owned();
        let look = move || {
            let call = hook_runner::matcher::Call {
                tool_name: &tool_name,
                tool_input: &input,
                cwd: &cwd,
                home: home.as_deref(),
                project_root: Some(&project),
            };
            follow(&call, &directories)
        };
        hook_runner::off_thread(look).await.ok().flatten()
    }

    pub(super) fn permissions(&self) -> MutexGuard<'_, Permissions> {
        let permissions = self.desk.permissions.lock();
        permissions.unwrap_or_else(PoisonError::into_inner)
    }

    fn is_deferrable(&self) -> bool {
        self.call.alone && !self.desk.approver.is_present()
    }

    pub(super) fn odd(&mut self, code: Code, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, message.into()));
    }
}

pub(super) fn halt(outcome: &Outcome) -> Option<Settled> {
    let order = outcome.stop.clone()?;
    Some(Settled::Halt {
        event: outcome.event,
        order,
    })
}

/// Who made the decision, if one was made.
pub(super) fn decider(outcome: &Outcome) -> Option<HookId> {
    let decider = outcome.decided_by.as_ref()?;
    Some(decider.hook.clone())
}
