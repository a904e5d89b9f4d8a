//! Which hook of today is which hook of the recording: lines move, scripts stay. Pure.

use serde_json::Value;

/// The hooks of a firing, then and now.
#[derive(Debug, Default)]
pub(super) struct Pairs<'a> {
    /// The same hook, in the order of the recording.
    pub(super) both: Vec<(&'a Value, &'a Value)>,
    pub(super) gone: Vec<&'a Value>,
    pub(super) new: Vec<&'a Value>,
}

/// What makes two hooks the same one, from sure to likely.
const SAME: [fn(&Value, &Value) -> bool; 3] = [
    |then, now| id(then) == id(now) && same_runs(then, now),
    |then, now| then["source"]["file"] == now["source"]["file"] && same_runs(then, now),
    |then, now| id(then) == id(now),
];

fn same_runs(then: &Value, now: &Value) -> bool {
    then["runs"].is_string() && then["runs"] == now["runs"]
}

/// The id of a hook.
pub(super) fn id(hook: &Value) -> &str {
    hook["id"].as_str().unwrap_or_default()
}

/// Finds the pairs.
pub(super) fn pairs<'a>(then: &'a [Value], now: &'a [Value]) -> Pairs<'a> {
    let mut found: Vec<Option<usize>> = vec![None; then.len()];
    for same in SAME {
        for (place, old) in then.iter().enumerate() {
            if found[place].is_none() {
                let free = |index: &usize| !found.contains(&Some(*index));
                let mut left = (0..now.len()).filter(free);
                found[place] = left.find(|index| same(old, &now[*index]));
            }
        }
    }
    let mut pairs = Pairs::default();
    for (old, place) in then.iter().zip(&found) {
        match place {
            Some(place) => pairs.both.push((old, &now[*place])),
            None => pairs.gone.push(old),
        }
    }
    let fresh = now.iter().enumerate();
    let fresh = fresh.filter(|(index, _)| !found.contains(&Some(*index)));
    pairs.new = fresh.map(|(_, hook)| hook).collect();
    pairs
}

impl Pairs<'_> {
    /// A text of the recording with today's ids in it.
    pub(super) fn renamed(&self, text: &str) -> String {
        let moved = |(then, _): &&(&Value, &Value)| id(then) == text;
        match self.both.iter().find(moved) {
            Some((_, now)) => id(now).to_owned(),
            None => text.to_owned(),
        }
    }

    /// Whether hooks that run one after the other do so in another order.
    pub(super) fn is_reordered(&self, now: &[Value]) -> bool {
        let place = |hook: &Value| now.iter().position(|other| std::ptr::eq(other, hook));
        let in_order =
            |(then, now): &&(&Value, &Value)| then["in_order"] == true && now["in_order"] == true;
        let places = self.both.iter().filter(in_order);
        let places: Vec<_> = places.map(|(_, now)| place(now)).collect();
        !places.is_sorted()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hook(id: &str, runs: &str) -> Value {
        json!({"id": id, "runs": runs, "source": {"file": "<project>/hooks.json"}})
    }

    fn ids<'a>(hooks: &[&'a Value]) -> Vec<&'a str> {
        hooks.iter().map(|hook| id(hook)).collect()
    }

    #[test]
    fn a_hook_whose_line_has_moved_is_the_same() {
        let then = [hook("hooks.json:5", "a.sh"), hook("hooks.json:9", "b.sh")];
        let now = [
            hook("hooks.json:5", "new.sh"),
            hook("hooks.json:9", "a.sh"),
            hook("hooks.json:13", "b.sh"),
        ];
        let pairs = pairs(&then, &now);
        assert_eq!(pairs.renamed("hooks.json:5"), "hooks.json:9");
        assert_eq!(pairs.renamed("hooks.json:9"), "hooks.json:13");
        assert_eq!(pairs.renamed("else"), "else");
        assert_eq!(ids(&pairs.new), ["hooks.json:5"]);
        assert!(pairs.gone.is_empty());
    }

    #[test]
    fn a_hook_that_runs_something_else_in_the_same_place_is_the_same() {
        let then = [hook("hooks.json:5", "a.sh"), hook("hooks.json:9", "b.sh")];
        let now = [hook("hooks.json:5", "a.sh --fast")];
        let pairs = pairs(&then, &now);
        assert_eq!(pairs.both.len(), 1);
        assert_eq!(ids(&pairs.gone), ["hooks.json:9"]);
    }

    #[test]
    fn the_order_matters_only_where_one_hook_runs_after_the_other() {
        let mut then = [hook("a", "a"), hook("b", "b")];
        let mut now = [hook("b", "b"), hook("a", "a")];
        assert!(!pairs(&then, &now).is_reordered(&now));
        for hook in then.iter_mut().chain(&mut now) {
            hook["in_order"] = json!(true);
        }
        assert!(pairs(&then, &now).is_reordered(&now));
        assert!(!pairs(&then, &then).is_reordered(&then));
    }
}
