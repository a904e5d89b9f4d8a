//! `UserPromptSubmit` and `UserPromptExpansion`: does what the user said reach the model?

use super::{Halt, Heard};
use crate::said::{Manner, Said};

/// What becomes of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PromptStep {
    /// It goes to the model, with what hooks add.
    Submit {
        said: Vec<Said>,
        title: Option<String>,
    },
    /// It never reaches the model; the user is told why.
    Refuse { message: String },
    /// The agent stops.
    Halt(Halt),
}

pub(crate) fn prompt(heard: &Heard, prompt: &str) -> PromptStep {
    if let Some(halt) = heard.halt() {
        return PromptStep::Halt(halt);
    }
    let specific = &heard.outcome.specific;
    if heard.outcome.is_denied() {
        let hide = specific.suppress_original_prompt == Some(true);
        return PromptStep::Refuse {
            message: refusal(heard, prompt, hide),
        };
    }
    PromptStep::Submit {
        said: heard.context(Manner::Adds),
        title: specific.session_title.clone(),
    }
}

fn refusal(heard: &Heard, prompt: &str, hide: bool) -> String {
    let by = heard.outcome.decided_by.as_ref();
    let who = by.map_or_else(|| "A hook".to_owned(), |by| format!("Hook `{}`", by.hook));
    let message = format!("{who} refused the prompt: {}", heard.why());
    if hide {
        return message;
    }
    format!("{message}\n\nThe prompt was: {prompt}")
}

#[cfg(test)]
mod tests {
    use hook_runner::Fired;
    use hook_types::{Decision, EventName};

    use super::*;

    fn refused(hide: bool) -> String {
        let mut heard = Fired::nothing(EventName::UserPromptSubmit);
        heard.outcome.decision = Decision::Deny;
        heard.outcome.reason = Some("secrets".into());
        heard.outcome.specific.suppress_original_prompt = hide.then_some(true);
        match prompt(&Heard(heard), "my key is 7") {
            PromptStep::Refuse { message } => message,
            step @ (PromptStep::Submit { .. } | PromptStep::Halt(_)) => panic!("{step:?}"),
        }
    }

    #[test]
    fn a_refused_prompt_is_repeated_unless_the_hook_hides_it() {
        assert!(refused(false).contains("my key is 7"));
        assert_eq!(refused(true), "A hook refused the prompt: secrets");
    }
}
