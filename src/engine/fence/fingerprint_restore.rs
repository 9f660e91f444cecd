//! Fingerprints that stay named: putting the files back, or taking them over.

use std::path::{Path, PathBuf};

use crate::engine::fence;
use crate::engine::fence::fingerprints::{READ, make_link, seen, write_privately, write_with_mode};
use crate::engine::fence::looks::Window;
use crate::engine::fence::restore::Restored;
use crate::engine::repo::{self, Repo, Result};
use crate::format::prints::Print;
use crate::format::short_hash;
use crate::verdict::Refusal;

/// Prints that a call of the agent changed, as far as they are still changed: those that
/// are known, and those that the call changed in which this command runs.
fn standing_strays(repo: &Repo) -> Result<Vec<Print>> {
    let Some(mut prints) = repo.prints()? else { return Ok(Vec::new()) };
    fence::fingerprints::add_new_hooks(repo, &mut prints);
    let around = fence::looks::calls_around(repo);
    let mut strays = Vec::new();
    for mut print in prints.files {
        let path = PathBuf::from(&print.path);
        let now_seen = seen(&path);
        if print.stray.is_none() && now_seen == print.seen {
            continue;
        }
        let (now, _) = fence::fingerprints::content(repo, &path, print.role, false);
        if print.stray.is_none() {
            let changed = |window: &&Window| {
                let stood = window.look.stood(&print.path);
                let moved = stood.is_none_or(|stood| stood.seen != now_seen);
                window.look.printed && moved && window.is_tied_to(&path)
            };
            let Some(window) = around.iter().find(changed) else { continue };
            // What somebody changed before the call stays.
            if let Some(stood) = window.look.stood(&print.path) {
                print.was = stood.content.clone();
            }
        }
        if !now.is_same(&print.was, print.role) {
            strays.push(Print { stray: Some(now), ..print });
        }
    }
    Ok(strays)
}

/// Changed fingerprints as they are shown, for status and the boundary.
pub(crate) fn print_strays(repo: &Repo) -> Result<Vec<String>> {
    Ok(standing_strays(repo)?.into_iter().map(|print| print.shown).collect())
}

/// Refuses a step while the agent's changes to what holds the fence up stand.
pub(crate) fn prints_hold(repo: &Repo) -> Result<std::result::Result<(), Refusal>> {
    let strays = standing_strays(repo)?;
    let stuck = strays.iter().find(|print| !print.can_be_put_back());
    let first = strays.first().map(|print| print.shown.as_str());
    Ok(crate::phases::gates::prints_hold(first, stuck.map(|print| print.shown.as_str())))
}

// ---- putting back, taking over

/// Puts back what the agent changed, out of `paths` or all of it; what is taken away is
/// kept below `.git/seed`. Gives the words of `paths` that mean no print, too.
pub(crate) fn restore_prints(repo: &Repo, paths: &[String]) -> Result<(Restored, Vec<String>)> {
    let mut restored = Restored::default();
    let strays = standing_strays(repo)?;
    let known = repo.prints()?.unwrap_or_default();
    let mut rest = Vec::new();
    for word in paths {
        let named = |print: &Print| {
            print.is_named(word) || repo.store.work_tree().join(word) == Path::new(&print.path)
        };
        if !strays.iter().any(named) {
            let outside = known.files.iter().any(|print| named(print) && !is_in_tree(repo, print));
            if outside { restored.left.push(word.clone()) } else { rest.push(word.clone()) }
        }
    }
    let _lock = repo.store.lock()?;
    for print in strays {
        let asked = paths.is_empty()
            || paths.iter().any(|word| {
                print.is_named(word) || repo.store.work_tree().join(word) == Path::new(&print.path)
            });
        if !asked {
            continue;
        }
        let taken = take_away(repo, &print)?;
        if print.can_be_put_back() && put_back(repo, &print).is_ok() && is_back(repo, &print) {
            restored.kept.push((print.shown, taken));
        } else {
            restored.left.push(print.shown);
        }
    }
    if let Some(mut prints) = repo.prints()? {
        for print in &mut prints.files {
            let (now, seen) =
                fence::fingerprints::content(repo, Path::new(&print.path), print.role, false);
            if print.stray.is_some() && now.is_same(&print.was, print.role) {
                (print.stray, print.seen) = (None, seen);
            }
        }
        fence::fingerprints::save_prints(repo, &prints)?;
    }
    Ok((restored, rest))
}

