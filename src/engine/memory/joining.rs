//! Joins pages and knowledge for git, as `merge.seed-pages.driver` asks for it.

use std::path::Path;

use crate::engine::repo::Repo;
use crate::memory::merge::{Versions, merge, merge_bytes};
use crate::rules::Rules;

/// Joins three versions of a file of the repository around `cwd`: the text, and how many conflicts
/// are in it.
pub(crate) fn join(cwd: &Path, of: Versions<&[u8]>, marker: usize) -> (Vec<u8>, usize) {
    let text = |bytes| std::str::from_utf8(bytes);
    let (Ok(base), Ok(ours), Ok(theirs)) = (text(of.base), text(of.ours), text(of.theirs)) else {
        return merge_bytes(of, marker);
    };
    let of = Versions { base, ours, theirs };
    let join = |rules: &Rules| merge(of, &rules.maps.anchors(), marker);
    // A repository that does not open merges all the same, with the shipped anchors.
    let opened = Repo::open(cwd).ok();
    let merged = match opened.as_ref().map(|repo| join(&repo.rules)) {
        Some(merged) => merged,
        None => Rules::shipped().map_or_else(|_| merge(of, &[], marker), |rules| join(&rules)),
    };
    (merged.text.into_bytes(), merged.conflicts)
}
