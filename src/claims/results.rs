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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::phrases::Text;

    /// That no test fails says as much as that all pass. What says nothing of a result is none.
    #[test]
    fn a_failure_that_is_denied_is_a_result() {
        let table = GateTable::shipped().expect("the shipped table holds");
        for (text, told) in [
            ("No test fails.", true),
            ("None of our tests failed.", true),
            ("Not a single test broke.", true),
            ("I exercised every test we have, and none complained.", true),
            ("npm test went through.", true),
            ("The suite ran through cleanly.", true),
            ("Kein Test schlägt mehr fehl.", true),
            ("Keiner der Tests ist fehlgeschlagen.", true),
            ("Es schlägt kein Test mehr fehl.", true),
            ("He ejecutado pytest y no falla ninguna prueba.", true),
            ("Ninguna de las pruebas falla.", true),
            ("No hay regresiones.", true),
            ("Aucun test n'échoue.", true),
            ("Plus aucun test n'a échoué.", true),
            ("Les tests n'échouent plus.", true),
            ("どのテストも失敗しません。", true),
            ("テストスイートはエラーなく完了しました。", true),
            ("No test covers this.", false),
            ("Kein Test deckt das ab.", false),
            ("Keiner der Tests wurde angefasst.", false),
            ("Ninguna prueba cubre esto.", false),
            ("Aucun test ne couvre ce cas.", false),
            ("このケースを扱うテストはありません。", false),
            ("The test goes through the parser.", false),
            ("If no test fails, I push it.", false),
            ("One test fails.", false),
            ("テストが失敗しました。", false),
            ("I did not exercise every test.", false),
        ] {
            let says = Text::of(text).says(&table.said.results, &table.words);
            assert_eq!(says, told, "{text}");
        }
    }
}
