//! One thing that `doctor` looked at, and how it stands.

use serde::Serialize;

use crate::voice::{self, FindingSaid, Found};

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    pub check: &'static str,
    pub ok: bool,
    pub detail: String,
    /// The command or the act that mends it.
    pub fix: Option<String>,
    /// Nothing showed it yet: neither in order nor wrong.
    pub open: bool,
}

impl Finding {
    /// What was found, in the words of its row: what has something to mend is not in order.
    pub(crate) fn of(key: Found, facts: &[(&str, &str)]) -> Self {
        let FindingSaid { check, found, mend, open } = voice::found(key, facts);
        Self { check, ok: mend.is_none(), detail: found, fix: mend, open }
    }

    /// The same in one sentence, as `init` says it, with what a person can do.
    pub(crate) fn told(self) -> String {
        format!("{}: {}", self.detail, self.fix.unwrap_or_default())
    }

    pub(crate) fn trouble(key: Found, error: &dyn std::fmt::Display) -> Self {
        Self::of(key, &[("error", &error.to_string())])
    }
}
