//! Summarising a conversation that has become too large.

use hook_types::{
    CompactTrigger, Error, ErrorType, LoadReason, MessageRole, PostCompact, PreCompact,
    SessionSource, SessionStart,
};

use crate::apply::Halt;
use crate::apply::compact::{CompactStep, compact};
use crate::apply::session::opening;
use crate::asking::{Asked, Asking, Reply};
use crate::conversation::{Block, ChatMessage, Role};
use crate::event::AgentEventKind;
use crate::firing::Interrupted;
use crate::model::{ModelRequest, StopReason};
use crate::summary::spoken;
use crate::thread::{Draft, Thread};
use crate::tokens::bytes_in;
use crate::transcript::Line;

const SUMMARISER: &str = "You summarise conversations between a user and an agent that works with tools. \
    Whoever reads your summary goes on with the work and has nothing else.";

const TASK: &str = "Summarise the conversation above: what the user wants, what has been done and found, \
    which files and commands matter, what is left to do. Leave out nothing that is still needed.";

const OPENING: &str = "The conversation so far was summarised to save space. The summary:";

/// What became of a conversation that was to be summarised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compaction {
    /// It was.
    Done {
        /// The summary.
        summary: String,
    },
    /// A hook refused, and why.
    Refused(String),
    /// The model gave no summary, and why. The conversation is as it was.
    Failed(String),
    /// There is nothing to summarise.
    Nothing,
    /// It was interrupted. The conversation is as it was.
    Interrupted,
}

impl Thread {
    pub(crate) fn size(&self) -> u64 {
        self.tokens.estimate(&self.system.text(), &self.messages)
    }

    /// Summarises the conversation if it has become too large. A hook may stop the agent at its new start.
    pub(crate) async fn compact_if_full(&mut self) -> Result<Option<Halt>, Interrupted> {
        let size = self.size();
        // A refusal holds until the conversation has grown by a tenth.
        let refused = self.not_compacted_at.is_some_and(|at| size < at + at / 10);
        if refused || !self.is_full(size) || self.messages.len() < 2 {
            return Ok(None);
        }
        // In a box, as it is rare: it would make every turn larger.
        let (done, halt) = Box::pin(self.compact(CompactTrigger::Auto, None)).await?;
        match done {
            Compaction::Done { .. } | Compaction::Nothing | Compaction::Interrupted => {}
            Compaction::Refused(_) | Compaction::Failed(_) => self.not_compacted_at = Some(size),
        }
        Ok(halt)
    }

    #[expect(clippy::cast_precision_loss, reason = "no context has 2^52 tokens")]
    fn is_full(&self, size: u64) -> bool {
        let window = self.model.context_window() as f64;
        size as f64 > window * self.shared.parts.limits.context
    }

    /// Summarises the conversation, if hooks let it.
    pub(crate) async fn compact(
        &mut self,
        trigger: CompactTrigger,
        instructions: Option<String>,
    ) -> Result<(Compaction, Option<Halt>), Interrupted> {
        let (old, newest) = self.split_off_newest();
        if old.is_empty() {
            return Ok((Compaction::Nothing, None));
        }
        let event = PreCompact::new(trigger.clone()).custom_instructions(instructions.clone());
        if let CompactStep::Refuse { reason } = compact(&self.firing.hear(event).await?) {
            return Ok((Compaction::Refused(reason), None));
        }
        let summary = match self.summary(&old, instructions.as_deref()).await? {
            Ok(summary) => summary,
            Err(problem) => {
                let event = Error::new(ErrorType::Model, problem.clone())
                    .error_details("the conversation could not be summarised");
                self.firing.hear(event).await?;
                return Ok((Compaction::Failed(problem), None));
            }
        };
        // An interruption keeps hooks from being told, and nothing else: the summary is in its place.
        let halt = self.start_over(trigger, &summary, newest).await;
        let halt = halt.unwrap_or_default();
        Ok((Compaction::Done { summary }, halt))
    }

    /// What is summarised, and what is not: what has been said since the model's last reply, results of
    /// its calls aside, stays as it is.
    fn split_off_newest(&self) -> (Vec<ChatMessage>, Draft) {
        let mut old = self.messages.clone();
        let mut newest = Vec::new();
        if let Some(last) = old.last_mut().filter(|last| last.role == Role::User) {
            let is_result = |block: &Block| matches!(block, Block::ToolResult(_));
            let results = last.content.iter().rposition(is_result);
            newest = last.content.split_off(results.map_or(0, |last| last + 1));
        }
        old.retain(|message| !message.content.is_empty());
        (old, self.as_it_was(newest))
    }

