//! Events around the model: which one, what it is asked, what it says.

use serde_json::Value;

use super::macros::event;
use crate::number::Number;
use crate::open_enum::open_enum;

open_enum! {
    /// What asked for another model.
    SwitchSource {
        /// A command.
        Command = "command",
        /// The menu.
        Picker = "picker",
        /// The program that embeds the agent.
        Sdk = "sdk",
        /// The host, by itself.
        Auto = "auto",
        /// A resumed session.
        Resume = "resume",
    }

    /// How long the prompt cache lives.
    CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }

    /// Where a price comes from.
    Pricing {
        /// The user's settings.
        Configured = "configured",
        /// The list of models.
        Catalog = "catalog",
        /// A guess.
        Default = "default",
    }
}

event! {
    /// Another model was asked for and is about to be used.
    PreModelSwitch {
        needs {
            /// The model in use.
            from_model: String,
            /// The model asked for.
            to_model: String,
            /// What asked for it.
            source: SwitchSource,
        }
        sets {
            /// What was typed; `null` where nothing was.
            requested_model: Option<String>,
            /// How large the context is.
            context_tokens: Number,
            /// Whether the prompt cache is warm.
            prompt_cache_warm: bool,
            /// How long the cache lives.
            cache_ttl: CacheTtl,
            /// What filling the cache again will cost.
            estimated_cache_write_usd: Number,
            /// Where the price comes from.
            pricing: Pricing,
        }
    }
}

event! {
    /// Another model is in use, whatever the cause.
    PostModelSwitch {
        needs {
            /// The model before.
            from_model: String,
            /// The model now.
            to_model: String,
            /// What asked for it.
            source: SwitchSource,
        }
        sets {
            /// What was typed; `null` where nothing was.
            requested_model: Option<String>,
            /// How large the context is.
            context_tokens: Number,
            /// Whether the prompt cache was warm.
            prompt_cache_warm: bool,
            /// How long the cache lives.
            cache_ttl: CacheTtl,
            /// What filling the cache again costs.
            estimated_cache_write_usd: Number,
            /// Where the price comes from.
            pricing: Pricing,
        }
    }
}

event! {
    /// A request is about to go to the model. Hookline's own: Gemini's `BeforeModel` and
    /// OpenCode's `llm:pre_request`. A hook may refuse it, change it, or answer it.
    PreModelRequest {
        needs {
            /// The model.
            model: String,
            /// The request: `model`, `messages` (each a `role` and a `content`), `config`.
            llm_request: Value as object,
        }
        sets {
            /// How many messages the request has.
            message_count: Number,
        }
    }
}

event! {
    /// The model has answered. Hookline's own: Gemini's `AfterModel` and OpenCode's
    /// `llm:post_response`. A hook may replace what the agent takes for the answer.
    PostModelResponse {
        needs {
            /// The model.
            model: String,
            /// The request.
            llm_request: Value as object,
            /// The reply: `content`, `tool_calls`, `stop_reason`, `usage`.
            llm_response: Value as object,
        }
        may {
            /// How long the model took.
            duration_ms: Number,
        }
    }
}

event! {
    /// The first piece of a reply has arrived. Hookline's own, after OpenCode's
    /// `llm:stream_start`; nothing that a hook answers changes it.
    ModelStreamStart {
        needs {
            /// The model.
            model: String,
        }
        may {
            /// How long the first piece took.
            duration_ms: Number,
        }
    }
}

event! {
    /// The last piece of a reply has arrived. Hookline's own, after OpenCode's
    /// `llm:stream_end`; nothing that a hook answers changes it.
    ModelStreamEnd {
        needs {
            /// The model.
            model: String,
        }
        may {
            /// Why the model stopped.
            stop_reason: String,
            /// Tokens in and out, as the model counts them.
            usage: Value,
            /// How long the whole reply took.
            duration_ms: Number,
        }
    }
}

#[expect(clippy::derivable_impls, reason = "the macro cannot mark a variant")]
impl Default for CacheTtl {
    fn default() -> Self {
        Self::FiveMinutes
    }
}

#[expect(clippy::derivable_impls, reason = "the macro cannot mark a variant")]
impl Default for Pricing {
    fn default() -> Self {
        Self::Default
    }
}
