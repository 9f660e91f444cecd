//! A message as it was said, made into a claim: nothing is declared, so what was affected is
//! what the difference holds, and what was tested is what receipts show.

use super::items::{Index, stem, tested_by_name};
use super::receipts::Runs;
use super::surface::Surface;
use super::table::GateTable;
use super::{ChangedFile, Claim, EvidenceType, Part, Receipt, Truth};

impl Claim {
    /// The claim that a message makes: the last words of a turn, the question whether a job is
    /// complete. The stop hook, that question and the labelled messages are judged by this one.
    ///
    /// Whoever asks the repository puts what it holds of [`super::gate::unmatched`] into
    /// [`Truth::held`] before the gate is asked.
    pub fn from_words(text: &str, truth: &Truth, receipts: &[Receipt], table: &GateTable) -> Self {
        let index = Index::of(truth);
        let surface = Surface::of(truth, table);
        let runs = Runs::of(receipts, &index, table);
        let last = runs.freshest();
        let backs = |receipt: &Receipt| {
            receipt.run.as_ref().and_then(|run| table.backs.get(run)).and_then(|list| list.first())
        };
        let tested = (0..truth.files.len()).filter(|&at| runs.covers(at, truth, &surface, table));
        Self {
            text: text.to_owned(),
            evidence: runs.seen().join("\n"),
            evidence_type: last.and_then(backs).copied().unwrap_or(EvidenceType::None),
            code_paths_tested: tested.map(|at| truth.files[at].path.clone()).collect(),
            code_paths_affected: truth.files.iter().map(|file| file.path.clone()).collect(),
            referenced_sources: None,
            read_paths: None,
            as_said: true,
        }
    }
}

/// The fewest letters by which one name is taken for the beginning of another.
const LETTERS: usize = 4;

/// Whether a word that selects tests names what a file holds: the file, a function of it, or a
/// file of tests that is called after it.
fn is_of(word: &str, file: &ChangedFile, table: &GateTable) -> bool {
    let name = stem(&file.path).to_lowercase();
    let parts = word.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
    let same = |part: &str| {
        let part = part.to_lowercase();
        let begins = part.chars().count() >= LETTERS && name.chars().count() >= LETTERS;
        part == name || begins && (name.starts_with(&part) || part.starts_with(&name))
    };
    // `tests.test_calc.T.test_add`: a file of tests may stand in a name of dotted parts.
    let tests = |part: &str| tested_by_name(part, &table.files).is_some_and(same);
    tests(word)
        || parts.filter(|part| !part.is_empty()).any(|part| {
            same(part) || tests(part) || file.functions.iter().any(|function| function == part)
        })
}

impl Runs<'_> {
    /// Whether a run on this code covers the file `at` of the difference: a run of all tests
    /// does, a part does where it lies in it or where the part names what tests it.
    pub(super) fn covers(
        &self,
        at: usize,
        truth: &Truth,
        surface: &Surface,
        table: &GateTable,
    ) -> bool {
        let file = &truth.files[at];
        surface.is_prose(at) || self.parts().any(|part| reaches(part, file, table))
    }

    /// The same of a run on this code in which tests failed: it shows nothing, and ran them.
    pub(super) fn failed_on(&self, file: &ChangedFile, table: &GateTable) -> bool {
        self.failed_parts().any(|part| reaches(part, file, table))
    }
}

/// Whether a run of all tests, or of a part, runs those of `file`.
fn reaches(part: Option<&Part>, file: &ChangedFile, table: &GateTable) -> bool {
    part.is_none_or(|part| {
        part.holds_all(std::iter::once(file.path.as_str()))
            || part.by.iter().all(|word| word.starts_with('-'))
            || part.by.iter().any(|word| is_of(word, file, table))
    })
}

#[cfg(test)]
mod tests {
    use super::super::gate::{self, ClaimAnswer, Ruling};
    use super::super::{ClaimCase, Counts, Directive, Inquiry};
    use super::*;

    /// A run of all tests, or of the part that `words` select, with so many that failed.
    fn run(words: &str, failed: u64) -> Receipt {
        let part = Part { by: vec![words.to_owned()], paths: Vec::new() };
        Receipt {
            command: format!("python3 -m unittest {words}").trim().to_owned(),
            run: Some("unittest".to_owned()),
            status: Some(i32::from(failed > 0)),
            counts: Some(Counts { passed: 1, failed, ..Counts::default() }),
            part: (!words.is_empty()).then_some(part),
            tree: Some("t".to_owned()),
            ..Receipt::default()
        }
    }

    fn case(text: &str, receipts: &[Receipt], table: &GateTable) -> ClaimCase {
        let add = vec!["add".to_owned()];
        let file = ChangedFile { path: "src/calc.py".to_owned(), functions: add, ..<_>::default() };
        let truth = Truth { tree: "t".to_owned(), files: vec![file], ..Truth::default() };
        let claim = Claim::from_words(text, &truth, receipts, table);
        ClaimCase { claim, truth, receipts: receipts.to_vec(), opened: None, drift: 0.0 }
    }

    fn answer(text: &str, receipts: &[Receipt]) -> ClaimAnswer {
        let table = GateTable::shipped().expect("the shipped rows");
        let case = case(text, receipts, &table);
        match gate::judge(&Inquiry::VerifyClaim(case), &table) {
            Ruling::Claim(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_part_by_a_dotted_name_covers_what_its_file_of_tests_is_called_after() {
        for (part, covers) in [
            ("tests.test_calc", true),
            ("tests.test_calc.T.test_sum", true),
            ("tests/test_calc.py", true),
            ("com.example.CalcTest", true),
            ("tests.test_fmt", false),
            ("tests.test_fmt.T.test_money", false),
            ("tests", false),
        ] {
            let said = answer("src/calc.py returns the sum now", &[run(part, 0)]);
            assert_eq!(said.untested_paths.is_empty(), covers, "{part}");
        }
    }

    #[test]
    fn tests_that_failed_ran() {
        let gaps = |receipts: &[Receipt]| answer("One test fails.", receipts).gaps.join("\n");
        let unrun = "not run: nothing that ran since the last change covers src/calc.py";
        let named = "the last run failed";
        let whole = gaps(&[run("", 1)]);
        assert!(!whole.contains(unrun) && whole.contains(named), "{whole}");
        let answered = answer("One test fails.", &[run("", 1)]);
        assert!(answered.directive == Directive::Damp && answered.require_tool.needed);
        // One of another part, one that came to no test, and one whose tests nobody counted.
        let silent = |counts: Option<Counts>| gaps(&[Receipt { counts, ..run("", 1) }]);
        for gaps in
            [gaps(&[run("tests.test_fmt", 1)]), silent(None), silent(Some(Counts::default()))]
        {
            assert!(gaps.contains(unrun), "{gaps}");
        }
    }
}
