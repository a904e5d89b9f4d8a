//! Events at the end of an agent's turn, of the main agent and of others.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::macros::event;
use crate::id::AgentId;
use crate::number::Number;
use crate::open_enum::open_enum;

open_enum! {
    /// Why the model could not be reached or would not answer.
    StopError {
        /// The key is wrong.
        AuthenticationFailed = "authentication_failed",
        /// The organisation may not log in this way.
        OauthOrgNotAllowed = "oauth_org_not_allowed",
        /// The account is on hold.
        AccountOnHold = "account_on_hold",
        /// The account must be verified first.
        VerificationRequired = "verification_required",
        /// The bill is not paid.
        BillingError = "billing_error",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The service is overloaded.
        Overloaded = "overloaded",
        /// The request was refused.
        InvalidRequest = "invalid_request",
        /// There is no such model.
        ModelNotFound = "model_not_found",
        /// The service failed.
        ServerError = "server_error",
        /// Nobody knows.
        Unknown = "unknown",
        /// The reply was cut at its limit.
        MaxOutputTokens = "max_output_tokens",
        /// The cloud's credentials do not work.
        CloudCredentialError = "cloud_credential_error",
    }
}

/// Work that goes on in the background.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct BackgroundTask {
    /// The task.
    pub id: String,
    /// What it is: `shell`, `subagent`, `monitor`, `workflow`, …
    pub r#type: String,
    /// How it stands.
    pub status: String,
    /// What it does, cut at 1,000 characters.
    pub description: String,
    /// `command`, `agent_type`, `server`, `tool`, `name`, by type; and what is not known here.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// A prompt that is due at certain times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SessionCron {
    /// The entry.
    pub id: String,
    /// When, in cron's notation.
    pub schedule: String,
    /// Whether it is due again and again.
    pub recurring: bool,
    /// What is said then, cut at 1,000 characters.
    pub prompt: String,
    /// Fields that this version does not know.
    #[cfg_attr(feature = "schema", schemars(skip))]
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

event! {
    /// The main agent is done with its turn. A hook may keep it going.
    ///
    /// ```
    /// use hook_types::{Event, Stop};
    ///
    /// let stop = Stop::new(false).last_assistant_message("Done.");
    /// assert!(!stop.stop_hook_active);
    /// let answer = Stop::keep_going("the tests have not been run yet");
    /// # let _ = answer;
    /// ```
    Stop {
        needs {
            /// Whether a stop hook is the reason that the agent is still going.
            stop_hook_active: bool,
        }
        may {
            /// What the agent said last.
            last_assistant_message: String,
            /// Work that goes on in the background.
            background_tasks: Vec<BackgroundTask>,
            /// Prompts that are due later.
            session_crons: Vec<SessionCron>,
            /// How often in a row hooks have kept the agent going.
            stop_hook_count: Number,
            /// How often they may.
            stop_hook_limit: Number,
        }
    }
}

event! {
    /// The turn ended with an error of the model's service. Fired in place of [`Stop`].
    StopFailure {
        needs {
            /// What went wrong.
            error: StopError,
        }
        may {
            /// What the service said.
            error_details: String,
            /// The error as the user sees it.
            last_assistant_message: String,
        }
    }
}

event! {
    /// A subagent starts, or goes on.
    SubagentStart {
        needs {
            /// The subagent.
            agent_id: AgentId,
            /// What kind of agent it is.
            agent_type: String,
        }
    }
}

event! {
    /// A subagent is done. A hook may keep it going.
    SubagentStop {
        needs {
            /// Whether a stop hook is the reason that the subagent is still going.
            stop_hook_active: bool,
            /// The subagent.
            agent_id: AgentId,
            /// The subagent's own transcript; `transcript_path` is its parent's.
            agent_transcript_path: String,
            /// What kind of agent it is; empty for the host's own helpers.
            agent_type: String,
        }
        may {
            /// What the subagent said last.
            last_assistant_message: String,
            /// Work that goes on in the background.
            background_tasks: Vec<BackgroundTask>,
            /// Prompts that are due later.
            session_crons: Vec<SessionCron>,
            /// How often in a row hooks have kept the subagent going.
            stop_hook_count: Number,
            /// How often they may.
            stop_hook_limit: Number,
        }
    }
}

event! {
    /// A teammate has nothing left to do. A hook may find it something.
    TeammateIdle {
        needs {
            /// The teammate.
            teammate_name: String,
        }
        sets {
            /// The team; kept for hooks that read it.
            team_name: String,
        }
    }
}
