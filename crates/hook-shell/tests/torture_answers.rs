//! What hooks print, as real processes: a deny that can be read is a deny, and nothing else is one.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use hook_runner::{Group, Hook};
use hook_types::{Code, Decision, EventName, PreModelRequest, PreToolUse, UserPromptSubmit};
use serde_json::json;
use support::{alone, bash, codes, fire_and_close, only, reason, said};

mod support;

const NO_OPINION: (&str, Decision) = ("no_opinion", Decision::Pass);

// Answers.

/// A deny that can be read is a deny, whatever stands in and around it: what is printed, and the
/// oddity that is reported.
macro_rules! denies {
    ($($name:ident: $script:expr => [$($code:ident)*];)*) => {
        $(
            #[test]
            fn $name() {
                alone(async |fixture| {
                    let fired = fixture.script($script).await;
                    assert_eq!(fired.outcome.decision, Decision::Deny, "{fired:?}");
                    let expected: &[Code] = &[$(Code::$code),*];
                    assert_eq!(codes(&fired), expected);
                });
            }
        )*
    };
}

denies! {
    a_deny_with_a_field_that_nobody_knows_counts:
        r#"echo '{"decision":"block","reason":"no","colour":"red"}'"# => [UnknownKey];
    a_deny_without_a_reason_counts: r#"echo '{"decision":"block"}'"# => [];
    a_deny_that_suppresses_its_output_counts:
        r#"echo '{"decision":"block","reason":"no","suppressOutput":true}'"# => [];
    a_deny_after_a_banner_counts:
        r#"echo 'Welcome to the lint!'; echo '{"decision":"block"}'"# => [Noise];
    a_deny_behind_a_byte_order_mark_counts:
        r#"printf '\357\273\277{"decision":"block"}'"# => [];
    a_deny_before_more_text_counts:
        r#"echo '{"decision":"block"}'; echo 'that is all'"# => [Noise];
    a_deny_in_colour_counts:
        r#"printf 'start\n\033[31m{"decision":"block"}\033[0m\n'"# => [Noise];
    exit_2_with_nothing_on_stderr_blocks: "exit 2" => [];
    exit_2_beats_an_allow_on_stdout: r#"echo '{"decision":"allow"}'; exit 2"# => [WrongValue];
    a_deny_between_nul_bytes_counts:
        r#"printf '\000\000\n{"decision":"block"}\n\000'"# => [Noise];
    a_deny_between_bytes_that_are_no_text_counts:
        r#"printf '\377\376\n{"decision":"block","reason":"\377"}\n\300\200'"# => [Noise];
    a_deny_of_a_script_with_windows_line_ends_counts:
        r#"printf 'hello\r\n{"decision":"block"}\r\n'"# => [Noise];
    a_deny_under_a_hundred_thousand_brackets_counts:
        r#"b() { head -c 100000 /dev/zero | tr '\0' "$1"; }; printf '{"a":'; b '['; b ']'; printf ',"decision":"block"}'"# => [BrokenJson];
}

#[test]
fn a_deny_at_the_end_of_megabytes_of_noise_counts() {
    alone(async |fixture| {
        let noise = "yes 'all is well' | head -c 3000000; echo";
        let deny = r#"echo '{"decision":"block","reason":"last"}'"#;
        let fired = fixture.script(&format!("{noise}; {deny}")).await;
        assert_eq!(said(&fired), ("answered", Decision::Deny));
        assert_eq!(reason(&fired), "last");
        let evidence = &only(&fired).reply.evidence;
        assert_eq!((evidence.stdout.len(), evidence.truncated), (1 << 20, true));
        // A piece of a line is no line: what is quoted in the middle of one denies nothing.
        let quoted = r#"head -c 3000000 /dev/zero | tr '\0' x; printf 'x{"decision":"block"}\n'"#;
        let fired = fixture.script(quoted).await;
        assert_eq!(fired.outcome.decision, Decision::Pass);
        // Beyond the limit by little, nothing is lost.
        let little = format!("yes 'all is well' | head -c 1060000; echo; {deny}; echo bye");
        let fired = fixture.script(&little).await;
        assert_eq!(said(&fired), ("answered", Decision::Deny));
        assert!(
            only(&fired).reply.evidence.truncated,
            "and some is not shown"
        );
    });
}

#[test]
fn deny_then_allow_on_a_model_event_is_a_deny_in_any_order() {
    alone(async |fixture| {
        let deny = r#"echo '{"decision":"block","reason":"over budget"}'"#;
        let allow = r#"echo '{"decision":"approve","reason":"fine"}'"#;
        for group in [Group::parallel, Group::sequential] {
            for scripts in [[deny, allow], [allow, deny]] {
                let hooks = scripts.iter().fold(group(), |group, script| {
                    group.handler::<PreModelRequest>("", fixture.hook(script))
                });
                let runner = fixture.runner_of(hooks);
                let request = PreModelRequest::new("m", json!({"messages": []}));
                let fired = fire_and_close(&runner, request).await;
                assert_eq!(fired.outcome.decision, Decision::Deny);
                assert_eq!(reason(&fired), "over budget");
            }
        }
    });
}

