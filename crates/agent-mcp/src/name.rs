//! What servers and tools are called, as the model, hooks and rules have it.

/// The longest description of a tool that the model is told, in characters.
pub(crate) const LONGEST_DESCRIPTION: usize = 2048;

/// The name of a server's tool: `mcp__server__tool`. What is no letter, digit, `_` or `-` becomes `_`, so
/// that a plugin's server `plugin:guard:db` is `mcp__plugin_guard_db__…`.
///
/// ```
/// use agent_mcp::tool_name;
///
/// assert_eq!(tool_name("memory", "create_entities"), "mcp__memory__create_entities");
/// assert_eq!(tool_name("plugin:guard:db", "ask it"), "mcp__plugin_guard_db__ask_it");
/// ```
pub fn tool_name(server: &str, tool: &str) -> String {
    format!("mcp__{}__{}", plain(server), plain(tool))
}

/// The name of a plugin's server: `plugin:<plugin>:<server>`. Of a full name `plugin@marketplace` the
/// first part counts.
///
/// ```
/// use agent_mcp::plugin_server_name;
///
/// assert_eq!(plugin_server_name("guard@tools", "db"), "plugin:guard:db");
/// ```
pub fn plugin_server_name(plugin: &str, server: &str) -> String {
    let plugin = plugin.split('@').next().unwrap_or(plugin);
    format!("plugin:{plugin}:{server}")
}

/// A name in the letters that every model takes.
pub(crate) fn plain(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    name.chars()
        .map(|c| if keep(c) { c } else { '_' })
        .collect()
}

/// A text of at most so many characters; what is cut off is said.
pub(crate) fn clip(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… [+{more} characters]", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_letters_that_every_model_takes() {
        let rows = [
            (("memory", "save"), "mcp__memory__save"),
            (("my server", "a.b/c"), "mcp__my_server__a_b_c"),
            (("plugin:p:s", "t"), "mcp__plugin_p_s__t"),
            (("größe", "läuft"), "mcp__gr__e__l_uft"),
            (("a-b", "c-d"), "mcp__a-b__c-d"),
            (("", ""), "mcp____"),
        ];
        for ((server, tool), name) in rows {
            assert_eq!(tool_name(server, tool), name);
        }
    }

    #[test]
    fn a_long_text_says_how_much_of_it_is_missing() {
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("äöüß", 2), "äö… [+2 characters]");
    }
}
