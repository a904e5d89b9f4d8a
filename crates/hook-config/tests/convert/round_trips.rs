//! There and back.

use hook_config::{Became, Format, convert};
use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{self, Within};
use crate::meaning::{converted, document, meaning};

const CLAUDE: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PermissionRequest",
    "Notification",
];
const OPTA: &[&str] = &[
    "tool.pre",
    "tool.post",
    "session.start",
    "session.end",
    "prompt.pre",
    "stop",
    "compact",
    "error",
];
const OPENCODE: &[&str] = &[
    "tool:pre_execute",
    "tool:post_execute",
    "tool:error",
    "tool:*",
    "session:*",
    "session:start,session:end",
    "*",
    "llm:pre_request",
    "permission:check",
    "user:prompt_submit",
];

/// Everything that a dialect has.
const fn all(events: &'static [&'static str]) -> Within {
    Within {
        events,
        single: false,
        longest: 60,
        rare: true,
        background: true,
        status: true,
    }
}

/// What most dialects have.
const fn shared(events: &'static [&'static str]) -> Within {
    Within {
        longest: 50,
        rare: false,
        background: false,
        status: false,
        ..all(events)
    }
}

/// Converts there and back, and compares.
fn there_and_back(file: &Value, from: Format, via: Format) -> Result<(), TestCaseError> {
    let there = convert(&document(file), from, via);
    let refused: Vec<String> = there
        .remarks
        .iter()
        .filter(|remark| remark.became == Became::Refused)
        .map(|remark| remark.why.clone())
        .collect();
    prop_assert!(refused.is_empty(), "{file:#}\n{refused:?}");
    let back = converted(&there.value, via, from);
    prop_assert_eq!(
        meaning(file, from),
        meaning(&back, from),
        "{:#}\nas {:#}\nback {:#}",
        file,
        there.value,
        back
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    // ===== through our own files: everything =====

    #[test]
    fn claude_settings_survive_in_our_own_files(file in generate::claude(all(CLAUDE))) {
        there_and_back(&file, Format::Claude, Format::Hookline)?;
    }

    #[test]
    fn opta_files_survive_in_our_own_files(file in generate::opta(all(OPTA))) {
        there_and_back(&file, Format::Opta, Format::Hookline)?;
    }

    #[test]
    fn opencode_files_survive_in_our_own_files(file in generate::opencode(all(OPENCODE))) {
        there_and_back(&file, Format::OpenCode, Format::Hookline)?;
    }

    #[test]
    fn our_own_files_survive_being_written_anew(file in generate::hookline(all(CLAUDE))) {
        let again = converted(&file, Format::Hookline, Format::Hookline);
        prop_assert_eq!(meaning(&file, Format::Hookline), meaning(&again, Format::Hookline));
    }

    // ===== through each other: what both can express =====

    #[test]
    fn opta_hooks_survive_in_claude_settings(
        file in generate::opta(Within { background: true, status: true, ..shared(&OPTA[..7]) }),
    ) {
        there_and_back(&file, Format::Opta, Format::Claude)?;
    }

    #[test]
    fn opencode_hooks_survive_in_claude_settings(
        file in generate::opencode(Within {
            single: true,
            ..shared(&["tool:pre_execute", "tool:post_execute", "tool:error", "session:start", "user:prompt_submit"])
        }),
    ) {
        there_and_back(&file, Format::OpenCode, Format::Claude)?;
    }

    #[test]
    fn claude_hooks_survive_in_opta_files(
        file in generate::claude(shared(&CLAUDE[..7])).prop_filter("times", has_times),
    ) {
        there_and_back(&file, Format::Claude, Format::Opta)?;
    }

    #[test]
    fn claude_hooks_survive_in_opencode_files(
        file in generate::claude(Within { background: true, ..shared(&CLAUDE[..6]) }),
    ) {
        there_and_back(&file, Format::Claude, Format::OpenCode)?;
    }

    #[test]
    fn opta_hooks_survive_in_opencode_files(
        file in generate::opta(Within { background: true, ..shared(&OPTA[..5]) }),
    ) {
        there_and_back(&file, Format::Opta, Format::OpenCode)?;
    }

    #[test]
    fn opencode_hooks_survive_in_opta_files(
        file in generate::opencode(Within {
            single: true,
            ..shared(&["tool:pre_execute", "tool:post_execute", "tool:error", "session:start", "user:prompt_submit"])
        }),
    ) {
        there_and_back(&file, Format::OpenCode, Format::Opta)?;
    }

    // ===== whatever it is =====

    #[test]
    fn what_is_converted_can_be_read(file in generate::hookline(all(CLAUDE))) {
        for to in Format::ALL {
            let there = convert(&document(&file), Format::Hookline, to);
            meaning(&there.value, to); // asserts that nothing is broken
        }
    }
}

/// Opta gives less time than the usual of the contract: what has none is not within both.
fn has_times(file: &Value) -> bool {
    let lists = file["hooks"].as_object().unwrap().values();
    let lists = lists.flat_map(|lists| lists.as_array().unwrap());
    let mut hooks = lists.flat_map(|list| list["hooks"].as_array().unwrap());
    hooks.all(|hook| hook.get("timeout").is_some())
}
