//! A recording as it would be today: what has changed is replaced, the rest stays byte for byte. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use super::format::{Late, Told};

/// What becomes of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// A firing comes to something else.
    Told(Told),
    /// A hook in the background says something else.
    Late(Value),
    /// It says nothing any more.
    Remove,
}

/// The text with these lines edited.
pub(crate) fn updated(text: &str, edits: &BTreeMap<usize, Edit>) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    let lines = lines.map(|(index, line)| match edits.get(&(index + 1)) {
        None => line.to_owned(),
        Some(Edit::Remove) => String::new(),
        Some(Edit::Late(hook)) => format!("{}\n", Late::line(hook)),
        Some(Edit::Told(told)) => firing(line, told),
    });
    lines.collect()
}

fn firing(line: &str, told: &Told) -> String {
    match serde_json::from_str::<Value>(line.trim_start_matches('\u{feff}')) {
        Ok(mut value) => {
            told.put_into(&mut value);
            format!("{value}\n")
        }
        // It was one when it was replayed.
        Err(_) => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_has_changed_is_written_anew() {
        let text = "{\"type\": \"head\"}\n{ \"n\":1,\t\"mine\": 2, \"outcome\": {}, \"hooks\": [] }\n\n{ \"n\": 2 }\n{\"late\": 1}\ncut";
        let told = Told {
            outcome: json!({"decision": "deny"}),
            hooks: Vec::new(),
        };
        let edits = BTreeMap::from([(2, Edit::Told(told)), (5, Edit::Remove)]);
        let wanted = "{\"type\": \"head\"}\n{\"n\":1,\"mine\":2,\"outcome\":{\"decision\":\"deny\"},\"hooks\":[]}\n\n{ \"n\": 2 }\ncut";
        assert_eq!(updated(text, &edits), wanted);
        assert_eq!(updated(text, &BTreeMap::new()), text);
    }
}
