//! The tools that a server has.

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use rmcp::service::{Peer, RoleClient};
use serde_json::{Value, json};

use super::request::{NoAnswer, ask};
use crate::limits::Limits;
use crate::name::{LONGEST_DESCRIPTION, clip};

/// How many pages of a list are read.
const MOST_PAGES: usize = 64;

/// A tool as its server describes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolInfo {
    /// Its name, as the server has it.
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
}

/// Asks for the list, page by page.
pub(super) async fn list(
    peer: &Peer<RoleClient>,
    limits: &Limits,
) -> Result<Vec<ToolInfo>, NoAnswer> {
    let mut tools = Vec::new();
    let mut room = limits.message;
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let mut asked = ListToolsRequest::default();
        if let Some(cursor) = cursor {
            let params = PaginatedRequestParams::default().with_cursor(Some(cursor));
            asked.params = Some(params);
        }
        let page = ask(peer, ClientRequest::ListToolsRequest(asked)).await?;
        cursor = add_page(&mut tools, &page, limits.tools, &mut room);
        if cursor.is_none() {
            break;
        }
    }
    Ok(tools)
}

/// Takes in a page; where the next one begins, if it is wanted. All pages together may describe tools in
/// no more bytes than one message may have.
fn add_page(
    tools: &mut Vec<ToolInfo>,
    page: &Value,
    most: usize,
    room: &mut usize,
) -> Option<String> {
    for tool in page["tools"].as_array().into_iter().flatten() {
        let left = room.checked_sub(tool.to_string().len());
        let Some(left) = left.filter(|_| tools.len() < most) else {
            tracing::warn!(most, "an MCP server has more tools than are taken");
            return None;
        };
        *room = left;
        match ToolInfo::read(tool) {
            Some(tool) if tools.iter().all(|held| held.name != tool.name) => tools.push(tool),
            Some(tool) => tracing::warn!(tool.name, "an MCP server has two tools of one name"),
            None => tracing::warn!("an MCP server has a tool without a name"),
        }
    }
    let next = page["nextCursor"].as_str();
    next.filter(|next| !next.is_empty()).map(str::to_owned)
}

impl ToolInfo {
    /// Reads a tool as leniently as can be: one that has no schema takes anything.
    fn read(tool: &Value) -> Option<Self> {
        let name = tool["name"].as_str().filter(|name| !name.is_empty())?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let description = text(&tool["description"])
            .or_else(|| text(&tool["title"]))
            .or_else(|| text(&tool["annotations"]["title"]));
        let schema = &tool["inputSchema"];
        let input_schema = if schema.is_object() {
            schema.clone()
        } else {
            json!({"type": "object"})
        };
        Some(Self {
            name: name.to_owned(),
            description: clip(&description.unwrap_or_default(), LONGEST_DESCRIPTION),
            input_schema,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(page: &Value, most: usize) -> (Vec<ToolInfo>, Option<String>) {
        let mut tools = Vec::new();
        let mut room = usize::MAX;
        let next = add_page(&mut tools, page, most, &mut room);
        (tools, next)
    }

    #[test]
    fn one_bad_tool_takes_no_other_away() {
        let page = json!({"tools": [
            {"description": "no name"}, 7, {"name": "bare"}, {"name": "bare"},
            {"name": "full", "description": "d", "inputSchema": {"type": "object", "required": ["a"]}},
        ], "nextCursor": ""});
        let (tools, next) = listed(&page, 9);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, next), (vec!["bare", "full"], None));
        assert_eq!(tools[0].input_schema, json!({"type": "object"}));
        assert_eq!(tools[1].input_schema["required"], json!(["a"]));
    }

    #[test]
    fn a_list_without_end_ends() {
        let many: Vec<Value> = (0..100).map(|n| json!({"name": n.to_string()})).collect();
        let (tools, next) = listed(&json!({"tools": many, "nextCursor": "more"}), 10);
        assert_eq!((tools.len(), next), (10, None));
        let large = json!({"name": "b", "inputSchema": {"description": "x".repeat(2_000)}});
        let page = json!({"tools": [{"name": "a"}, large, {"name": "c"}], "nextCursor": "more"});
        let mut tools = Vec::new();
        let next = add_page(&mut tools, &page, 10, &mut 1_000);
        assert_eq!(
            (tools.len(), next),
            (1, None),
            "none of them is too large for memory"
        );
    }

    #[test]
    fn descriptions_are_cut() {
        let page = json!({"tools": [{"name": "a", "description": "x".repeat(5000)}]});
        let (tools, _) = listed(&page, 10);
        let length = tools[0].description.chars().count();
        assert!(length < LONGEST_DESCRIPTION + 40, "{length}");
        assert!(tools[0].description.ends_with("[+2952 characters]"));
    }
}
