//! Finds what an install wrote where its record is lost: our files and keys are told by what they
//! hold.

use std::fs;

use super::config::found_edit;
use super::relay::{Likeness, likeness};
use super::{HookError, OWN_DIR, OwnFile, Record, RepoDirs, Theirs, sha256};

/// A record of our hooks and settings as they lie there; `None` where there are none.
///
/// A script with our mark that somebody changed is in it as one that is left.
pub(crate) fn found(repo: &RepoDirs) -> Result<Option<Record>, HookError> {
    let mut files = Vec::new();
    for dir in ["hooks", OWN_DIR] {
        // A directory that is not there holds nothing.
        for entry in fs::read_dir(repo.common_dir.join(dir)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            // A directory does not read, and is no script.
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            let sha256 = match likeness(&name, &bytes) {
                Likeness::Ours => sha256(&bytes),
                // No file has these bytes: it is named, and stays.
                Likeness::Changed => String::new(),
                Likeness::Theirs => continue,
            };
            files.push(OwnFile { path: format!("{dir}/{name}"), sha256 });
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let configs = found_edit(repo)?;
    if files.is_empty() && configs.is_empty() {
        return Ok(None);
    }
    let beside = files.iter().any(|file| file.path.starts_with("hooks/"));
    let theirs = if beside { Theirs::Nothing } else { Theirs::find(repo)? };
    Ok(Some(Record { theirs, dirs: Vec::new(), files, configs }))
}
