//! `refs/seed/meta`: which binaries may read and write this repository's state.

use serde::{Deserialize, Serialize};

use super::FORMAT;

/// The file in the tree of `refs/seed/meta`.
pub(crate) const FILE: &str = "meta.toml";

/// Format and readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Meta {
    pub format: u32,
    /// The oldest format number whose readers understand this one.
    pub min_reader: u32,
    /// The oldest format number whose writers may add to it.
    pub min_writer: u32,
    /// Chains of an older format are on their way to this one.
    #[serde(default)]
    pub carrying: bool,
}

impl Meta {
    /// What this binary writes.
    pub(crate) fn current() -> Self {
        Self { format: FORMAT, min_reader: FORMAT, min_writer: FORMAT, carrying: false }
    }

    /// True when this binary may read what is there.
    pub(crate) fn is_readable(&self) -> bool {
        self.min_reader <= FORMAT
    }

    /// True when this binary may add to what is there.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_readable() && self.min_writer <= FORMAT
    }

    pub(crate) fn write(&self) -> String {
        let carrying = if self.carrying { "carrying = true\n" } else { "" };
        format!(
            "# Written by git seed. Which binaries may read and write refs/seed/**.\nformat = {}\n\
             min-reader = {}\nmin-writer = {}\n{carrying}",
            self.format, self.min_reader, self.min_writer
        )
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, toml::de::Error> {
        toml::from_slice(bytes)
    }
}
