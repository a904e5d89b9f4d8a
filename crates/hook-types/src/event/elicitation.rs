//! Events around a question that an MCP server asks the user.

use serde_json::Value;

use super::macros::event;
use crate::open_enum::open_enum;

open_enum! {
    /// What the user did with a question.
    ElicitationReply {
        /// Answered it.
        Accept = "accept",
        /// Refused to answer.
        Decline = "decline",
        /// Closed it.
        Cancel = "cancel",
    }

    /// How the user is asked.
    ElicitationMode {
        /// With a form.
        Form = "form",
        /// By opening an address.
        Url = "url",
    }
}

event! {
    /// An MCP server asks for input. A hook may answer in the user's place.
    Elicitation {
        needs {
            /// The server.
            mcp_server_name: String,
            /// What it asks.
            message: String,
        }
        may {
            /// How the user is asked.
            mode: ElicitationMode,
            /// The address to open.
            url: String,
            /// The question.
            elicitation_id: String,
            /// What the answer must look like.
            requested_schema: Value as object,
        }
    }
}

event! {
    /// The user has answered an MCP server; the server has not seen it yet.
    ElicitationResult {
        needs {
            /// The server.
            mcp_server_name: String,
            /// What the user did.
            action: ElicitationReply,
        }
        may {
            /// The question.
            elicitation_id: String,
            /// How the user was asked.
            mode: ElicitationMode,
            /// What the user entered.
            content: Value as object,
        }
    }
}
