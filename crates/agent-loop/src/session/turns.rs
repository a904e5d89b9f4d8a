//! The turns of a session.

use hook_runner::Cancellation;
use hook_types::{
    CompactTrigger, EndReason, LoadReason, MessageRole, PromptId, PromptSource, SessionEnd,
    SessionSource, SessionStart, UserPromptSubmit,
};
use tokio::time::Instant;

use super::Session;
use crate::apply::prompt::{PromptStep, prompt};
use crate::apply::session::opening;
use crate::compaction::Compaction;
use crate::conversation::{Block, Role};
use crate::event::AgentEventKind;
use crate::firing::Interrupted;
use crate::id;
use crate::result::{Ending, TurnResult};
use crate::said::Said;
use crate::shared::lock;
use crate::thread::{Draft, Thread};
use crate::tools::ReadFiles;
use crate::transcript::Line;

/// What starts a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The words.
    pub text: String,
    /// Where they come from.
    pub source: PromptSource,
}

impl Prompt {
    /// Words from somewhere else than the user.
    pub fn from_source(text: impl Into<String>, source: PromptSource) -> Self {
        Self {
            text: text.into(),
            source,
        }
    }
}

impl<T: Into<String>> From<T> for Prompt {
    fn from(text: T) -> Self {
        Self::from_source(text, PromptSource::User)
    }
}

impl Session {
    /// Says something to the agent, and waits until it is done. What a `SessionStart` hook wants said first
    /// is said first, in a turn of its own.
    pub async fn prompt(&mut self, prompt: impl Into<Prompt>) -> TurnResult {
        if let Some(first) = self.first_message.take() {
            let first = Prompt::from_source(first, PromptSource::System);
            let result = self.turn(Opener::Prompt(first)).await;
            if !result.is_finished() {
                return result;
            }
        }
        self.turn(Opener::Prompt(prompt.into())).await
    }

    /// Says what a `SessionStart` hook wants said first, if one does.
    pub async fn first_turn(&mut self) -> Option<TurnResult> {
        let first = self.first_message.take()?;
        let first = Prompt::from_source(first, PromptSource::System);
        Some(self.turn(Opener::Prompt(first)).await)
    }

    /// Runs the call that was left to whoever resumes the session, and goes on. Hooks are asked about it
    /// again. Nothing happens where there is no such call.
    pub async fn run_deferred(&mut self) -> Option<TurnResult> {
        let call = self.deferred.take()?;
        Some(self.turn(Opener::Deferred(call)).await)
    }

    /// Waits until a background hook wakes the agent, and runs the turn that follows. None once no more
    /// can come. Other late answers that come meanwhile wait for the next turn.
    pub async fn wake(&mut self) -> Option<TurnResult> {
        loop {
            let late = self.shared.hooks.late().await?;
            let wakes = late.wakes;
            self.shared.mail.put([late]);
            if wakes {
                return Some(self.turn(Opener::Wake).await);
            }
        }
    }

    async fn turn(&mut self, opener: Opener) -> TurnResult {
        let started = Instant::now();
        let until = self.interrupt.next_turn();
        self.thread.firing = self.thread.firing.until(until);
        self.shared.close_ledger();
        // What ended an earlier turn has nothing to say in this one.
        self.shared.take_end();
        let ending = match self.halted.clone() {
            Some(reason) => Ending::Halted(reason),
            None => self.thread.open_turn(opener, &mut self.deferred).await,
        };
        if let Ending::Deferred(call) = &ending {
            self.deferred = Some(call.clone());
        }
        let ledger = self.shared.close_ledger();
        let result = TurnResult {
            session_id: self.id().clone(),
            ending,
            text: std::mem::take(&mut self.thread.said),
            requests: ledger.requests,
            usage: ledger.usage,
            cost_usd: ledger.cost,
            duration: started.elapsed(),
            denials: ledger.denials,
        };
        self.thread.firing.flush().await;
        let told = AgentEventKind::TurnFinished(Box::new(result.clone()));
        self.thread.firing.tell(told);
        result
    }

    /// Has the conversation summarised now. A call that was left to whoever resumes the session is given
    /// up.
    pub async fn compact(&mut self, instructions: Option<&str>) -> Compaction {
        let until = self.interrupt.next_turn();
        self.thread.firing = self.thread.firing.until(until);
        let instructions = instructions.map(str::to_owned);
        if self.thread.give_up(self.deferred.take()).await.is_err() {
            return Compaction::Interrupted;
        }
        let done = self
            .thread
            .compact(CompactTrigger::Manual, instructions)
            .await;
        self.thread.firing.flush().await;
        match done {
            Ok((done, halt)) => {
                self.halted = halt.map(|halt| halt.said().text);
                done
            }
            Err(Interrupted) => Compaction::Interrupted,
        }
    }

