//! What an asking took, as evidence: the model, its tokens, the question.

use agent_loop::{Model, Usage};
use hook_types::Evidence;

use crate::question::floor;

/// How much of a question is kept as evidence, in bytes.
const MOST_KEPT: usize = 4 * 1024;

/// What an asking took.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Account {
    /// The model, by the name that it has itself.
    pub(crate) model: String,
    /// How often it was asked.
    pub(crate) requests: u32,
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
    /// The question as it was sent.
    pub(crate) question: String,
    /// The transcript, where one is kept.
    pub(crate) transcript: Option<String>,
}

impl Account {
    pub(crate) fn of(model: &dyn Model, question: &str) -> Self {
        Self {
            model: model.name().to_owned(),
            question: kept(question),
            ..Self::default()
        }
    }

    /// Takes over what was used.
    pub(crate) fn used(&mut self, requests: u32, usage: Usage, model: &dyn Model) {
        self.requests = requests;
        self.usage = usage;
        self.cost = model.price().map(|price| price.of(&usage));
    }

    /// The account in words, and what was said.
    pub(crate) fn evidence(&self, said: &str, cut: bool) -> Evidence {
        let mut evidence = Evidence::default();
        said.clone_into(&mut evidence.stdout);
        evidence.truncated = cut;
        let mut facts = vec![
            ("model", self.model.clone()),
            ("requests", self.requests.to_string()),
            ("tokens", tokens(&self.usage)),
        ];
        facts.extend(self.cost.map(|cost| ("cost", format!("${cost:.6}"))));
        facts.extend(self.transcript.clone().map(|path| ("transcript", path)));
        facts.push(("question", self.question.clone()));
        let facts = facts.into_iter();
        evidence.facts = facts.map(|(name, fact)| (name.to_owned(), fact)).collect();
        evidence
    }
}

fn tokens(usage: &Usage) -> String {
    let read = usage.total() - usage.output_tokens;
    format!("{read} read, {} written", usage.output_tokens)
}

fn kept(question: &str) -> String {
    let end = floor(question, MOST_KEPT);
    if end == question.len() {
        return question.to_owned();
    }
    format!(
        "{}… [{} bytes more]",
        &question[..end],
        question.len() - end
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_question_is_kept_in_part_and_says_so() {
        let long = "ä".repeat(10_000);
        let kept = kept(&long);
        assert!(kept.len() < MOST_KEPT + 40);
        assert!(kept.ends_with("… [15904 bytes more]"), "{kept}");
        assert_eq!(super::kept("short"), "short");
    }
}
