//! The anchors of pages, when git seed comes and when it goes.
//!
//! What `init` finds stays; what came later and holds nothing goes again. Words below an anchor
//! are the person's, and such an anchor is named.

use crate::engine::memory;
use crate::engine::repo::installation::Installation;
use crate::engine::repo::text::count;
use crate::engine::repo::{Repo, Result};
use crate::engine::setup::own_record::{Told, read_if_there};
use crate::memory::footers;
use crate::memory::strip::{Stripped, strip};
use crate::voice::{Notice, tell};
use crate::world;

/// The pages that hold anchors before git seed put any in.
pub(crate) fn already_there(repo: &Repo) -> Result<Vec<String>> {
    let anchors = repo.rules.maps.anchors();
    let mut found = pages(repo)?;
    found.retain(|(_, text)| !footers::layout(text, &anchors).found().is_empty());
    Ok(found.into_iter().map(|(path, _)| path).collect())
}

/// Takes out the anchors that hold nothing, and names the others.
pub(crate) fn take_out(
    repo: &Repo,
    installation: &Installation,
    told: &mut Vec<Told>,
) -> Result<()> {
    for (path, Stripped { text, gone, left }) in stripped(repo, installation)? {
        if gone > 0 {
            world::write_whole(&repo.store.work_tree().join(&path), text.as_bytes())?;
            told.push(Told::new("took out", path.clone(), count(gone, "empty anchor")));
        }
        if !left.is_empty() {
            let why = tell(Notice::AnchorHolds, &[("anchors", &left.join(", "))]);
            told.push(Told::new("left", path, why));
        }
    }
    Ok(())
}

/// What [`take_out`] would do.
pub(crate) fn plan(repo: &Repo, installation: &Installation) -> Result<Vec<Told>> {
    let pages = stripped(repo, installation)?.into_iter().filter(|(_, page)| page.gone > 0);
    let would = |(path, page): (String, Stripped)| {
        Told::new("would take out", path, count(page.gone, "empty anchor"))
    };
    Ok(pages.map(would).collect())
}

/// Each page that has anchors of ours, without the empty ones.
fn stripped(repo: &Repo, installation: &Installation) -> Result<Vec<(String, Stripped)>> {
    let anchors = repo.rules.maps.anchors();
    let ours = |path: &String| !installation.anchored.contains(path);
    let pages = pages(repo)?.into_iter().filter(|(path, _)| ours(path));
    let each = pages.map(|(path, text)| (path, strip(&text, &anchors)));
    Ok(each.filter(|(_, page)| page.gone > 0 || !page.left.is_empty()).collect())
}

/// The pages of the work tree that are text, each with what it holds. A link is its target's.
fn pages(repo: &Repo) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for path in memory::lint::paths_of_work_tree(repo)? {
        let file = repo.store.work_tree().join(&path);
        let plain = || file.symlink_metadata().is_ok_and(|data| data.is_file());
        if repo.is_page(&path) && plain() {
            // One that is no text holds no anchor.
            if let Ok(Some(text)) = read_if_there(&file) {
                found.push((path, text));
            }
        }
    }
    Ok(found)
}
