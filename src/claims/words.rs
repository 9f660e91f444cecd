//! A message as it was said, made into a claim: nothing is declared, so what was affected is
//! what the difference holds, and what was tested is what receipts show.

use super::items::{Index, stem, tested_by_name};
use super::receipts::Runs;
use super::surface::Surface;
use super::table::GateTable;
use super::{ChangedFile, Claim, EvidenceType, Receipt, Truth};

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
    let tested = tested_by_name(word, &table.files).is_some_and(same);
    tested
        || parts
            .filter(|part| !part.is_empty())
            .any(|part| same(part) || file.functions.iter().any(|function| function == part))
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
                    part.holds_all(std::iter::once(path))
                        || part.by.iter().all(|word| word.starts_with('-'))
                        || part.by.iter().any(|word| is_of(word, &truth.files[at], table))
                })
            })
    }
}