#[test]
fn a_hook_that_allowed_has_no_part_in_the_reason_of_a_deny() {
    alone(async |fixture| {
        let say = |decision: &str, reason: &str| {
            fixture.hook(&format!(
                r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"{reason}"}}}}'"#
            ))
        };
        let group = Group::parallel()
            .handler::<PreToolUse>("", say("allow", "harmless"))
            .handler::<PreToolUse>("", say("deny", "first"))
            .handler::<PreToolUse>("", say("ask", "who knows"))
            .handler::<PreToolUse>("", say("deny", "second"));
        let fired = fire_and_close(&fixture.runner_of(group), bash("ls")).await;
        assert_eq!(fired.outcome.decision, Decision::Deny);
        assert_eq!(reason(&fired), "first\nsecond");
    });
}

/// Prints another input.
fn rewrite(command: &str) -> String {
    format!(
        r#"echo '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","updatedInput":{{"command":"{command}"}}}}}}'"#
    )
}

#[test]
fn of_two_rewrites_the_last_in_order_wins_whoever_finishes_last() {
    alone(async |fixture| {
        let slow = format!("sleep 0.5; {}", rewrite("slow"));
        let group = Group::parallel()
            .hook(Hook::new(EventName::PreToolUse, fixture.hook(&slow)).id("slow"))
            .hook(Hook::new(EventName::PreToolUse, fixture.hook(&rewrite("quick"))).id("quick"))
            .hook(Hook::new(EventName::PreToolUse, fixture.hook("sleep 0.6")).id("silent"));
        let fired = fire_and_close(&fixture.runner_of(group), bash("ls")).await;
        assert_eq!(
            fired.outcome.updated_input,
            Some(json!({"command": "quick"}))
        );
        assert_eq!(codes(&fired), [Code::Conflict]);
        let loser = fired.outcome.diagnostics[0].hook.as_ref().unwrap();
        assert_eq!(loser.as_str(), "slow");
    });
}

#[test]
fn in_a_chain_every_edit_is_kept() {
    alone(async |fixture| {
        // Puts a word before the command that it reads.
        let edit = |word: &str| {
            let script = format!(
                r#"IFS= read -r line; command=$(printf '%s' "$line" | sed 's/.*"command":"\([^"]*\)".*/\1/'); printf '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","updatedInput":{{"command":"{word} %s"}}}}}}' "$command""#
            );
            fixture.hook(&script)
        };
        let group = Group::sequential()
            .handler::<PreToolUse>("", edit("nice"))
            .handler::<PreToolUse>("", fixture.hook("true"))
            .handler::<PreToolUse>("", edit("time"));
        let fired = fire_and_close(&fixture.runner_of(group), bash("make")).await;
        assert_eq!(
            fired.outcome.updated_input,
            Some(json!({"command": "time nice make"}))
        );
    });
}

#[test]
fn a_log_line_that_starts_with_a_bracket_is_text() {
    alone(async |fixture| {
        let fired = fixture.script("echo '[10:54] hello'").await;
        assert_eq!(said(&fired), NO_OPINION);
        let fired = fixture
            .fire(
                UserPromptSubmit::new("hi"),
                fixture.hook("echo '[10:54] hello'"),
            )
            .await;
        assert_eq!(fired.outcome.additional_context[0].text, "[10:54] hello");
    });
}

#[test]
fn two_documents_are_no_answer_and_a_deny_among_them_counts() {
    alone(async |fixture| {
        let fired = fixture
            .script(r#"echo '{"systemMessage":"a"}'; echo '{"systemMessage":"b"}'"#)
            .await;
        assert_eq!(said(&fired), ("bad_output", Decision::Pass));
        assert!(codes(&fired).contains(&Code::SeveralDocuments), "{fired:?}");
        let fired = fixture
            .script(r#"echo '{"systemMessage":"a"}'; echo '{"decision":"block"}'"#)
            .await;
        assert_eq!(fired.outcome.decision, Decision::Deny);
    });
}

#[test]
fn strings_arrays_numbers_and_null_are_text() {
    alone(async |fixture| {
        for printed in [
            r#""{\"decision\":\"block\"}""#,
            r#"[{"decision":"block"}]"#,
            "42",
            "null",
            "true",
        ] {
            let fired = fixture.script(&format!("printf '%s\\n' '{printed}'")).await;
            assert_eq!(said(&fired), NO_OPINION, "{printed}");
        }
    });
}

#[test]
fn fields_of_the_wrong_type_are_no_answer_and_say_so() {
    alone(async |fixture| {
        for printed in [
            r#"{"continue":"no"}"#,
            r#"{"systemMessage":42}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"ls"}}"#,
        ] {
            let fired = fixture.script(&format!("echo '{printed}'")).await;
            assert_eq!(said(&fired), ("bad_output", Decision::Pass), "{printed}");
            assert!(codes(&fired).contains(&Code::WrongType), "{fired:?}");
        }
    });
}

#[test]
fn megabytes_of_stderr_do_not_reach_the_model() {
    alone(async |fixture| {
        let fired = fixture
            .script("head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 2")
            .await;
        assert_eq!(said(&fired), ("blocked", Decision::Deny));
        assert!(reason(&fired).len() < 11_000);
        let evidence = &only(&fired).reply.evidence;
        assert_eq!((evidence.stderr.len(), evidence.truncated), (1 << 20, true));
    });
}
