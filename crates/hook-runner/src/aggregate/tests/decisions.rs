//! Who decides, and why.

use hook_types::Decision::{Allow, Ask, Defer, Deny, Pass};
use hook_types::EventName::{
    ConfigChange, MessageDisplay, PermissionCheck, PermissionRequest, PostToolUse, PreCompact,
    PreModelSwitch, PreToolUse, SessionStart, UserPromptSubmit,
};
use hook_types::{ConfigSource, Status};

use super::firing::{
    allow, ask, decider, defer, deny, ended, no_opinion, oddities, of, on, rows, says,
};

const EXIT_2: Status = Status::Blocked { exit_code: 2 };

rows! {
    a_deny_beats_every_other_decision:
        on(PreToolUse).at_once([allow(""), defer(""), deny(""), ask("")]), |o| o.decision => Deny;
    a_defer_beats_an_ask:
        on(PreToolUse).at_once([ask(""), defer(""), allow("")]), |o| o.decision => Defer;
    an_ask_beats_an_allow:
        on(PreToolUse).at_once([ask(""), allow(""), no_opinion()]), |o| o.decision => Ask;
    an_allow_beats_no_opinion:
        on(PreToolUse).at_once([allow(""), no_opinion()]), |o| o.decision => Allow;
    no_opinion_is_no_decision:
        on(PreToolUse).at_once([no_opinion(), no_opinion()]), |o| (o.decision, decider(o)) => (Pass, None);
    no_hook_is_no_decision:
        on(PreToolUse), |o| (o.decision, decider(o)) => (Pass, None);
    a_later_allow_does_not_take_a_deny_back:
        on(PreModelSwitch).in_turn([deny("no"), allow("yes")]), |o| o.decision => Deny;
    a_deny_of_one_group_counts_for_all:
        on(PreToolUse).at_once([deny("no")]).at_once([allow("yes")]), |o| o.decision => Deny;

    only_the_hooks_that_won_give_reasons:
        on(PreToolUse).at_once([allow("fine"), deny("no"), ask("well"), deny("never")]),
        |o| o.reason.as_deref() => Some("no\nnever");
    reasons_stand_in_order_across_groups:
        on(PreToolUse).in_turn([deny("1"), deny("2")]).at_once([deny("3")]),
        |o| o.reason.as_deref() => Some("1\n2\n3");
    the_first_hook_that_won_is_named:
        on(PreToolUse).at_once([allow(""), deny(""), deny("")]), |o| decider(o) => Some(("b", "answer"));
    a_blank_reason_is_no_reason:
        on(PreToolUse).at_once([deny(" \n"), deny("no"), deny("")]), |o| o.reason.as_deref() => Some("no");
    a_deny_needs_no_reason:
        on(PreToolUse).at_once([says(|output| output.decision = Deny)]),
        |o| (o.decision, o.reason.as_deref()) => (Deny, None);
    a_reason_without_a_decision_is_not_shown:
        on(PreToolUse).at_once([says(|output| output.reason = Some("so".into()))]),
        |o| (o.decision, o.reason.as_deref()) => (Pass, None);

    a_defer_stays_one_where_nobody_can_be_asked:
        on(PreToolUse).at_once([defer("")]), |o| (o.decision, oddities(o)) => (Defer, vec![]);
    a_defer_becomes_an_ask_where_somebody_can_be_asked:
        on(PreToolUse).at_once([allow(""), defer("")]).interactive(),
        |o| (o.decision, decider(o), oddities(o))
            => (Ask, Some(("b", "answer")), vec![("b", "defer_impossible")]);
    a_defer_that_became_an_ask_gives_its_reason_among_the_others:
        on(PreToolUse).at_once([ask("1"), defer("2"), ask("3")]).interactive(),
        |o| o.reason.as_deref() => Some("1\n2\n3");
    a_defer_becomes_an_ask_where_the_event_cannot_be_deferred:
        on(PreModelSwitch).at_once([defer("")]),
        |o| (o.decision, oddities(o)) => (Ask, vec![("a", "defer_impossible")]);

    an_exit_code_blocks_whatever_was_printed:
        on(PreToolUse).at_once([ended(EXIT_2).saying(|output| output.decision = Allow)]),
        |o| (o.decision, decider(o)) => (Deny, Some(("a", "exit_code")));
    an_exit_code_blocks_without_a_word:
        on(PreToolUse).at_once([ended(EXIT_2), allow("")]), |o| o.decision => Deny;
    an_exit_code_does_not_hide_what_else_was_said:
        on(PreToolUse).at_once([ended(EXIT_2).saying(|output| output.system_message = Some("hm".into()))]),
        |o| o.system_messages.len() => 1;
    an_exit_code_blocks_nothing_where_the_event_does_not_say_so:
        on(SessionStart).at_once([ended(EXIT_2)]), |o| (o.decision, decider(o)) => (Pass, None);

    an_answer_beside_an_exit_code_without_force_is_an_answer:
        on(PermissionRequest).at_once([ended(EXIT_2).saying(|output| output.decision = Deny)]),
        |o| (o.decision, decider(o)) => (Deny, Some(("a", "answer")));

    a_block_of_what_is_done_is_feedback:
        on(PostToolUse).at_once([deny("look again")]),
        |o| (o.decision, o.is_denied(), o.decision_word()) => (Deny, false, Some("block"));
    a_block_that_the_event_ignores_prevents_nothing:
        on(MessageDisplay).at_once([deny("no")]), |o| o.is_denied() => false;
    a_block_of_what_nothing_can_block_is_reported:
        of(hook_types::ConfigChange::new(ConfigSource::PolicySettings)).at_once([deny("no")]),
        |o| (o.decision, decider(o), oddities(o)) => (Pass, None, vec![("a", "not_honoured")]);
    a_block_of_another_source_is_a_block:
        on(ConfigChange).at_once([deny("no")]), |o| (o.is_denied(), oddities(o)) => (true, vec![]);

    an_allow_that_would_skip_the_rules_is_reported_and_ignored:
        on(PermissionCheck).at_once([allow("")]),
        |o| (o.decision, oddities(o)) => (Pass, vec![("a", "not_honoured")]);
    an_ask_that_the_event_does_not_have_is_reported_and_ignored:
        on(PreCompact).at_once([ask("")]),
        |o| (o.decision, oddities(o)) => (Pass, vec![("a", "not_honoured")]);
    a_defer_that_cannot_even_be_asked_is_reported_and_ignored:
        on(UserPromptSubmit).at_once([defer("")]),
        |o| (o.decision, oddities(o)) => (Pass, vec![("a", "not_honoured")]);
    a_deny_beats_an_allow_of_a_permission_request:
        on(PermissionRequest).at_once([allow(""), deny("no"), allow("")]),
        |o| (o.decision, o.decision_word()) => (Deny, Some("deny"));
}
