//! What keys ask for, which hooks are shown, and how each can be switched off.

use hook_config::{Options, Places, Report, TrustEverything, load};
use hook_shell::Host;
use std::sync::Arc;

use super::items::{State, Way, explain, items};
use super::state::{Menu, Page, Wish};
use crate::terminal::Key;
use crate::tui::press::Press;
use crate::tui::theme::Theme;

/// What a project with these files amounts to.
fn report(files: &[(&str, &str)]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut places = Places::none().project(folder.path());
    places.managed_hookline = vec![folder.path().join("etc")];
    let options = Options::new(Host::new()).trust(Arc::new(TrustEverything));
    load(&places, &options).report
}

fn menu(report: &Report) -> Menu {
    let mut menu = Menu::new("project".to_owned(), Theme { colour: false });
    menu.items = items(report);
    menu
}

fn press(menu: &mut Menu, key: Key) -> Wish {
    let action = menu.action(Press::Key(key));
    menu.act(action)
}

fn claude(command: &str) -> String {
    format!(
        r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
    )
}

#[test]
fn every_format_is_switched_off_in_its_own_way() {
    let report = report(&[
        ("etc/hooks.json", &claude("exit 0 # managed")),
        (".claude/settings.json", &claude("true")),
        (".hookline/hooks.json", &claude("exit 0")),
        (
            ".opta/config.json",
            r#"{"hooks": [{"event": "tool.pre", "command": "true"}]}"#,
        ),
        (
            ".opencode/hooks.json",
            r#"{"hooks": [{"event": "tool:pre_execute", "command": "true", "enabled": false}]}"#,
        ),
    ]);
    let ways: Vec<(Way, State)> = items(&report)
        .iter()
        .map(|item| (item.switch, item.state))
        .collect();
    assert_eq!(
        ways,
        [
            (Way::Managed, State::On),
            (Way::List, State::On),
            (Way::Enabled, State::On),
            (Way::Enabled, State::On),
            (Way::Enabled, State::Disabled),
        ]
    );
}

#[test]
fn only_y_is_a_yes() {
    let report = report(&[(".hookline/hooks.json", &claude("true"))]);
    let mut menu = menu(&report);
    let ask = Page::Confirm {
        title: "Switch it off".into(),
        text: "a change".into(),
    };
    for key in [
        Key::Enter,
        Key::Char(' '),
        Key::Char('d'),
        Key::Right,
        Key::Char('a'),
    ] {
        menu.show(ask.clone());
        assert_eq!(press(&mut menu, key.clone()), Wish::Nothing, "{key:?}");
        assert_eq!(menu.page, ask, "{key:?}");
    }
    assert_eq!(press(&mut menu, Key::Char('y')), Wish::Yes);
    for key in [Key::Char('n'), Key::Escape, Key::Char('q')] {
        menu.show(ask.clone());
        assert_eq!(press(&mut menu, key.clone()), Wish::No, "{key:?}");
        assert_eq!(menu.page, Page::List);
    }
    menu.show(ask);
    assert_eq!(press(&mut menu, Key::Ctrl('c')), Wish::Interrupt);
}

#[test]
fn keys_ask_for_the_hook_that_is_chosen_and_shown() {
    let report = report(&[
        (".claude/settings.json", &claude("one")),
        (".hookline/hooks.json", &claude("two")),
    ]);
    let mut menu = menu(&report);
    assert_eq!(press(&mut menu, Key::Char('d')), Wish::Switch(0));
    press(&mut menu, Key::Down);
    assert_eq!(press(&mut menu, Key::Char('t')), Wish::Trust(1));
    press(&mut menu, Key::Down);
    assert_eq!(
        press(&mut menu, Key::Enter),
        Wish::Details(1),
        "there is no row below the last"
    );
}

#[test]
fn what_is_typed_is_text_and_chooses_hooks_or_an_event() {
    let report = report(&[
        (".claude/settings.json", &claude("one")),
        (".hookline/hooks.json", &claude("two")),
    ]);
    let mut menu = menu(&report);
    press(&mut menu, Key::Char('/'));
    for letter in "hookline".chars() {
        assert_eq!(
            press(&mut menu, Key::Char(letter)),
            Wish::Nothing,
            "letters are text now"
        );
    }
    press(&mut menu, Key::Enter);
    assert_eq!(menu.shown(), [1]);
    assert_eq!(press(&mut menu, Key::Char('r')), Wish::Try(1));
    press(&mut menu, Key::Escape);
    assert_eq!(menu.shown().len(), 2);
    press(&mut menu, Key::Char('e'));
    for letter in "Stop".chars() {
        press(&mut menu, Key::Char(letter));
    }
    assert_eq!(press(&mut menu, Key::Enter), Wish::Explain("Stop".into()));
}

#[test]
fn a_hook_of_another_event_says_so() {
    let report = report(&[(".hookline/hooks.json", &claude("true"))]);
    let mut found = items(&report);
    explain(
        &mut found,
        hook_types::EventName::Stop,
        &serde_json::json!({"hooks": []}),
    );
    assert_eq!(found[0].why, Some((false, "it is for PreToolUse".into())));
    let plan = serde_json::json!({"hooks": [{"id": found[0].row.id, "would_run": true, "why": "it fits"}]});
    explain(&mut found, hook_types::EventName::PreToolUse, &plan);
    assert_eq!(found[0].why, Some((true, "it fits".into())));
}
