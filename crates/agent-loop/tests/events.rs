//! The page about events says what the code does.

use std::path::PathBuf;

use agent_loop::guide;

const BEGIN: &str = "<!-- begin: made from the code; to renew it: UPDATE=1 cargo test -p agent-loop --test events -->\n";
const END: &str = "<!-- end -->";

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.md")
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test is at the edge, and this one renews what it checks"
)]
fn renewing() -> bool {
    std::env::var_os("UPDATE").is_some_and(|value| value == "1")
}

#[test]
fn the_table_of_events_is_current() {
    let text = std::fs::read_to_string(page()).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    if renewing() {
        let renewed = format!("{before}{BEGIN}{}{END}{after}", guide::markdown());
        std::fs::write(page(), renewed).unwrap();
        return;
    }
    assert!(
        table == guide::markdown(),
        "docs/events.md is stale: UPDATE=1 cargo test -p agent-loop --test events"
    );
}
