//! Where a model is and how it is asked.

use std::collections::BTreeMap;
use std::str::FromStr;

use agent_loop::Price;
use http_client::Proxies;

use crate::key::Key;
use crate::patience::Patience;

/// Where a model is and how it is asked.
///
/// ```
/// use agent_models::Settings;
///
/// let environment = [("OPENAI_BASE_URL", "http://localhost:11434/v1"), ("HOOKLINE_CONTEXT_WINDOW", "8192")];
/// let settings = Settings::of_openai("llama3.2", environment)?;
/// assert_eq!(settings.base_url.as_deref(), Some("http://localhost:11434/v1"));
/// assert_eq!(settings.context_window, Some(8_192));
/// # Ok::<(), agent_models::BadSettings>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The model's name, as the service knows it.
    pub model: String,
    /// Where the service is; its vendor's own address where nothing is said.
    pub base_url: Option<String>,
    /// What opens the door. Servers at home need none.
    pub key: Option<Key>,
    /// How many tokens a reply may have. Anthropic must be told, and is told 32,000 where nothing is
    /// said here; other services are told nothing then.
    pub max_tokens: Option<u64>,
    /// How many tokens fit into a request and its reply together; as in the
    /// [catalogue](crate::CATALOGUE) where nothing is said.
    pub context_window: Option<u64>,
    /// What it costs; as in the [catalogue](crate::CATALOGUE) where nothing is said.
    pub price: Option<Price>,
    /// How long the service may take.
    pub patience: Patience,
    /// The proxies between.
    pub proxies: Proxies,
}

impl Settings {
    /// A model at its vendor's own address, without a key.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            ..Self::default()
        }
    }

    /// What the environment says: `ANTHROPIC_BASE_URL`; `ANTHROPIC_AUTH_TOKEN`, or else
    /// `ANTHROPIC_API_KEY`; and what all models have.
    pub fn of_anthropic<N, V>(
        model: impl Into<String>,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, BadSettings>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let said = Said::of(variables);
        let token = said.get("ANTHROPIC_AUTH_TOKEN").map(Key::bearer);
        let key = said.get("ANTHROPIC_API_KEY").map(Key::api);
        said.settings(model.into(), "ANTHROPIC_BASE_URL", token.or(key))
    }

    /// What the environment says: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, and what all models have.
    ///
    /// All models have `HOOKLINE_MAX_TOKENS`, `HOOKLINE_CONTEXT_WINDOW`, `HOOKLINE_PRICE` (what a million
    /// tokens cost: read, written, put into the cache, read out of it, with commas between; the last
    /// two may be left out), and the usual variables for proxies.
    pub fn of_openai<N, V>(
        model: impl Into<String>,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self, BadSettings>
    where
        N: AsRef<str>,
        V: AsRef<str>,
    {
        let said = Said::of(variables);
        let key = said.get("OPENAI_API_KEY").map(Key::api);
        said.settings(model.into(), "OPENAI_BASE_URL", key)
    }
}

/// Why no model can be made of settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadSettings {
    /// The service wants a key, and there is none.
    #[error("{service} wants a key: set {variable}")]
    NoKey {
        /// Where it is.
        service: String,
        /// The variable that should hold it.
        variable: &'static str,
    },
    /// The key cannot be sent.
    #[error(
        "the key in {variable} holds a line break or another control character; paste it again"
    )]
    BadKey {
        /// The variable that holds it.
        variable: &'static str,
    },
    /// The address is none.
    #[error("{variable} is not the address of a service: {why}; it should look like {example}")]
    BadUrl {
        /// The variable that holds it.
        variable: &'static str,
        /// What is wrong with it.
        why: String,
        /// What it should look like.
        example: &'static str,
    },
    /// A variable does not hold what it should.
    #[error("{variable} is `{value}`; it should look like {example}")]
    BadValue {
        /// The variable.
        variable: &'static str,
        /// What it holds.
        value: String,
        /// What it should look like.
        example: &'static str,
    },
    /// No connection can be made from here: a proxy is not what it should be.
    #[error("no client can be made: {0}")]
    NoClient(String),
}

