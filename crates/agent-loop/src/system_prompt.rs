//! The system prompt: who the agent is, its instructions, and what hooks said at the start.

use crate::said::Said;

/// The system prompt, in its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemPrompt {
    pub(crate) base: String,
    pub(crate) instructions: Vec<String>,
    said: Vec<Said>,
}

impl SystemPrompt {
    pub(crate) fn new(base: impl Into<String>) -> Self {
        Self {
            base: base.into(),
            ..Self::default()
        }
    }

    /// Adds what hooks said, each in the place of what the same hook has said before.
    pub(crate) fn add(&mut self, said: Vec<Said>) {
        let again = |held: &Said| said.iter().any(|words| words.hook == held.hook);
        self.said.retain(|held| !again(held));
        self.said.extend(said);
    }

    /// Forgets what hooks said, as for a new conversation.
    pub(crate) fn forget(&mut self) {
        self.said.clear();
    }

    pub(crate) fn text(&self) -> String {
        let base = std::iter::once(self.base.clone());
        let said = self.said.iter().map(Said::marked);
        let parts = base.chain(self.instructions.iter().cloned()).chain(said);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }
}
