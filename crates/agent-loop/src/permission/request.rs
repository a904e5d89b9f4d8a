//! Asking: `PermissionRequest` hooks first, who answer in the user's place, then the approver.

use hook_types::{Code, Decision, GrantedBy, Outcome, PermissionRequest, PermissionUpdate};
use serde_json::Value;

use super::approver::{Approval, Question};
use super::approvers::nobody_can_answer;
use super::opinion::{HookOpinion, Rewrite};
use super::pipeline::{Settled, Settling, decider, halt};
use super::verdict::{DeniedBy, Verdict, Whom};
use crate::firing::Interrupted;
use crate::tool::ToolContext;

impl Settling<'_> {
    /// Asks whoever may answer.
    pub(super) async fn request(
        &mut self,
        reason: String,
        suggestions: Vec<PermissionUpdate>,
        whom: Whom,
    ) -> Result<Settled, Interrupted> {
        let call = self.call;
        let question = Question {
            tool_name: call.tool_name.clone(),
            tool_input: call.tool_input.clone(),
            tool_use_id: call.tool_use_id.clone(),
            agent_id: self.desk.firing.base().agent_id.clone(),
            reason,
            suggestions,
            mcp_server: call.mcp_server.clone(),
            notes: Vec::new(),
        };
        let outcome = self.ask_hooks(&question).await?;
        if let Some(halt) = halt(&outcome) {
            return Ok(halt);
        }
        match outcome.decision {
            Decision::Deny => Ok(refused_by_hook(&question, &outcome)),
            Decision::Allow => self.allowed_by_hook(question, outcome, whom).await,
            Decision::Pass | Decision::Ask | Decision::Defer => self.ask_user(question, whom).await,
        }
    }

    async fn ask_hooks(&self, question: &Question) -> Result<Outcome, Interrupted> {
        let mut event =
            PermissionRequest::new(question.tool_name.clone(), question.tool_input.clone());
        event.permission_suggestions =
            (!question.suggestions.is_empty()).then(|| question.suggestions.clone());
        event.mcp_server.clone_from(&question.mcp_server);
        self.desk.firing.fire(event).await
    }

    /// A hook said yes. Where it rewrote the input along with that, the rules have their say once more:
    /// what they forbid stays forbidden, and what they ask about the user is asked.
    async fn allowed_by_hook(
        &mut self,
        question: Question,
        outcome: Outcome,
        whom: Whom,
    ) -> Result<Settled, Interrupted> {
        let specific = outcome.specific.into_inner();
        let remember = specific.updated_permissions.unwrap_or_default();
        let Some(input) = outcome.updated_input else {
            self.remember(&remember);
            return self.grant(question.tool_input, GrantedBy::Hook, None).await;
        };
        let (input, verdict) = match self.judge_again(DeniedBy::Hook, input).await {
            Ok(judged) => judged,
            Err(refused) => return Ok(refused),
        };
        match verdict {
            Verdict::Allow { by, rule } => {
                self.remember(&remember);
                self.grant(input, by, rule).await
            }
            Verdict::Deny { reason, by, .. } => self.refuse(&input, reason, by).await,
            Verdict::Ask { reason, .. } => {
                let question = Question {
                    tool_input: input,
                    reason,
                    suggestions: Vec::new(),
                    ..question
                };
                let settled = self.ask_user(question, whom).await?;
                if matches!(settled, Settled::Run { .. }) {
                    self.remember(&remember);
                }
                Ok(settled)
            }
            Verdict::Defer { reason } => Ok(Settled::Defer { reason }),
        }
    }

    async fn ask_user(&mut self, question: Question, whom: Whom) -> Result<Settled, Interrupted> {
        let input = question.tool_input.clone();
        if whom == Whom::HooksOnly {
            let message = nobody_is_asked(&question);
            return self.refuse(&input, message, DeniedBy::Mode).await;
        }
        if !self.desk.approver.is_present() {
            let message = nobody_can_answer(&question);
            return self.refuse(&input, message, DeniedBy::Absence).await;
        }
        let approval = tokio::select! {
            biased;
            () = self.desk.firing.cancellation().cancelled() => return Err(Interrupted),
            approval = self.desk.approver.ask(&question) => approval,
        };
        match approval {
            Approval::Allow {
                input: other,
                remember,
            } => self.allowed_by_user(question, other, &remember).await,
            Approval::Deny { message, interrupt } => Ok(Settled::Refuse {
                message: message.unwrap_or_else(|| {
                    format!("the user does not want {} to be run", question.tool_name)
                }),
                interrupt,
                by: DeniedBy::User,
                hook: None,
            }),
        }
    }

    /// The user said yes: nobody needs to be asked any more. What is forbidden stays so.
    async fn allowed_by_user(
        &mut self,
        question: Question,
        other: Option<Value>,
        remember: &[PermissionUpdate],
    ) -> Result<Settled, Interrupted> {
        let Some(input) = other.filter(|input| *input != question.tool_input) else {
            self.remember(remember);
            return self.grant(question.tool_input, GrantedBy::User, None).await;
        };
        let (input, verdict) = match self.judge_again(DeniedBy::User, input).await {
            Ok(judged) => judged,
            Err(refused) => return Ok(refused),
        };
        match verdict {
            Verdict::Deny { reason, by, .. } => self.refuse(&input, reason, by).await,
            Verdict::Allow { .. } | Verdict::Ask { .. } | Verdict::Defer { .. } => {
                self.remember(remember);
                self.grant(input, GrantedBy::User, None).await
            }
        }
    }

    /// The input that whoever allowed the call put in place of the old one, as rules and the tool see it,
    /// and what rules and mode say of it.
    async fn judge_again(&self, by: DeniedBy, input: Value) -> Result<(Value, Verdict), Settled> {
        let name = &self.call.tool_name;
        let who = if by == DeniedBy::User {
            "the user"
        } else {
            "a hook"
        };
        let invalid = |problem: String| Settled::Refuse {
            message: format!(
                "{name} was not run: {who} changed its input to one that it does not take: {problem}"
            ),
            interrupt: false,
            by,
            hook: None,
        };
        let tools = self.desk.tools;
        tools
            .check(name, &input)
            .map_err(|problem| invalid(problem.to_string()))?;
        let (input, access) = match tools.get(name) {
            None => (input, self.call.access),
            Some(tool) => {
                let input = tool.normalise(input, &self.tool_context());
                let access = tool.access(&input);
                (input, access)
            }
        };
        let allowed = HookOpinion {
            decision: Decision::Allow,
            reason: None,
            rewrite: Rewrite::WithAllow,
        };
        let verdict = self.judge(&input, access, &allowed).await;
        Ok((input, verdict))
    }

    /// What a tool must know to write the paths of an input out.
    fn tool_context(&self) -> ToolContext {
        let mut context = ToolContext::standalone(self.desk.firing.base().cwd.clone());
        context.project_dir = self.desk.project_dir.into();
        context.home = self.desk.home.map(Into::into);
        context
    }

    /// Takes over what is to be remembered. Events that follow carry the mode that follows.
    fn remember(&mut self, updates: &[PermissionUpdate]) {
        for update in updates {
            let problems = self.permissions().update(update);
            for problem in problems {
                self.odd(Code::NoEffect, problem.to_string());
            }
        }
        if !updates.is_empty() {
            let mode = self.permissions().mode().clone();
            self.desk.firing.set_mode(mode);
        }
    }
}

fn refused_by_hook(question: &Question, outcome: &Outcome) -> Settled {
    let silent = || format!("a hook refused {} in the user's place", question.tool_name);
    Settled::Refuse {
        message: outcome.reason.clone().unwrap_or_else(silent),
        interrupt: outcome.specific.interrupt == Some(true),
        by: DeniedBy::Hook,
        hook: decider(outcome),
    }
}

/// What the model is told in the mode `dontAsk`.
fn nobody_is_asked(question: &Question) -> String {
    format!(
        "{} was not run: it needs permission ({}), and in the mode `dontAsk` nobody is asked: whatever no \
         rule allows is refused. No user has rejected it. Go on without it, or do it in another way",
        question.tool_name, question.reason
    )
}
