//! A message as it was said, made into a claim: nothing is declared, so what was affected is
//! what the difference holds, and what was tested is what receipts show.

use super::items::{Index, stem, tested_by_name};
use super::receipts::Runs;
use super::surface::Surface;
use super::table::GateTable;
use super::{Claim, EvidenceType, Receipt, Truth};

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
        let path = truth.files[at].path.as_str();
        surface.is_prose(at)
            || self.parts().any(|part| {
                part.is_none_or(|part| {
                    let mut one = std::iter::once(path);
                    let by_name = |word: &String| {
                        tested_by_name(word, &table.files).is_some_and(|name| name == stem(path))
                    };
                    part.holds_all(&mut one) || part.paths.iter().any(by_name)
                })
            })
    }
}
