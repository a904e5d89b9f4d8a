//! Headers with variables in them: `Bearer $TOKEN`, `${SCHEME} x`.

/// A piece of a header's value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable(String),
}

/// A value with variables in it, read once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

impl Template {
    /// Reads a value. A `$` that no name follows is a `$`.
    pub(crate) fn read(value: &str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = value;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            let Some((name, after)) = variable(from) else {
                let (dollar, after) = from.split_at(1);
                push(&mut pieces, before);
                push(&mut pieces, dollar);
                rest = after;
                continue;
            };
            push(&mut pieces, before);
            pieces.push(Piece::Variable(name.to_owned()));
            rest = after;
        }
        push(&mut pieces, rest);
        Self(pieces)
    }

    /// The names of its variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The value, with what `known` says of each variable; nothing where it says nothing.
    pub(crate) fn fill(&self, known: impl Fn(&str) -> Option<String>) -> String {
        let filled = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Variable(name) => known(name).unwrap_or_default(),
        });
        filled.collect()
    }
}

fn push(pieces: &mut Vec<Piece>, text: &str) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        Some(Piece::Variable(_)) | None => pieces.push(Piece::Text(text.to_owned())),
    }
}

/// The name of the variable that a text starts with, and what follows it.
fn variable(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let (name, rest) = braced.split_once('}')?;
        return (name_length(name) == name.len() && !name.is_empty()).then_some((name, rest));
    }
    let length = name_length(after);
    (length > 0).then(|| after.split_at(length))
}

fn name_length(text: &str) -> usize {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if starts {
        text.find(|c| !part(c)).unwrap_or(text.len())
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_and_the_rest_stays() {
        let known = |name: &str| (name == "TOKEN").then(|| "t-1 $HOME".to_owned());
        for (value, filled) in [
            ("Bearer $TOKEN", "Bearer t-1 $HOME"),
            ("${TOKEN}x", "t-1 $HOMEx"),
            ("$TOKENx", ""),
            ("a $OTHER b ${OTHER} c", "a  b  c"),
            ("$", "$"),
            ("5$ and $1", "5$ and $1"),
            ("${", "${"),
            ("${TOKEN", "${TOKEN"),
            ("${}", "${}"),
            ("${A-b}", "${A-b}"),
            ("$$TOKEN", "$t-1 $HOME"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(Template::read(value).fill(known), filled, "{value}");
        }
    }

    #[test]
    fn the_names_of_variables_are_known() {
        let template = Template::read("$A ${B_1}$C");
        assert_eq!(template.variables().collect::<Vec<_>>(), ["A", "B_1", "C"]);
    }
}