/// Variables.
struct Said(BTreeMap<String, String>);

impl Said {
    fn of<N: AsRef<str>, V: AsRef<str>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let variables = variables.into_iter();
        let owned = variables.map(|(name, value)| (name.as_ref().into(), value.as_ref().into()));
        Self(owned.collect())
    }

    /// A variable that is set, and not empty.
    fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    fn read<T: FromStr>(
        &self,
        variable: &'static str,
        example: &'static str,
    ) -> Result<Option<T>, BadSettings> {
        let Some(value) = self.get(variable) else {
            return Ok(None);
        };
        let value = value.to_owned();
        value.parse().map(Some).map_err(|_| BadSettings::BadValue {
            variable,
            value,
            example,
        })
    }

    fn settings(
        &self,
        model: String,
        base_url: &str,
        key: Option<Key>,
    ) -> Result<Settings, BadSettings> {
        let price: Option<Four> = self.read("HOOKLINE_PRICE", "3,15 or 3,15,3.75,0.3")?;
        Ok(Settings {
            model,
            base_url: self.get(base_url).map(str::to_owned),
            key,
            max_tokens: self.read("HOOKLINE_MAX_TOKENS", "32000")?,
            context_window: self.read("HOOKLINE_CONTEXT_WINDOW", "200000")?,
            price: price.map(|Four(price)| price),
            patience: Patience::default(),
            proxies: Proxies::from_variables(&self.0),
        })
    }
}

/// A price, as it is written: two numbers or four.
struct Four(Price);

impl FromStr for Four {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let numbers: Result<Vec<f64>, _> =
            text.split(',').map(|part| part.trim().parse()).collect();
        let numbers = numbers.map_err(drop)?;
        if numbers
            .iter()
            .any(|number| !number.is_finite() || *number < 0.0)
        {
            return Err(());
        }
        let (input, output, cache_write, cache_read) = match numbers.as_slice() {
            [input, output] => (*input, *output, *input, *input),
            [input, output, write, read] => (*input, *output, *write, *read),
            _ => return Err(()),
        };
        Ok(Self(Price {
            input,
            output,
            cache_write,
            cache_read,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_two_numbers_or_four() {
        let read = |text: &'static str| {
            let settings = Settings::of_openai("m", [("HOOKLINE_PRICE", text)]);
            settings.map(|settings| settings.price)
        };
        let price = |input, output, cache_write, cache_read| Price {
            input,
            output,
            cache_write,
            cache_read,
        };
        assert_eq!(read("3, 15"), Ok(Some(price(3.0, 15.0, 3.0, 3.0))));
        assert_eq!(read("3,15,3.75,.3"), Ok(Some(price(3.0, 15.0, 3.75, 0.3))));
        assert_eq!(read(""), Ok(None));
        for wrong in ["3", "3,15,4", "free", "3,-15", "inf,1"] {
            let told = read(wrong).unwrap_err().to_string();
            assert!(
                told.contains("HOOKLINE_PRICE") && told.contains("3,15"),
                "{told}"
            );
        }
    }

    #[test]
    fn a_token_counts_before_a_key_and_what_is_empty_is_not_there() {
        let both = [
            ("ANTHROPIC_API_KEY", "key"),
            ("ANTHROPIC_AUTH_TOKEN", "token"),
        ];
        let key =
            |variables: [(&str, &str); 2]| Settings::of_anthropic("m", variables).unwrap().key;
        assert_eq!(key(both), Some(Key::bearer("token")));
        let empty = [
            ("ANTHROPIC_API_KEY", "key\n"),
            ("ANTHROPIC_AUTH_TOKEN", " "),
        ];
        assert_eq!(
            key(empty),
            Some(Key::api("key")),
            "a line break at its end is no part of it"
        );
    }
}
