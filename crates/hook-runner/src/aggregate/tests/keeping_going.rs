//! Hooks that keep an agent going which wants to stop.

use hook_types::Decision::{Deny, Pass};
use hook_types::EventName::{PreToolUse, Stop, SubagentStop, TeammateIdle};
use hook_types::Status;

use super::firing::{Given, deny, ended, no_opinion, on, rows, said, says};

/// The Go Runner's form: `continue: true`.
fn goes_on() -> Given {
    says(|output| output.proceed = Some(true)).in_rust()
}

fn with_reason(hook: Given) -> Given {
    hook.saying(|output| output.reason = Some("two tests fail".into()))
}

fn with_message(hook: Given) -> Given {
    hook.saying(|output| output.system_message = Some("run the tests".into()))
}

fn with_context(hook: Given) -> Given {
    hook.saying(|output| output.additional_context = Some("they are in tests/".into()))
}

rows! {
    nobody_keeps_an_agent_going:
        on(Stop).at_once([no_opinion()]), |o| o.keeps_going() => false;
    a_block_keeps_the_agent_going:
        on(Stop).at_once([no_opinion(), deny("two tests fail")]),
        |o| (o.keeps_going(), o.reason.as_deref()) => (true, Some("two tests fail"));
    exit_code_2_keeps_the_agent_going:
        on(SubagentStop).at_once([ended(Status::Blocked { exit_code: 2 })]), |o| o.keeps_going() => true;
    context_keeps_the_agent_going:
        on(Stop).at_once([with_context(says(|_| ()))]), |o| (o.keeps_going(), o.decision) => (true, Pass);
    a_message_to_the_user_does_not:
        on(Stop).at_once([with_message(says(|_| ()))]), |o| o.keeps_going() => false;

    continue_true_with_a_reason_keeps_the_agent_going:
        on(Stop).at_once([with_reason(goes_on())]),
        |o| (o.decision, o.reason.as_deref(), o.keeps_going()) => (Deny, Some("two tests fail"), true);
    continue_true_with_a_message_keeps_the_agent_going:
        on(SubagentStop).at_once([with_message(goes_on())]), |o| o.keeps_going() => true;
    its_message_is_for_the_model_and_not_for_the_user:
        on(Stop).at_once([with_context(with_message(goes_on()))]),
        |o| (said(&o.additional_context), said(&o.system_messages))
            => (vec![("a", "they are in tests/"), ("a", "run the tests")], vec![]);
    continue_true_alone_means_nothing:
        on(Stop).at_once([goes_on()]), |o| o.keeps_going() => false;
    continue_true_with_a_blank_reason_means_nothing:
        on(Stop).at_once([goes_on().saying(|output| output.reason = Some(" ".into()))]), |o| o.keeps_going() => false;
    continue_true_of_a_command_means_nothing:
        on(Stop).at_once([with_reason(with_message(says(|output| output.proceed = Some(true))))]),
        |o| (o.keeps_going(), said(&o.system_messages)) => (false, vec![("a", "run the tests")]);
    continue_true_means_nothing_to_a_teammate:
        on(TeammateIdle).at_once([with_reason(goes_on())]), |o| o.keeps_going() => false;
    elsewhere_the_message_is_for_the_user:
        on(PreToolUse).at_once([with_message(goes_on())]),
        |o| said(&o.system_messages) => [("a", "run the tests")];
}