    /// Forgets the conversation and begins a new one: `SessionEnd` and `SessionStart`, both for `clear`.
    pub async fn clear(&mut self) {
        let until = self.interrupt.next_turn();
        self.thread.firing = self.thread.firing.until(until);
        let _ = self.try_clear().await;
    }

    async fn try_clear(&mut self) -> Result<(), Interrupted> {
        // Nothing interrupts an end.
        let end = self.thread.firing.until(Cancellation::new());
        let _ = end.hear(SessionEnd::new(EndReason::Clear)).await;
        self.thread.note(|cwd, at| {
            Line::system("compact_boundary", "The conversation was cleared.", cwd, at)
        });
        self.deferred = None;
        self.thread.forget();
        self.thread
            .load_instructions(LoadReason::SessionStart)
            .await?;
        let event = SessionStart::new(SessionSource::Clear).model(self.thread.model.name());
        let heard = self.thread.firing.hear(event).await?;
        self.open(SessionSource::Clear, opening(&heard));
        Ok(())
    }
}

/// What begins a turn.
enum Opener {
    Prompt(Prompt),
    Deferred(crate::conversation::ToolCall),
    /// A background hook wants the agent's attention.
    Wake,
}

impl Thread {
    fn forget(&mut self) {
        self.messages.clear();
        self.wait_for(Vec::new());
        self.tokens.reset();
        self.pending.take();
        self.system.forget();
        self.read_files = ReadFiles::default();
        self.not_compacted_at = None;
    }

    async fn open_turn(
        &mut self,
        opener: Opener,
        deferred: &mut Option<crate::conversation::ToolCall>,
    ) -> Ending {
        self.firing.base().prompt_id = Some(PromptId::new(id::fresh()));
        self.said.clear();
        match opener {
            Opener::Deferred(call) => self.run_deferred(call).await,
            Opener::Wake => {
                if self.give_up(deferred.take()).await.is_err() {
                    return self.interrupted().await;
                }
                let woken = self.shared.mail.take(&*self.shared.hooks, None);
                let texts: Vec<String> = woken.iter().map(Said::marked).collect();
                let prompt = Prompt::from_source(texts.join("\n"), PromptSource::System);
                self.submit(prompt, Words::Hooks(woken)).await
            }
            Opener::Prompt(prompt) => {
                if self.give_up(deferred.take()).await.is_err() {
                    return self.interrupted().await;
                }
                self.submit(prompt, Words::User).await
            }
        }
    }

    /// The conversation goes on without the calls that nobody has run: the one that was put off, and those
    /// of a turn that was dropped.
    async fn give_up(
        &mut self,
        deferred: Option<crate::conversation::ToolCall>,
    ) -> Result<(), Interrupted> {
        let why = match deferred {
            Some(_) => "This call was put off, and nobody has run it since.",
            None => "The turn was cut off before this call had a result. It may have run.",
        };
        self.open.extend(deferred);
        self.answer_open_calls(why).await
    }

    /// Hands a prompt to the model, if hooks let it.
    async fn submit(&mut self, submitted: Prompt, words: Words) -> Ending {
        self.firing.tell(AgentEventKind::TurnStarted {
            prompt: submitted.text.clone(),
        });
        match self.try_submit(submitted, words).await {
            Ok(None) => self.run().await,
            Ok(Some(ending)) => ending,
            Err(Interrupted) => self.interrupted().await,
        }
    }

    /// Puts a prompt into the conversation; else how the turn ends without it.
    async fn try_submit(
        &mut self,
        submitted: Prompt,
        words: Words,
    ) -> Result<Option<Ending>, Interrupted> {
        let mut event =
            UserPromptSubmit::new(submitted.text.clone()).source(submitted.source.clone());
        event.session_title.clone_from(&lock(&self.shared.title));
        let heard = self.firing.hear(event).await?;
        match prompt(&heard, &submitted.text) {
            PromptStep::Halt(halt) => Ok(Some(self.halted(&halt))),
            PromptStep::Refuse { message } => {
                self.note(|cwd, at| Line::system("prompt_refused", &message, cwd, at));
                Ok(Some(Ending::Refused(message)))
            }
            PromptStep::Submit { said, title } => {
                if let Some(title) = title {
                    self.shared.entitle(title);
                }
                let draft = match words {
                    Words::User => Draft::new(
                        MessageRole::User,
                        Role::User,
                        vec![Block::text(submitted.text)],
                    ),
                    Words::Hooks(woken) => Draft::of_hooks(&woken),
                };
                self.append(draft.saying(&said)).await?;
                Ok(None)
            }
        }
    }
}

/// Whose words a prompt is.
enum Words {
    User,
    Hooks(Vec<Said>),
}
