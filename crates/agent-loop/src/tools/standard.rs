//! The tools that an agent has where nobody says otherwise.

use super::{Bash, Edit, Glob, Grep, Read, TaskCreate, TaskUpdate, Write};
use crate::toolbox::Toolbox;

impl Toolbox {
    /// All tools of this crate that work on files, commands and tasks.
    ///
    /// ```
    /// use agent_loop::Toolbox;
    /// use serde_json::json;
    ///
    /// let tools = Toolbox::standard();
    /// let error = tools.check("Read", &json!({"file": "a.rs"})).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`file_path` is missing; `file` is not known; there are `file_path`, `offset`, `limit`"
    /// );
    /// ```
    #[must_use]
    pub fn standard() -> Self {
        Self::empty()
            .with(Bash)
            .with(Read)
            .with(Write)
            .with(Edit)
            .with(Glob)
            .with(Grep)
            .with(TaskCreate)
            .with(TaskUpdate)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tool::Access::{self, Edit, Own, Read, Run};
    use crate::toolbox::Toolbox;

    #[test]
    fn every_tool_says_what_it_can_change() {
        let expected: [(&str, Access); 8] = [
            ("Bash", Run),
            ("Read", Read),
            ("Write", Edit),
            ("Edit", Edit),
            ("Glob", Read),
            ("Grep", Read),
            ("TaskCreate", Own),
            ("TaskUpdate", Own),
        ];
        let tools = Toolbox::standard();
        let said: Vec<(&str, Access)> = tools
            .names()
            .map(|name| (name, tools.get(name).unwrap().access(&json!({}))))
            .collect();
        assert_eq!(said, expected);
    }

    #[test]
    fn every_schema_is_one_and_knows_no_other_fields() {
        for spec in Toolbox::standard().specs() {
            assert!(
                jsonschema::meta::is_valid(&spec.input_schema),
                "{}",
                spec.name
            );
            assert_eq!(
                spec.input_schema["additionalProperties"], false,
                "{}",
                spec.name
            );
            assert_eq!(spec.input_schema["type"], "object", "{}", spec.name);
        }
    }

    #[test]
    fn no_tool_takes_what_a_hook_made_up_for_its_own_response() {
        let tools = Toolbox::standard();
        for name in tools.names() {
            let tool = tools.get(name).unwrap();
            for made_up in [
                json!(null),
                json!("text"),
                json!({"filenames": [1]}),
                json!([]),
            ] {
                assert_eq!(tool.render(&made_up), None, "{name}: {made_up}");
            }
        }
    }
}
