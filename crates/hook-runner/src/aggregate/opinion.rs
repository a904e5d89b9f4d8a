//! One attempt: the parts of it that count, in the form that merges.

use std::borrow::Cow;

use hook_types::outcome::{Cause, Decider, Finding, Note};
use hook_types::{
    Attempt, Code, Decision, Diagnostic, Effect, EventName, EventRow, ExitTwo, Field, HookId,
    HookKind, OnFailure, Status, SyncOutput,
};
use serde_json::Value;

use crate::aggregate::About;
use crate::merge::{Last, Merge, Stop};

/// What one attempt amounts to. `interactive`: somebody can be asked, so that nothing is deferred.
pub(crate) fn merge_one(about: About, attempt: &Attempt, interactive: bool) -> Merge {
    Opinion::new(about, attempt).merge(interactive)
}

/// One attempt while it is read.
struct Opinion<'a> {
    about: About,
    row: &'static EventRow,
    attempt: &'a Attempt,
    hook: &'a HookId,
    findings: Vec<Finding>,
}

impl<'a> Opinion<'a> {
    fn new(about: About, attempt: &'a Attempt) -> Self {
        let hook = &attempt.hook.id;
        let diagnostics = attempt.reply.diagnostics.iter().cloned();
        Self {
            about,
            row: about.name.row(),
            attempt,
            hook,
            findings: diagnostics
                .map(|diagnostic| finding(diagnostic, hook))
                .collect(),
        }
    }

    fn merge(mut self, interactive: bool) -> Merge {
        let output = self.counted();
        let hook = self.hook;
        let (decision, decider, reason) = self.decided(&output, interactive);
        let specific = output.specific.clone().into_inner();
        let (context, messages) = self.texts(&output);
        let llm_response = self.take(Field::LlmResponse, specific.llm_response);
        let stops = self.take(Field::Continue, output.stops().then_some(()));
        Merge {
            decision,
            reasons: reason.into_iter().collect(),
            decider,
            stop: stops.map(|()| Stop {
                hook: hook.clone(),
                description: self.attempt.hook.description.clone(),
                words: notes(hook, output.stop_reason.clone()),
            }),
            suppress_output: output.suppress_output,
            updated_input: Last::shown(
                hook,
                self.take(Field::UpdatedInput, output.updated_input.clone()),
            ),
            updated_output: Last::shown(hook, self.updated_output(&output)),
            display_content: Last::unshown(
                hook,
                self.take(Field::DisplayContent, specific.display_content),
            ),
            session_title: Last::unshown(
                hook,
                self.take(Field::SessionTitle, specific.session_title),
            ),
            initial_user_message: Last::unshown(
                hook,
                self.take(Field::InitialUserMessage, specific.initial_user_message),
            ),
            llm_request: Last::shown(hook, self.take(Field::LlmRequest, specific.llm_request)),
            // Before the model is asked there is no reply that the next hook could be handed.
            llm_response: if self.row.name == EventName::PostModelResponse {
                Last::shown(hook, llm_response)
            } else {
                Last::unshown(hook, llm_response)
            },
            elicitation: Last::unshown(hook, self.take(Field::Action, specific.elicitation)),
            additional_context: context,
            system_messages: messages,
            terminal_sequences: notes(hook, output.terminal_sequence.clone()),
            classifier_context: notes(
                hook,
                self.take(Field::ClassifierContext, specific.classifier_context),
            ),
            exports: specific
                .exports
                .filter(|lines| !is_blank(lines))
                .into_iter()
                .collect(),
            worktree_paths: notes(hook, self.take(Field::WorktreePath, specific.worktree_path)),
            updated_permissions: self.take(Field::UpdatedPermissions, specific.updated_permissions),
            watch_paths: self.take(Field::WatchPaths, specific.watch_paths),
            tool_config: self.take(Field::ToolConfig, specific.tool_config),
            interrupt: self.take(Field::Interrupt, specific.interrupt),
            retry: self.take(Field::Retry, specific.retry),
            reload_skills: self.take(Field::ReloadSkills, specific.reload_skills),
            suppress_original_prompt: self.take(
                Field::SuppressOriginalPrompt,
                specific.suppress_original_prompt,
            ),
            findings: self.findings,
        }
    }

