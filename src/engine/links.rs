//! Links as the names that they are: what takes one away, or puts something in its place, leaves
//! alone what it leads to. Reads only.

use std::path::Path;

use crate::engine::repo::Repo;
use crate::engine::repo::paths::Resolved;
use crate::format::state::State;
use crate::phases::meant::{Meant, meant};
use crate::phases::place::Place;

/// Whether a link lies at `path`; with a slash at its end a name is what it leads to.
pub(crate) fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_symlink())
}

/// The name `path` itself, told from `cwd`, where a link lies there. It holds nothing that somebody
/// could have read.
pub(crate) fn name_at(
    repo: &Repo,
    (path, cwd): (&Path, &Path),
    state: Option<&State>,
    memory: &[String],
) -> Option<Resolved> {
    let Meant::Path(given) = meant(path, cwd) else { return None };
    if !is_link(&given) {
        return None;
    }
    // A name without letters that git could store is judged by what it leads to.
    let (dir, name) = (given.parent()?, given.file_name()?.to_str()?);
    let beside = repo.resolve(&dir.join("*"), cwd, state, memory);
    let real = beside.real.with_file_name(name);
    let outside = [Place::Outside, Place::Scratch, Place::HostMemory, Place::Git, Place::OwnState];
    if outside.contains(&beside.place) {
        let shown = real.to_string_lossy().into_owned();
        return Some(Resolved { real, shown, place: beside.place, exists: false });
    }
    let dir = beside.shown.trim_end_matches('*');
    let shown = repo.composed(format!("{dir}{name}"));
    let place = repo.place_named(&shown, state);
    let exists = matches!(place, Place::Page { .. });
    Some(Resolved { real, shown, place, exists })
}
