//! Every part of an answer that an event honours changes what the agent does. One test for each pair, and
//! one that finds a pair without a test. Each looks at what the next request to the model, the tool, the
//! user or the host saw; none at an outcome.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "../support/mod.rs"]
mod support;

mod around_host;
mod around_model;
mod around_permission;
mod around_session;
mod around_stop;
mod around_tools;
mod set_up;

use std::collections::BTreeSet;

use agent_loop::guide::Part;
use hook_types::EventName;

/// Declares tests: by event, by part of an answer.
macro_rules! honoured {
    ($( $event:ident as $module:ident { $( $name:ident: $part:expr => $test:expr; )* } )*) => {
        pub(crate) const PAIRS: &[(hook_types::EventName, agent_loop::guide::Part)] =
            &[$( $( (hook_types::EventName::$event, $part), )* )*];
        $(
            mod $module {
                use super::*;
                $(
                    #[tokio::test]
                    async fn $name() {
                        $test.await;
                    }
                )*
            }
        )*
    };
}
pub(crate) use honoured;

#[test]
fn every_pair_of_an_event_and_an_honoured_part_has_a_test() {
    let tested = [
        around_host::PAIRS,
        around_model::PAIRS,
        around_permission::PAIRS,
        around_session::PAIRS,
        around_stop::PAIRS,
        around_tools::PAIRS,
    ];
    let tested: Vec<(EventName, Part)> = tested.concat();
    let once: BTreeSet<(EventName, Part)> = tested.iter().copied().collect();
    assert_eq!(once.len(), tested.len(), "a pair is tested twice");

    let honoured = EventName::ALL.iter().flat_map(|event| {
        Part::honoured(*event)
            .into_iter()
            .map(|part| (*event, part))
    });
    let honoured: BTreeSet<(EventName, Part)> = honoured.collect();
    let untested: Vec<_> = honoured.difference(&once).collect();
    assert!(untested.is_empty(), "no test for {untested:?}");
    let surplus: Vec<_> = once.difference(&honoured).collect();
    assert!(surplus.is_empty(), "not honoured: {surplus:?}");
}