fn is_in_tree(repo: &Repo, print: &Print) -> bool {
    let path = Path::new(&print.path);
    path.starts_with(repo.store.work_tree()) && !path.starts_with(repo.store.common_dir())
}

fn is_back(repo: &Repo, print: &Print) -> bool {
    fence::fingerprints::content(repo, Path::new(&print.path), print.role, false)
        .0
        .is_same(&print.was, print.role)
}

/// Keeps what lies there now; gives the name of the copy.
fn take_away(repo: &Repo, print: &Print) -> Result<String> {
    let path = Path::new(&print.path);
    let small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= READ);
    // What does not read cannot be copied; it is put back without a copy, and no name is told.
    let Some(bytes) = small.then(|| std::fs::read(path).ok()).flatten() else {
        return Ok(String::new());
    };
    let name = format!("taken/{}", short_hash(&bytes, 12));
    write_privately(&repo.store.seed_dir().join(&name), &bytes)?;
    Ok(format!(".git/seed/{name}"))
}

fn put_back(repo: &Repo, print: &Print) -> Result<()> {
    let path = PathBuf::from(&print.path);
    let entry = path.symlink_metadata();
    // What is no link has no target.
    let link = std::fs::read_link(&path).ok().map(|target| target.to_string_lossy().into_owned());
    if entry.is_ok() && (!print.was.is_there() || link != print.was.link) {
        std::fs::remove_file(&path)?;
    }
    if !print.was.is_there() {
        return Ok(());
    }
    let target = match &print.was.link {
        Some(target) => {
            if link != print.was.link {
                make_link(target, &path)?;
            }
            repo::paths::real(&path)
        }
        None => path,
    };
    let bytes = std::fs::read(repo.prints_dir().join("kept").join(&print.was.kept))?;
    write_with_mode(&target, &bytes, print.was.mode)
}

/// Takes the files that `paths` name as they are now; gives the words that name none.
pub(crate) fn accept_prints(repo: &Repo, paths: &[String]) -> Result<Vec<String>> {
    let Some(mut prints) = repo.prints()? else { return Ok(paths.to_vec()) };
    let _lock = repo.store.lock()?;
    fence::fingerprints::add_new_hooks(repo, &mut prints);
    let mut rest = Vec::new();
    for word in paths {
        let named = |print: &&mut Print| {
            print.is_named(word) || repo.store.work_tree().join(word) == Path::new(&print.path)
        };
        let Some(print) = prints.files.iter_mut().find(named) else {
            rest.push(word.clone());
            continue;
        };
        let was_stray = print.stray.is_some();
        (print.was, print.seen) =
            fence::fingerprints::content(repo, Path::new(&print.path), print.role, true);
        print.stray = None;
        // One that the tree fence sees as well is taken over there, too.
        if is_in_tree(repo, print) && (!was_stray || !repo.store.is_ignored(&print.shown)?) {
            rest.push(word.clone());
        }
    }
    fence::fingerprints::save_prints(repo, &prints)?;
    Ok(rest)
}

/// How many prints there are, and which differ from how the session began.
pub(crate) fn prints_told(repo: &Repo) -> Result<Option<(usize, Vec<String>)>> {
    let Some(prints) = repo.prints()? else { return Ok(None) };
    let differs = |print: &&Print| {
        print.stray.is_none() && seen(Path::new(&print.path)) != print.seen && !is_back(repo, print)
    };
    let changed = prints.files.iter().filter(differs).map(|print| print.shown.clone()).collect();
    Ok(Some((prints.files.len(), changed)))
}
