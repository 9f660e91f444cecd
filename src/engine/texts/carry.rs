//! A repository of format 1 is carried over, once: its texts leave the chains.
//!
//! `refs/seed/meta` says first that it is under way; then texts, then the old tips below
//! `refs/seed/keep/format-1/`, then each chain, and the word of it last. A carry-over that was
//! stopped is done again from wherever it stood: what was made anew stays as it is, and texts that
//! no stub names are left out. No lock of the work is held longer than it takes to make it, and
//! nobody else writes meanwhile.
//!
//! Operations begin anew behind it: they name chains that are gone.

use serde::Serialize;

use super::recast::Anew;
use crate::engine::record;
use crate::engine::repo::{Repo, Result};
use crate::format::meta::{self, Meta};
use crate::format::{FORMAT, names};
use crate::store::CommitId;
use crate::voice::{Notice, tell};
use crate::world::progress;

/// What a carry-over did, or would do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CarriedOver {
    pub from: u32,
    pub to: u32,
    /// Open jobs, and whether there is an archive.
    pub jobs: usize,
    pub archive: bool,
    pub steps: usize,
    pub texts: usize,
    /// Where the old chains are held.
    pub kept: Option<&'static str>,
    pub dry_run: bool,
}

/// Whether one began and did not end.
fn is_under_way(repo: &Repo) -> Result<bool> {
    let Some(tip) = repo.store.tip(names::META)? else { return Ok(false) };
    // A file that is missing or does not read is told by whoever needs it.
    let bytes = repo.store.file(&tip, meta::FILE)?.unwrap_or_default();
    Ok(Meta::read(&bytes).is_ok_and(|meta| meta.carrying))
}

/// Ends a carry-over that was stopped.
pub(crate) fn finish(repo: &Repo) -> Result<()> {
    if is_under_way(repo)? { carry_over(repo, false).map(drop) } else { Ok(()) }
}

/// Carries the repository over, if it is of format 1; `None` where nothing is left to do.
pub(crate) fn carry_over(repo: &Repo, dry_run: bool) -> Result<Option<CarriedOver>> {
    repo.require_seeded()?;
    let _lock = repo.store.lock()?;
    let from = repo.format()?;
    if from >= FORMAT && !is_under_way(repo)? {
        return Ok(None);
    }
    let mut anew = Anew::new(repo)?;
    let mut turns: Vec<(String, CommitId, CommitId)> = Vec::new();
    let chains = repo.store.chains(names::JOBS)?;
    progress::begin(&tell(Notice::DoesCarry, &[]), chains.len());
    for (chain, tip) in chains {
        progress::step();
        let Some(id) = names::job_of(&chain) else { continue };
        let new = anew.chain(&id, &tip)?;
        turns.push((chain, tip, new));
    }
    let jobs = turns.len();
    let archived = repo.store.stands_at(names::ARCHIVE)?;
    let archive = archived.is_some();
    if let Some(tip) = archived {
        let new = anew.archive(&tip)?;
        turns.push((names::ARCHIVE.to_owned(), tip, new));
    }
    let (steps, texts) = (anew.count(), anew.texts.len());
    if !dry_run {
        say(repo, true)?;
        let held = anew.finish()?;
        move_refs(repo, &turns, &held)?;
        say(repo, false)?;
        repo.format.set(Some((FORMAT, None)));
    }
    let kept = Some(names::KEEP_FORMAT_1).filter(|_| steps > 0);
    Ok(Some(CarriedOver { from, to: FORMAT, jobs, archive, steps, texts, kept, dry_run }))
}

/// Texts, old tips, chains: in this order. What moves is told to no operation.
fn move_refs(
    repo: &Repo,
    turns: &[(String, CommitId, CommitId)],
    held: &crate::store::Held,
) -> Result<()> {
    let store = &repo.store;
    if !held.is_empty() {
        let stands = store.stands_at(names::TEXTS)?;
        let texts = store.texts_commit(held, repo.now)?;
        if stands.as_ref() != Some(&texts) {
            store.turn_texts(stands.as_ref(), &texts, repo.now)?;
        }
    }
    let subject = tell(Notice::SubjectCarriedOver, &[]);
    for (chain, old, new) in turns.iter().filter(|(_, old, new)| old != new) {
        let name = chain.strip_prefix("refs/seed/").unwrap_or(chain);
        let keep = format!("{}{name}", names::KEEP_FORMAT_1);
        let kept = store.stands_at(&keep)?;
        if kept.as_ref() != Some(old) {
            store.turn(&keep, kept.as_ref(), old, &subject, repo.now)?;
        }
        store.turn(chain, Some(old), new, &subject, repo.now)?;
        store.forget_log(chain)?;
    }
    if let Some(ops) = store.stands_at(names::OPS)? {
        store.delete_chain(names::OPS, &ops)?;
    }
    // They would say that a chain stood where no undo may take it.
    drop(store.take_moves());
    Ok(())
}

/// Writes what `refs/seed/meta` says of the format.
pub(super) fn say(repo: &Repo, carrying: bool) -> Result<()> {
    let bytes = Meta { carrying, ..Meta::current() }.write().into_bytes();
    let tip = repo.store.tip(names::META)?;
    if let Some(tip) = &tip
        && repo.store.file(tip, meta::FILE)?.as_deref() == Some(bytes.as_slice())
    {
        return Ok(());
    }
    record::rules::put_meta(repo, tip.as_ref(), bytes)
}
