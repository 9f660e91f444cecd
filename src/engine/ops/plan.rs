//! `undo` and `redo`: which operations, what of them may be taken back, and what that means.

use std::collections::BTreeSet;

use crate::engine::ops::brought::SYNC;
use crate::engine::ops::log::{self, Ops};
use crate::engine::ops::meant::{BranchTurn, FocusTurn, Meant, Noted, Turn};
use crate::engine::ops::turn::{self, BranchFate, JobTurn, Wanted};
use crate::engine::ops::want::{Want, Wants, archive_place};
use crate::engine::ops::{carry, meant, redacted, settle};
use crate::engine::record;
use crate::engine::repo::answer::Answered;
use crate::engine::repo::{EngineError, LoadedJob, Repo, Result};
use crate::format::names;
use crate::format::ops::{self, NoWay, Op, Way};
use crate::jobs::{JobId, undoing};
use crate::store::{CommitId, Loose, NewStep, Stood, TreeEdit};
use crate::verdict::Refusal;
use crate::voice::{Notice, tell};
use crate::world;

/// What a person asks for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub undoes: bool,
    pub count: usize,
    /// The operation that it is to lead to, by the beginning of its id.
    pub to: Option<String>,
}

impl Asked {
    fn word(&self) -> &'static str {
        word(self.undoes)
    }
}

fn word(undoes: bool) -> &'static str {
    if undoes { "undo" } else { "redo" }
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Undone {
    /// The operations, in the order in which they were taken.
    pub ops: Vec<Op>,
    pub jobs: Vec<JobId>,
    /// Branches of landings that turned.
    pub branches: Vec<BranchTurn>,
    /// What stays, and what takes it back.
    pub left: Vec<String>,
    /// The job in focus then.
    pub focused: Option<LoadedJob>,
}

