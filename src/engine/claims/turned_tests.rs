//! Tests that failed in this work and were then made to expect something else, or taken out: in no
//! commit stands what they said when they failed, and receipts name the trees of then.

use crate::claims::languages::shipped_languages;
use crate::claims::{Receipt, Truth, truth};
use crate::engine::repo::{Repo, Result};
use crate::store::TreeId;
use crate::voice::{Notice, tell};

/// The most runs whose trees are compared with the work as it is, from the first on.
const RUNS: usize = 4;

/// Adds to what tests check less what those say that were changed since they failed. Only words
/// that go out are asked for it, never a call.
pub(crate) fn mark(
    repo: &Repo,
    truth: &mut Truth,
    tree: &TreeId,
    receipts: &[Receipt],
) -> Result<()> {
    let languages = shipped_languages();
    let is_test = |path: &str| languages.is_test_path(path) || languages.is_expected(path);
    if !truth.files.iter().any(|file| is_test(&file.path)) {
        return Ok(());
    }
    let mut trees: Vec<TreeId> = Vec::new();
    for receipt in receipts.iter().filter(|receipt| failed(receipt)) {
        let then = receipt.tree.as_ref().and_then(|tree| tree.parse::<TreeId>().ok());
        trees.extend(then.filter(|then| then != tree && !trees.contains(then)));
    }
    for then in trees.iter().take(RUNS) {
        if !repo.store.has_tree(then)? {
            continue;
        }
        let pieces = repo.store.truth_between(then, tree, &is_test)?;
        let since = truth::read(then.as_str(), tree.as_str(), &pieces, languages);
        let gone = since.tests_gone.iter().map(|gone| {
            tell(Notice::TestGoneSinceRed, &[("path", &gone.path), ("test", &gone.name)])
        });
        for line in since.tests_weaker.iter().cloned().chain(gone) {
            if !truth.tests_weaker.contains(&line) {
                truth.tests_weaker.push(line);
            }
        }
    }
    Ok(())
}

fn failed(receipt: &Receipt) -> bool {
    let counted = receipt.counts.is_some_and(|counts| counts.failed > 0);
    let ended = receipt.status.is_some_and(|status| status != 0);
    receipt.run.is_some() && !receipt.absent && (counted || ended)
}
