//! The parts that an answer can have, as values for the table and as types for the compiler.

/// Declares the parts of an answer: the enum [`Field`] and, for the compiler, one type a part.
macro_rules! fields {
    ($( $(#[$doc:meta])* $name:ident = $key:literal ),* $(,)?) => {
        /// One part of an answer that an event may honour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Field {
            $( $(#[$doc])* $name, )*
        }

        impl Field {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The part's key on the wire.
            pub fn key(self) -> &'static str {
                match self {
                    $( Self::$name => $key, )*
                }
            }
        }

        /// The parts of an answer as types, for the bounds of [`Event`](super::Event)'s
        /// constructors.
        pub mod part {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $name;
            )*
            /// A refusal: what was about to happen does not.
            #[derive(Clone, Copy, Debug)]
            pub struct Deny;
            /// Words to the model about what it did.
            #[derive(Clone, Copy, Debug)]
            pub struct Feedback;
            /// A reason to go on in place of stopping.
            #[derive(Clone, Copy, Debug)]
            pub struct KeepGoing;
            /// A reason to stop before the model is asked again.
            #[derive(Clone, Copy, Debug)]
            pub struct EndTurn;
            /// A failure of what the hook was to do.
            #[derive(Clone, Copy, Debug)]
            pub struct Fail;
        }
    };
}

fields! {
    /// `allow`: go ahead without asking.
    Allow = "permissionDecision",
    /// `ask`: ask the user.
    Ask = "permissionDecision",
    /// `defer`: leave it to whoever resumes the run.
    Defer = "permissionDecision",
    /// `continue: false`: stop the agent.
    Continue = "continue",
    /// A message for the user.
    SystemMessage = "systemMessage",
    /// Context for the model.
    AdditionalContext = "additionalContext",
    /// Another input for the tool.
    UpdatedInput = "updatedInput",
    /// Another result for the model to see.
    UpdatedToolOutput = "updatedToolOutput",
    /// A note for the classifier that decides in the user's place.
    ClassifierContext = "classifierContext",
    /// A title for the session.
    SessionTitle = "sessionTitle",
    /// Keep a blocked prompt's text out of the message about it.
    SuppressOriginalPrompt = "suppressOriginalPrompt",
    /// What the user says first.
    InitialUserMessage = "initialUserMessage",
    /// Files to watch.
    WatchPaths = "watchPaths",
    /// Read the skills again.
    ReloadSkills = "reloadSkills",
    /// Rules to remember.
    UpdatedPermissions = "updatedPermissions",
    /// Stop the agent along with the refusal.
    Interrupt = "interrupt",
    /// The model may try again.
    Retry = "retry",
    /// An answer in the user's place.
    Action = "action",
    /// Where the worktree is.
    WorktreePath = "worktreePath",
    /// What to show in place of the text.
    DisplayContent = "displayContent",
    /// Another request for the model.
    LlmRequest = "llmRequest",
    /// A reply in the model's place.
    LlmResponse = "llmResponse",
    /// Which tools the model may choose from.
    ToolConfig = "toolConfig",
}

/// A set of parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields(u32);

impl Fields {
    pub(crate) const fn of(fields: &[Field]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < fields.len() {
            bits |= 1 << fields[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// Whether the part is in the set.
    pub fn contains(self, field: Field) -> bool {
        self.0 & (1 << field as u32) != 0
    }

    /// The parts in the set.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL
            .iter()
            .copied()
            .filter(move |field| self.contains(*field))
    }
}

/// Says that an event honours a part of an answer. Implemented by the event table, and by it
/// alone: an answer that the event would ignore does not compile.
#[diagnostic::on_unimplemented(
    message = "a hook for `{Self}` cannot answer with `{Part}`",
    label = "`{Self}` does not honour this",
    note = "what each event honours is one row of the table in `hook-types/src/event/table.rs`",
    note = "`{Self}::pass()` is the answer of a hook that has no opinion"
)]
pub trait Honours<Part> {}
