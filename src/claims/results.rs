//! What a message tells as a result, and which of it nothing that ran can have shown.

use super::receipts::Runs;
use super::table::GateTable;

/// What is told as a result.
#[derive(Default)]
pub(super) struct Results {
    /// In sentences that speak of tests.
    pub of_tests: Vec<String>,
    pub others: Vec<String>,
}

impl Results {
    pub(crate) fn is_empty(&self) -> bool {
        self.of_tests.is_empty() && self.others.is_empty()
    }

    pub(crate) fn all(self) -> Vec<String> {
        self.of_tests.into_iter().chain(self.others).collect()
    }

    /// What nothing that ran can have shown, and what something may have. A number of tests is
    /// shown by nothing that did not print it, where all that ran was read.
    pub(crate) fn apart(self, runs: &Runs<'_>, table: &GateTable) -> (Vec<String>, Vec<String>) {
        let Self { of_tests, others } = self;
        let (mut not, mut perhaps) = (Vec::new(), Vec::new());
        let tests = runs.may_be_tests(table);
        let printed = |number: &str| runs.any_unread() || runs.figures().any(|one| one == number);
        for told in of_tests {
            let digits = |word: &&str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            let shown = told.split(|c: char| !c.is_alphanumeric()).filter(digits).all(printed);
            (if tests && shown { &mut perhaps } else { &mut not }).push(told);
        }
        (if runs.did(table) { &mut perhaps } else { &mut not }).extend(others);
        (not, perhaps)
    }
}
