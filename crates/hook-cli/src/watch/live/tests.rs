//! What is drawn, at 80 and 200 columns, and what keys do.
//!
//! `INSTA_UPDATE=always cargo test -p hook-cli --lib watch` writes the snapshots anew.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

use super::state::{Live, Page, Stream as End};
use super::view;
use crate::terminal::Key;
use crate::tui::press::Press;
use crate::tui::theme::Theme;
use crate::watch::line;
use crate::watch::tests::stream::{BEGINS, Stream, session};

/// Four seconds after the last message of the session.
const NOW: u64 = BEGINS + 68_000;

fn live(stream: &Stream, columns: u16) -> Live {
    let mut live = Live::new("session.jsonl".to_owned(), Theme { colour: true });
    live.size = Size::new(columns, 24);
    for line in stream.text().lines() {
        if let Some(line) = line::read(line.as_bytes()) {
            live.take(line, None);
        }
    }
    live.stream = End::Following;
    live
}

fn press(live: &mut Live, keys: &[Key]) {
    for key in keys {
        let action = live.action(Press::Key(key.clone()));
        live.act(action, NOW);
    }
}

fn typed(text: &str) -> Vec<Key> {
    text.chars().map(Key::Char).collect()
}

fn screen(live: &Live) -> String {
    let size = live.size;
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
    terminal
        .draw(|frame| {
            let area = frame.area();
            view::draw(live, NOW, area, frame.buffer_mut());
        })
        .unwrap();
    let buffer = terminal.backend().buffer();
    let rows = buffer.content.chunks(usize::from(size.width));
    let rows = rows.map(|row| {
        row.iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect::<String>()
    });
    let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n")
}

#[test]
fn the_list_at_80_columns() {
    insta::assert_snapshot!(screen(&live(&session(), 80)));
}

#[test]
fn the_list_at_200_columns() {
    insta::assert_snapshot!(screen(&live(&session(), 200)));
}

#[test]
fn one_firing_at_80_columns() {
    let mut live = live(&session(), 80);
    press(&mut live, &[Key::Home, Key::Down, Key::Enter]);
    insta::assert_snapshot!(screen(&live));
}

#[test]
fn one_hook_with_hostile_output_at_80_columns() {
    let mut live = live(&session(), 80);
    press(
        &mut live,
        &[Key::Home, Key::Down, Key::Enter, Key::Down, Key::Enter],
    );
    assert_eq!(live.page, Page::Hook { number: 2, hook: 1 });
    insta::assert_snapshot!(screen(&live));
}

#[test]
fn the_help_and_an_empty_list() {
    let mut nothing = live(&Stream::default(), 80);
    nothing.stream = End::Waiting;
    press(&mut nothing, &[Key::Char('?')]);
    let help = screen(&nothing);
    press(&mut nothing, &[Key::Escape]);
    insta::assert_snapshot!(format!("{help}\n{}", screen(&nothing)));
}

#[test]
fn a_filter_is_typed_seen_and_taken_away() {
    let mut live = live(&session(), 80);
    press(&mut live, &[Key::Char('/')]);
    press(&mut live, &typed("verdict:deny q"));
    assert!(
        screen(&live).contains("/verdict:deny q"),
        "keys are text now"
    );
    assert!(screen(&live).contains("no firing fits"));
    press(&mut live, &[Key::Backspace, Key::Backspace, Key::Enter]);
    assert_eq!(live.shown().0, &[2]);
    press(&mut live, &[Key::Escape]);
    assert_eq!(live.shown().0.len(), 5);
}

#[test]
fn who_stays_with_the_newest_sees_the_newest_and_who_goes_back_stays_there() {
    let mut stream = session();
    let mut live = live(&stream, 80);
    assert!(live.is_at_newest());
    press(&mut live, &[Key::Up]);
    let (_, chosen) = live.shown();
    assert_eq!(chosen, 3);
    stream = Stream::default();
    stream.firing("r9", "PreToolUse:Edit", None);
    for line in stream.text().lines() {
        live.take(line::read(line.as_bytes()).unwrap(), None);
    }
    assert_eq!(live.shown().1, 3, "it does not move under one's eyes");
    press(&mut live, &[Key::Char('G')]);
    assert_eq!((live.shown().1, live.is_at_newest()), (5, true));
}

#[test]
fn a_page_scrolls_to_its_end_and_no_further() {
    let mut live = live(&session(), 80);
    live.size = Size::new(80, 10);
    press(&mut live, &[Key::Home, Key::Down, Key::Enter]);
    for _ in 0..20 {
        let action = live.action(Press::PageDown);
        live.act(action, NOW);
    }
    let end = screen(&live);
    assert!(end.contains("  }"), "{end}");
    let top = live.top;
    press(&mut live, &[Key::End]);
    assert_eq!(live.top, top);
    press(&mut live, &[Key::Char('g')]);
    assert_eq!(live.top, 0);
}

#[test]
fn any_size_can_be_drawn() {
    for (columns, rows) in [(1, 1), (2, 3), (10, 4), (40, 6), (300, 80)] {
        let mut live = live(&session(), columns);
        live.size = Size::new(columns, rows);
        for keys in [
            &[][..],
            &[Key::Enter],
            &[Key::Enter],
            &[Key::Char('?')],
            &[Key::Char('/')],
        ] {
            press(&mut live, keys);
            screen(&live);
        }
    }
}