    /// What counts of the output: all of an answer; of anything else only a refusal, on a guard.
    fn counted(&mut self) -> Cow<'a, SyncOutput> {
        let reply = &self.attempt.reply;
        if reply.status == Status::Cancelled {
            let message = "the firing was cancelled before the hook answered";
            self.say(Diagnostic::new(Code::Cancelled, message));
        }
        if reply.status.is_answer() {
            return Cow::Borrowed(&reply.output);
        }
        let mut refusal = SyncOutput::default();
        if self.row.guard && reply.output.decision == Decision::Deny {
            refusal.decision = Decision::Deny;
            refusal.reason.clone_from(&reply.output.reason);
        }
        if !reply.output.is_empty() && reply.output != refusal {
            let message = format!(
                "the hook ended as {}: what it said is no answer, and only a refusal on a guard \
                 would count",
                reply.status.word()
            );
            self.say(Diagnostic::new(Code::NoEffect, message));
        }
        Cow::Owned(refusal)
    }

    /// The decision, who made it, and why.
    fn decided(
        &mut self,
        output: &SyncOutput,
        interactive: bool,
    ) -> (Decision, Option<Decider>, Option<String>) {
        let said = self.said(output, interactive);
        let by_failure = said != Decision::Deny && failure_blocks(self.row, self.attempt);
        let decision = if by_failure { Decision::Deny } else { said };
        if decision == Decision::Pass || (decision == Decision::Deny && self.is_exempt()) {
            return (Decision::Pass, None, None);
        }
        let (cause, reason) = if by_failure {
            (Cause::FailurePolicy, Some(failure_reason(self.attempt)))
        } else {
            let cause = if self.blocks_by_exit_code() {
                Cause::ExitCode
            } else {
                Cause::Answer
            };
            (cause, output.reason.clone())
        };
        let decider = Decider {
            hook: self.hook.clone(),
            description: self.attempt.hook.description.clone(),
            cause,
        };
        (
            decision,
            Some(decider),
            reason.filter(|text| !is_blank(text)),
        )
    }

    /// The decision that the hook made, as far as the event has it.
    fn said(&mut self, output: &SyncOutput, interactive: bool) -> Decision {
        if self.blocks_by_exit_code() || self.goes_on_with_a_reason(output) {
            return Decision::Deny;
        }
        let honours = |field| self.row.honours(field);
        match output.decision {
            // What a block does is the event's to say; a refusal is never made less than one.
            decision @ (Decision::Pass | Decision::Deny) => return decision,
            Decision::Allow if honours(Field::Allow) => return Decision::Allow,
            Decision::Ask if honours(Field::Ask) => return Decision::Ask,
            Decision::Defer if honours(Field::Defer) && !interactive => return Decision::Defer,
            Decision::Defer if honours(Field::Ask) => {
                let message =
                    "a call can only be deferred where nobody can be asked; the user is asked";
                self.say(Diagnostic::new(Code::DeferImpossible, message));
                return Decision::Ask;
            }
            Decision::Allow | Decision::Ask | Decision::Defer => {}
        }
        self.not_honoured(&output.decision.to_string());
        Decision::Pass
    }

    /// An exit code that blocks is not taken back by anything that the hook printed.
    fn blocks_by_exit_code(&self) -> bool {
        let blocked = matches!(self.attempt.reply.status, Status::Blocked { .. });
        let blocks = match self.row.exit_two {
            ExitTwo::Blocks | ExitTwo::BlocksLikeAnyFailure => true,
            ExitTwo::Shown | ExitTwo::Ignored => false,
        };
        blocked && blocks
    }

    /// Whether nothing can block the event's subject. Says so.
    fn is_exempt(&mut self) -> bool {
        let exempt = self.row.exempt.filter(|_| self.about.is_exempt);
        if let Some(exempt) = exempt {
            let message = format!("no hook can block {} of `{exempt}`", self.row.name);
            self.say(Diagnostic::new(Code::NotHonoured, message));
        }
        exempt.is_some()
    }

    /// A closure that keeps an agent going by `continue: true`. Alone that is only the default
    /// spelt out; beside words it is a wish.
    fn goes_on(&self, output: &SyncOutput) -> bool {
        self.row.effect == Effect::KeepGoing
            && self.row.honours(Field::AdditionalContext)
            && self.attempt.hook.kind == HookKind::Function
            && output.proceed == Some(true)
    }

    fn goes_on_with_a_reason(&self, output: &SyncOutput) -> bool {
        let reason = output.reason.as_deref();
        self.goes_on(output) && reason.is_some_and(|text| !is_blank(text))
    }

    /// Context for the model, and messages for the user. What a closure says that keeps the agent
    /// going is for the model.
    fn texts(&mut self, output: &SyncOutput) -> (Vec<Note>, Vec<Note>) {
        let context = self.take(Field::AdditionalContext, output.additional_context.clone());
        let message = self.take(Field::SystemMessage, output.system_message.clone());
        let mut context = notes(self.hook, context);
        let messages = notes(self.hook, message);
        if self.goes_on(output) {
            context.extend(messages);
            return (context, Vec::new());
        }
        (context, messages)
    }

    /// What replaces a tool's output; the older form only counts for an MCP server's tools.
    fn updated_output(&mut self, output: &SyncOutput) -> Option<Value> {
        let newer = self.take(Field::UpdatedToolOutput, output.updated_output.clone());
        let older = self.take(Field::UpdatedToolOutput, output.updated_mcp_output.clone());
        let is_mcp = self.about.is_mcp;
        if older.is_some() && !is_mcp {
            let message = "`updatedMCPToolOutput` only counts for the tools of MCP servers";
            let diagnostic = Diagnostic::new(Code::NotMcp, message)
                .at("hookSpecificOutput.updatedMCPToolOutput")
                .suggest("hookSpecificOutput.updatedToolOutput");
            self.say(diagnostic);
        }
        newer.or_else(|| older.filter(|_| is_mcp))
    }

    /// A part of the answer, if the event honours it. Readers and types keep other parts out; a
    /// handler of another kind may hand over anything.
    fn take<T>(&mut self, field: Field, value: Option<T>) -> Option<T> {
        if value.is_none() || self.row.honours(field) {
            return value;
        }
        self.not_honoured(field.key());
        None
    }

    fn not_honoured(&mut self, what: &str) {
        let message = format!("{} does not honour `{what}`; it is ignored", self.row.name);
        self.say(Diagnostic::new(Code::NotHonoured, message).at(what));
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.findings.push(finding(diagnostic, self.hook));
    }
}

/// Whether an attempt's failure is a block: where it was told so, where the event says so of
/// timeouts, and where the hook was to do something and did not.
fn failure_blocks(row: &EventRow, attempt: &Attempt) -> bool {
    let told = row.guard && attempt.on_failure == OnFailure::Block;
    let late = row.timeout_blocks && attempt.timed_out();
    let undone = row.exit_two == ExitTwo::BlocksLikeAnyFailure;
    attempt.reply.status.is_failure() && (told || late || undone)
}

fn failure_reason(attempt: &Attempt) -> String {
    let Attempt { hook, reply, .. } = attempt;
    format!(
        "hook `{}` {}; a failure of this hook blocks",
        hook.id, reply.status
    )
}

fn finding(diagnostic: Diagnostic, hook: &HookId) -> Finding {
    Finding {
        diagnostic,
        hook: Some(hook.clone()),
    }
}

fn notes(hook: &HookId, text: Option<String>) -> Vec<Note> {
    let text = text.filter(|text| !is_blank(text));
    let note = text.map(|text| Note {
        hook: hook.clone(),
        text,
    });
    note.into_iter().collect()
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
