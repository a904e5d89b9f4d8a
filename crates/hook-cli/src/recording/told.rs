//! What came of a firing, without what is volatile: as it is written down and compared. Pure.

use hook_runner::{Explained, Fired, Mode};
use hook_types::Attempt;
use serde_json::{Value, json};

use super::format::Told;
use super::names::Names;

/// What came of a firing. `input` is the recorded one; `explained` says what the hooks are.
pub(crate) fn told(fired: &Fired, explained: &[Explained], input: &Value, names: &Names) -> Told {
    let hooks = fired.attempts.iter();
    Told {
        outcome: names.answer(&json!(fired.outcome), input),
        hooks: hooks
            .map(|attempt| hook(attempt, explained, input, names))
            .collect(),
    }
}

/// What became of one hook: as `fire --json` has it, with what it runs, and without how long it took.
pub(crate) fn hook(
    attempt: &Attempt,
    explained: &[Explained],
    input: &Value,
    names: &Names,
) -> Value {
    let mut value = json!(attempt);
    if let Some(fields) = value.as_object_mut() {
        fields.shift_remove("duration_ms");
    }
    let mut about = explained.iter();
    if let Some(about) = about.find(|about| about.hook.id == attempt.hook.id) {
        value["runs"] = Value::from(about.runs.as_str());
        // Only there does the order of hooks matter.
        if about.mode == Mode::Sequential {
            value["in_order"] = Value::from(true);
        }
    }
    names.answer(&value, input)
}
