//! The words for "no": [`Verdict`], [`Refusal`], [`Wants`].
//!
//! Rules are many, kinds of wanted work are few. A rule says *which* work would
//! make it say yes; `voice.toml` turns that word into sentences. So no rule holds
//! prose, and a person who asks `git seed why` sees the same refusal with its facts.

use std::collections::BTreeMap;

/// What a rule says about one event.
pub type Verdict = Result<(), Refusal>;

/// A rule said no.
///
/// An answer, not a failure: it does not implement [`std::error::Error`], so
/// `?` cannot turn one into the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the guard or gate that spoke, as written in the tables.
    pub by: &'static str,
    /// The work that would make it say yes.
    pub wants: Wants,
    /// What the sentence needs to name: paths, directories, section titles.
    pub facts: Facts,
}

impl Refusal {
    /// A refusal without facts.
    pub fn new(by: &'static str, wants: Wants) -> Self {
        Self { by, wants, facts: Facts::default() }
    }

    /// The same refusal, naming one more thing.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.facts.set(key, value);
        self
    }
}

/// The things a refusal names, by the placeholder that stands for them in `voice.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Facts(BTreeMap<String, String>);

impl Facts {
    /// Names `value` under `key`; the last one said wins.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// The value named `key`, if there is one.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Every key and value, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

/// The kinds of work a refusal can ask for. Closed: a new rule picks one of these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wants {
    /// Take the first step: begin a phase.
    Begin,
}
