//! A sandbox of a host's own in which its agents can change nothing, for `doctor` and `init`.

use crate::engine::finding::Finding;
use crate::engine::repo::Repo;
use crate::hosts::Host;
use crate::voice::Found;

/// What the host's own settings say of such a sandbox, and what a person does about it.
pub(crate) fn finding(repo: &Repo, row: &Host) -> Option<Finding> {
    let kept = row.is_read_only(|file| repo.host_file(file))?;
    let facts = [("title", row.title.as_str()), ("shown", kept.file), ("key", kept.key)];
    let mend = [("instead", kept.instead), ("option", kept.option)];
    Some(Finding::of(Found::HostReadOnly, &[&facts[..], &mend].concat()))
}
