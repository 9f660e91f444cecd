//! Shipped tables in the form that the build gave them: JSON, which reads fast.
//!
//! Every hook reads some of them at its start, where TOML would cost a third of its
//! time. Errors are worded as if the TOML had been read; a test reads every table both
//! ways.

use serde::de::{DeserializeOwned, Error as _};

/// The JSON of a shipped table.
macro_rules! shipped {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json"))
    };
}
pub(crate) use shipped;

/// Reads a shipped table.
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, toml::de::Error> {
    serde_json::from_str(json).map_err(|error| {
        // The place is one in the generated JSON, which nobody reads.
        let said = error.to_string();
        toml::de::Error::custom(said.split(" at line ").next().unwrap_or_default())
    })
}