/// Takes operations of this worktree back, or does them again.
pub(crate) fn undo(repo: &Repo, asked: &Asked) -> Answered<Undone> {
    repo.require_seeded()?;
    let word = asked.word();
    if record::pending_file::is_there(repo) || meant::is_there(repo) {
        return Ok(Err(undoing::under_way(word)));
    }
    settle::catch_up(repo)?;
    let read = Ops::newest(repo, asked.count.saturating_add(1))?;
    let way = match way(repo, asked, &read)? {
        Ok(way) => way,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Wanting { wants, ops, over, oldest } = wants(repo, &read, &way)?;
    if let Some(refusal) = in_the_way(repo, &read, oldest, &wants, word)? {
        return Ok(Err(refusal));
    }
    if let Some(job) = redacted::since(repo, &wants)? {
        return Ok(Err(undoing::redacted_since(word, &job)));
    }
    let planned = planned(repo, &read, &wants, word)?;
    let meant = meant(repo, &way, &ops, &planned, word)?;
    let (mut left, branches) = left(repo, &meant)?;
    let landings = planned.jobs.iter().flat_map(|(_, turn)| &turn.landings);
    left.extend(turn::still_there(repo, landings.collect(), &branches)?);
    left.extend(redacted::stepped_over(&over));
    let _lock = repo.store.lock()?;
    if let Some(refusal) = moved_meanwhile(repo, &meant, word)? {
        return Ok(Err(refusal));
    }
    meant::begin(repo, &meant)?;
    carry::carry_out(repo, &meant)?;
    let jobs = wants.keys().filter_map(|place| ops::job_of(place)).collect();
    // Rules that turned may be of another mode, and a job is in focus in some of them alone.
    let turned = ops::place(names::RULES).is_some_and(|place| wants.contains_key(&place));
    let focused =
        if turned { Repo::open(repo.store.work_tree())?.focused()? } else { repo.focused()? };
    Ok(Ok(Undone { ops, jobs, branches, left, focused }))
}

/// The operations that are asked for.
fn way(repo: &Repo, asked: &Asked, ops: &Ops<'_>) -> Answered<Way> {
    let (here, word) = (repo.store.worktree_name(), asked.word());
    if let Some(to) = &asked.to {
        return way_to(ops, asked.undoes, to, &here);
    }
    loop {
        let (history, count) = (ops.history(), asked.count);
        let way = if asked.undoes { history.back(&here, count) } else { history.on(&here, count) };
        match way {
            Ok(way) => return Ok(Ok(way)),
            Err(NoWay::Fewer(left)) => return Ok(Err(undoing::nothing_left(word, left))),
            Err(NoWay::Older) => ops.older()?,
        };
    }
}

/// The way to one operation.
fn way_to(ops: &Ops<'_>, undoes: bool, to: &str, here: &str) -> Answered<Way> {
    let word = word(undoes);
    let unknown = || EngineError::Usage(tell(Notice::OpUnknown, &[("op", to)]));
    let op = ops.named(to)?.ok_or_else(unknown)?;
    let history = ops.history();
    let short: String = op.id.chars().take(12).collect();
    match history.worktree(&op.id) {
        Some(worktree) if worktree == here => {}
        Some(worktree) => return Ok(Err(undoing::of_another(word, worktree))),
        // An undo is none that one could stand behind.
        None => return Err(EngineError::Usage(tell(Notice::OpIsUndo, &[("op", to)]))),
    }
    Ok(if undoes {
        history.to(here, &op.id).ok_or_else(|| undoing::nothing_left(word, 0))
    } else {
        history.on_to(here, &op.id).ok_or_else(|| undoing::leads_elsewhere(&short))
    })
}

/// What the operations of a way come to.
struct Wanting {
    wants: Wants,
    /// Those of the way, in its order.
    ops: Vec<Op>,
    /// Those that the way back steps over, the newest first.
    over: Vec<Op>,
    /// How many were done since the oldest of them.
    oldest: usize,
}

/// Where each place is to stand at the end of the way.
fn wants(repo: &Repo, read: &Ops<'_>, way: &Way) -> Result<Wanting> {
    let mut wants = Wants::new();
    let (mut ops, mut over, mut oldest) = (Vec::new(), Vec::new(), 0);
    let steps = way.back.iter().map(|id| (id, true)).chain(way.on.iter().map(|id| (id, false)));
    for (id, back) in steps {
        let Some(at) = read.place(id) else { continue };
        let (Some(op), older) = (read.get(at)?, read.get(at + 1)?) else { continue };
        oldest = oldest.max(at);
        // What is stepped over is neither taken back nor said to be.
        if !op.counts() {
            over.extend(back.then_some(op));
            continue;
        }
        let seen = if back { older.as_ref() } else { Some(&op) };
        let archive = seen.map(|op| archive_at(repo, op)).transpose()?.flatten();
        for moved in log::moved(repo, &op, older.as_ref())? {
            let after = moved.after.clone();
            let stood = if back { moved.before } else { moved.after };
            let resets = op.command == SYNC;
            let mut brought =
                wants.remove(&moved.place).map_or_else(Vec::new, |newer: Want| newer.brought);
            if let (true, Some(Stood::At(at))) = (resets, after) {
                brought.push(at);
            }
            let archive = archive.clone();
            wants.insert(moved.place, Want { stood, archive, resets, brought });
        }
        ops.push(op);
    }
    // Else it only grows: jobs leave it by a ref of their own.
    wants.retain(|place, want| want.resets || *place != archive_place());
    Ok(Wanting { wants, ops, over, oldest })
}

fn archive_at(repo: &Repo, op: &Op) -> Result<Option<CommitId>> {
    let id: CommitId = op.id.parse().map_err(|_| EngineError::OnDisk(op.id.clone()))?;
    let tree = repo.store.tree_of_commit(&id)?;
    Ok(match repo.store.stood_in(&tree, &archive_place())? {
        Some(Stood::At(commit)) => Some(commit),
        _ => None,
    })
}

/// Why it may not be: another worktree moved one of the places since, or has one of the jobs, or
/// one of them is being landed.
fn in_the_way(
    repo: &Repo,
    read: &Ops<'_>,
    oldest: usize,
    wants: &Wants,
    word: &str,
) -> Result<Option<Refusal>> {
    let here = repo.store.worktree_name();
    let history = read.history();
    let undone = history.undone();
    for at in 0..oldest {
        let Some(op) = read.get(at)? else { break };
        if op.worktree == here || op.worktree.is_empty() {
            continue;
        }
        // What it took back itself is as it was; the undo says no more than that.
        if op.walked.is_some() || undone.contains(op.id.as_str()) {
            continue;
        }
        for moved in log::moved(repo, &op, read.get(at + 1)?.as_ref())? {
            if wants.contains_key(&moved.place) {
                let what = match ops::job_of(&moved.place) {
                    Some(id) => id.to_string(),
                    None if moved.place == archive_place() => tell(Notice::UndoArchive, &[]),
                    None => tell(Notice::UndoRules, &[]),
                };
                let is_there = repo.store.worktree_dir(&op.worktree)?.is_some();
                return Ok(Some(undoing::moved_since(word, &op.worktree, &what, is_there)));
            }
        }
    }
    for id in wants.keys().filter_map(|place| ops::job_of(place)) {
        if let Some(worktree) = repo.store.focus_elsewhere(&names::job_chain(&id))? {
            return Ok(Some(undoing::held(word, &id, &worktree)));
        }
        if record::landing::is_under_way(repo, &id) {
            return Ok(Some(undoing::under_way(word)));
        }
    }
    Ok(None)
}

/// All that is to turn.
#[derive(Default)]
struct Planned {
    jobs: Vec<(JobId, JobTurn)>,
    archive: Option<Turn>,
    rules: Option<Turn>,
    focus: FocusTurn,
}

fn planned(repo: &Repo, read: &Ops<'_>, wants: &Wants, word: &'static str) -> Result<Planned> {
    let mut planned = Planned::default();
    let focus = ops::focus_place(&repo.store.worktree_name());
    let has = repo.store.focus()?.and_then(|chain| names::job_of(&chain));
    let will = match wants.get(&focus).map(|want| &want.stood) {
        Some(Some(Stood::On(job))) => job.parse().ok(),
        Some(_) => None,
        None => has.clone(),
    };
    for (place, want) in wants {
        if want.resets
            && let Some(turn) = reset(repo, place, want)?
        {
            match ops::job_of(place) {
                Some(id) => {
                    planned.jobs.push((id, JobTurn { turn: Some(turn), ..JobTurn::default() }));
                }
                None => planned.archive = Some(turn),
            }
        } else if let Some(id) = ops::job_of(place) {
            let wanted = wanted(repo, &id, want)?;
            let last = last_seen(repo, read, place)?;
            let here = will.as_ref() == Some(&id);
            planned.jobs.push((id.clone(), turn::planned(repo, &id, &wanted, last, word, here)?));
        } else if ops::chain_of(place).as_deref() == Some(names::RULES) {
            planned.rules = rules(repo, want, word)?;
        }
    }
    // One that loses the focus and does not turn keeps what its journal holds.
    if let Some(id) = has.as_ref().filter(|id| will.as_ref() != Some(id))
        && !planned.jobs.iter().any(|(known, _)| known == id)
        && let Some(tip) = repo.store.tip(&names::job_chain(id))?
    {
        let wanted = Wanted::Open(tip.commit);
        let folded = turn::planned(repo, id, &wanted, None, word, false)?;
        planned.jobs.push((id.clone(), folded));
    }
    let is_open = |id: &JobId| -> Result<bool> {
        let turn = planned.jobs.iter().find(|(known, _)| known == id).map(|(_, turn)| turn);
        Ok(match turn.and_then(|turn| turn.turn.as_ref().map(|to| (to, turn.closes))) {
            Some((to, closes)) => to.to.is_some() && !closes,
            None => repo.store.tip(&names::job_chain(id))?.is_some(),
        })
    };
    // A focus never dangles.
    let will = match will {
        Some(id) if is_open(&id)? => Some(id),
        _ => None,
    };
    planned.focus = match will {
        will if will == has => FocusTurn::Stays,
        Some(id) => FocusTurn::On(id),
        None => FocusTurn::Off,
    };
    Ok(planned)
}

/// The move of a ref back to where it stood, without a step; nothing for what is no job and not
/// the archive.
fn reset(repo: &Repo, place: &str, want: &Want) -> Result<Option<Turn>> {
    let Some(chain) = ops::chain_of(place).filter(|chain| chain != names::RULES) else {
        return Ok(None);
    };
    let to = match &want.stood {
        Some(Stood::At(commit)) => Some(commit.to_string()),
        _ => None,
    };
    let from = repo.store.stands_at(&chain)?.map(|at| at.to_string());
    Ok(Some(Turn { chain, from, to }))
}

/// Where a job was: a job without a ref lies in the archive of its time, or was not there.
fn wanted(repo: &Repo, id: &JobId, want: &Want) -> Result<Wanted> {
    if let Some(Stood::At(commit)) = &want.stood {
        return Ok(Wanted::Open(commit.clone()));
    }
    let Some(archive) = &want.archive else { return Ok(Wanted::Gone) };
    let row = repo.row_in(&repo.store.tip_of(archive)?, id)?;
    let closed = row.and_then(|row| row.tip.parse().ok());
    Ok(closed.map_or(Wanted::Gone, Wanted::Closed))
}

/// Where a job without a ref stood when it went.
fn last_seen(repo: &Repo, read: &Ops<'_>, place: &str) -> Result<Option<CommitId>> {
    let chain = ops::chain_of(place).unwrap_or_default();
    if repo.store.stands_at(&chain)?.is_some() {
        return Ok(None);
    }
    let mut at = 0;
    while let Some(op) = read.get(at)? {
        let id: CommitId = op.id.parse().map_err(|_| EngineError::OnDisk(op.id.clone()))?;
        let tree = repo.store.tree_of_commit(&id)?;
        if let Some(Stood::At(commit)) = repo.store.stood_in(&tree, place)? {
            return Ok(Some(commit));
        }
        at += 1;
    }
    Ok(None)
}

/// The rules of then, as a commit on the rules of now. None at all are the shipped ones, which an
/// empty text is as well.
fn rules(repo: &Repo, want: &Want, word: &str) -> Result<Option<Turn>> {
    const FILE: &str = "seed.toml";
    let now = repo.store.tip(names::RULES)?;
    let text = |tip| -> Result<Vec<u8>> { Ok(repo.store.file(&tip, FILE)?.unwrap_or_default()) };
    let then = match &want.stood {
        Some(Stood::At(commit)) => text(repo.store.tip_of(commit)?)?,
        _ => Vec::new(),
    };
    let Some(now) = now else { return Ok(None) };
    if text(now.clone())? == then {
        return Ok(None);
    }
    let edits = [TreeEdit::Put { path: FILE.to_owned(), bytes: then }];
    let message = format!("{}\n", tell(Notice::SubjectRulesBack, &[("word", word)]));
    let step = NewStep { edits: &edits, message: &message, at: repo.now };
    let (on, parents) = (Some(&now.tree), [now.commit.clone()]);
    let new = repo.store.write_loose(&Loose { on, parents: &parents, step }, names::RULES)?;
    Ok(Some(Turn {
        chain: names::RULES.to_owned(),
        from: Some(now.commit.to_string()),
        to: Some(new.commit.to_string()),
    }))
}

fn meant(repo: &Repo, way: &Way, ops: &[Op], planned: &Planned, word: &str) -> Result<Meant> {
    let turns = planned.jobs.iter().filter_map(|(_, turn)| turn.turn.clone());
    let each = || planned.jobs.iter().map(|(_, turn)| turn);
    let closes = |(_, turn): &&(JobId, JobTurn)| turn.closes;
    let commands: Vec<String> = ops.iter().map(|op| format!("`{}`", op.command)).collect();
    let told = Notice::UndoTold;
    let stands = way.walked.clone().map(|walked| (walked.to, walked.ahead));
    Ok(Meant {
        command: word.to_owned(),
        turns: turns.chain(planned.archive.clone()).chain(planned.rules.clone()).collect(),
        focus: planned.focus.clone(),
        closed: planned.jobs.iter().filter(closes).map(|(id, _)| id.clone()).collect(),
        branches: turn::in_order(repo, each().flat_map(|turn| turn.branches.clone()))?,
        noted: each().flat_map(|turn| turn.noted.clone()).collect(),
        stands: stands.unwrap_or_default(),
        told: tell(told, &[("word", did(word)), ("ops", &named(&commands))]),
        process: world::myself(),
    })
}

/// `undo` and `redo`, as something that was done.
fn did(word: &str) -> &'static str {
    if word == "undo" { "undid" } else { "redid" }
}

