//! Runs and claims where no job keeps them, or none is in focus any more: receipts below
//! `.git/seed/runs`, one bounded file for each worktree, and the work of a session, measured from
//! the commit at which it began.

use crate::claims::figures;
use crate::claims::languages::shipped_languages;
use crate::claims::{Ran, Receipt, Truth, truth};
use crate::engine::claims::places::{self, By};
use crate::engine::claims::{gate, receipts};
use crate::engine::repo::{Repo, Result};
use crate::engine::{fence, pushed, record};
use crate::event::{Act, Actor, Event, Outcome, ToolCall};
use crate::format::evidence;
use crate::phases::deeds::runs_code;
use crate::rules::ClaimMode;
use crate::store::{BoundedLines, CommitId, TreeId, UnixSeconds};

/// The most bytes of the receipts of one worktree.
const MOST: usize = 256 * 1024;

fn file(repo: &Repo) -> BoundedLines {
    repo.store.bounded_lines(&format!("runs/{}.jsonl", repo.store.worktree_name()), MOST)
}

/// Keeps the receipt of a shell call behind the end of a job: the words that end the turn may tell
/// of it, as of a push.
pub(crate) fn keep_at_rest(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
) -> Result<()> {
    let rules = repo.rules.claims == ClaimMode::Judge && event.by == Actor::Main;
    if rules && matches!(call.act, Act::Shell { .. }) && repo.is_seeded()? {
        keep(repo, event, call, outcome)?;
    }
    Ok(())
}

/// Keeps the receipt of a shell call that ran code, and says it.
pub(crate) fn keep(
    repo: &Repo,
    event: &Event,
    call: &ToolCall,
    outcome: &Outcome,
) -> Result<Option<Ran>> {
    let Act::Shell { command, cwd, background } = &call.act else { return Ok(None) };
    let dir = cwd.as_deref().unwrap_or(&event.cwd);
    let read = repo.rules.runs().recognise(command);
    if read.run().is_none() && !runs_code(command) || receipts::is_of_no_host(repo, event)? {
        return Ok(None);
    }
    let before = if read.run().is_some() { ran_of(repo, &event.session)? } else { Vec::new() };
    let by = By::Session(&before);
    let here = read.run().is_none() || places::is_of_this_tree(repo, by, command, dir)?;
    let ends = here && !background && !outcome.background;
    let tree = if ends { Some(fence::tree_now::tree_now(repo, None)?.to_string()) } else { None };
    let end = receipts::end_of(repo, (command, dir), &read, outcome)?;
    let (program, absent) = receipts::what_ran(&read, (command, dir), end.counts, outcome);
    let mut ran = Ran {
        at: repo.store.dated(repo.now),
        session: event.session.clone(),
        call: call.id.clone(),
        command: evidence::cut(command),
        dir: receipts::shown_dir(repo, dir),
        status: end.status.filter(|_| ends),
        failed: !outcome.ok,
        shown: ends && end.shown,
        hidden: end.hidden,
        output: outcome.output.clone(),
        program,
        counts: end.counts,
        absent: absent.filter(|_| ends),
        figures: figures::printed(&outcome.printed),
        beside: figures::beside(&outcome.printed),
        complains: figures::complains(&outcome.printed),
        tells_tests: figures::tells_tests(&outcome.printed),
        sent: pushed::sent(repo, call, outcome),
        part: repo.rules.runs().part(command),
        run: read.run().filter(|_| ends).map(str::to_owned),
        tree_after: tree,
        ..Ran::default()
    };
    ran.mask();
    file(repo).append(&serde_json::to_vec(&ran)?, Vec::new)?;
    Ok(Some(ran))
}

/// The receipts of `session` as they count for the work tree `tree`, oldest first.
pub(crate) fn receipts_of(repo: &Repo, session: &str, tree: &TreeId) -> Result<Vec<Receipt>> {
    receipts_since(repo, session, 0, tree)
}

/// The same of what ran since `since`.
pub(crate) fn receipts_since(
    repo: &Repo,
    session: &str,
    since: UnixSeconds,
    tree: &TreeId,
) -> Result<Vec<Receipt>> {
    let own = ran_of(repo, session)?.into_iter();
    let own = own.filter(|ran| ran.at >= repo.store.dated(since));
    let all = own.map(|ran| (evidence::id(&ran), ran)).collect();
    receipts::as_they_count(repo, all, ("", tree), &|_| Ok(false))
}

/// The receipts of `session` as they were written, oldest first.
pub(super) fn ran_of(repo: &Repo, session: &str) -> Result<Vec<Ran>> {
    let lines = file(repo).all()?;
    // A receipt of another git seed proves nothing here.
    let read = lines.iter().filter_map(|line| serde_json::from_slice::<Ran>(line).ok());
    Ok(read.filter(|ran| ran.session == session).collect())
}

/// What the repository shows of the work of `session`, and the work tree as it is.
pub(crate) fn truth_of(repo: &Repo, session: &str) -> Result<(Truth, TreeId)> {
    let tree = fence::tree_now::tree_now(repo, None)?;
    let began = record::said::of(repo, session)?.base.parse::<CommitId>().ok();
    let base = match began {
        Some(base) if repo.store.contains(&base)? => Some(base),
        // It began elsewhere, or nobody saw its beginning.
        _ => gate::base(repo, None)?,
    };
    let pieces = repo.store.truth(base.as_ref(), &tree)?;
    let made = base.as_ref().map(|base| repo.store.commits_since(base)).transpose()?;
    let base = base.map(|base| base.to_string()).unwrap_or_default();
    let mut truth = truth::read(&base, tree.as_str(), &pieces, shipped_languages());
    truth.commits = made.and_then(|made| u32::try_from(made.len()).ok());
    for file in &mut truth.files {
        file.prose |= !repo.place_named(&file.path, None).is_direct(&file.path);
    }
    Ok((truth, tree))
}