    /// How much of a conversation goes into the request for its summary, in bytes: all of it, unless the
    /// model cannot hold it, or the service has just said so.
    fn room_for(&self, old: &[ChatMessage]) -> usize {
        let bytes: usize = old.iter().map(bytes_in).sum();
        let (size, window) = (self.size(), self.model.context_window());
        let mut room = usize::MAX;
        if size > window {
            let share = u128::from(window) * 8 / 10 * bytes as u128 / u128::from(size);
            room = usize::try_from(share).unwrap_or(usize::MAX);
        }
        if self.made_room {
            room = room.min(bytes / 2);
        }
        room
    }

    /// Asks the model for a summary; else why there is none.
    async fn summary(
        &self,
        old: &[ChatMessage],
        instructions: Option<&str>,
    ) -> Result<Result<String, String>, Interrupted> {
        let wanted = instructions.map(|text| format!("\n\n{text}"));
        let prompt = format!(
            "<conversation>\n{}</conversation>\n\n{TASK}{}",
            spoken(old, self.room_for(old)),
            wanted.unwrap_or_default()
        );
        let request = ModelRequest {
            model: self.model.name().to_owned(),
            system: SUMMARISER.to_owned(),
            messages: vec![ChatMessage::user(prompt)],
            ..ModelRequest::default()
        };
        let asking = Asking {
            firing: &self.firing,
            model: &*self.model,
            limits: &self.shared.parts.limits,
            partial: &std::sync::Mutex::default(),
        };
        Ok(match asking.ask(request).await? {
            Asked::Reply(reply) => {
                self.shared.spend(reply.usage, self.model.price());
                whole_summary(*reply)
            }
            Asked::Refused(said) => Err(format!("a hook did not let it be asked: {}", said.text)),
            Asked::Halted(halt) => Err(format!("a hook stopped it: {}", halt.said().text)),
            Asked::Failed(error) => Err(error.to_string()),
        })
    }

    /// Puts the summary in the conversation's place, and tells hooks of the new start.
    async fn start_over(
        &mut self,
        trigger: CompactTrigger,
        summary: &str,
        newest: Draft,
    ) -> Result<Option<Halt>, Interrupted> {
        let before = self.size();
        let word = trigger.as_str().to_owned();
        self.note(|cwd, at| {
            let line = Line::system(
                "compact_boundary",
                "The conversation was summarised.",
                cwd,
                at,
            );
            line.with(
                "compactMetadata",
                serde_json::json!({"trigger": word, "preTokens": before}),
            )
        });
        self.messages.clear();
        self.tokens.reset();
        self.not_compacted_at = None;
        let text = vec![Block::text(format!("{OPENING}\n\n{summary}"))];
        let draft = Draft::new(MessageRole::System, Role::User, text);
        let told = self.put(draft.with("isCompactSummary", true));
        self.keep(newest);
        self.firing.tell(AgentEventKind::Compacted {
            trigger: trigger.clone(),
            before,
            after: self.size(),
        });
        if self.is_full(self.size()) {
            self.not_compacted_at = Some(self.size());
        }
        self.tell_of(told).await?;
        self.firing.hear(PostCompact::new(trigger, summary)).await?;
        if self.subagent.is_some() {
            return Ok(None);
        }
        self.load_instructions(LoadReason::Compact).await?;
        let event = SessionStart::new(SessionSource::Compact).model(self.model.name());
        let opening = opening(&self.firing.hear(event).await?);
        Ok(self.begin(opening))
    }
}

/// The summary that a reply is; half of one would lose what stands in the other half.
fn whole_summary(reply: Reply) -> Result<String, String> {
    match reply.stop {
        Some(StopReason::MaxTokens) => {
            return Err("the model's summary was cut by the limit of tokens".to_owned());
        }
        Some(StopReason::Refusal) => return Err("the model refused to summarise".to_owned()),
        Some(
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::StopSequence
            | StopReason::Other(_),
        )
        | None => {}
    }
    let text = ChatMessage::new(Role::Assistant, reply.content).text();
    match text.trim() {
        "" => Err("the model's summary is empty".to_owned()),
        summary => Ok(summary.to_owned()),
    }
}