/// As many commands as the agent reads.
fn named(commands: &[String]) -> String {
    const MOST: usize = 5;
    let shown = commands.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match commands.len().checked_sub(MOST).filter(|more| *more > 0) {
        Some(more) => format!("{shown} (and {more} more)"),
        None => shown,
    }
}

/// What stays: commits of undone steps on the branch, and branches that moved on; and the branches
/// that turn.
fn left(repo: &Repo, meant: &Meant) -> Result<(Vec<String>, Vec<BranchTurn>)> {
    let mut commits = Vec::new();
    for Noted { commit, .. } in meant.noted.iter().filter(|noted| noted.undone).rev() {
        let Ok(id) = commit.parse::<CommitId>() else { continue };
        if repo.store.contains(&id)? {
            commits.push(commit.chars().take(12).collect::<String>());
        }
    }
    let mut left = Vec::new();
    if !commits.is_empty() {
        left.push(format!("git revert {}", commits.join(" ")));
    }
    let mut turning = Vec::new();
    for turn in &meant.branches {
        match turn::fate(repo, turn)? {
            BranchFate::Turns => turning.push(turn.clone()),
            BranchFate::Stays(said) => left.push(said),
            BranchFate::IsSo => {}
        }
    }
    Ok((left, turning))
}

/// Something turned while this was planned.
fn moved_meanwhile(repo: &Repo, meant: &Meant, word: &str) -> Result<Option<Refusal>> {
    let mut moved = BTreeSet::new();
    for turn in &meant.turns {
        let stands = repo.store.stands_at(&turn.chain)?.map(|at| at.to_string());
        if stands != turn.from {
            moved.insert(turn.chain.clone());
        }
    }
    let busy = record::pending_file::is_there(repo) || !moved.is_empty();
    Ok(busy.then(|| undoing::under_way(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ops::settle::{Log, NewOp};
    use crate::store::testbed::Testbed;

    #[test]
    fn only_what_is_taken_back_is_read() {
        let bed = Testbed::new();
        bed.git(&["config", "core.fsync", "none"]);
        let repo = Repo::discover(bed.path()).expect("it opens");
        let log = Log { store: &repo.store, now: 7 };
        let does = |worktree: &str, count: usize| {
            for n in 0..count {
                let on = Some(Stood::On(format!("20261121t205612-{n:04x}")));
                let places = vec![(ops::focus_place(worktree), on)];
                let tip = repo.store.tip(names::OPS).expect("reads");
                let new = NewOp { command: "step", worktree, walked: None, places };
                log.add(tip.as_ref(), &new).expect("it is written");
            }
        };
        let read_for = |count: usize| {
            let asked = Asked { undoes: true, count, to: None };
            let read = Ops::newest(&repo, count + 1).expect("reads");
            let way = way(&repo, &asked, &read).expect("reads").expect("a way");
            assert_eq!(way.back.len(), count);
            wants(&repo, &read, &way).expect("reads");
            read.read()
        };
        does("main", 200);
        assert_eq!((read_for(1), read_for(20), read_for(199)), (16, 21, 200));
        // Only where another worktree was at it last it is looked further for ours.
        does("side", 40);
        assert_eq!(read_for(1), 64);
    }
}
