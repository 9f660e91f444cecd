//! Whether what another clone published as the archive of closed jobs is one.
//!
//! It is looked at by itself, whatever is here: a clone that has no archive of its own would take
//! any commit for one, and one that has would take the fault for its own.

use crate::engine::record::archive::index_files;
use crate::engine::repo::{Repo, Result};
use crate::format::archive;
use crate::store::CommitId;
use crate::voice::{Notice, tell};

/// Why the commit at `there` is no archive that git seed writes.
pub(super) fn why_not(repo: &Repo, there: &CommitId) -> Result<Option<String>> {
    let tip = repo.store.tip_of(there)?;
    let is_place =
        |name: &str| name.len() == 2 && name.bytes().all(|digit| digit.is_ascii_hexdigit());
    let names = repo.store.names(&tip, "")?;
    if let Some(odd) = names.iter().find(|name| *name != archive::INDEX && !is_place(name)) {
        let path = odd.escape_debug().to_string();
        let facts = [("path", path.as_str()), ("commit", there.as_str())];
        return Ok(Some(tell(Notice::JoinStrangeFile, &facts)));
    }
    let unread = |path: &str| Ok(Some(tell(Notice::JoinStrangeArchive, &[("path", path)])));
    let mut count = 0;
    for path in index_files(repo, &tip)? {
        let bytes = repo.store.file(&tip, &path)?;
        match bytes.as_deref().map(archive::rows) {
            Some(Ok(rows)) => count += rows.len(),
            Some(Err(_)) | None => return unread(&path),
        }
    }
    let said = repo.store.file(&tip, archive::COUNT)?.unwrap_or_default();
    let said = String::from_utf8_lossy(&said).trim().parse::<usize>();
    if said == Ok(count) { Ok(None) } else { unread(archive::COUNT) }
}
