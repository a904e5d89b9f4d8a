//! `continue: false`.

use hook_types::EventName::{PreToolUse, SessionEnd, Stop};
use hook_types::outcome::Block;

use super::firing::{Given, allow, deny, no_opinion, oddities, on, rows, said, says};

fn stops(words: Option<&str>) -> Given {
    let words = words.map(str::to_owned);
    says(|output| {
        output.proceed = Some(false);
        output.stop_reason = words;
    })
}

/// Who gave the order, what is shown, and what is kept of whom.
type Stopped<'a> = (&'a str, Option<&'a str>, Vec<(&'a str, &'a str)>);

fn order(outcome: &hook_types::Outcome) -> Option<Stopped<'_>> {
    let stop = outcome.stop.as_ref()?;
    Some((
        stop.hook.as_str(),
        stop.reason.as_deref(),
        said(&stop.others),
    ))
}

rows! {
    one_order_to_stop_is_enough:
        on(PreToolUse).at_once([allow(""), stops(None), no_opinion()]), |o| order(o) => Some(("b", None, vec![]));
    an_order_to_stop_beats_every_decision:
        on(PreToolUse).at_once([deny("no"), stops(Some("enough"))]),
        |o| o.clone().into_result().unwrap_err().how => Block::Stopped;
    an_order_to_stop_leaves_the_decision_as_it_is:
        on(PreToolUse).at_once([deny("no"), stops(Some("enough"))]),
        |o| o.reason.as_deref() => Some("no");
    an_order_to_stop_beats_a_wish_to_keep_going:
        on(Stop).at_once([deny("go on"), stops(None)]), |o| o.keeps_going() => false;
    the_first_words_are_shown_and_the_others_kept:
        on(PreToolUse).at_once([stops(Some("1")), stops(Some("2"))]).in_turn([stops(Some("3"))]),
        |o| order(o) => Some(("a", Some("1"), vec![("b", "2"), ("c", "3")]));
    the_first_words_are_shown_even_if_the_first_hook_has_none:
        on(PreToolUse).at_once([stops(None), stops(Some(" ")), stops(Some("3")), stops(Some("4"))]),
        |o| order(o) => Some(("a", Some("3"), vec![("d", "4")]));
    words_without_an_order_stop_nothing:
        on(PreToolUse).at_once([says(|output| output.stop_reason = Some("so".into()))]), |o| order(o) => None;
    an_order_that_the_event_does_not_have_is_reported_and_ignored:
        on(SessionEnd).at_once([stops(Some("no"))]),
        |o| (order(o), oddities(o)) => (None, vec![("a", "not_honoured")]);
}
