//! Sync by a file: a bundle of what is merged both ways, without texts, rules and meta.

use std::path::Path;
use std::time::Duration;

use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, Repo, Result};
use crate::engine::sync::carrier::{Carrier, Transport};
use crate::engine::sync::join::{self, Came, Served};
use crate::engine::sync::rounds::{self, Synced};
use crate::engine::texts;
use crate::jobs::syncing;
use crate::store::Copies;
use crate::voice::{Notice, tell};

/// The name below which what a bundle holds is kept. No remote can be called so by `git remote`.
const BUNDLE: &str = "@bundle";

/// Writes a bundle.
pub(crate) fn to(repo: &Repo, file: &Path) -> Answered<Synced> {
    repo.require_seeded()?;
    texts::carry::carry_over(repo, false)?;
    join::journal::rest_in_focus(repo)?;
    let refs: Vec<String> = rounds::merged_here(repo)?.into_iter().map(|(name, _)| name).collect();
    if refs.is_empty() {
        return Ok(Err(syncing::nothing_to_write()));
    }
    repo.store.bundle_of(file, &refs)?;
    Ok(Ok(Synced { state: rounds::state(repo)?, ..named(file) }))
}

/// Checks a bundle and merges what it holds; nothing is pushed.
pub(crate) fn from(repo: &Repo, file: &Path, time: Duration, dry_run: bool) -> Result<Synced> {
    repo.require_seeded()?;
    if !file.is_file() {
        let facts = [("path", &*file.display().to_string())];
        return Err(EngineError::Remote(tell(Notice::SyncNoBundle, &facts)));
    }
    if let Some(why) = repo.store.broken_bundle(file)? {
        let facts = [("path", &*file.display().to_string()), ("why", why)];
        return Err(EngineError::Remote(tell(Notice::SyncBrokenBundle, &facts)));
    }
    repo.store.checks_bundle(file)?;
    if !dry_run {
        texts::carry::carry_over(repo, false)?;
    }
    // Git takes it for a remote; one that is no text could not be named to it.
    let path = file.to_str().ok_or_else(|| {
        let facts = [("path", &*file.display().to_string())];
        EngineError::Remote(tell(Notice::SyncNoBundle, &facts))
    })?;
    let wire = repo.store.wire(path, time);
    let transport = Transport::Refs;
    let copies = Copies::Old;
    let carrier = Carrier { repo, wire: &wire, remote: BUNDLE, transport, copies };
    let mut there = carrier.look()?;
    there.refs.retain(|name, _| crate::format::names::is_merged(name));
    if there.refs.is_empty() {
        let why = tell(Notice::BundleOfOthers, &[]);
        let facts = [("path", &*file.display().to_string()), ("why", why.as_str())];
        return Err(EngineError::Remote(tell(Notice::SyncBrokenBundle, &facts)));
    }
    carrier.bring(&mut there, &|_| true)?;
    carrier.forget(&there)?;
    let mut joined = join::join(repo, &rounds::published(&there), Served::Bundle, dry_run)?;
    // Nothing goes into a bundle that is read: what only this clone has stays as it was.
    for job in joined.jobs.iter_mut().filter(|job| job.result == Came::Pushed) {
        job.result = Came::Same;
    }
    let aside = rounds::aside(&joined, None);
    Ok(Synced {
        rounds: 1,
        jobs: joined.jobs,
        aside: there.odd.into_iter().chain(aside).collect(),
        state: rounds::state(repo)?,
        ..named(file)
    })
}

fn named(file: &Path) -> Synced {
    let remote = file.display().to_string();
    Synced { remote, transport: "bundle", ..Synced::default() }
}
