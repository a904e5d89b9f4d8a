//! What is known of models: how much they hold, and what they cost.
//!
//! Prices change. The table says when it was read, and whoever knows better says so with
//! `with_price`, or with `HOOKLINE_PRICE`. A model that is not in it has no cost: no figure is better than
//! a wrong one.

use agent_loop::Price;

/// The day on which the prices were put together, in part at second hand: a guide, not a bill.
pub const PRICES_READ_ON: &str = "2026-11-16";

/// What is known of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Known {
    /// The name, without the date of a snapshot.
    pub name: &'static str,
    /// How many tokens fit into a request and its reply together.
    pub context_window: u64,
    /// What a million tokens cost, in US dollars.
    pub price: Price,
}

/// Every model that is known. Prices are those of a request at the standard rate; what is put into
/// the cache stays for five minutes. Models whose price depends on the size of a request are left out.
pub const CATALOGUE: &[Known] = &[
    claude("claude-fable-5-1", MILLION, [10.0, 50.0, 12.5, 0.25]),
    claude("claude-fable-5", MILLION, [10.0, 50.0, 12.5, 1.0]),
    claude("claude-opus-5-5", MILLION, [4.0, 20.0, 5.0, 0.2]),
    claude("claude-opus-5", MILLION, [5.0, 25.0, 6.25, 0.5]),
    claude("claude-opus-4-8", SMALL, [5.0, 25.0, 6.25, 0.5]),
    claude("claude-opus-4-7", SMALL, [5.0, 25.0, 6.25, 0.5]),
    claude("claude-opus-4-6", SMALL, [5.0, 25.0, 6.25, 0.5]),
    claude("claude-opus-4-5", SMALL, [5.0, 25.0, 6.25, 0.5]),
    claude("claude-opus-4-1", SMALL, [15.0, 75.0, 18.75, 1.5]),
    claude("claude-sonnet-5", MILLION, [2.0, 10.0, 2.5, 0.2]),
    claude("claude-sonnet-4-6", SMALL, [3.0, 15.0, 3.75, 0.3]),
    claude("claude-sonnet-4-5", SMALL, [3.0, 15.0, 3.75, 0.3]),
    claude("claude-haiku-4-5", SMALL, [1.0, 5.0, 1.25, 0.1]),
    gpt("gpt-5.2", 400_000, [1.75, 14.0, 0.175]),
    gpt("gpt-5.1", 400_000, [1.25, 10.0, 0.125]),
    gpt("gpt-5", 400_000, [1.25, 10.0, 0.125]),
    gpt("gpt-5-mini", 400_000, [0.25, 2.0, 0.025]),
    gpt("gpt-4.1", 1_047_576, [2.0, 8.0, 0.5]),
    gpt("gpt-4.1-mini", 1_047_576, [0.4, 1.6, 0.1]),
    gpt("gpt-4o", 128_000, [2.5, 10.0, 1.25]),
    gpt("gpt-4o-mini", 128_000, [0.15, 0.6, 0.075]),
];

const MILLION: u64 = 1_000_000;
const SMALL: u64 = 200_000;

/// Prices: read, written, into the cache, out of the cache.
const fn claude(name: &'static str, context_window: u64, price: [f64; 4]) -> Known {
    let [input, output, cache_write, cache_read] = price;
    Known {
        name,
        context_window,
        price: Price {
            input,
            output,
            cache_write,
            cache_read,
        },
    }
}

/// Prices: read, written, out of the cache. Putting something into it costs nothing more.
const fn gpt(name: &'static str, context_window: u64, price: [f64; 3]) -> Known {
    let [input, output, cache_read] = price;
    claude(name, context_window, [input, output, input, cache_read])
}

/// What is known of the model of that name, which may have the date of a snapshot behind it.
///
/// ```
/// use agent_models::known;
///
/// assert!(known("claude-haiku-4-5-20251001").is_some());
/// assert!(known("gpt-4o-2024-08-06").is_some());
/// assert!(known("llama3.2:3b").is_none());
/// ```
pub fn known(name: &str) -> Option<&'static Known> {
    CATALOGUE.iter().find(|known| {
        let rest = name.strip_prefix(known.name);
        rest.is_some_and(|rest| rest.is_empty() || is_snapshot(rest))
    })
}

/// Whether that is a date, as names of models have it: `-20251001`, `-2025-10-01`, or `-latest`.
fn is_snapshot(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix('-') else {
        return false;
    };
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let rest_is_dashes = rest.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    rest == "latest" || (digits == 8 && rest_is_dashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_its_name_and_by_its_snapshots_and_by_nothing_else() {
        for (name, found) in [
            ("claude-opus-5", Some("claude-opus-5")),
            ("claude-opus-5-5", Some("claude-opus-5-5")),
            ("claude-opus-4-5-20251101", Some("claude-opus-4-5")),
            ("claude-opus-4-5-latest", Some("claude-opus-4-5")),
            ("gpt-5-mini-2025-08-07", Some("gpt-5-mini")),
            ("gpt-5-nano", None),
            ("gpt-5-", None),
            ("claude-opus-5-512", None),
            ("claude-opus-50", None),
            ("", None),
        ] {
            assert_eq!(known(name).map(|known| known.name), found, "{name}");
        }
    }

    #[test]
    fn no_model_is_there_twice_and_no_price_is_odd() {
        for (place, known) in CATALOGUE.iter().enumerate() {
            let rest = &CATALOGUE[place + 1..];
            assert!(rest.iter().all(|other| other.name != known.name));
            let price = known.price;
            assert!(price.cache_read < price.input, "{}", known.name);
            assert!(price.input < price.output, "{}", known.name);
            assert!(price.input <= price.cache_write, "{}", known.name);
        }
    }
}
